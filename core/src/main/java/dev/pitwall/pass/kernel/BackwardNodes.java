package dev.pitwall.pass.kernel;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/// Autograd nodes of forward operators, joined by step and by the sequence number that both record.
public final class BackwardNodes {
  /// Steps of one recording that are told apart.
  private static final int STEPS = 4096;

  private final TraceIndex index;
  private final Map<Long, List<Integer>> nodes = new HashMap<>();

  public BackwardNodes(TraceIndex index) {
    this.index = index;
    for (int row : index.trace().slices().rows(Category.CPU_OP)) {
      if (index.trace().name(row).startsWith("autograd::engine::evaluate_function")) {
        nodes
            .computeIfAbsent(key(index.stepOf(row), sequence(row)), unseen -> new ArrayList<>())
            .add(row);
      }
    }
  }

  /// The nodes of the forward operators in these rows of one thread, by track and start.
  public int[] of(int step, int firstRow, int endRow) {
    TreeSet<Integer> found = new TreeSet<>();
    for (int row = firstRow; row < endRow; row++) {
      long sequence = sequence(row);
      if (sequence >= 0) {
        found.addAll(nodes.getOrDefault(key(step, sequence), List.of()));
      }
    }
    return found.stream().mapToInt(Integer::intValue).toArray();
  }

  private static long key(int step, long sequence) {
    return sequence * STEPS + (step & (STEPS - 1));
  }

  private long sequence(int row) {
    Slices slices = index.trace().slices();
    int detail = slices.operatorDetail(row);
    return detail == Slices.NONE ? -1 : slices.operators().sequenceNumber(detail);
  }
}
