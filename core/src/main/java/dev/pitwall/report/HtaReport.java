package dev.pitwall.report;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.observe.hta.HtaBreakdown;
import dev.pitwall.trace.Trace;
import java.util.List;
import java.util.Locale;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/// Five analyses of Holistic Trace Analysis over the ranks of a run, by that tool's definitions,
/// with and without the last step.
public final class HtaReport {
  private static final boolean[] INCLUDE_LAST_STEP = {false, true};

  private record Rank(int rank, HtaBreakdown withoutLastStep, HtaBreakdown withLastStep) {
    HtaBreakdown of(boolean includeLastStep) {
      return includeLastStep ? withLastStep : withoutLastStep;
    }
  }

  private final boolean rounding;
  private final NavigableMap<Integer, Rank> byPlace = new ConcurrentSkipListMap<>();

  /// @param rounding whether times are rounded inwards to microseconds, as HTA does unless
  ///     `HTA_DISABLE_NS_ROUNDING=1`
  public HtaReport(boolean rounding) {
    this.rounding = rounding;
  }

  /// Adds a rank; one whose file does not say is rank 0, as in HTA. Safe for many threads.
  ///
  /// @param place of the rank in the report
  public void add(int place, Trace trace) {
    byPlace.put(
        place,
        new Rank(
            Math.max(0, trace.recording().rank()),
            HtaBreakdown.of(trace, false, rounding),
            HtaBreakdown.of(trace, true, rounding)));
  }

  /// Tables for a terminal.
  ///
  /// @param width columns of the terminal
  public String text(int width, boolean coloured) {
    Style style = Style.of(coloured);
    StringBuilder out = new StringBuilder();
    out.append(style.bold("By the definitions of Holistic Trace Analysis 0.6.1"))
        .append(
            style.dim(
                rounding
                    ? "  (rounded inwards to whole microseconds, as it does by default)"
                    : "  (without its rounding)"))
        .append('\n');
    for (boolean includeLast : INCLUDE_LAST_STEP) {
      out.append('\n')
          .append(style.bold("include_last_profiler_step=" + (includeLast ? "True" : "False")))
          .append('\n');
      List<TextTable> tables =
          List.of(
              temporal(includeLast),
              kernelTypes(includeLast),
              idle(includeLast),
              queues(includeLast));
      for (TextTable table : tables) {
        table.lines(width, style).forEach(line -> out.append(line).append('\n'));
        out.append('\n');
      }
    }
    return out.toString();
  }

  private TextTable temporal(boolean includeLast) {
    TextTable table =
        TextTable.ofFigures(
            "temporal breakdown", "kernel us", "compute", "non-compute", "idle", "overlap");
    for (Rank rank : byPlace.values()) {
      HtaBreakdown.Temporal temporal = rank.of(includeLast).temporal();
      if (temporal == null) {
        table.row("rank " + rank.rank(), "no device rows", "", "", "", "");
        continue;
      }
      table.row(
          "rank " + rank.rank() + (rank.of(includeLast).wouldFailInHta() ? " (!)" : ""),
          micros(temporal.kernelMicros()),
          share(temporal, temporal.computeMicros()),
          share(temporal, temporal.nonComputeMicros()),
          share(temporal, temporal.idleMicros()),
          Double.isNaN(rank.of(includeLast).overlapPercent())
              ? ""
              : String.format(Locale.ROOT, "%.2f %%", rank.of(includeLast).overlapPercent()));
    }
    return table;
  }

  private static String share(HtaBreakdown.Temporal temporal, double micros) {
    return String.format(Locale.ROOT, "%s (%.2f %%)", micros(micros), temporal.percent(micros));
  }

  private TextTable kernelTypes(boolean includeLast) {
    TextTable table = TextTable.ofFigures("kernel type", "rank", "sum us", "percentage");
    for (Rank rank : byPlace.values()) {
      for (HtaBreakdown.TypeShare type : rank.of(includeLast).kernelTypes()) {
        table.row(
            type.type(),
            String.valueOf(rank.rank()),
            micros(type.micros()),
            String.format(Locale.ROOT, "%.1f %%", type.percent()));
      }
    }
    return table;
  }

  private TextTable idle(boolean includeLast) {
    TextTable table = TextTable.ofFigures("idle breakdown", "rank", "stream", "idle us", "ratio");
    for (Rank rank : byPlace.values()) {
      for (HtaBreakdown.Idle idle : rank.of(includeLast).idle()) {
        table.row(
            idle.category(),
            String.valueOf(rank.rank()),
            String.valueOf(idle.stream()),
            micros(idle.micros()),
            Double.isNaN(idle.ratio()) ? "" : String.format(Locale.ROOT, "%.2f", idle.ratio()));
      }
    }
    return table;
  }

