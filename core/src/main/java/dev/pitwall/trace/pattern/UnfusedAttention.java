package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.OperatorDetails;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Attention written out as matmul, softmax, matmul, so that the square matrix of scores goes
/// through device memory several times; a fused kernel (`scaled_dot_product_attention`) never
/// writes it.
///
/// ```
/// before   matmul(q, k) -> scale -> mask -> softmax -> matmul(., v)     scores in memory
/// after    scaled_dot_product_attention(q, k, v)                        scores in registers
/// ```
public final class UnfusedAttention {
  /// Sibling operators looked at on each side of a softmax for the two matmuls.
  private static final int SIBLINGS = 16;

  private UnfusedAttention() {}

  /// One attention written out, and its backward.
  ///
  /// @param firstOperator the matmul of queries and keys
  /// @param softmax the softmax
  /// @param lastOperator the matmul with the values
  /// @param forwardRows device rows from the first matmul to the last, both included
  /// @param backwardRows device rows of the backward of these operators
  public record Region(
      int firstOperator, int softmax, int lastOperator, int[] forwardRows, int[] backwardRows) {}

  /// The regions inside steps, by track and start.
  public static List<Region> find(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    int softmaxName = trace.names().find("aten::softmax");
    int functionName = trace.names().find("aten::_softmax");
    List<Region> regions = new ArrayList<>();
    if (softmaxName < 0 && functionName < 0) {
      return regions;
    }
    BackwardNodes backward = null;
    for (int row : slices.rows(Category.CPU_OP)) {
      int name = slices.nameId(row);
      boolean softmax =
          name == softmaxName || (name == functionName && !inside(index, row, softmaxName));
      if (!softmax || index.stepOf(row) < 0) {
        continue;
      }
      int first = matmulBefore(index, row);
      int last = matmulAfter(index, row);
      if (first == Slices.NONE || last == Slices.NONE) {
        continue;
      }
      if (backward == null) {
        backward = new BackwardNodes(index);
      }
      RowList forwardRows = new RowList();
      LaunchedWork.collect(index, first, last, forwardRows);
      regions.add(
          new Region(first, row, last, forwardRows.toArray(), backward.deviceRowsOf(first, last)));
    }
    return regions;
  }

  private static boolean inside(TraceIndex index, int row, int parentName) {
    int parent = index.calls().parent(row);
    return parent != Slices.NONE && index.trace().slices().nameId(parent) == parentName;
  }

  private static int matmulBefore(TraceIndex index, int softmax) {
    Slices slices = index.trace().slices();
    int parent = index.calls().parent(softmax);
    int seen = 0;
    int firstRow = index.trace().firstRow(slices.track(softmax));
    for (int row = softmax - 1; row >= firstRow && row > parent && seen < SIBLINGS; row--) {
      if (index.calls().parent(row) == parent && slices.category(row) == Category.CPU_OP) {
        seen++;
        if (isBatchedMatmul(index, row)) {
          return row;
        }
      }
    }
    return Slices.NONE;
  }

  private static int matmulAfter(TraceIndex index, int softmax) {
    Slices slices = index.trace().slices();
    int parent = index.calls().parent(softmax);
    int seen = 0;
    int end = index.trace().endRow(slices.track(softmax));
    long softmaxEnd = slices.endNanos(softmax);
    for (int row = softmax + 1; row < end && seen < SIBLINGS; row++) {
      if (parent != Slices.NONE && slices.startNanos(row) >= slices.endNanos(parent)) {
        return Slices.NONE;
      }
      if (slices.startNanos(row) >= softmaxEnd
          && index.calls().parent(row) == parent
          && slices.category(row) == Category.CPU_OP) {
        seen++;
        if (isBatchedMatmul(index, row)) {
          return row;
        }
      }
    }
    return Slices.NONE;
  }

  private static boolean isBatchedMatmul(TraceIndex index, int row) {
    Trace trace = index.trace();
    String name = trace.name(row);
    if (name.equals("aten::bmm") || name.equals("aten::baddbmm")) {
      return true;
    }
    if (!name.equals("aten::matmul") && !name.equals("aten::einsum")) {
      return false;
    }
    Slices slices = trace.slices();
    long end = slices.endNanos(row);
    for (int inner = row + 1;
        inner < trace.endRow(slices.track(row)) && slices.startNanos(inner) < end;
        inner++) {
      if (trace.name(inner).equals("aten::bmm")) {
        return true;
      }
    }
    return false;
  }

  /// Backward nodes by the sequence number of their forward operator.
  private static final class BackwardNodes {
    private final TraceIndex index;
    private final List<Integer> nodes = new ArrayList<>();

    BackwardNodes(TraceIndex index) {
      this.index = index;
      for (int row : index.trace().slices().rows(Category.CPU_OP)) {
        if (index.trace().name(row).startsWith("autograd::engine::evaluate_function")) {
          nodes.add(row);
        }
      }
      nodes.sort((a, b) -> Long.compare(sequenceNumber(index, a), sequenceNumber(index, b)));
    }

    int[] deviceRowsOf(int firstOperator, int lastOperator) {
      Slices slices = index.trace().slices();
      Set<Long> numbers = new HashSet<>();
      int end = index.trace().endRow(slices.track(firstOperator));
      for (int row = firstOperator;
          row < end && slices.startNanos(row) < slices.endNanos(lastOperator);
          row++) {
        if (slices.category(row) == Category.CPU_OP) {
          numbers.add(sequenceNumber(index, row));
        }
      }
      numbers.remove((long) Slices.NONE);
      RowList rows = new RowList();
      for (long number : numbers.stream().sorted().toList()) {
        for (int at = firstWith(number);
            at < nodes.size() && sequenceNumber(index, nodes.get(at)) == number;
            at++) {
          if (slices.startNanos(nodes.get(at)) > slices.startNanos(lastOperator)
              && index.stepOf(nodes.get(at)) == index.stepOf(firstOperator)) {
            LaunchedWork.collect(index, nodes.get(at), rows);
          }
        }
      }
      return rows.toArray();
    }

    private int firstWith(long number) {
      int low = 0;
      int high = nodes.size();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (sequenceNumber(index, nodes.get(middle)) < number) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    private static long sequenceNumber(TraceIndex index, int row) {
      Slices slices = index.trace().slices();
      int detail = slices.operatorDetail(row);
      OperatorDetails operators = slices.operators();
      return detail == Slices.NONE ? Slices.NONE : operators.sequenceNumber(detail);
    }
  }
}
