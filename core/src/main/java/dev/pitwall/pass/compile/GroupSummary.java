package dev.pitwall.pass.compile;

import dev.pitwall.trace.Slices;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.Collectors;

/// Turns scheduled units into groups with bytes, kernels and time, in an order they can run in.
final class GroupSummary {
  private final CompileCosts costs;

  GroupSummary(CompileCosts costs) {
    this.costs = costs;
  }

  List<FusionGroup> groups(List<Unit> units) {
    List<FusionGroup> groups = new ArrayList<>();
    for (Unit unit : inRunnableOrder(units)) {
      if (unit.isExtern) {
        TracedOperator only = unit.members.getFirst();
        groups.add(
            new FusionGroup(
                only.shortName(),
                unit.members,
                true,
                only.deviceRows().size(),
                only.output().elements(),
                0,
                0,
                only.deviceNanos(),
                only.deviceNanos(),
                Slices.NONE));
        continue;
      }
      long read = unit.reads.values().stream().mapToLong(Long::longValue).sum();
      long written = 0;
      for (Value value : unit.values) {
        boolean neededOutside = false;
        for (int reader = value.readers.nextSetBit(0);
            reader >= 0;
            reader = value.readers.nextSetBit(reader + 1)) {
          neededOutside |= reader != unit.number;
        }
        if (neededOutside || !value.isRead) {
          written += value.shape.bytes();
        }
      }
      double nanos =
          Math.max(
                  unit.keptNanos,
                  costs.kernelNanos(read + written, unit.specialFunctions, shareOf(unit)))
              + (unit.kernels - 1 + unit.partialSums)
                  * CompileCosts.constant("second_stage_us")
                  * 1e3
              + unit.partialSums * partialSumNanos(unit);
      groups.add(
          new FusionGroup(
              label(unit),
              unit.members,
              false,
              unit.kernels + unit.partialSums,
              unit.elements,
              read,
              written,
              nanos,
              unit.members.stream().mapToLong(TracedOperator::deviceNanos).sum(),
              epilogueOf(unit)));
    }
    return groups;
  }

  private static String shareOf(Unit unit) {
    if (unit.isMixedOrder) {
      return "mixed_order_share";
    }
    return unit.hasReduction() ? "fused_reduction_share" : "fused_pointwise_share";
  }

  /// Time to add up the partial column sums of a mixed-order kernel: a float for each column and
  /// block of rows, read by as few blocks as there are columns.
  private double partialSumNanos(Unit unit) {
    double rows = (double) unit.elements / unit.reduced;
    double partial =
        rows / CompileCosts.constant("mixed_order_rows_a_block") * unit.reduced * Float.BYTES;
    return costs.memoryNanos(partial, "partial_sum_share");
  }

  /// The product whose result a pointwise loop takes and nothing else does, as a row; a template
  /// could do the loop before it stores.
  private static int epilogueOf(Unit unit) {
    if (unit.hasReduction() || unit.kernels > 1 || unit.isClosed) {
      return Slices.NONE;
    }
    for (Object read : unit.reads.keySet()) {
      if (read instanceof Value value
          && value.producer.isExtern
          && value.shape.elements() == unit.elements
          && value.readers.cardinality() == 1
          && value.producer.members.getFirst().name().endsWith("mm")) {
        return value.producer.members.getFirst().row();
      }
    }
    return Slices.NONE;
  }

  private static String label(Unit unit) {
    String operators =
        unit.members.stream()
            .map(TracedOperator::shortName)
            .distinct()
            .collect(Collectors.joining(" "));
    return (operators + " " + unit.label).strip();
  }

  /// Units in an order they can run in: of those whose needs are met, the one whose last operator
  /// came first in the eager program.
  private static List<Unit> inRunnableOrder(List<Unit> units) {
    PriorityQueue<Unit> ready =
        new PriorityQueue<>(
            Comparator.comparingInt((Unit unit) -> unit.lastPosition)
                .thenComparingInt(unit -> unit.number));
    BitSet left = new BitSet();
    for (Unit unit : units) {
      if (!unit.members.isEmpty() || !unit.reads.isEmpty()) {
        left.set(unit.number);
      }
    }
    BitSet waiting = (BitSet) left.clone();
    List<Unit> order = new ArrayList<>();
    while (!left.isEmpty()) {
      for (int at = waiting.nextSetBit(0); at >= 0; at = waiting.nextSetBit(at + 1)) {
        Unit unit = units.get(at);
        BitSet missing = (BitSet) unit.ancestors.clone();
        missing.and(left);
        missing.clear(at);
        if (missing.isEmpty()) {
          ready.add(unit);
          waiting.clear(at);
        }
      }
      Unit next = ready.poll();
      if (next == null) {
        // Guessed operands can close a circle; the order of making breaks it.
        next = units.get(waiting.nextSetBit(0));
        waiting.clear(next.number);
      }
      left.clear(next.number);
      order.add(next);
    }
    return order;
  }
}
