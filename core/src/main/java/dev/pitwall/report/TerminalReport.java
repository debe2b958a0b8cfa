package dev.pitwall.report;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.NotJudged;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.observe.KernelStatistics;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.observe.OperatorStatistics;
import dev.pitwall.observe.RangeStatistics;
import dev.pitwall.report.section.Section;
import dev.pitwall.trace.Device;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A report as text for a terminal of a given width, verdict first.
public final class TerminalReport {
  private static final int NARROWEST = 60;
  private static final int WIDEST = 160;
  private static final int ROWS = 10;

  private final Report report;
  private final int width;
  private final Style style;
  private final StringBuilder out = new StringBuilder();
  private final int steps;

  private TerminalReport(Report report, int width, Style style) {
    this.report = report;
    this.width = Math.clamp(width, NARROWEST, WIDEST);
    this.style = style;
    this.steps = Math.max(1, report.steps().count());
  }

  /// The whole report.
  ///
  /// @param width columns of the terminal
  /// @param coloured whether to use colours
  public static String of(Report report, int width, boolean coloured) {
    TerminalReport terminal =
        new TerminalReport(report, width, coloured ? Style.COLOURED : Style.PLAIN);
    terminal.write();
    return terminal.out.toString();
  }

  private void write() {
    if (!report.hasTraces()) {
      line(style.bold(PlainText.printable(report.inputs().getFirst().path())));
      line("");
      verdict();
      findings("Findings", report.findings());
      sections();
      warnings();
      return;
    }
    whatRan();
    verdict();
    step();
    findings("Findings", report.findings());
    findings("Opportunities", report.opportunities());
    ranks();
    kernels();
    operators();
    ranges();
    collectives();
    memory();
    sections();
    notJudged();
    warnings();
  }

  private void whatRan() {
    Report.Input shown = report.inputs().get(report.shownRank());
    String file = PlainText.printable(shown.path());
    String title =
        report.inputs().size() == 1
            ? file
            : file + style.dim(" and " + (report.inputs().size() - 1) + " more");
    line(style.bold(title));
    List<String> facts = new ArrayList<>();
    if (!shown.devices().isEmpty()) {
      facts.add(deviceName(shown.devices()));
    }
    if (!shown.torch().isEmpty()) {
      facts.add("PyTorch " + PlainText.printable(shown.torch()));
    }
    facts.add(
        report.inputs().size() > 1
            ? report.inputs().size() + " ranks"
            : shown.rank() < 0 ? "one process" : "rank " + shown.rank());
    facts.add(stepsText());
    long events = report.inputs().stream().mapToLong(Report.Input::events).sum();
    facts.add(Quantity.count(events) + " events");
    for (String wrapped : PlainText.wrapped(String.join(" · ", facts), width)) {
      line(style.dim(wrapped));
    }
    line("");
  }

  private static String deviceName(List<Device> devices) {
    return PlainText.printable(devices.getFirst().name())
        + (devices.size() > 1 ? " (" + devices.size() + " visible)" : "");
  }

  private String stepsText() {
    int count = report.steps().count();
    if (count == 0) {
      return "no steps found: times are of the whole recording";
    }
    String named =
        switch (report.steps().source()) {
          case "ProfilerStep" -> "";
          case "inferred" -> " (inferred from repetition)";
          default -> " (" + PlainText.printable(report.steps().source()) + ")";
        };
    return count + (count == 1 ? " step" : " steps") + named;
  }

  private void verdict() {
    boolean bad =
        !report.findings().isEmpty() && report.findings().getFirst().severity() == Severity.HIGH;
    for (String wrapped : PlainText.wrapped(PlainText.printable(report.verdict()), width - 2)) {
      line((bad ? style.red("▌") : style.green("▌")) + " " + style.bold(wrapped));
    }
    line("");
  }

