package dev.pitwall.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/// Ranges that a program put around its own steps, told by their name (`iteration 7`, `train_step`)
/// or by how they repeat: one behind the other, around nearly all of the time.
///
/// @param name the name without its number
/// @param named whether the name says that they are steps
/// @param rows the ranges on the thread that has most of them, in order
record RepeatedRanges(String name, boolean named, List<Integer> rows) {
  private static final Pattern NUMBER = Pattern.compile("[\\s_#:=(\\[-]*\\d+[\\s)\\]]*$");
  private static final Pattern STEP =
      Pattern.compile("(^|[^a-z])(step|iteration|iter|batch|minibatch)$");
  private static final Pattern WARM_UP = Pattern.compile("warm|valid|eval|test");
  private static final int LEAST_NAMED = 2;
  private static final int LEAST_REPEATED = 3;
  private static final double LEAST_COVER = 0.6;

  private record Lane(int track, String name) {}

  /// The ranges that are most likely steps; without rows where none are.
  static RepeatedRanges find(Trace trace) {
    Slices slices = trace.slices();
    String[] nameWithoutNumber = new String[trace.names().size()];
    Map<Lane, List<Integer>> lanes = new HashMap<>();
    for (Track track : trace.tracks()) {
      if (track.kind() == Track.Kind.STREAM) {
        continue;
      }
      Map<String, Long> openUntil = new HashMap<>();
      long outermostUntil = Long.MIN_VALUE;
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        if (slices.category(row) != Category.USER_ANNOTATION) {
          continue;
        }
        int id = slices.nameId(row);
        String name = nameWithoutNumber[id];
        if (name == null) {
          name = NUMBER.matcher(trace.names().text(id)).replaceFirst("");
          nameWithoutNumber[id] = name;
        }
        boolean outermost = slices.startNanos(row) >= outermostUntil;
        outermostUntil = Math.max(outermostUntil, slices.endNanos(row));
        boolean nested = slices.startNanos(row) < openUntil.getOrDefault(name, Long.MIN_VALUE);
        // A program that never closes its ranges has each step within the one before.
        boolean numbered = name.length() < trace.names().text(id).length();
        boolean isStep = saysStep(name);
        if (!name.isEmpty() && (!nested || (isStep && numbered)) && (outermost || isStep)) {
          openUntil.put(name, slices.endNanos(row));
          lanes.computeIfAbsent(new Lane(track.id(), name), unseen -> new ArrayList<>()).add(row);
        }
      }
    }
    RepeatedRanges best = new RepeatedRanges("", false, List.of());
    for (Map.Entry<Lane, List<Integer>> lane : lanes.entrySet()) {
      RepeatedRanges ranges =
          new RepeatedRanges(lane.getKey().name(), saysStep(lane.getKey().name()), lane.getValue());
      best = ranges.areSteps(slices) && ranges.isLikelierThan(best) ? ranges : best;
    }
    return best;
  }

  /// Whether a range ends only after the next begins, as where the program never closes them.
  boolean overlap(Slices slices) {
    for (int i = 0; i + 1 < rows.size(); i++) {
      if (slices.endNanos(rows.get(i)) > slices.startNanos(rows.get(i + 1))) {
        return true;
      }
    }
    return false;
  }

  private static boolean saysStep(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return STEP.matcher(lower).find() && !WARM_UP.matcher(lower).find();
  }

  private boolean areSteps(Slices slices) {
    if (named) {
      return rows.size() >= LEAST_NAMED;
    }
    long covered = 0;
    for (int row : rows) {
      covered += slices.durationNanos(row);
    }
    long extent = slices.endNanos(rows.getLast()) - slices.startNanos(rows.getFirst());
    return rows.size() >= LEAST_REPEATED && covered >= LEAST_COVER * extent;
  }

  /// A name that says so before one that only repeats, then the one that occurs more often.
  private boolean isLikelierThan(RepeatedRanges other) {
    if (named != other.named && !other.rows.isEmpty()) {
      return named;
    }
    return rows.size() != other.rows.size()
        ? rows.size() > other.rows.size()
        : name.compareTo(other.name) < 0;
  }
}
