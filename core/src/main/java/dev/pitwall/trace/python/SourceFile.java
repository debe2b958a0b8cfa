package dev.pitwall.trace.python;

/// One file of Python source, parsed.
///
/// @param path as it is to be reported
/// @param root the `module` node
public record SourceFile(String path, String text, Syntax root) {
  /// Name of the module by which others in the project import it: the file's name without its
  /// suffix.
  public String module() {
    String name = path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    return name.endsWith(".py") ? name.substring(0, name.length() - 3) : name;
  }
}
