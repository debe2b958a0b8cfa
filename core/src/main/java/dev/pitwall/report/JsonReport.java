package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.NotJudged;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.RangeStatistics;
import dev.pitwall.observe.Series;
import dev.pitwall.report.section.Section;
import dev.pitwall.trace.Device;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A report as JSON, schema `pitwall.report/1`. Times are milliseconds of one step unless the key
/// says otherwise.
public final class JsonReport {
  private static final int ROWS = 100;

  private final Report report;
  private final @Nullable HtaReport hta;
  private final JsonWriter out = new JsonWriter();
  private final int steps;

  private JsonReport(Report report, @Nullable HtaReport hta) {
    this.report = report;
    this.hta = hta;
    this.steps = Math.max(1, report.steps().count());
  }

  /// The document.
  public static String of(Report report) {
    return new JsonReport(report, null).document();
  }

  /// The document with the analyses of HTA under the key `hta`.
  public static String of(Report report, HtaReport hta) {
    return new JsonReport(report, hta).document();
  }

  private String document() {
    out.object();
    out.key("schema").value("pitwall.report/1");
    out.key("verdict").value(report.verdict());
    inputs();
    stepTimes();
    breakdown();
    ranks();
    kernels();
    operators();
    ranges();
    memory();
    communication();
    FindingJson.write(out, "findings", report.findings());
    FindingJson.write(out, "opportunities", report.opportunities());
    out.key("not_judged").array();
    for (NotJudged lacking : report.notJudged()) {
      out.object();
      out.key("id").value(lacking.id());
      out.key("needs").value(lacking.needs());
      out.end();
    }
    out.end();
    sections();
    if (hta != null) {
      out.key("hta");
      hta.writeTo(out);
    }
    out.end();
    return out + "\n";
  }

  private void inputs() {
    out.key("inputs").array();
    for (Report.Input input : report.inputs()) {
      out.object();
      out.key("path").value(input.path());
      out.key("kind").value(input.kind());
      out.key("rank");
      if (input.rank() < 0) {
        out.value((String) null);
      } else {
        out.value(input.rank());
      }
      out.key("events").value(input.events());
      out.key("bytes").value(input.bytes());
      out.key("torch").value(input.torch().isEmpty() ? null : input.torch());
      out.key("devices").array();
      for (Device device : input.devices()) {
        out.object();
        out.key("name").value(device.name());
        out.key("sms").value(device.multiprocessors());
        out.end();
      }
      out.end();
      out.key("warnings").array();
      for (Report.Warning warning : input.warnings()) {
        out.object();
        out.key("code").value(warning.code());
        out.key("count").value(warning.count());
        out.key("text").value(warning.text());
        out.end();
      }
      out.end();
      out.end();
    }
    out.end();
  }

  private void stepTimes() {
    Report.StepTimes times = report.steps();
    out.key("steps").object();
    out.key("count").value(times.count());
    out.key("source").value(times.source());
    out.key("bound").value(times.bound());
    out.key("profiled_ms").object();
    out.key("median").value(times.medianMillis());
    out.key("min").value(times.minMillis());
    out.key("max").value(times.maxMillis());
    out.key("mean").value(times.meanMillis());
    out.end();
    out.key("estimated_ms");
    Estimate estimated = report.estimatedStep();
    if (estimated == null) {
      out.value((String) null);
    } else {
      out.object();
      out.key("value").value(estimated.value());
      out.key("low").value(estimated.low());
      out.key("high").value(estimated.high());
      out.key("basis").value(estimated.basis().name());
      out.end();
    }
    out.end();
  }

  private void breakdown() {
    out.key("breakdown").object();
    Report.DeviceBreakdown device = report.device();
    out.key("gpu_ms_per_step");
    if (device == null) {
      out.value((String) null);
      out.key("idle_ms_per_step").value((String) null);
    } else {
      out.object();
      out.key("compute").value(device.compute());
      out.key("communication").value(device.communication());
      out.key("exposed_communication").value(device.exposedCommunication());
      out.key("memcpy").value(device.memcpy());
      out.key("idle").value(device.idle());
      out.end();
      out.key("idle_ms_per_step").object();
      out.key("host").value(device.idleHost());
      out.key("host_sync").value(device.idleHostSync());
      out.key("input").value(device.idleInput());
      out.key("kernel").value(device.idleKernel());
      out.key("communication").value(device.idleCommunication());
      out.key("unexplained").value(device.idleUnexplained());
      out.end();
    }
    Report.HostBreakdown host = report.host();
    out.key("cpu_ms_per_step").object();
    out.key("operators").value(host.operators());
    out.key("launch").value(host.launch());
    out.key("wait").value(host.waiting());
    out.key("input").value(host.input());
    out.key("python").value(host.python());
    out.end();
    out.key("launching_threads").value(host.threads());
    out.key("kernel_launches_per_step").value(host.launches());
    out.end();
  }

