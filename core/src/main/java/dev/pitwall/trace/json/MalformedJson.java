package dev.pitwall.trace.json;

/// The bytes at the scanner's position are not what JSON allows there. Thrown often while a damaged
/// file is read, so it carries no stack trace; the scanner's [JsonScanner#offset] says where.
public final class MalformedJson extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean atEnd;

  MalformedJson(String what, boolean atEnd) {
    super(what, null, false, false);
    this.atEnd = atEnd;
  }

  /// Whether the bytes ended here: the file is cut rather than wrong.
  public boolean atEnd() {
    return atEnd;
  }
}
