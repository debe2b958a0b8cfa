package dev.pitwall.pass.compile;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.OperatorDetails;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.OptimizerPart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Finds the operators of each step that put work on the device and would be part of a compiled
/// program: not the optimizer, not the accumulation of gradients, not copies from the host.
public final class ProgramReader {
  private static final String BACKWARD = "autograd::engine::evaluate_function: ";

  private final TraceIndex index;
  private final Trace trace;
  private final Slices slices;
  private final OptimizerPart optimizer;
  private final OperatorShapes shapes;
  private final OutputShapes outputs;

  public ProgramReader(TraceIndex index) {
    this.index = index;
    this.trace = index.trace();
    this.slices = trace.slices();
    this.optimizer = OptimizerPart.of(index);
    this.shapes = new OperatorShapes(trace);
    this.outputs = new OutputShapes(shapes);
  }

  /// The program of every step, in order.
  public List<TracedProgram> read() {
    int steps = Math.max(1, index.steps().count());
    List<Map<Integer, List<Integer>>> deviceRowsOfOperator = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      deviceRowsOfOperator.add(new LinkedHashMap<>());
    }
    for (int row : slices.deviceRows()) {
      int call = index.launches().launchOf(row);
      int step = index.steps().count() == 0 ? 0 : index.stepOf(row);
      if (call == Slices.NONE || step < 0) {
        continue;
      }
      int operator = operatorToCompile(call);
      if (operator != Slices.NONE) {
        deviceRowsOfOperator
            .get(step)
            .computeIfAbsent(operator, unseen -> new ArrayList<>())
            .add(row);
      }
    }
    List<TracedProgram> programs = new ArrayList<>();
    for (int step = 0; step < steps; step++) {
      programs.add(program(step, deviceRowsOfOperator.get(step)));
    }
    return programs;
  }

  private TracedProgram program(int step, Map<Integer, List<Integer>> deviceRowsOfOperator) {
    List<TracedOperator> forward = new ArrayList<>();
    List<TracedOperator> backward = new ArrayList<>();
    deviceRowsOfOperator.entrySet().stream()
        .map(entry -> operator(entry.getKey(), entry.getValue()))
        .sorted((a, b) -> Long.compare(slices.startNanos(a.row()), slices.startNanos(b.row())))
        .forEach(operator -> (operator.isBackward() ? backward : forward).add(operator));
    if (!backward.isEmpty()) {
      long backwardStart = slices.startNanos(backward.getFirst().row());
      forward.removeIf(operator -> slices.startNanos(operator.row()) >= backwardStart);
    }
    return new TracedProgram(
        step,
        RegionCutter.cut(forward, backward),
        step < index.steps().count()
            ? index.occurrences(step, Category.CPU_OP, "torch::autograd::AccumulateGrad")
            : 0);
  }

  /// The operator around a call that the compiler would know: the outermost in the table, else the
  /// innermost; [Slices#NONE] where the work stays outside of a compiled program.
  private int operatorToCompile(int call) {
    if (optimizer.contains(call)) {
      return Slices.NONE;
    }
    int innermost = Slices.NONE;
    int known = Slices.NONE;
    for (int at = call; at != Slices.NONE; at = index.calls().parent(at)) {
      String name = trace.name(at);
      if (name.startsWith("## Call CompiledFxGraph")
          || name.contains("AccumulateGrad")
          || name.startsWith("aten::_foreach_")
          || name.startsWith("aten::_fused_adam")
          || name.equals("aten::ones_like")
          || name.startsWith("c10d::")
          || name.startsWith("nccl:")) {
        return Slices.NONE;
      }
      if (slices.category(at) == Category.CPU_OP && name.startsWith("aten::")) {
        innermost = innermost == Slices.NONE ? at : innermost;
        if (FusionOperators.of(name) != null) {
          known = at;
        }
      }
    }
    int operator = known == Slices.NONE ? innermost : known;
    return operator != Slices.NONE && isHostCopy(call, trace.name(operator))
        ? Slices.NONE
        : operator;
  }

  /// A copy between host and device that is not a wait for a value.
  private boolean isHostCopy(int call, String operator) {
    int device = index.launches().firstDeviceRow(call);
    if (device == Slices.NONE || slices.category(device) != Category.MEMCPY) {
      return false;
    }
    FusionOperators.Entry entry = FusionOperators.of(operator);
    boolean waits = entry != null && entry.kind() == OperatorKind.SYNC;
    return !waits && !trace.name(device).contains("DtoD");
  }

  private TracedOperator operator(int row, List<Integer> deviceRows) {
    String name = trace.name(row);
    FusionOperators.@Nullable Entry entry = FusionOperators.of(name);
    OperatorKind kind = entry == null ? OperatorKind.EXTERN : entry.kind();
    List<TensorShape> inputs = shapes.inputs(row);
    TensorShape output = outputs.of(row, name, kind, inputs);
    if (name.endsWith("::cat")) {
      inputs = inputs.stream().map(input -> input.withItemBytes(output.itemBytes())).toList();
    }
    String node = "";
    for (int at = row; at != Slices.NONE; at = index.calls().parent(at)) {
      if (trace.name(at).startsWith(BACKWARD)) {
        node = trace.name(at).substring(BACKWARD.length());
      }
    }
    long nanos = 0;
    for (int device : deviceRows) {
      nanos += slices.durationNanos(device);
    }
    long reducedElements = 1;
    boolean rows = true;
    TensorShape first = OutputShapes.firstTensor(inputs);
    switch (kind) {
      case NORMALIZATION, NORMALIZATION_BACKWARD ->
          reducedElements = normalizedElements(row, first);
      case SOFTMAX, SOFTMAX_BACKWARD -> reducedElements = first.last();
      case BATCH_NORM, BATCH_NORM_BACKWARD -> {
        long channels = first.dimensions().length > 1 ? first.dimensions()[1] : 1;
        reducedElements = first.elements() / Math.max(1, channels);
        rows = false;
      }
      case REDUCTION -> {
        reducedElements = first.elements() / Math.max(1, output.elements());
        long[] kept = output.dimensions();
        rows = kept.length == 0 || kept[kept.length - 1] != first.last() || first.last() == 1;
      }
      default -> {
        // Reduces nothing.
      }
    }
    return new TracedOperator(
        row,
        name,
        kind,
        entry == null ? 0 : entry.specialFunctions(),
        inputs,
        output,
        Math.max(1, reducedElements),
        rows,
        !node.isEmpty(),
        node,
        deviceRows,
        nanos,
        sequence(row));
  }

  /// Elements of the shape that is normalized: the product of the first literal list.
  private long normalizedElements(int row, TensorShape first) {
    for (int at = 1; at <= 2; at++) {
      long[] shape = shapes.integers(row, at);
      if (shape.length > 0 && shapes.literal(row, at).startsWith("[")) {
        long product = 1;
        for (long size : shape) {
          product *= size;
        }
        return Math.max(1, product);
      }
    }
    return first.last();
  }

  private long sequence(int row) {
    OperatorDetails operators = slices.operators();
    for (int at = row; at != Slices.NONE; at = index.calls().parent(at)) {
      int detail = slices.operatorDetail(at);
      if (detail != Slices.NONE && operators.sequenceNumber(detail) >= 0) {
        return operators.sequenceNumber(detail);
      }
    }
    return -1;
  }
}
