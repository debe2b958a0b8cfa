package dev.pitwall.trace.kineto;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The rank that a file's name tells, for files that do not say it themselves.
final class RankInName {
  /// `rank3`, `rank-3`, `rank_3`, `rank.3`, `r3.` or a trailing `_3.json`.
  private static final Pattern RANK = Pattern.compile("(?i)rank[-_.=]?(\\d{1,6})");

  private RankInName() {}

  /// The rank, or -1.
  static int of(Path file) {
    Matcher match = RANK.matcher(String.valueOf(file.getFileName()));
    return match.find() ? Integer.parseInt(match.group(1)) : -1;
  }
}
