package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.Syntax;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Which expressions of one function hold tensors, guessed from how they are used and where they
/// come from. When in doubt an expression is none: a rule speaks only of what is certain enough.
final class TensorFlow {
  private static final Set<String> HOST_ATTRIBUTES =
      Set.of(
          "shape",
          "dtype",
          "device",
          "ndim",
          "requires_grad",
          "is_cuda",
          "is_leaf",
          "layout",
          "training",
          "names",
          "itemsize",
          "nbytes");

  private static final Set<String> HOST_METHODS =
      Set.of(
          "size",
          "dim",
          "numel",
          "stride",
          "item",
          "tolist",
          "is_contiguous",
          "data_ptr",
          "type",
          "element_size",
          "storage_offset",
          "is_floating_point",
          "get_device",
          "nelement",
          "keys");

  /// Methods that only a tensor has, or that show that their object is one.
  private static final Set<String> TENSOR_METHODS =
      Set.of(
          "sum",
          "mean",
          "abs",
          "max",
          "min",
          "amax",
          "amin",
          "float",
          "half",
          "bfloat16",
          "detach",
          "view",
          "reshape",
          "permute",
          "transpose",
          "contiguous",
          "unsqueeze",
          "squeeze",
          "any",
          "all",
          "norm",
          "exp",
          "log",
          "sqrt",
          "softmax",
          "argmax",
          "argmin",
          "clamp",
          "matmul",
          "mul",
          "add",
          "item",
          "tolist",
          "numpy",
          "cpu",
          "cuda",
          "backward",
          "isnan",
          "isinf",
          "flatten",
          "expand",
          "gather",
          "scatter",
          "nonzero",
          "masked_fill",
          "new_zeros",
          "relu",
          "sigmoid",
          "tanh",
          "std",
          "var",
          "prod",
          "cumsum",
          "data_ptr",
          "numel",
          "dim",
          "long",
          "bool",
          "int",
          "eq",
          "ne",
          "gt",
          "lt",
          "ge",
          "le",
          "logical_and",
          "logical_not");

  private static final Set<String> HOST_TORCH =
      Set.of(
          "torch.is_tensor",
          "torch.is_grad_enabled",
          "torch.get_default_dtype",
          "torch.device",
          "torch.numel",
          "torch.Size",
          "torch.is_floating_point",
          "torch.is_complex",
          "torch.finfo",
          "torch.iinfo",
          "torch.compile",
          "torch.no_grad",
          "torch.set_grad_enabled",
          "torch.get_rng_state",
          "torch.is_autocast_enabled",
          "torch.version");

  private final Set<String> tensors = new HashSet<>();

  private final Set<String> ownMethods;

  /// @param ownMethods methods of the class around, whose results are not known
  TensorFlow(Definition function, Set<String> ownMethods) {
    this.ownMethods = ownMethods;
    Set<String> parameters = new HashSet<>(function.parameters());
    parameters.remove("self");
    function.node.walk(node -> seeEvidence(node, parameters));
    for (int pass = 0; pass < 2; pass++) {
      function.body().walk(this::seeAssignment);
    }
  }

  /// A use that shows that a parameter is a tensor.
  private void seeEvidence(Syntax node, Set<String> parameters) {
    if (!node.is("call")) {
      return;
    }
    Syntax callee = node.child("function").orElse(node);
    if (callee.is("attribute")) {
      String object = callee.child("object").map(Syntax::dotted).orElse("");
      String method = callee.child("attribute").map(Syntax::text).orElse("");
      if (parameters.contains(object) && TENSOR_METHODS.contains(method)) {
        tensors.add(object);
      }
    }
    String name = callee.dotted();
    boolean takesTensors =
        name.startsWith("torch.") && !HOST_TORCH.contains(name)
            || name.startsWith("F.")
            || name.startsWith("self.");
    if (takesTensors && !name.startsWith("torch.cuda") && !name.startsWith("torch._")) {
      List<Syntax> arguments = Project.arguments(node);
      if (!arguments.isEmpty() && parameters.contains(arguments.getFirst().text())) {
        tensors.add(arguments.getFirst().text());
      }
    }
  }

  private void seeAssignment(Syntax node) {
    if (node.is("assignment") || node.is("augmented_assignment")) {
      Syntax left = node.child("left").orElse(node);
      Syntax right = node.child("right").orElse(node);
      if (left.is("identifier") && right != node && isTensor(right)) {
        tensors.add(left.text());
      }
    } else if (node.is("named_expression")) {
      Syntax value = node.child("value").orElse(node);
      if (isTensor(value)) {
        node.child("name").ifPresent(name -> tensors.add(name.text()));
      }
    }
  }

  boolean isTensor(Syntax expression) {
    return switch (expression.kind()) {
      case "identifier" -> tensors.contains(expression.text());
      case "parenthesized_expression", "unary_operator", "not_operator" ->
          expression.children().stream().anyMatch(this::isTensor);
      case "binary_operator", "boolean_operator" ->
          expression.children().stream().anyMatch(this::isTensor);
      case "comparison_operator" ->
          !expression.text().matches("(?s).*\\b(is|in)\\b.*")
              && expression.children().stream().anyMatch(this::isTensor);
      case "subscript" -> expression.child("value").map(this::isTensor).orElse(false);
      case "attribute" ->
          !HOST_ATTRIBUTES.contains(expression.child("attribute").map(Syntax::text).orElse(""))
              && expression.child("object").map(this::isTensor).orElse(false);
      case "call" -> isTensorCall(expression);
      default -> false;
    };
  }

  private boolean isTensorCall(Syntax call) {
    Syntax callee = call.child("function").orElse(call);
    String name = callee.dotted();
    if (callee.is("attribute")) {
      String method = callee.child("attribute").map(Syntax::text).orElse("");
      Syntax object = callee.child("object").orElse(callee);
      if (isTensor(object)) {
        return !HOST_METHODS.contains(method);
      }
    }
    if (name.matches("self\\.\\w+") && !ownMethods.contains(name.substring("self.".length()))) {
      // A layer: it takes tensors and makes tensors.
      return Project.arguments(call).stream().anyMatch(this::isTensor);
    }
    if (name.startsWith("torch.nn.")
        || name.startsWith("torch.cuda")
        || name.startsWith("torch._")) {
      return name.startsWith("torch.nn.functional.");
    }
    return name.startsWith("torch.") && !HOST_TORCH.contains(name) || name.startsWith("F.");
  }
}
