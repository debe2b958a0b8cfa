package dev.pitwall.pass.compile;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Groups the operators of one region as Inductor's scheduler would (2.14.1 `scheduler.py`,
/// `codegen/simd.py`, default mode): a loop joins the loop that makes its operand where both go
/// over the same elements and no third kernel lies between; library calls are walls; a row
/// reduction takes what comes before and after it on the same rows; a reduction to few results is
/// split into stages.
///
/// ```
/// eager   add | native_layer_norm | _to_copy | mm | gelu | mm
/// groups  [add native_layer_norm _to_copy]   (mm)  [gelu] (mm)
/// ```
public final class FusionPlanner {
  /// Where a normalization's backward sums its columns in the same kernel (`scheduler.py`,
  /// `MixOrderReduction.can_fuse`).
  private static final long MIXED_ORDER_LEAST_ROWS = 4096;

  private static final long MIXED_ORDER_MOST_COLUMNS = 16_384;
  private static final long MIXED_ORDER_LEAST_ELEMENTS = 5L << 20;

  private final CompileCosts costs;
  private final List<Unit> units = new ArrayList<>();
  private final ValueTable values = new ValueTable();
  private int position;

  private FusionPlanner(CompileCosts costs) {
    this.costs = costs;
  }

  /// The groups of one region in an order they can run in.
  public static List<FusionGroup> plan(TracedProgram.Region region, CompileCosts costs) {
    FusionPlanner planner = new FusionPlanner(costs);
    for (TracedOperator operator : region.operators()) {
      planner.add(operator);
    }
    return new GroupSummary(planner.costs).groups(planner.units);
  }

  private void add(TracedOperator operator) {
    position++;
    switch (operator.kind()) {
      case EXTERN, SYNC -> extern(operator);
      case POINTWISE, COMPARE, FILL, CAST, GATHER -> pointwise(operator);
      case WINDOW -> window(operator);
      case SCATTER -> scatter(operator);
      case NORMALIZATION, SOFTMAX, SOFTMAX_BACKWARD -> rowReduction(operator, false);
      case NORMALIZATION_BACKWARD -> normalizationBackward(operator);
      case BATCH_NORM -> batchNorm(operator);
      case BATCH_NORM_BACKWARD -> batchNormBackward(operator);
      case REDUCTION -> reduction(operator);
      case LOSS -> loss(operator);
    }
  }

  private void extern(TracedOperator operator) {
    Unit unit = newUnit(true);
    unit.members.add(operator);
    for (Operand operand : values.operands(operator)) {
      read(unit, operand);
    }
    produce(unit, operator.output());
    if (operator.name().contains("attention") && operator.isBackward()) {
      produce(unit, operator.output());
      produce(unit, operator.output());
    }
    if (operator.name().endsWith("convolution_backward")) {
      // (grad, input, weight, …) makes the gradients of input and of weight.
      produce(unit, operator.input(1));
      produce(unit, operator.input(2));
    }
  }

  private void pointwise(TracedOperator operator) {
    List<Operand> operands = values.operands(operator);
    long elements = Math.max(1, operator.output().elements());
    Unit unit = joinable(operator, operands, elements);
    if (unit == null) {
      unit = newUnit(false);
      unit.elements = elements;
    }
    join(unit, operator, operands);
    mergeProducers(unit, operands);
    produce(unit, operator.output());
  }

  /// The unit that makes an operand and that this loop can be part of.
  private @Nullable Unit joinable(TracedOperator operator, List<Operand> operands, long elements) {
    Unit best = null;
    for (Operand operand : operands) {
      Unit producer = operand.producer();
      if (producer != null
          && producer.takesPointwise(elements)
          && !(producer.isMixedOrder && operator.kind() == OperatorKind.CAST)
          && nothingBetween(producer, operands)
          && (best == null || producer.number > best.number)) {
        best = producer;
      }
    }
    return best;
  }

  /// Whether joining `unit` would leave no other operand that needs `unit` first.
  private static boolean nothingBetween(Unit unit, List<Operand> operands) {
    for (Operand operand : operands) {
      Unit producer = operand.producer();
      if (producer != null && producer != unit && producer.ancestors.get(unit.number)) {
        return false;
      }
    }
    return true;
  }

  /// Joins units that make the other operands into this one where the same loop covers both.
  private void mergeProducers(Unit unit, List<Operand> operands) {
    for (Operand operand : operands) {
      Unit other = operand.producer();
      boolean sameLoop =
          other != null
              && other != unit
              && !other.isExtern
              && !other.isClosed
              && !unit.isClosed
              && other.elements == unit.elements
              && (!other.hasReduction() || !unit.hasReduction())
              && !other.hasReduction()
              && other.kernels == 1;
      if (other != null && sameLoop && !dependsThroughAnother(unit, other)) {
        merge(other, unit);
      }
    }
  }

