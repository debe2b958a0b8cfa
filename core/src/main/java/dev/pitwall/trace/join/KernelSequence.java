package dev.pitwall.trace.join;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// The kernels of a trace's busiest device in order of start. Recorders write a kernel's name with
/// more or less of its template arguments, so only the function's own name counts.
final class KernelSequence {
  final int[] symbols;
  final long[] startNanos;
  final long[] durationNanos;

  private KernelSequence(int size) {
    symbols = new int[size];
    startNanos = new long[size];
    durationNanos = new long[size];
  }

  int size() {
    return symbols.length;
  }

  /// @param symbolOfName numbers of names, shared by the sequences that are compared
  static KernelSequence of(Trace trace, Map<String, Integer> symbolOfName) {
    Slices slices = trace.slices();
    int device = busiestDevice(trace);
    int[] symbolOfId = new int[trace.names().size()];
    Arrays.fill(symbolOfId, -1);
    int[] kernels = kernelsByStart(trace, device);
    KernelSequence sequence = new KernelSequence(kernels.length);
    for (int i = 0; i < kernels.length; i++) {
      int row = kernels[i];
      int name = slices.nameId(row);
      if (symbolOfId[name] < 0) {
        symbolOfId[name] =
            symbolOfName.computeIfAbsent(
                functionName(trace.names().text(name)), unseen -> symbolOfName.size());
      }
      sequence.symbols[i] = symbolOfId[name];
      sequence.startNanos[i] = slices.startNanos(row);
      sequence.durationNanos[i] = slices.durationNanos(row);
    }
    return sequence;
  }

  /// `vectorized_elementwise_kernel` of `void at::native::vectorized_elementwise_kernel<4,
  /// ...>(int, ...)`.
  static String functionName(String kernel) {
    String name = kernel.replace("(anonymous namespace)::", "");
    int end = name.length();
    for (int i = 0; i < end; i++) {
      if (name.charAt(i) == '<' || name.charAt(i) == '(') {
        end = i;
      }
    }
    name = name.substring(0, end).strip();
    int from = Math.max(name.lastIndexOf(' '), name.lastIndexOf(':')) + 1;
    return name.substring(from);
  }

  /// Merges the streams of a device, each of which is in order of start.
  private static int[] kernelsByStart(Trace trace, int device) {
    Slices slices = trace.slices();
    List<Track> streams =
        trace.tracks().stream()
            .filter(track -> track.kind() == Track.Kind.STREAM && track.device() == device)
            .toList();
    int[] next = streams.stream().mapToInt(stream -> trace.firstRow(stream.id())).toArray();
    IntColumn rows = new IntColumn();
    int earliest = 0;
    while (earliest >= 0) {
      earliest = -1;
      for (int i = 0; i < next.length; i++) {
        int end = trace.endRow(streams.get(i).id());
        while (next[i] < end && slices.category(next[i]) != Category.KERNEL) {
          next[i]++;
        }
        if (next[i] < end
            && (earliest < 0 || slices.startNanos(next[i]) < slices.startNanos(next[earliest]))) {
          earliest = i;
        }
      }
      if (earliest >= 0) {
        rows.add(next[earliest]++);
      }
    }
    int[] kernels = new int[rows.size()];
    for (int i = 0; i < kernels.length; i++) {
      kernels[i] = rows.get(i);
    }
    return kernels;
  }

  private static int busiestDevice(Trace trace) {
    long[] busy = new long[64];
    for (Track track : trace.tracks()) {
      if (track.kind() == Track.Kind.STREAM
          && track.device() >= 0
          && track.device() < busy.length) {
        busy[track.device()] += trace.endRow(track.id()) - trace.firstRow(track.id());
      }
    }
    int busiest = 0;
    for (int device = 1; device < busy.length; device++) {
      busiest = busy[device] > busy[busiest] ? device : busiest;
    }
    return busiest;
  }
}
