package dev.pitwall.report;

/// Colours of a terminal, or none. Colour is never the only sign of anything.
public enum Style {
  PLAIN(false),
  COLOURED(true);

  private final boolean coloured;

  Style(boolean coloured) {
    this.coloured = coloured;
  }

  public static Style of(boolean coloured) {
    return coloured ? COLOURED : PLAIN;
  }

  public String bold(String text) {
    return wrap("1", text);
  }

  public String dim(String text) {
    return wrap("2", text);
  }

  public String red(String text) {
    return wrap("31;1", text);
  }

  public String yellow(String text) {
    return wrap("33", text);
  }

  public String green(String text) {
    return wrap("32", text);
  }

  public String blue(String text) {
    return wrap("34", text);
  }

  public String magenta(String text) {
    return wrap("35", text);
  }

  public String cyan(String text) {
    return wrap("36", text);
  }

  private String wrap(String code, String text) {
    return coloured && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
