package dev.pitwall.report;

import java.util.Locale;

/// Builds HTML text in which everything from a recording is text: the only way to add it is
/// [#text], which escapes.
final class Markup {
  private final StringBuilder out = new StringBuilder();

  /// Adds markup of our own.
  Markup raw(String markup) {
    out.append(markup);
    return this;
  }

  /// Adds text.
  Markup text(String text) {
    out.append(escaped(text));
    return this;
  }

  /// Adds markup of our own with `%s` places for texts.
  Markup format(String markup, Object... texts) {
    Object[] safe = new Object[texts.length];
    for (int i = 0; i < texts.length; i++) {
      safe[i] = texts[i] instanceof String text ? escaped(text) : texts[i];
    }
    out.append(String.format(Locale.ROOT, markup, safe));
    return this;
  }

  static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> safe.append("&amp;");
        case '<' -> safe.append("&lt;");
        case '>' -> safe.append("&gt;");
        case '"' -> safe.append("&quot;");
        case '\'' -> safe.append("&#39;");
        default -> safe.append(Character.isISOControl(c) && c != '\n' ? '\uFFFD' : c);
      }
    }
    return safe.toString();
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
