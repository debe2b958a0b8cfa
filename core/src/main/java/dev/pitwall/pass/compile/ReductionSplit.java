package dev.pitwall.pass.compile;

/// How many kernels Inductor makes of one reduction: with few outputs it splits the reduced range
/// so that every multiprocessor has work, and reduces the partial results again
/// (`torch/_inductor/choices.py` and `ir.py`, `Reduction.num_splits`, 2.14.1).
final class ReductionSplit {
  private static final long THREADS_A_MULTIPROCESSOR = 2048;
  private static final long LEAST_ELEMENTS_A_THREAD = 32;
  private static final long MOST_ELEMENTS_A_THREAD = 512;
  private static final long THREADS_OF_A_BLOCK = 256;
  private static final long INNER_REDUCTION_KEPT_WHOLE = 8192;

  /// Values a thread of an outer reduction reads before it adds, and outputs of its block.
  private static final long OUTER_VALUES_A_THREAD = 4;

  private static final long OUTER_OUTPUTS_A_BLOCK = 128;

  /// A second stage of at most this many partial sums an output needs no third.
  private static final int MAX_STAGES = 3;

  private ReductionSplit() {}

  /// @param reduced elements behind one output
  /// @param inner whether the reduced range is contiguous
  static int kernels(long reduced, long outputs, boolean inner, int multiprocessors) {
    int kernels = 1;
    long left = reduced;
    while (kernels < MAX_STAGES) {
      long split = split(left, outputs, inner, multiprocessors);
      if (split <= 1) {
        break;
      }
      kernels++;
      left = split;
    }
    return kernels;
  }

  private static long split(long reduced, long outputs, boolean inner, int multiprocessors) {
    long least = LEAST_ELEMENTS_A_THREAD * multiprocessors * THREADS_A_MULTIPROCESSOR;
    long most = MOST_ELEMENTS_A_THREAD * multiprocessors * THREADS_A_MULTIPROCESSOR;
    if (inner) {
      if (outputs >= 2L * multiprocessors || reduced <= INNER_REDUCTION_KEPT_WHOLE) {
        return 1;
      }
      long size;
      if (reduced * outputs <= least) {
        size = LEAST_ELEMENTS_A_THREAD;
      } else if (reduced * outputs < most) {
        long blocks = multiprocessors * THREADS_A_MULTIPROCESSOR / (2 * THREADS_OF_A_BLOCK);
        long blocksAnOutput = ceil(blocks, outputs);
        size =
            Math.max(LEAST_ELEMENTS_A_THREAD, ceil(reduced, THREADS_OF_A_BLOCK * blocksAnOutput));
      } else {
        size = MOST_ELEMENTS_A_THREAD;
      }
      return ceil(reduced, size * THREADS_OF_A_BLOCK);
    }
    long blocksOfOutputs = ceil(outputs, OUTER_OUTPUTS_A_BLOCK);
    long size;
    if (reduced * outputs < least) {
      size = LEAST_ELEMENTS_A_THREAD;
    } else if (reduced * outputs < most) {
      long blocks = multiprocessors * THREADS_A_MULTIPROCESSOR / THREADS_OF_A_BLOCK;
      size =
          Math.max(
              LEAST_ELEMENTS_A_THREAD,
              ceil(reduced, OUTER_VALUES_A_THREAD * ceil(blocks, blocksOfOutputs)));
    } else {
      size = MOST_ELEMENTS_A_THREAD;
    }
    return ceil(reduced, OUTER_VALUES_A_THREAD * size);
  }

  private static long ceil(long value, long unit) {
    return (value + unit - 1) / unit;
  }
}
