package dev.pitwall.report;

import java.util.List;

/// Text for a terminal of a given width, put together from paragraphs and tables that fit it.
public final class TextPage {
  static final int NARROWEST = 40;
  static final int WIDEST_PROSE = 120;
  static final int WIDEST_TABLE = 160;

  private final int width;
  private final Style style;
  private final StringBuilder out = new StringBuilder();

  /// @param columns of the terminal
  /// @param coloured whether to use colours
  public TextPage(int columns, boolean coloured) {
    this.width = Math.max(NARROWEST, columns);
    this.style = Style.of(coloured);
  }

  public Style style() {
    return style;
  }

  /// Adds one line as it is.
  public TextPage line(String text) {
    out.append(text.stripTrailing()).append('\n');
    return this;
  }

  public TextPage blank() {
    return line("");
  }

  /// Adds sentences, broken between words.
  public TextPage paragraph(String text) {
    return paragraph("", text);
  }

  /// Adds sentences, broken between words, with `lead` before the first line and as much space
  /// before the others.
  public TextPage paragraph(String lead, String text) {
    int indent = PlainText.visibleLength(lead);
    boolean first = true;
    for (String line : PlainText.wrapped(text, Math.min(width, WIDEST_PROSE) - indent)) {
      line((first ? lead : " ".repeat(indent)) + line);
      first = false;
    }
    return this;
  }

  /// Adds a table with nothing before or after it.
  public TextPage table(TextTable table) {
    return lines(table.lines(Math.min(width, WIDEST_TABLE), style));
  }

  /// Adds lines as they are.
  public TextPage lines(List<String> lines) {
    lines.forEach(this::line);
    return this;
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