  private void step() {
    Report.StepTimes times = report.steps();
    String range =
        times.count() > 1
            ? String.format(
                " (%s to %s)",
                Quantity.number(times.minMillis()), Quantity.number(times.maxMillis()))
            : "";
    line(
        style.bold(times.count() == 0 ? "Recording  " : "Step  ")
            + Quantity.millis(times.medianMillis())
            + " as recorded"
            + style.dim(range)
            + estimateText());
    Report.DeviceBreakdown device = report.device();
    if (device != null) {
      line("");
      line(style.bold("GPU") + style.dim(times.count() == 0 ? "" : "  ms of a step"));
      double whole = device.step();
      bar("compute", device.compute(), whole, style::green);
      if (device.communication() > 0) {
        bar("exposed communication", device.exposedCommunication(), whole, style::magenta);
      }
      bar("copies", device.memcpy(), whole, style::blue);
      bar("idle: host not launching", device.idleHost(), whole, style::yellow);
      barIfAny("idle: host sync", device.idleHostSync(), whole);
      barIfAny("idle: input wait", device.idleInput(), whole);
      bar("idle: kernel to kernel", device.idleKernel(), whole, style::yellow);
      barIfAny("idle: communication", device.idleCommunication(), whole);
      barIfAny("idle: unexplained", device.idleUnexplained(), whole);
    }
    Report.HostBreakdown host = report.host();
    double hostSum =
        host.operators() + host.launch() + host.waiting() + host.input() + host.python();
    if (hostSum > 0) {
      line("");
      line(
          style.bold("CPU")
              + style.dim("  ms of a step on the launching threads, profiler's cost included"));
      bar("operators", host.operators(), hostSum, style::cyan);
      bar(
          "launches (" + Quantity.count(host.launches()) + ")",
          host.launch(),
          hostSum,
          style::cyan);
      barIfAny("waiting for the GPU", host.waiting(), hostSum);
      barIfAny("waiting for input", host.input(), hostSum);
      bar("Python and the rest", host.python(), hostSum, style::cyan);
    }
    line("");
  }

  private String estimateText() {
    Estimate estimated = report.estimatedStep();
    if (estimated == null) {
      return "";
    }
    return ",  "
        + style.bold(Quantity.millis(estimated.value()))
        + " without the profiler"
        + style.dim(
            String.format(
                " (%s to %s, %s)",
                Quantity.number(estimated.low()),
                Quantity.number(estimated.high()),
                estimated.basis().name().toLowerCase(Locale.ROOT)));
  }

  private interface Colour {
    String apply(String text);
  }

  private void barIfAny(String label, double millis, double whole) {
    if (millis >= 0.0005 * whole && millis > 0) {
      bar(label, millis, whole, style::yellow);
    }
  }

  private void bar(String label, double millis, double whole, Colour colour) {
    int room = Math.max(10, Math.min(60, width - 50));
    double share = whole > 0 ? Math.clamp(millis / whole, 0, 1) : 0;
    int eighths = (int) Math.round(share * room * 8);
    if (eighths == 0 && millis > 0) {
      eighths = 1;
    }
    String partial = eighths % 8 == 0 ? "" : String.valueOf((char) ('█' + 8 - eighths % 8));
    String filled = "█".repeat(eighths / 8) + partial;
    line(
        "  "
            + TextTable.padRight(label, 25)
            + String.format(Locale.ROOT, "%9s", Quantity.number(millis))
            + String.format(Locale.ROOT, "%8s", Quantity.percent(share))
            + "  "
            + colour.apply(filled));
  }

  private void findings(String heading, List<Finding> findings) {
    if (findings.isEmpty()) {
      if (heading.equals("Findings")) {
        line(style.bold("Findings") + "  none");
        line("");
      }
      return;
    }
    line(style.bold(heading));
    int number = 0;
    for (Finding finding : findings) {
      number++;
      boolean fault = heading.equals("Findings");
      line(
          " "
              + number
              + " "
              + style.bold(finding.id())
              + "  "
              + (fault ? severity(finding.severity()) + "  " : "")
              + style.dim(gainText(finding)));
      paragraph(style.bold(""), finding.title());
      paragraph("Why", finding.why());
      paragraph("Fix", finding.fix().text());
      for (String code : finding.fix().code().split("\n")) {
        if (!code.isBlank()) {
          line("        " + style.cyan(code));
        }
      }
      if (!finding.evidence().isEmpty()) {
        Evidence first = finding.evidence().getFirst();
        String where =
            String.format(
                Locale.ROOT,
                "%s for %s at %.3f ms on %s",
                PlainText.kernelName(first.name()),
                Quantity.millis(first.durationNanos() / 1e6),
                first.startNanos() / 1e6,
                PlainText.printable(first.track()));
        paragraph("Seen", TextTable.shortened(where, 2 * width));
      }
      line("   " + style.dim(finding.fix().link()));
      line("");
    }
  }

