package dev.pitwall.report;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.NotJudged;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.MemoryUse;
import dev.pitwall.report.section.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A report as text for a terminal of a given width, verdict first.
public final class TerminalReport {
  /// Longer than any figure with its unit: `999 us, 24 checks of 42 us`.
  private static final int WIDEST_FIGURE = 32;

  private final Report report;
  private final int columns;
  private final int width;
  private final Style style;
  private final StringBuilder out = new StringBuilder();

  private TerminalReport(Report report, int columns, Style style) {
    this.report = report;
    this.columns = Math.min(columns, TextPage.WIDEST_TABLE);
    this.width = Math.clamp(columns, TextPage.NARROWEST, TextPage.WIDEST_PROSE);
    this.style = style;
  }

  /// The whole report.
  ///
  /// @param width columns of the terminal
  /// @param coloured whether to use colours
  public static String of(Report report, int width, boolean coloured) {
    TerminalReport terminal = new TerminalReport(report, width, Style.of(coloured));
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
    overlap();
    for (ReportTables.Titled titled : ReportTables.of(report)) {
      section(titled.title(), titled.table());
    }
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
    for (String wrapped : PlainText.wrapped(String.join(" · ", Facts.of(report)), width)) {
      line(style.dim(wrapped));
    }
    line("");
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
            + (times.count() > 2 ? " as recorded, median" : " as recorded")
            + style.dim(range));
    estimate();
    Report.DeviceBreakdown device = report.device();
    if (device != null) {
      line("");
      line(style.bold("GPU") + style.dim("  ms of " + Facts.stepOfBreakdowns(report)));
      double deviceStep = device.step();
      bar("compute", device.compute(), deviceStep, style::green);
      if (device.communication() > 0) {
        bar("exposed communication", device.exposedCommunication(), deviceStep, style::magenta);
      }
      bar("copies", device.memcpy(), deviceStep, style::blue);
      bar("idle: host not launching", device.idleHost(), deviceStep, style::yellow);
      barIfAny("idle: host sync", device.idleHostSync(), deviceStep);
      barIfAny("idle: input wait", device.idleInput(), deviceStep);
      bar("idle: kernel to kernel", device.idleKernel(), deviceStep, style::yellow);
      barIfAny("idle: communication", device.idleCommunication(), deviceStep);
      barIfAny("idle: unexplained", device.idleUnexplained(), deviceStep);
    }
    Report.HostBreakdown host = report.host();
    double whole = host.step();
    if (whole > 0) {
      line("");
      line(
          style.bold("CPU")
              + style.dim("  ms of " + Facts.hostStep(report) + ", profiler's cost included"));
      bar("operators", host.operators(), whole, style::cyan);
      if (host.launches() > 0) {
        bar(
            "launches (" + Quantity.count(host.launches()) + ")",
            host.launch(),
            whole,
            style::cyan);
      }
      barIfAny("waiting for the GPU", host.waiting(), whole);
      barIfAny("waiting for input", host.input(), whole);
      bar("Python and the rest", host.python(), whole, style::cyan);
      if (host.threads() > 1) {
        line("  " + style.dim(Facts.hostThreads(host)));
      }
    }
    line("");
  }

  private void estimate() {
    Estimate estimated = report.estimatedStep();
    if (estimated != null) {
      line(
          "      "
              + style.bold(Quantity.millis(estimated.value()))
              + " without the profiler"
              + style.dim(
                  " ("
                      + Quantity.range(estimated)
                      + ", "
                      + estimated.basis().name().toLowerCase(Locale.ROOT)
                      + ")"));
    }
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
    if (eighths == 0 && !Quantity.number(millis).equals("0")) {
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
      heading(number, finding, fault);
      paragraph("", finding.title());
      if (fault) {
        paragraph("Why", finding.why());
      }
      paragraph("Fix", finding.fix().text());
      for (String code : finding.fix().code().split("\n")) {
        if (!code.isBlank()) {
          line("        " + style.cyan(code));
        }
      }
      if (fault && !finding.evidence().isEmpty()) {
        Evidence first = finding.evidence().getFirst();
        String where =
            String.format(
                Locale.ROOT,
                "%s for %s at %.3f ms on %s",
                PlainText.kernelName(first.name()),
                Quantity.millis(first.durationNanos() / 1e6),
                report.millisIntoRecording(first),
                PlainText.printable(first.track()));
        paragraph("Seen", TextTable.shortened(where, 2 * width));
      }
      line("   " + style.dim(finding.fix().link()));
      line("");
    }
  }

  private void overlap() {
    if (report.gainsOverlap()) {
      PlainText.wrapped(Facts.OVERLAP, width).forEach(wrapped -> line(style.dim(wrapped)));
      line("");
    }
  }

  private void heading(int number, Finding finding, boolean fault) {
    String gain = gainText(finding, fault);
    String severity = fault ? finding.severity().name() + "  " : "";
    int length = number / 10 + 3 + finding.id().length() + 2 + severity.length() + gain.length();
    String id = " " + number + " " + style.bold(finding.id()) + "  ";
    String rated = fault ? severity(finding.severity()) + "  " : "";
    if (length <= width) {
      line(id + rated + style.dim(gain));
    } else {
      line(id + rated);
      for (String wrapped : PlainText.wrapped(gain, width - 3)) {
        line("   " + style.dim(wrapped));
      }
    }
  }

  private String severity(Severity severity) {
    return switch (severity) {
      case HIGH -> style.red("HIGH");
      case MEDIUM -> style.yellow("MEDIUM");
      case LOW -> style.dim("low");
    };
  }

  private static String gainText(Finding finding, boolean fault) {
    Estimate gain = finding.gain().millis();
    if (finding.gain().isNothing()) {
      return "fixing it saves nothing measurable";
    }
    if (gain.value() == 0 && gain.high() == 0) {
      return "";
    }
    if (gain.basis() == Basis.MEASURED) {
      return (fault ? "loses " : "could save up to ")
          + Quantity.millis(gain.value())
          + " a step ("
          + Quantity.percent(finding.gain().fraction())
          + ")";
    }
    return String.format(
        Locale.ROOT,
        "%s %s a step (%s; %s, %s)",
        fault ? "fixing it saves" : "would save",
        Quantity.millis(gain.value()),
        Quantity.percent(finding.gain().fraction()),
        Quantity.range(gain),
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

  private void memory() {
    MemoryUse memory = report.memory();
    if (memory == null) {
      return;
    }
    String text =
        "tensors peak at "
            + Quantity.bytes(memory.peakAllocatedBytes())
            + (memory.peakReservedBytes() < 0
                ? ""
                : ", the allocator reserves up to " + Quantity.bytes(memory.peakReservedBytes()))
            + (memory.deviceBytes() <= 0
                ? ""
                : ", the device has " + Quantity.bytes(memory.deviceBytes()));
    line(style.bold("Memory"));
    PlainText.wrapped(text, width - 2).forEach(wrapped -> line("  " + wrapped));
    line("");
  }

  private void sections() {
    for (Section section : report.sections()) {
      line(style.bold(PlainText.printable(section.title())));
      if (!section.sentence().equals(report.verdict())) {
        for (String wrapped :
            PlainText.wrapped(PlainText.printable(section.sentence()), width - 2)) {
          line("  " + wrapped);
        }
        line("");
      }
      for (Section.Table rows : section.tables()) {
        TextTable table = textTable(rows);
        line("  " + style.dim(rows.title()));
        section("", table);
      }
    }
  }

  /// A section's table, whose long cells may be broken between words.
  private static TextTable textTable(Section.Table rows) {
    List<TextTable.Column> columns = new ArrayList<>();
    for (int column = 0; column < rows.header().size(); column++) {
      String heading = rows.header().get(column);
      int at = column;
      boolean words = rows.rows().stream().anyMatch(row -> row.get(at).length() > WIDEST_FIGURE);
      columns.add(
          column == 0
              ? TextTable.name(heading)
              : words ? TextTable.sentence(heading) : TextTable.figure(heading));
    }
    TextTable table = new TextTable(columns);
    rows.rows().forEach(table::row);
    return table;
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
    table.lines(columns, style).forEach(this::line);
    line("");
  }

  private void line(String text) {
    out.append(text.stripTrailing()).append('\n');
  }
}
