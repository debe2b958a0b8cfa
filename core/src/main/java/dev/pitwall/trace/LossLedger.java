package dev.pitwall.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a reader dropped or repaired, by code, with a count and the first case as a sentence.
/// Everything a reader does not carry over unchanged is entered here and shown to the user.
public final class LossLedger {
  /// One line of the ledger.
  ///
  /// @param code a short word for machines, such as `truncated`
  /// @param count how often
  /// @param text the first case in a sentence, with its place in the file
  public record Entry(String code, long count, String text) {}

  private static final class Line {
    final String text;
    long count;

    Line(String text) {
      this.text = text;
    }
  }

  private final Map<String, Line> lines = new LinkedHashMap<>();

  /// Counts one case; `text` is kept only for the first of its code.
  public void record(String code, String text) {
    record(code, 1, text);
  }

  public void record(String code, long count, String text) {
    if (count > 0) {
      lines.computeIfAbsent(code, unused -> new Line(text)).count += count;
    }
  }

  public long count(String code) {
    Line line = lines.get(code);
    return line == null ? 0 : line.count;
  }

  /// The lines in order of first appearance.
  public List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    lines.forEach((code, line) -> entries.add(new Entry(code, line.count, line.text)));
    return List.copyOf(entries);
  }
}
