package dev.pitwall.pass.compile;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The tensors made so far in a region, and which of them an operator reads. The recorder gives
/// shapes but no identities; order and shape decide.
final class ValueTable {
  private final List<Value> values = new ArrayList<>();

  Value make(TensorShape shape, Unit producer) {
    Value value = new Value(shape, producer);
    values.add(value);
    return value;
  }

  /// The tensors an operator reads, in order; scalars left out.
  List<Operand> operands(TracedOperator operator) {
    List<Operand> operands = new ArrayList<>();
    Set<Value> taken = new HashSet<>();
    if (operator.kind() == OperatorKind.FILL) {
      return operands;
    }
    boolean gradientOnly = operator.shortName().contains("_backward") || isSaved(operator);
    int gradientAt = operator.shortName().startsWith("cudnn_batch_norm_backward") ? 1 : 0;
    for (int at = 0; at < operator.inputs().size(); at++) {
      TensorShape shape = operator.input(at);
      if (!shape.isTensor() || shape.dimensions().length == 0) {
        continue;
      }
      if (operator.kind() == OperatorKind.GATHER && at == 0) {
        operands.add(new Operand(operator.output(), null));
        continue;
      }
      boolean mayBeValue = !gradientOnly || at == gradientAt;
      Value value = mayBeValue ? find(shape, operator.kind() == OperatorKind.EXTERN, taken) : null;
      if (value != null) {
        taken.add(value);
      }
      operands.add(new Operand(shape, value));
    }
    return operands;
  }

  /// Whether an ordinary operator ran as the derivative of another, so that what stands behind its
  /// gradient was saved by the forward.
  private static boolean isSaved(TracedOperator operator) {
    return operator.isBackward()
        && !operator.underBackwardOf().isEmpty()
        && operator.kind() == OperatorKind.POINTWISE
        && !operator.shortName().startsWith("add")
        && !operator.shortName().startsWith("sub");
  }

  /// The newest value of this shape that nothing read yet, else the newest. A library's result may
  /// have been reshaped since; what a generated loop made is found by its dimensions only, so that
  /// a parameter of as many elements is not taken for it.
  private @Nullable Value find(TensorShape shape, boolean byElements, Set<Value> taken) {
    Value fallback = null;
    for (int at = values.size() - 1; at >= 0; at--) {
      Value value = values.get(at);
      boolean fits =
          byElements || value.producer.isExtern ? value.fits(shape) : value.shape.equals(shape);
      if (fits && !taken.contains(value)) {
        if (!value.isRead) {
          return value;
        }
        boolean exists = !byElements || value.producer.isExtern || value.isReadByExtern;
        fallback = fallback == null && exists ? value : fallback;
      }
    }
    return fallback;
  }
}
