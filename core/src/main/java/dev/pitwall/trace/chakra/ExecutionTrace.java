package dev.pitwall.trace.chakra;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The operators of one rank, in the order of their ids, which is the order in which they began.
///
/// @param schema version of the format, such as `1.0.3-chakra.0.0.4`
/// @param nodes operators and the labels around them
public record ExecutionTrace(String schema, List<Node> nodes) {
  public ExecutionTrace {
    nodes = List.copyOf(nodes);
  }

  /// One operator.
  ///
  /// @param parent id of the enclosing node, -1 where there is none
  /// @param recordFunctionId id that a Kineto trace of the same run calls `Record function id`, -1
  ///     or 0 where there is none
  /// @param inputShapes shapes as JSON text
  public record Node(long id, String name, long parent, long recordFunctionId, String inputShapes) {
    /// Whether this is an operator and no label such as a thread or an annotation.
    public boolean isOperator() {
      return name.contains("::") || name.equals("record_param_comms");
    }
  }

  /// How often each operator ran, by name.
  public Map<String, Integer> operatorCounts() {
    Map<String, Integer> counts = new TreeMap<>();
    nodes.stream()
        .filter(Node::isOperator)
        .forEach(node -> counts.merge(node.name(), 1, Integer::sum));
    return counts;
  }

  /// Parses an execution trace of schema 1.0.1 to 1.1.
  ///
  /// @param source the file's name, for messages
  /// @throws PitwallException with exit code 3 where the text is no execution trace
  public static ExecutionTrace parse(String text, String source) {
    Json top;
    try {
      top = Json.parse(text);
    } catch (JsonSyntaxException broken) {
      throw PitwallException.unreadable(
          source + " is no whole execution trace: " + broken.getMessage() + ".");
    }
    if (top.get("nodes").isNull()) {
      throw PitwallException.unreadable(source + " is no execution trace: it has no 'nodes'.");
    }
    List<Node> nodes = new ArrayList<>();
    for (Json node : top.get("nodes")) {
      nodes.add(node(node));
    }
    nodes.sort(java.util.Comparator.comparingLong(Node::id));
    return new ExecutionTrace(top.get("schema").text(""), nodes);
  }

  /// Until schema 1.0.1 attributes are members of the node, since 1.0.2 a list of name and value.
  private static Node node(Json node) {
    long recordFunctionId = node.get("rf_id").integer(-1);
    for (Json attribute : node.get("attrs")) {
      if (attribute.get("name").text("").equals("rf_id")) {
        recordFunctionId = attribute.get("value").integer(-1);
      }
    }
    Json shapes = node.get("inputs").get("shapes");
    return new Node(
        node.get("id").integer(-1),
        node.get("name").text(""),
        node.get("ctrl_deps").integer(node.get("parent").integer(-1)),
        recordFunctionId,
        shapesText(shapes.isNull() ? node.get("input_shapes") : shapes));
  }

  private static String shapesText(Json value) {
    return switch (value) {
      case Json.Array array -> {
        List<String> parts = new ArrayList<>();
        array.forEach(element -> parts.add(shapesText(element)));
        yield "[" + String.join(", ", parts) + "]";
      }
      case Json.Number number -> number.text();
      default -> "";
    };
  }
}
