package dev.pitwall.trace.compilelog;

import java.util.List;

/// A kernel that the compiler wrote.
///
/// @param name as it appears in a trace, such as `triton_per_fused_add_native_layer_norm_2`
/// @param kind what sort of loop it is
/// @param operators the ATen operators it stands for, such as `aten.add`, in the log's order
/// @param sourceNodes the nodes of the captured graph it stands for, such as `layer_norm`
/// @param calls how often the graph calls it
/// @param stackLines the user's lines it came from, `file:line`, empty where the log has no links
public record GeneratedKernel(
    String name,
    Kind kind,
    List<String> operators,
    List<String> sourceNodes,
    int calls,
    List<String> stackLines) {
  public GeneratedKernel {
    operators = List.copyOf(operators);
    sourceNodes = List.copyOf(sourceNodes);
    stackLines = List.copyOf(stackLines);
  }

  /// The loop a generated kernel is, by the third part of its name.
  public enum Kind {
    POINTWISE,
    REDUCTION,
    PERSISTENT_REDUCTION,
    FOREACH,
    SCAN,
    TEMPLATE,
    CPU,
    OTHER;

    static Kind ofName(String name) {
      if (name.startsWith("cpp_")) {
        return CPU;
      }
      return switch (name.length() < 10 ? "" : name.substring(0, 10)) {
        case "triton_poi" -> POINTWISE;
        case "triton_red" -> REDUCTION;
        case "triton_per" -> PERSISTENT_REDUCTION;
        case "triton_for" -> FOREACH;
        case "triton_spl" -> SCAN;
        case "triton_tem" -> TEMPLATE;
        default -> OTHER;
      };
    }
  }
}
