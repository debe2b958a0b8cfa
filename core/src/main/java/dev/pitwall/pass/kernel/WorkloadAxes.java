package dev.pitwall.pass.kernel;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The two dimensions of a program's data that a user may choose: the batch and, for token models,
/// the sequence. Found in the dimensions of the first embedding, convolution or linear layer.
///
/// A tensor follows the batch where its first dimension is the batch, or the batch times the
/// dimensions that were flattened into it (tokens: batch times sequence; heads: batch times heads).
/// Parameters, known from the gradients accumulated for them, follow nothing.
///
/// @param batch samples in a step
/// @param sequence tokens in a sample, 0 where samples are no sequences
/// @param flattened leading dimensions that contain the batch, beside the batch itself
/// @param flattenedTokens those of them that contain the sequence too
/// @param parameters dimensions of the parameters, as texts
public record WorkloadAxes(
    long batch,
    long sequence,
    Set<Long> flattened,
    Set<Long> flattenedTokens,
    Set<String> parameters) {

  public WorkloadAxes {
    flattened = Set.copyOf(flattened);
    flattenedTokens = Set.copyOf(flattenedTokens);
    parameters = Set.copyOf(parameters);
  }

  /// The axes of a trace; empty where no operator with recorded dimensions shows them.
  public static Optional<WorkloadAxes> find(TraceIndex index, OperatorInputs inputs) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    long batch = 0;
    long sequence = 0;
    long earliest = Long.MAX_VALUE;
    for (int row : slices.rows(Category.CPU_OP)) {
      if (index.stepOf(row) < 0 || slices.startNanos(row) >= earliest) {
        continue;
      }
      long[] sample = sampleOf(trace.name(row), inputs.shapes(row));
      if (sample.length > 1 && sample[0] > 0) {
        batch = sample[0];
        boolean tokens = sample.length == 2 && trace.name(row).equals("aten::embedding");
        sequence = tokens || sample.length == 3 ? sample[1] : 0;
        earliest = slices.startNanos(row);
      }
    }
    return batch == 0 ? Optional.empty() : Optional.of(withBatch(index, inputs, batch, sequence));
  }

  /// The program with another batch.
  public Resizing withBatch(long newBatch) {
    return (dimensions, role) -> {
      int axis = sampleAxis(dimensions, role);
      return axis < 0 ? dimensions : scaled(dimensions, axis, newBatch, batch);
    };
  }

  /// The program with another sequence length.
  public Resizing withSequence(long newSequence) {
    return (dimensions, role) -> {
      int sample = sampleAxis(dimensions, role);
      long[] resized = dimensions;
      if (sample >= 0 && flattenedTokens.contains(dimensions[sample])) {
        resized = scaled(resized, sample, newSequence, sequence);
      }
      for (int axis = 0; axis < dimensions.length; axis++) {
        if (axis != sample && isSequenceAxis(dimensions, axis, sample, role)) {
          resized = scaled(resized, axis, newSequence, sequence);
        }
      }
      return resized;
    };
  }

  /// Whether a tensor of these dimensions is a parameter or its gradient.
  public boolean isParameter(long[] dimensions) {
    return parameters.contains(Arrays.toString(dimensions));
  }

  /// Whether this axis counts the tokens of one sample. In `[batch, tokens, width]` only the second
  /// does, whatever the width; in tensors with heads and in scores every axis of that length does.
  private boolean isSequenceAxis(long[] dimensions, int axis, int sampleAxis, Resizing.Role role) {
    if (role != Resizing.Role.TENSOR || dimensions[axis] != sequence || isParameter(dimensions)) {
      return false;
    }
    int last = dimensions.length - 1;
    if (sampleAxis == 0) {
      boolean perSample = dimensions[0] == batch;
      return dimensions.length == 4 || axis == 1 || (dimensions.length == 3 && !perSample);
    }
    return last >= 1 && dimensions[last] == sequence && dimensions[last - 1] == sequence;
  }

  /// The axis along which a tensor follows the batch, or -1.
  private int sampleAxis(long[] dimensions, Resizing.Role role) {
    int last = dimensions.length - 1;
    if (last < 0) {
      return -1;
    }
    return switch (role) {
      case LEFT_TRANSPOSED -> follows(dimensions[last]) ? last : -1;
      case LEFT -> follows(dimensions[0]) ? 0 : -1;
      case TENSOR -> last < 4 && follows(dimensions[0]) && !isParameter(dimensions) ? 0 : -1;
    };
  }

  private boolean follows(long dimension) {
    return dimension == batch || flattened.contains(dimension);
  }

  private static long[] scaled(long[] dimensions, int axis, long after, long before) {
    long[] resized = dimensions.clone();
    resized[axis] = Math.max(1, dimensions[axis] * after / before);
    return resized;
  }

  private static long[] sampleOf(String operator, Shapes shapes) {
    return switch (operator) {
      case "aten::embedding" -> shapes.tensor(1);
      case "aten::conv2d", "aten::convolution", "aten::conv1d", "aten::conv3d", "aten::linear" ->
          shapes.tensor(0);
      default -> new long[0];
    };
  }

  private static WorkloadAxes withBatch(
      TraceIndex index, OperatorInputs inputs, long batch, long sequence) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    Set<Long> flattened = new HashSet<>();
    Set<Long> tokens = new HashSet<>();
    Set<String> parameters = new HashSet<>();
    Set<Integer> seen = new HashSet<>();
    for (int row : slices.rows(Category.CPU_OP)) {
      if (index.stepOf(row) < 0) {
        continue;
      }
      String name = trace.name(row);
      if (name.equals("torch::autograd::AccumulateGrad")) {
        parameters.add(Arrays.toString(inputs.shapes(row).tensor(0)));
      }
      int detail = slices.operatorDetail(row);
      if (detail == Slices.NONE || !seen.add(slices.operators().inputShapesId(detail))) {
        continue;
      }
      for (List<long[]> tensors : inputs.shapes(row).inputs()) {
        for (long[] dimensions : tensors) {
          addFlattened(dimensions, batch, sequence, flattened, tokens);
        }
      }
    }
    return new WorkloadAxes(batch, sequence, flattened, tokens, parameters);
  }

  private static void addFlattened(
      long[] dimensions, long batch, long sequence, Set<Long> flattened, Set<Long> tokens) {
    if (dimensions.length < 3 || dimensions[0] != batch) {
      return;
    }
    long product = batch;
    boolean containsSequence = false;
    for (int axis = 1; axis < dimensions.length - 1; axis++) {
      product *= dimensions[axis];
      containsSequence |= sequence > 0 && axis <= 2 && dimensions[axis] == sequence;
      flattened.add(product);
      if (containsSequence) {
        tokens.add(product);
      }
    }
  }
}