  private void ranks() {
    out.key("ranks").array();
    for (Report.RankTimes rank : report.ranks()) {
      out.object();
      out.key("rank").value(rank.rank());
      out.key("step_ms").value(rank.stepMillis());
      out.key("compute_ms").value(rank.computeMillis());
      out.key("exposed_communication_ms").value(rank.exposedCommunicationMillis());
      out.key("idle_ms").value(rank.idleMillis());
      out.key("own_ms").value(rank.ownMillis());
      out.end();
    }
    out.end();
  }

  private void kernels() {
    out.key("kernels").array();
    for (KernelStatistics kernel : firstOf(report.kernels())) {
      out.object();
      out.key("name").value(kernel.name());
      out.key("kind").value(kernel.kind());
      out.key("precision").value(kernel.precision().name().toLowerCase(Locale.ROOT));
      out.key("count_per_step").value((double) kernel.count() / steps);
      out.key("ms_per_step").value(kernel.totalNanos() / 1e6 / steps);
      out.key("mean_us").value(kernel.totalNanos() / 1e3 / kernel.count());
      out.key("max_us").value(kernel.longestNanos() / 1e3);
      out.key("occupancy").value(kernel.occupancy());
      out.key("waves").value(kernel.waves());
      out.end();
    }
    out.end();
  }

  private void operators() {
    out.key("operators").array();
    for (OperatorStatistics operator : firstOf(report.operators())) {
      out.object();
      out.key("name").value(operator.name());
      out.key("calls_per_step").value((double) operator.calls() / steps);
      out.key("cpu_ms_per_step").value(operator.hostNanos() / 1e6 / steps);
      out.key("cpu_self_ms_per_step").value(operator.selfNanos() / 1e6 / steps);
      out.key("gpu_ms_per_step").value(operator.deviceNanos() / 1e6 / steps);
      out.key("kernels_per_step").value((double) operator.kernels() / steps);
      out.end();
    }
    out.end();
  }

  private void ranges() {
    out.key("ranges").array();
    for (RangeStatistics range : firstOf(report.ranges())) {
      out.object();
      out.key("name").value(range.name());
      out.key("kind").value(range.module() ? "module" : "annotation");
      out.key("calls_per_step").value((double) range.calls() / steps);
      out.key("cpu_ms_per_step").value(range.hostNanos() / 1e6 / steps);
      out.key("gpu_ms_per_step").value(range.deviceNanos() / 1e6 / steps);
      out.end();
    }
    out.end();
  }

  private void memory() {
    out.key("memory").object();
    MemoryUse memory = report.memory();
    if (memory != null) {
      out.key("peak_allocated_bytes").value(memory.peakAllocatedBytes());
      out.key("peak_reserved_bytes").value(memory.peakReservedBytes());
      out.key("device_bytes").value(memory.deviceBytes());
      out.key("allocated_at_step_end_bytes").array();
      for (long bytes : memory.atStepEndBytes()) {
        out.value(bytes);
      }
      out.end();
      series("allocated", memory.allocated());
      if (memory.reserved() != null) {
        series("reserved", memory.reserved());
      }
    }
    out.end();
  }

  private void series(String key, Series series) {
    out.key(key).object();
    out.key("unit").value(series.unit());
    out.key("start_ns").value(series.timeNanos()[0]);
    out.key("slot_ns")
        .value(series.timeNanos().length > 1 ? series.timeNanos()[1] - series.timeNanos()[0] : 0);
    out.key("values").array();
    for (double value : series.values()) {
      out.value(value);
    }
    out.end();
    out.end();
  }

  private void communication() {
    out.key("communication").object();
    out.key("collectives").array();
    for (CollectiveStatistics collective : firstOf(report.collectives())) {
      out.object();
      out.key("name").value(collective.name());
      out.key("process_group").value(collective.processGroup());
      out.key("group_size").value(collective.groupSize());
      out.key("count_per_step").value((double) collective.count() / steps);
      out.key("bytes_per_step").value(collective.bytes() < 0 ? -1 : collective.bytes() / steps);
      out.key("ms_per_step").value(collective.totalNanos() / 1e6 / steps);
      out.end();
    }
    out.end();
    out.end();
  }

  private void sections() {
    out.key("sections").array();
    for (Section section : report.sections()) {
      out.object();
      out.key("id").value(section.id());
      out.key("title").value(section.title());
      out.key("sentence").value(section.sentence());
      out.key("tables").array();
      for (Section.Table table : section.tables()) {
        out.object();
        out.key("title").value(table.title());
        out.key("header").array();
        table.header().forEach(out::value);
        out.end();
        out.key("rows").array();
        for (List<String> row : table.rows()) {
          out.array();
          row.forEach(out::value);
          out.end();
        }
        out.end();
        out.end();
      }
      out.end();
      out.end();
    }
    out.end();
  }

  private static <T> List<T> firstOf(List<T> rows) {
    return rows.subList(0, Math.min(ROWS, rows.size()));
  }
}