  /// Whether a third unit must run after `first` and before `last`.
  private boolean dependsThroughAnother(Unit last, Unit first) {
    for (Unit between : units) {
      if (between != last
          && between != first
          && last.ancestors.get(between.number)
          && between.ancestors.get(first.number)) {
        return true;
      }
    }
    return false;
  }

  private void merge(Unit from, Unit into) {
    into.members.addAll(0, from.members);
    into.ancestors.or(from.ancestors);
    into.ancestors.clear(into.number);
    into.specialFunctions += from.specialFunctions;
    for (Value value : from.values) {
      value.producer = into;
      into.values.add(value);
      into.reads.remove(value);
    }
    for (Object read : from.reads.keySet()) {
      if (read instanceof Value value) {
        value.readers.clear(from.number);
        value.readers.set(into.number);
      }
    }
    from.reads.forEach(into.reads::putIfAbsent);
    into.reads.keySet().removeIf(key -> key instanceof Value value && value.producer == into);
    for (Unit later : units) {
      if (later.ancestors.get(from.number)) {
        later.ancestors.set(into.number);
        later.ancestors.or(into.ancestors);
      }
    }
    from.members.clear();
    from.values.clear();
    from.reads.clear();
  }

  private void window(TracedOperator operator) {
    Unit unit = newUnit(false);
    List<Operand> operands = values.operands(operator);
    unit.elements = Math.max(1, operator.output().elements());
    unit.isClosed = true;
    unit.keptNanos = operator.deviceNanos();
    join(unit, operator, operands);
    produce(unit, operator.output());
  }

  private void scatter(TracedOperator operator) {
    Unit fill = newUnit(false);
    fill.isClosed = true;
    List<Operand> operands = values.operands(operator);
    fill.elements = operator.input(0).elements();
    fill.kernels = 2;
    join(fill, operator, operands);
    produce(fill, operator.output());
  }

  /// A reduction of rows that also goes over its rows again.
  private Unit rowReduction(TracedOperator operator, boolean isMixedOrder) {
    List<Operand> operands = values.operands(operator);
    long elements = Math.max(1, OutputShapes.firstTensor(operator.inputs()).elements());
    Unit unit = null;
    for (Operand operand : operands) {
      Unit producer = operand.producer();
      if (producer != null
          && !producer.isMixedOrder
          && producer.takesReduction(elements, operator.reducedElements(), true)
          && nothingBetween(producer, operands)
          && (unit == null || producer.number > unit.number)) {
        unit = producer;
      }
    }
    if (unit == null) {
      unit = newUnit(false);
      unit.elements = elements;
    }
    unit.reduced = operator.reducedElements();
    unit.reducesRows = true;
    unit.isMixedOrder = isMixedOrder;
    join(
        unit,
        operator,
        operator.kind() == OperatorKind.SOFTMAX_BACKWARD ? recomputed(unit, operands) : operands);
    produce(unit, operator.output());
    return unit;
  }

  /// A softmax under autocast widens a half-precision product and its gradient alike. The
  /// partitioner keeps the narrow product and computes the wide result again, so that is what the
  /// backward reads.
  private static List<Operand> recomputed(Unit unit, List<Operand> operands) {
    int narrow = Integer.MAX_VALUE;
    for (TracedOperator member : unit.members) {
      if (member.kind() == OperatorKind.CAST && member.input(0).isTensor()) {
        narrow = Math.min(narrow, member.input(0).itemBytes());
      }
    }
    List<Operand> read = new ArrayList<>();
    for (Operand operand : operands) {
      TensorShape shape = operand.shape();
      read.add(
          operand.value() == null && narrow < shape.itemBytes()
              ? new Operand(new TensorShape(shape.dimensions(), narrow), null)
              : operand);
    }
    return read;
  }

  private void normalizationBackward(TracedOperator operator) {
    long elements = OutputShapes.firstTensor(operator.inputs()).elements();
    long columns = operator.reducedElements();
    long rows = elements / Math.max(1, columns);
    boolean mixed =
        rows >= MIXED_ORDER_LEAST_ROWS
            && columns <= MIXED_ORDER_MOST_COLUMNS
            && rows >= 2 * columns
            && elements >= MIXED_ORDER_LEAST_ELEMENTS;
    Unit rowUnit = rowReduction(operator, mixed);
    int sums = operator.shortName().contains("layer_norm") ? 2 : 1;
    if (mixed) {
      rowUnit.partialSums = sums;
      return;
    }
    Unit columnUnit = newUnit(false);
    columnUnit.elements = elements;
    columnUnit.reduced = rows;
    columnUnit.reducesRows = false;
    columnUnit.label = operator.shortName() + " columns";
    columnUnit.kernels = ReductionSplit.kernels(rows, columns, false, costs.multiprocessors());
    columnUnit.ancestors.or(rowUnit.ancestors);
    columnUnit.reads.put(operator, 2 * operator.input(0).bytes());
  }

