package dev.pitwall.recorders.python;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.treesitter.TSNode;
import org.treesitter.TSParser;
import org.treesitter.TSTree;
import org.treesitter.TSTreeCursor;
import org.treesitter.TreeSitterPython;

/// Parses Python with tree-sitter. Source that is no valid Python is parsed as far as it goes.
public final class PythonParser {
  private static final int DEEPEST = 500;

  private final String text;
  private final CharacterOffsets offsets;

  // Asking the parser for a node's line and column costs as much as all else of the node.
  private final int[] lineStarts;

  // A child by its number costs as much as the number is large; a cursor walks in linear time.
  private final TSTreeCursor cursor;

  // Every question about a node costs a call into native code, so what its symbol tells is kept.
  private final Map<Integer, Symbol> symbols = new HashMap<>();
  private final Map<Integer, String> fields = new HashMap<>();

  /// Whether something did not parse; where nothing is broken, nothing is missing either.
  private final boolean broken;

  private record Symbol(String kind, boolean isNamed) {}

  private PythonParser(String text, TSTreeCursor cursor) {
    this.text = text;
    this.broken = cursor.currentNode().hasError();
    this.offsets = CharacterOffsets.of(text);
    this.lineStarts =
        IntStream.concat(
                IntStream.of(0),
                IntStream.range(0, text.length())
                    .filter(at -> text.charAt(at) == '\n')
                    .map(at -> at + 1))
            .toArray();
    this.cursor = cursor;
  }

  /// @param path as it is to be reported
  public static SourceFile parse(String path, String text) {
    try (TSParser parser = new TSParser()) {
      parser.setLanguage(new TreeSitterPython());
      TSTree tree = parser.parseString(null, text);
      try (TSTreeCursor cursor = new TSTreeCursor(tree.getRootNode())) {
        return new SourceFile(
            path, text, new PythonParser(text, cursor).convert(cursor.currentNode(), "", 0));
      }
    }
  }

  /// The node at the cursor with all below it; leaves the cursor there.
  private Syntax convert(TSNode node, String field, int depth) {
    List<Syntax> children = new ArrayList<>();
    if (depth < DEEPEST && cursor.gotoFirstChild()) {
      do {
        TSNode child = cursor.currentNode();
        if (symbol(child).isNamed() || (broken && child.isMissing())) {
          children.add(convert(child, field(), depth + 1));
        }
      } while (cursor.gotoNextSibling());
      cursor.gotoParent();
    }
    int from = offsets.at(node.getStartByte());
    int found = Arrays.binarySearch(lineStarts, from);
    int line = found >= 0 ? found : -found - 2;
    return new Syntax(
        kind(node, depth),
        field,
        text,
        from,
        offsets.at(node.getEndByte()),
        line + 1,
        from - lineStarts[line] + 1,
        children);
  }

  private String kind(TSNode node, int depth) {
    if (broken && node.isMissing()) {
      return Syntax.MISSING;
    }
    boolean hidesError = broken && depth == DEEPEST && node.hasError();
    return hidesError ? Syntax.BROKEN : symbol(node).kind();
  }

  private Symbol symbol(TSNode node) {
    return symbols.computeIfAbsent(
        node.getSymbol(), unseen -> new Symbol(node.getType(), node.isNamed()));
  }

  private String field() {
    return fields.computeIfAbsent(
        cursor.currentFieldId(),
        unseen -> {
          String name = cursor.currentFieldName();
          return name == null ? "" : name;
        });
  }
}
