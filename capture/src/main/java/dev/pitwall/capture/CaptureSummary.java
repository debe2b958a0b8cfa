package dev.pitwall.capture;

import dev.pitwall.report.TextPage;
import java.util.List;
import java.util.Locale;

/// What a capture measured, in a few lines: the true step with its noise, the wait for data,
/// memory, and what recording cost.
public final class CaptureSummary {
  private static final double MEBIBYTE = 1 << 20;

  private CaptureSummary() {}

  /// Adds one line a fact, the first rank's numbers, and the spread over ranks where there are
  /// several.
  ///
  /// @param ranks not empty
  public static void write(List<RankRecording> ranks, TextPage page) {
    RankRecording rank = ranks.getFirst();
    line(
        page,
        "captured",
        "%s, %d %s, PyTorch %s%s",
        plural(ranks.size(), "rank"),
        rank.steps().size(),
        rank.steps().size() == 1 ? "step" : "steps",
        rank.start().get("torch").text("?"),
        rank.start().get("device").textOrNull() == null
            ? " on the CPU"
            : ", " + rank.start().get("device").text(""));
    if (rank.stepMarker() != null) {
      line(page, "step ends", "at the end of %s", rank.stepMarker());
    }
    if (rank.truth().isNull()) {
      describeIncomplete(page, rank);
    } else {
      describeTruth(page, ranks, rank);
    }
    if (rank.traceFile() != null) {
      line(page, "window", "%s profiled: %s", plural(countWindow(rank), "step"), rank.traceFile());
    } else if (!rank.truth().isNull() && rank.faults().isEmpty()) {
      line(page, "window", "not recorded: the program ended before it. Ask for fewer steps.");
    }
    for (RankRecording each : ranks) {
      each.faults().forEach(fault -> line(page, "trouble", "%s: %s", each.name(), fault));
      if (each.ended() == null) {
        line(page, "cut off", "%s was ended from outside; what came before is kept", each.name());
      }
    }
  }

  private static void describeIncomplete(TextPage page, RankRecording rank) {
    List<RankRecording.Step> measured = rank.steps("measure");
    String how =
        String.format(
            Locale.ROOT,
            "the program ended in its %s, after %s. Ask for fewer with --warmup and --measure",
            phase(rank),
            plural(rank.steps().size(), "step"));
    if (measured.isEmpty()) {
      line(page, "true step", "not measured: %s.", how);
      return;
    }
    long[] walls = measured.stream().mapToLong(RankRecording.Step::wallNanos).sorted().toArray();
    line(
        page,
        "true step",
        "about %.3f ms, the median of %s; the measurement is not complete: %s.",
        walls[walls.length / 2] / 1e6,
        plural(measured.size(), "step"),
        how);
  }

  private static void describeTruth(TextPage page, List<RankRecording> ranks, RankRecording rank) {
    double step = rank.stepMillis();
    line(
        page,
        "true step",
        "%.3f ms without the profiler (blocks %s; median absolute deviation %.3f)",
        step,
        blocks(rank),
        rank.truth().get("step_ms_mad").number(0));
    if (ranks.size() > 1) {
      double slowest =
          ranks.stream().mapToDouble(RankRecording::stepMillis).max().orElse(Double.NaN);
      line(page, "ranks", "slowest rank's step %.3f ms", slowest);
    }
    double wait = rank.truth().get("loader_wait_ms").number(0);
    if (rank.batchesPerStep() > 0) {
      line(
          page,
          "data",
          "%.3f ms of a step waiting for the DataLoader (%.1f %%), %.1f batches a step",
          wait,
          100 * wait / step,
          rank.batchesPerStep());
    }
    double peak = rank.truth().get("peak_alloc_bytes").number(Double.NaN);
    double growth = rank.memoryGrowthBytesPerStep();
    if (!Double.isNaN(peak)) {
      line(
          page,
          "memory",
          "peak allocated %.0f MiB, reserved %.0f MiB; in use at a step's end it grows by %.3f MiB"
              + " a step",
          peak / MEBIBYTE,
          rank.truth().get("peak_reserved_bytes").number(0) / MEBIBYTE,
          growth / MEBIBYTE);
    } else if (!Double.isNaN(growth)) {
      line(page, "memory", "the process grows by %.3f MiB a step", growth / MEBIBYTE);
    }
    line(
        page,
        "overhead",
        "%.2f %% of a step outside the window",
        rank.truth().get("overhead_percent").number(0));
  }

  private static String blocks(RankRecording rank) {
    StringBuilder out = new StringBuilder();
    for (var block : rank.truth().get("step_ms_blocks")) {
      out.append(out.isEmpty() ? "" : ", ")
          .append(String.format(Locale.ROOT, "%.3f", block.number(0)));
    }
    return out.toString();
  }

  private static int countWindow(RankRecording rank) {
    int steps = rank.steps("window").size();
    boolean nsight = ProgramRun.NSIGHT_EXPORT.equals(rank.traceFile());
    // torch.profiler's own warm-up steps are part of the phase, not of the trace
    return nsight ? steps : Math.max(0, steps - 2);
  }

  private static String phase(RankRecording rank) {
    return rank.steps().isEmpty() ? "start" : rank.steps().getLast().phase();
  }

  private static String plural(int count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }

  private static void line(TextPage page, String label, String format, Object... arguments) {
    page.paragraph(
        String.format(Locale.ROOT, "%-10s ", label), String.format(Locale.ROOT, format, arguments));
  }
}
