package dev.pitwall.report;

/// Colours of a terminal, or none. Colour is never the only sign of anything.
enum Style {
  PLAIN(false),
  COLOURED(true);

  private final boolean coloured;

  Style(boolean coloured) {
    this.coloured = coloured;
  }

  String bold(String text) {
    return wrap("1", text);
  }

  String dim(String text) {
    return wrap("2", text);
  }

  String red(String text) {
    return wrap("31;1", text);
  }

  String yellow(String text) {
    return wrap("33", text);
  }

  String green(String text) {
    return wrap("32", text);
  }

  String blue(String text) {
    return wrap("34", text);
  }

  String magenta(String text) {
    return wrap("35", text);
  }

  String cyan(String text) {
    return wrap("36", text);
  }

  private String wrap(String code, String text) {
    return coloured && !text.isEmpty() ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
