package dev.pitwall.trace.compilelog;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Reads the readable text of an FX graph: placeholders, nodes with their targets, what it returns.
final class GraphText {
  private final Map<String, Long> bytesOfPlaceholder = new HashMap<>();
  private final Map<String, String> targetOfNode = new HashMap<>();

  /// @param text payload of `aot_forward_graph` or `aot_backward_graph`
  static GraphText parse(String text) {
    GraphText graph = new GraphText();
    int at = 0;
    // Every annotated name reads `name: "dtype[sizes][strides]device"`, a node goes on with ` =
    // target(`.
    while ((at = text.indexOf(": \"", at)) >= 0) {
      int close = text.indexOf('"', at + 3);
      if (close < 0) {
        break;
      }
      int nameStart = at;
      while (nameStart > 0 && Character.isJavaIdentifierPart(text.charAt(nameStart - 1))) {
        nameStart--;
      }
      String name = text.substring(nameStart, at);
      String type = text.substring(at + 3, close);
      if (text.startsWith(" = ", close + 1)) {
        int targetEnd = close + 4;
        while (targetEnd < text.length()
            && (text.charAt(targetEnd) == '.'
                || Character.isJavaIdentifierPart(text.charAt(targetEnd)))) {
          targetEnd++;
        }
        graph.targetOfNode.put(
            name, text.substring(close + 4, targetEnd).replace("torch.ops.", ""));
      } else if (type.indexOf('[') > 0) {
        int open = type.indexOf('[');
        int sizesEnd = type.indexOf(']', open);
        graph.bytesOfPlaceholder.put(
            name,
            sizesEnd < 0
                ? 0
                : elements(type.substring(open + 1, sizesEnd))
                    * DtypeBytes.of(type.substring(0, open)));
      }
      at = close + 1;
    }
    return graph;
  }

  private static long elements(String sizes) {
    long elements = 1;
    for (String size : sizes.split(",")) {
      try {
        elements *= size.isBlank() ? 1 : Long.parseLong(size.strip());
      } catch (NumberFormatException symbolic) {
        return 0;
      }
    }
    return elements;
  }

  /// What the partitioner did, from the two halves: a tensor the backward takes that the forward
  /// computed is saved; a node of both halves under the same name is computed twice.
  static Partition partition(GraphText forward, GraphText backward) {
    int saved = 0;
    long savedBytes = 0;
    for (Map.Entry<String, Long> input : backward.bytesOfPlaceholder.entrySet()) {
      if (forward.targetOfNode.containsKey(input.getKey())) {
        saved++;
        savedBytes += input.getValue();
      }
    }
    Set<String> shared = new HashSet<>(backward.targetOfNode.keySet());
    shared.retainAll(forward.targetOfNode.keySet());
    List<String> recomputed = new ArrayList<>();
    for (String name : shared) {
      String target = backward.targetOfNode.getOrDefault(name, "");
      if (target.contains(".")
          && target.equals(forward.targetOfNode.get(name))
          && !isView(target)) {
        recomputed.add(target);
      }
    }
    recomputed.sort(String::compareTo);
    return new Partition(saved, savedBytes, recomputed);
  }

  private static boolean isView(String target) {
    return target.matches(
        "aten\\.(view|reshape|permute|transpose|t|expand|slice|select|unsqueeze|squeeze|alias"
            + "|as_strided|split\\w*|unbind|detach|_unsafe_view)(\\.\\w+)?");
  }
}
