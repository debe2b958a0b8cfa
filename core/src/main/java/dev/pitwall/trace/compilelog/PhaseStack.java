package dev.pitwall.trace.compilelog;

import dev.pitwall.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/// Pairs the begin and end events of the compiler's timeline. Several threads write with one thread
/// id, so an end closes the nearest open span of its name, and an end without a begin is dropped.
final class PhaseStack {
  private static final class Open {
    final String name;
    final String compileId;
    final double startMicros;
    final int depth;
    double childrenMicros;

    Open(String name, String compileId, double startMicros, int depth) {
      this.name = name;
      this.compileId = compileId;
      this.startMicros = startMicros;
      this.depth = depth;
    }
  }

  private final Deque<Open> open = new ArrayDeque<>();
  private final List<CompilePhase> phases = new ArrayList<>();
  private int unmatched;

  void accept(Json event) {
    String name = event.get("name").text("");
    double at = event.get("ts").number(0);
    switch (event.get("ph").text("")) {
      case "B" ->
          open.push(new Open(name, event.get("args").get("compile_id").text(""), at, open.size()));
      case "E" -> close(name, at);
      default -> {
        // Instants and counters carry no time.
      }
    }
  }

  private void close(String name, double at) {
    Open found = null;
    for (Iterator<Open> candidates = open.iterator(); candidates.hasNext() && found == null; ) {
      Open candidate = candidates.next();
      if (candidate.name.equals(name)) {
        candidates.remove();
        found = candidate;
      }
    }
    if (found == null) {
      unmatched++;
      return;
    }
    double duration = Math.max(0, at - found.startMicros);
    if (!open.isEmpty()) {
      open.peek().childrenMicros += duration;
    }
    phases.add(
        new CompilePhase(
            name,
            found.compileId,
            found.startMicros,
            duration,
            Math.max(0, duration - found.childrenMicros),
            found.depth));
  }

  List<CompilePhase> phases() {
    phases.sort(
        Comparator.comparingDouble(CompilePhase::startMicros)
            .thenComparingInt(CompilePhase::depth));
    return phases;
  }

  /// Ends without a begin and begins without an end.
  int unmatched() {
    return unmatched + open.size();
  }
}
