package dev.pitwall.pass.kernel;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerPart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The layers of a model: the longest stretch of forward operators that repeats itself, operator by
/// operator and dimension by dimension, and the backward nodes that belong to each repetition.
///
/// ```
/// forward   embed |norm linear attn linear add|norm linear attn linear add|norm ...| head loss
///                 └──────── block 0 ─────────┘└──────── block 1 ─────────┘
/// ```
public final class RepeatedBlocks {
  /// Longest block looked for, in operators.
  private static final int LONGEST_PERIOD = 2_000;

  /// Operators of one step looked at.
  private static final int MOST_OPERATORS = 20_000;

  /// A shorter period wins where it covers nearly as much.
  private static final double NEARLY = 0.9;

  private RepeatedBlocks() {}

  /// One repetition of the block in one step.
  ///
  /// @param firstRow first row of the forward thread
  /// @param endRow one past its last row
  /// @param backwardNodes autograd nodes of its operators, in order of time
  /// @param parameterElements elements of the parameters that its operators read
  public record Block(
      int step, int firstRow, int endRow, int[] backwardNodes, long parameterElements) {}

  /// The blocks of all steps, in order of time; empty where nothing repeats.
  public static List<Block> find(TraceIndex index, OperatorInputs inputs) {
    Map<Integer, List<Integer>> operatorsByStep = forwardOperators(index);
    Set<String> parameters = parameters(index, inputs);
    List<Block> blocks = new ArrayList<>();
    BackwardNodes backward = new BackwardNodes(index);
    operatorsByStep.forEach(
        (step, operators) -> {
          int[] rows = operators.stream().mapToInt(Integer::intValue).toArray();
          long[] signature = signature(index, rows);
          int[] run = longestRepetition(signature);
          if (run.length == 0) {
            return;
          }
          int repetitions = run[2];
          for (int i = 0; i < repetitions; i++) {
            int first = rows[run[0] + i * run[1]];
            int at = run[0] + (i + 1) * run[1];
            int end = at < rows.length ? rows[at] : endOf(index, rows[at - 1]);
            blocks.add(
                new Block(
                    step,
                    first,
                    end,
                    backward.of(step, first, end),
                    parameterElements(
                        inputs, parameters, Arrays.copyOfRange(rows, at - run[1], at))));
          }
        });
    return List.copyOf(blocks);
  }

  /// Elements of all parameters with a gradient in one step.
  public static long parameterElements(TraceIndex index, OperatorInputs inputs, int step) {
    Trace trace = index.trace();
    int accumulate = trace.names().find("torch::autograd::AccumulateGrad");
    long elements = 0;
    for (int row : trace.slices().rows(Category.CPU_OP)) {
      if (trace.slices().nameId(row) == accumulate && index.stepOf(row) == step) {
        elements += Shapes.elements(inputs.shapes(row).tensor(0));
      }
    }
    return elements;
  }

  private static Map<Integer, List<Integer>> forwardOperators(TraceIndex index) {
    Trace trace = index.trace();
    Map<Integer, List<Integer>> operators = new HashMap<>();
    OptimizerPart optimizer = OptimizerPart.of(index);
    for (int row : trace.slices().rows(Category.CPU_OP)) {
      int step = index.stepOf(row);
      if (step < 0) {
        continue;
      }
      int parent = index.calls().parent(row);
      String name = trace.name(row);
      boolean nested =
          parent != Slices.NONE && index.calls().enclosing(parent, Category.CPU_OP) != Slices.NONE;
      if (!nested && !name.startsWith("autograd::") && !optimizer.contains(row)) {
        List<Integer> rows = operators.computeIfAbsent(step, unseen -> new ArrayList<>());
        if (rows.size() < MOST_OPERATORS) {
          rows.add(row);
        }
      }
    }
    return operators;
  }

  private static long[] signature(TraceIndex index, int[] rows) {
    Slices slices = index.trace().slices();
    long[] signature = new long[rows.length];
    for (int i = 0; i < rows.length; i++) {
      int detail = slices.operatorDetail(rows[i]);
      long shapes = detail == Slices.NONE ? 0 : slices.operators().inputShapesId(detail);
      signature[i] = ((long) slices.nameId(rows[i]) << 32) | shapes;
    }
    return signature;
  }

  /// Start, period and repetitions of the stretch that covers most; empty where none repeats.
  static int[] longestRepetition(long[] signature) {
    int[] best = {};
    long bestCovered = 0;
    for (int period = 2; period <= Math.min(LONGEST_PERIOD, signature.length / 2); period++) {
      int run = 0;
      for (int at = 0; at + period <= signature.length; at++) {
        boolean same = at + period < signature.length && signature[at] == signature[at + period];
        if (same) {
          run++;
          continue;
        }
        int repetitions = run / period + 1;
        long covered = repetitions < 2 ? 0 : (long) repetitions * period;
        if (covered > 0 && covered * NEARLY > bestCovered) {
          best = new int[] {at - run, period, repetitions};
          bestCovered = covered;
        }
        run = 0;
      }
    }
    return best;
  }

  private static int endOf(TraceIndex index, int row) {
    Slices slices = index.trace().slices();
    int end = index.trace().endRow(slices.track(row));
    int at = row;
    while (at < end && slices.startNanos(at) < slices.endNanos(row)) {
      at++;
    }
    return at;
  }

  private static Set<String> parameters(TraceIndex index, OperatorInputs inputs) {
    Set<String> parameters = new HashSet<>();
    Trace trace = index.trace();
    int accumulate = trace.names().find("torch::autograd::AccumulateGrad");
    for (int row : trace.slices().rows(Category.CPU_OP)) {
      if (trace.slices().nameId(row) == accumulate) {
        parameters.add(Arrays.toString(inputs.shapes(row).tensor(0)));
      }
    }
    return parameters;
  }

  private static long parameterElements(
      OperatorInputs inputs, Set<String> parameters, int[] operators) {
    long elements = 0;
    for (int operator : operators) {
      Shapes shapes = inputs.shapes(operator);
      for (int input = 1; input < shapes.size(); input++) {
        long[] dimensions = shapes.tensor(input);
        if (dimensions.length > 0 && parameters.contains(Arrays.toString(dimensions))) {
          elements += Shapes.elements(dimensions);
        }
      }
    }
    return elements;
  }
}
