package dev.pitwall.trace.kineto;

import dev.pitwall.table.DataTable;
import dev.pitwall.trace.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which PyTorch wrote a file, told by what the file has: the recorder does not say it. Every
/// feature of `versions.csv` bounds the range of versions; a line number of `nn.Module.__call__` in
/// a Python stack names one version.
final class VersionEvidence {
  private static final DataTable FEATURES =
      DataTable.resource("/dev/pitwall/trace/kineto/versions.csv");

  private final Set<String> seen = new HashSet<>();

  /// Notes a feature of the file by its name in the table.
  void saw(String feature) {
    seen.add(feature);
  }

  /// Notes every feature of the table that is the name or category of a slice.
  void sawNames(Names names) {
    for (int row = 0; row < FEATURES.rows(); row++) {
      String where = FEATURES.text(row, "where");
      String feature = FEATURES.text(row, "feature");
      if ((where.equals("slice") || where.equals("category")) && names.find(feature) >= 0) {
        seen.add(feature);
      }
    }
  }

  /// The range, such as `2.4-2.7`, or the version where only one remains; null where nothing is
  /// known or the features contradict each other. A line of PyTorch's source decides alone; how
  /// times are written tells nothing of a file without any other feature, since others write Chrome
  /// traces too.
  @Nullable String range() {
    String exact = range(List.of("slice"));
    if (exact != null) {
      return exact;
    }
    boolean certain = range(List.of("category", "argument", "top level")) != null;
    return certain ? range(List.of("category", "argument", "top level", "file")) : null;
  }

  private @Nullable String range(List<String> places) {
    int from = 0;
    int to = Integer.MAX_VALUE;
    for (int row = 0; row < FEATURES.rows(); row++) {
      if (places.contains(FEATURES.text(row, "where"))
          && seen.contains(FEATURES.text(row, "feature"))) {
        from = Math.max(from, ordinal(FEATURES.text(row, "from")));
        to = Math.min(to, ordinal(FEATURES.text(row, "to")));
      }
    }
    if (from == 0 || from > to) {
      return null;
    }
    return from == to ? text(from) : text(from) + "-" + text(to);
  }

  private static int ordinal(String version) {
    int dot = version.indexOf('.');
    return Integer.parseInt(version.substring(0, dot)) * 1000
        + Integer.parseInt(version.substring(dot + 1));
  }

  private static String text(int ordinal) {
    return ordinal / 1000 + "." + ordinal % 1000;
  }
}