  private TextTable queues(boolean includeLast) {
    TextTable table =
        TextTable.ofFigures(
            "queue length",
            "rank",
            "stream",
            "count",
            "mean",
            "std",
            "min",
            "25%",
            "50%",
            "75%",
            "max");
    for (Rank rank : byPlace.values()) {
      for (HtaBreakdown.Queue queue : rank.of(includeLast).queues()) {
        table.row(
            "",
            String.valueOf(rank.rank()),
            String.valueOf(queue.stream()),
            String.valueOf(queue.count()),
            String.format(Locale.ROOT, "%.2f", queue.mean()),
            String.format(Locale.ROOT, "%.2f", queue.deviation()),
            micros(queue.min()),
            micros(queue.quarter()),
            micros(queue.half()),
            micros(queue.threeQuarters()),
            micros(queue.max()));
      }
    }
    return table;
  }

  private static String micros(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%,.2f", value);
  }

  /// Writes the analyses as a JSON value: `variants`, by step filter, by analysis, with HTA's
  /// column names.
  void writeTo(JsonWriter out) {
    out.object();
    out.key("hta_version").value("0.6.1");
    out.key("rounding").value(rounding);
    out.key("variants").object();
    for (boolean includeLast : INCLUDE_LAST_STEP) {
      out.key("include_last_profiler_step=" + (includeLast ? "True" : "False")).object();
      temporal(out, includeLast);
      overlap(out, includeLast);
      kernelTypes(out, includeLast);
      idle(out, includeLast);
      queues(out, includeLast);
      out.end();
    }
    out.end();
    out.end();
  }

  private void temporal(JsonWriter out, boolean includeLast) {
    out.key("temporal_breakdown").array();
    for (Rank rank : byPlace.values()) {
      HtaBreakdown.Temporal temporal = rank.of(includeLast).temporal();
      if (temporal == null) {
        continue;
      }
      out.object();
      out.key("rank").value(rank.rank());
      out.key("idle_time(us)").value(temporal.idleMicros());
      out.key("compute_time(us)").value(temporal.computeMicros());
      out.key("non_compute_time(us)").value(temporal.nonComputeMicros());
      out.key("kernel_time(us)").value(temporal.kernelMicros());
      out.key("idle_time_pctg").value(temporal.percent(temporal.idleMicros()));
      out.key("compute_time_pctg").value(temporal.percent(temporal.computeMicros()));
      out.key("non_compute_time_pctg").value(temporal.percent(temporal.nonComputeMicros()));
      out.end();
    }
    out.end();
  }

  private void overlap(JsonWriter out, boolean includeLast) {
    out.key("comm_comp_overlap").array();
    for (Rank rank : byPlace.values()) {
      out.object();
      out.key("rank").value(rank.rank());
      out.key("comp_comm_overlap_pctg").value(rank.of(includeLast).overlapPercent());
      out.end();
    }
    out.end();
  }

  private void kernelTypes(JsonWriter out, boolean includeLast) {
    out.key("gpu_kernel_breakdown").array();
    for (Rank rank : byPlace.values()) {
      for (HtaBreakdown.TypeShare type : rank.of(includeLast).kernelTypes()) {
        out.object();
        out.key("rank").value(rank.rank());
        out.key("kernel_type").value(type.type());
        out.key("sum").value(type.micros());
        out.key("percentage").value(type.percent());
        out.end();
      }
    }
    out.end();
  }

  private void idle(JsonWriter out, boolean includeLast) {
    out.key("idle_time_breakdown").array();
    for (Rank rank : byPlace.values()) {
      for (HtaBreakdown.Idle idle : rank.of(includeLast).idle()) {
        out.object();
        out.key("rank").value(rank.rank());
        out.key("stream").value(idle.stream());
        out.key("idle_category").value(idle.category());
        out.key("idle_time").value(idle.micros());
        out.key("idle_time_ratio").value(idle.ratio());
        out.end();
      }
    }
    out.end();
  }

  private void queues(JsonWriter out, boolean includeLast) {
    out.key("queue_length_summary").array();
    for (Rank rank : byPlace.values()) {
      for (HtaBreakdown.Queue queue : rank.of(includeLast).queues()) {
        out.object();
        out.key("rank").value(rank.rank());
        out.key("stream").value(queue.stream());
        out.key("queue_length_count").value(queue.count());
        out.key("queue_length_mean").value(queue.mean());
        out.key("queue_length_std").value(queue.deviation());
        out.key("queue_length_min").value(queue.min());
        out.key("queue_length_25%").value(queue.quarter());
        out.key("queue_length_50%").value(queue.half());
        out.key("queue_length_75%").value(queue.threeQuarters());
        out.key("queue_length_max").value(queue.max());
        out.end();
      }
    }
    out.end();
  }
}
