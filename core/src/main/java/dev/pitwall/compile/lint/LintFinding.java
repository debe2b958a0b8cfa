package dev.pitwall.compile.lint;

/// One place in the source that a rule speaks of.
///
/// @param function the function around it, or empty
/// @param because why the place matters: how it is known to be compiled or called every step
/// @param code the line
public record LintFinding(
    LintRule rule, String path, int line, int column, String function, String because, String code)
    implements Comparable<LintFinding> {
  @Override
  public int compareTo(LintFinding other) {
    int byPath = path.compareTo(other.path);
    if (byPath != 0) {
      return byPath;
    }
    int byLine = Integer.compare(line, other.line);
    return byLine != 0 ? byLine : Integer.compare(column, other.column);
  }
}
