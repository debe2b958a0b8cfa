package dev.pitwall.recorders.python;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.treesitter.TSNode;
import org.treesitter.TSParser;
import org.treesitter.TSTree;
import org.treesitter.TreeSitterPython;

/// Parses Python with tree-sitter. Source that is no valid Python is parsed as far as it goes.
public final class PythonParser {
  private static final int DEEPEST = 500;

  private PythonParser() {}

  /// @param path as it is to be reported
  public static SourceFile parse(String path, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    TSParser parser = new TSParser();
    parser.setLanguage(new TreeSitterPython());
    TSTree tree = parser.parseString(null, text);
    return new SourceFile(path, text, convert(tree.getRootNode(), "", bytes, 0));
  }

  private static Syntax convert(TSNode node, String field, byte[] bytes, int depth) {
    List<Syntax> children = new ArrayList<>();
    for (int at = 0; depth < DEEPEST && at < node.getChildCount(); at++) {
      TSNode child = node.getChild(at);
      if (child.isNamed()) {
        String name = node.getFieldNameForChild(at);
        children.add(convert(child, name == null ? "" : name, bytes, depth + 1));
      }
    }
    int from = node.getStartByte();
    return new Syntax(
        node.getType(),
        field,
        new String(bytes, from, node.getEndByte() - from, StandardCharsets.UTF_8),
        node.getStartPoint().getRow() + 1,
        node.getStartPoint().getColumn() + 1,
        children);
  }
}