  private String severity(Severity severity) {
    return switch (severity) {
      case HIGH -> style.red("HIGH");
      case MEDIUM -> style.yellow("MEDIUM");
      case LOW -> style.dim("low");
    };
  }

  private static String gainText(Finding finding) {
    Estimate gain = finding.gain().millis();
    if (gain.value() == 0 && gain.high() == 0) {
      return "";
    }
    if (gain.basis() == Basis.MEASURED) {
      return "loses "
          + Quantity.millis(gain.value())
          + " a step ("
          + Quantity.percent(finding.gain().fraction())
          + ")";
    }
    return String.format(
        Locale.ROOT,
        "fixing it saves %s a step (%s; %s to %s, %s)",
        Quantity.millis(gain.value()),
        Quantity.percent(finding.gain().fraction()),
        Quantity.number(gain.low()),
        Quantity.number(gain.high()),
        gain.basis().name().toLowerCase(Locale.ROOT));
  }

  private void paragraph(String label, String text) {
    int indent = label.isEmpty() ? 3 : 8;
    boolean first = true;
    for (String wrapped : PlainText.wrapped(PlainText.printable(text), width - indent)) {
      String lead =
          first && !label.isEmpty()
              ? "   " + style.dim(TextTable.padRight(label, 5))
              : " ".repeat(indent);
      line(lead + wrapped);
      first = false;
    }
  }

  private void ranks() {
    if (report.ranks().size() < 2) {
      return;
    }
    TextTable table =
        new TextTable("rank", "step ms", "compute", "exposed comm.", "idle", "own work");
    for (Report.RankTimes rank : report.ranks()) {
      table.row(
          rank.rank() < 0 ? "?" : String.valueOf(rank.rank()),
          Quantity.number(rank.stepMillis()),
          Quantity.number(rank.computeMillis()),
          Quantity.number(rank.exposedCommunicationMillis()),
          Quantity.number(rank.idleMillis()),
          Quantity.number(rank.stepMillis() - rank.exposedCommunicationMillis()));
    }
    section("Ranks", table);
  }

  private void kernels() {
    if (report.kernels().isEmpty()) {
      return;
    }
    double all = report.kernels().stream().mapToDouble(KernelStatistics::totalNanos).sum();
    Map<String, Double> byKind = new LinkedHashMap<>();
    for (KernelStatistics kernel : report.kernels()) {
      byKind.merge(kernel.kind(), (double) kernel.totalNanos(), Double::sum);
    }
    TextTable kinds = new TextTable("GPU time by kind", "ms/step", "share");
    byKind.entrySet().stream()
        .sorted((a, b) -> Double.compare(b.getValue(), a.getValue()))
        .limit(ROWS)
        .forEach(
            entry ->
                kinds.row(
                    entry.getKey(),
                    Quantity.number(entry.getValue() / 1e6 / steps),
                    Quantity.percent(entry.getValue() / all)));
    section("Kernels", kinds);
    TextTable table =
        new TextTable("kernel", "kind", "per step", "ms/step", "share", "mean us", "occ.");
    for (KernelStatistics kernel : firstOf(report.kernels())) {
      table.row(
          PlainText.kernelName(kernel.name()),
          kernel.kind(),
          perStep(kernel.count()),
          Quantity.number(kernel.totalNanos() / 1e6 / steps),
          Quantity.percent(kernel.totalNanos() / all),
          Quantity.number(kernel.totalNanos() / 1e3 / kernel.count()),
          Double.isNaN(kernel.occupancy()) ? "" : Quantity.percent(kernel.occupancy()));
    }
    section("", table);
  }

  private void operators() {
    if (report.operators().isEmpty()) {
      return;
    }
    TextTable table =
        new TextTable("operator", "calls", "GPU ms/step", "CPU self ms/step", "kernels");
    for (OperatorStatistics operator : firstOf(report.operators())) {
      table.row(
          PlainText.printable(operator.name()),
          perStep(operator.calls()),
          Quantity.number(operator.deviceNanos() / 1e6 / steps),
          Quantity.number(operator.selfNanos() / 1e6 / steps),
          perStep(operator.kernels()));
    }
    section("Operators", table);
  }

  private void ranges() {
    if (report.ranges().isEmpty()) {
      return;
    }
    TextTable table =
        new TextTable("annotation or module", "calls", "GPU ms/step", "CPU ms/step", "kernels");
    for (RangeStatistics range : firstOf(report.ranges())) {
      table.row(
          PlainText.printable(range.name()),
          perStep(range.calls()),
          Quantity.number(range.deviceNanos() / 1e6 / steps),
          Quantity.number(range.hostNanos() / 1e6 / steps),
          perStep(range.kernels()));
    }
    section("Annotations and modules", table);
  }

