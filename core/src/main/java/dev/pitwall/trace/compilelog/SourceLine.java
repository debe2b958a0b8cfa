package dev.pitwall.trace.compilelog;

/// One line of a Python stack.
///
/// @param file path as the program saw it
/// @param line from 1; 0 where unknown
/// @param function name of the code object
/// @param code the line's text, empty where the log does not have it
public record SourceLine(String file, int line, String function, String code) {
  /// Whether the line lies in PyTorch or another installed package rather than in the user's code.
  public boolean isLibrary() {
    return file.contains("/site-packages/")
        || file.contains("/dist-packages/")
        || file.startsWith("<");
  }

  /// `file:line`.
  public String place() {
    return file + ":" + line;
  }
}