  private void batchNorm(TracedOperator operator) {
    List<Operand> operands = values.operands(operator);
    TensorShape input = OutputShapes.firstTensor(operator.inputs());
    Unit statistics = newUnit(false);
    statistics.elements = input.elements();
    statistics.reduced = operator.reducedElements();
    statistics.reducesRows = false;
    statistics.kernels = batchNormKernels(operator, input);
    statistics.label = operator.shortName() + " statistics";
    for (Operand operand : operands) {
      read(statistics, operand);
    }
    Unit transform = newUnit(false);
    transform.elements = input.elements();
    join(transform, operator, operands);
    transform.ancestors.set(statistics.number);
    produce(transform, operator.output());
  }

  private void batchNormBackward(TracedOperator operator) {
    List<Operand> operands = values.operands(operator);
    TensorShape input = OutputShapes.firstTensor(operator.inputs());
    Unit reduction = null;
    for (Operand operand : operands) {
      Unit producer = operand.producer();
      if (producer != null
          && producer.takesReduction(input.elements(), operator.reducedElements(), false)
          && !producer.hasReduction()) {
        reduction = producer;
        // What the reduction reads is read again by the next loop, so it is stored.
        operand.markRead(units.size());
      }
    }
    if (reduction == null) {
      reduction = newUnit(false);
      reduction.elements = input.elements();
    }
    reduction.reduced = operator.reducedElements();
    reduction.reducesRows = false;
    reduction.kernels = batchNormKernels(operator, input);
    reduction.label = operator.shortName() + " sums";
    for (Operand operand : operands) {
      if (operand.producer() != reduction) {
        read(reduction, operand);
      }
    }
    Unit transform = newUnit(false);
    transform.elements = input.elements();
    join(transform, operator, operands);
    transform.ancestors.set(reduction.number);
    transform.ancestors.or(reduction.ancestors);
    produce(transform, operator.output());
  }

  private int batchNormKernels(TracedOperator operator, TensorShape input) {
    long channels = input.elements() / Math.max(1, operator.reducedElements());
    return ReductionSplit.kernels(
        operator.reducedElements(), channels, false, costs.multiprocessors());
  }

  private void reduction(TracedOperator operator) {
    List<Operand> operands = values.operands(operator);
    long elements = Math.max(1, OutputShapes.firstTensor(operator.inputs()).elements());
    Unit unit = null;
    for (Operand operand : operands) {
      Unit producer = operand.producer();
      if (producer != null
          && producer.takesReduction(elements, operator.reducedElements(), operator.reducesRows())
          && nothingBetween(producer, operands)) {
        unit = producer;
      }
    }
    if (unit == null) {
      unit = newUnit(false);
      unit.elements = elements;
    }
    unit.reduced = operator.reducedElements();
    unit.reducesRows = operator.reducesRows();
    unit.kernels =
        Math.max(
            unit.kernels,
            ReductionSplit.kernels(
                operator.reducedElements(),
                Math.max(1, operator.output().elements()),
                operator.reducesRows(),
                costs.multiprocessors()));
    join(unit, operator, operands);
    produce(unit, operator.output());
  }

  private void loss(TracedOperator operator) {
    Unit unit = newUnit(false);
    unit.elements =
        Math.max(1, operator.input(0).elements() / Math.max(1, operator.input(0).last()));
    unit.kernels = 2;
    unit.members.add(operator);
    unit.isClosed = true;
    for (Operand operand : values.operands(operator)) {
      Value value = operand.value();
      if (value != null) {
        value.isRead = true;
        unit.ancestors.set(value.producer.number);
        unit.ancestors.or(value.producer.ancestors);
      }
    }
    unit.reads.put(operator, unit.elements * 16);
    produce(unit, operator.output());
  }

  private Unit newUnit(boolean isExtern) {
    Unit unit = new Unit(units.size(), isExtern);
    unit.lastPosition = position;
    units.add(unit);
    return unit;
  }

  private void join(Unit unit, TracedOperator operator, List<Operand> operands) {
    unit.members.add(operator);
    unit.lastPosition = position;
    unit.specialFunctions +=
        (double) operator.specialFunctions()
            * Math.max(operator.output().elements(), operator.input(0).elements());
    for (Operand operand : operands) {
      Value value = operand.value();
      if (value == null || value.producer != unit) {
        read(unit, operand);
      } else {
        value.isRead = true;
      }
    }
  }

  private void read(Unit unit, Operand operand) {
    Value value = operand.value();
    if (value == null) {
      unit.readOutside(operand.shape());
      return;
    }
    value.isRead = true;
    value.isReadByExtern |= unit.isExtern;
    value.readers.set(unit.number);
    unit.reads.put(value, value.shape.bytes());
    unit.ancestors.set(value.producer.number);
    unit.ancestors.or(value.producer.ancestors);
  }

  private void produce(Unit unit, TensorShape shape) {
    if (!shape.isTensor()) {
      return;
    }
    unit.values.add(values.make(shape, unit));
  }
}