  private void collectives() {
    if (report.collectives().isEmpty()) {
      return;
    }
    TextTable table =
        new TextTable("collective", "group", "ranks", "per step", "ms/step", "bytes/step");
    for (CollectiveStatistics collective : firstOf(report.collectives())) {
      table.row(
          PlainText.kernelName(collective.name()),
          PlainText.printable(collective.processGroup()),
          collective.groupSize() < 0 ? "" : String.valueOf(collective.groupSize()),
          perStep(collective.count()),
          Quantity.number(collective.totalNanos() / 1e6 / steps),
          collective.bytes() < 0 ? "" : Quantity.bytes((double) collective.bytes() / steps));
    }
    section("Communication", table);
  }

  private void memory() {
    MemoryUse memory = report.memory();
    if (memory == null) {
      return;
    }
    line(
        style.bold("Memory")
            + "  tensors peak at "
            + Quantity.bytes(memory.peakAllocatedBytes())
            + (memory.peakReservedBytes() < 0
                ? ""
                : ", the allocator reserves up to " + Quantity.bytes(memory.peakReservedBytes()))
            + (memory.deviceBytes() <= 0
                ? ""
                : ", the device has " + Quantity.bytes(memory.deviceBytes())));
    line("");
  }

  private void sections() {
    for (Section section : report.sections()) {
      line(style.bold(PlainText.printable(section.title())));
      for (String wrapped : PlainText.wrapped(PlainText.printable(section.sentence()), width - 2)) {
        line("  " + wrapped);
      }
      line("");
      for (Section.Table rows : section.tables()) {
        TextTable table = new TextTable(rows.header().toArray(String[]::new));
        for (List<String> row : rows.rows()) {
          table.row(row.stream().map(PlainText::printable).toArray(String[]::new));
        }
        line("  " + style.dim(rows.title()));
        section("", table);
      }
    }
  }

  private void notJudged() {
    if (report.notJudged().isEmpty()) {
      return;
    }
    Map<String, List<String>> byNeed = new LinkedHashMap<>();
    for (NotJudged lacking : report.notJudged()) {
      byNeed.computeIfAbsent(lacking.needs(), need -> new ArrayList<>()).add(lacking.id());
    }
    line(style.bold("Not judged"));
    byNeed.forEach(
        (need, ids) -> {
          for (String wrapped :
              PlainText.wrapped(String.join(", ", ids) + ": needs " + need, width - 2)) {
            line("  " + wrapped);
          }
        });
    line("");
  }

  private void warnings() {
    boolean any = report.inputs().stream().anyMatch(input -> !input.warnings().isEmpty());
    if (!any) {
      return;
    }
    line(style.bold("About the recording"));
    int files = 0;
    for (Report.Input input : report.inputs()) {
      if (input.warnings().isEmpty()) {
        continue;
      }
      if (++files > 4) {
        line("  and more in other files; see --json");
        break;
      }
      if (report.inputs().size() > 1) {
        line("  " + style.dim(PlainText.printable(input.path())));
      }
      for (Report.Warning warning : input.warnings()) {
        String times =
            warning.count() > 1 ? " (" + Quantity.count(warning.count()) + " times)" : "";
        String text =
            warning.text().contains(String.valueOf(warning.count()))
                ? warning.text()
                : warning.text() + times;
        boolean first = true;
        for (String wrapped :
            PlainText.wrapped(warning.code() + ": " + PlainText.printable(text), width - 4)) {
          line((first ? "  " : "    ") + wrapped);
          first = false;
        }
      }
    }
    line("");
  }

  private void section(String heading, TextTable table) {
    if (!heading.isEmpty()) {
      line(style.bold(heading));
    }
    table.lines(width, style).forEach(this::line);
    line("");
  }

  private String perStep(int count) {
    double each = (double) count / steps;
    return each == Math.rint(each) ? Quantity.count((long) each) : Quantity.number(each);
  }

  private static <T> List<T> firstOf(List<T> rows) {
    return rows.subList(0, Math.min(ROWS, rows.size()));
  }

  private void line(String text) {
    out.append(text).append('\n');
  }
}
