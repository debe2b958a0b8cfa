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
import dev.pitwall.observe.Series;
import dev.pitwall.report.section.Section;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A report as one HTML file that needs no network: its style and its script are inside, its
/// pictures are SVG, and its policy forbids loading anything.
public final class HtmlReport {
  private static final int ROWS = 20;

  private final Report report;
  private final Markup out = new Markup();
  private final int steps;

  private HtmlReport(Report report) {
    this.report = report;
    this.steps = Math.max(1, report.steps().count());
  }

  /// The whole page.
  public static String of(Report report) {
    HtmlReport page = new HtmlReport(report);
    page.write();
    return page.out.toString();
  }

  private void write() {
    String file =
        report.inputs().isEmpty()
            ? "report"
            : fileName(report.inputs().get(Math.max(0, report.shownRank())).path());
    int others = report.inputs().size() - 1;
    String title = others > 0 ? file + " and " + others + " more" : file;
    open(out, title);
    header(title);
    verdict();
    figures();
    device();
    findings("Findings", report.findings());
    findings("Opportunities", report.opportunities());
    if (report.gainsOverlap()) {
      out.format("<p class=\"facts\">%s</p>\n", Facts.OVERLAP);
    }
    queue();
    memory();
    kernels();
    tables();
    sections();
    notJudged();
    warnings();
    out.raw(
        "<footer>GPU work belongs to the step that launched it. A step lasts from the moment the"
            + " GPU is done with the step before to the moment it is done with its own. Every idle"
            + " moment has one cause. Gains are simulated on the step's execution graph unless"
            + " marked as measured.</footer>\n");
    close(out);
  }

  /// Begins a page that needs no network.
  static void open(Markup out, String title) {
    out.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.raw(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src"
            + " 'unsafe-inline'; script-src 'unsafe-inline'\">\n");
    out.format("<title>%s - Pitwall</title>\n", title);
    out.raw("<style>\n").raw(resource("report.css")).raw("</style>\n</head>\n<body>\n<main>\n");
  }

  /// Ends it.
  static void close(Markup out) {
    out.raw("</main>\n<script>\n").raw(resource("report.js")).raw("</script>\n</body>\n</html>\n");
  }

  private void header(String title) {
    out.raw("<header><span class=\"brand\">Pitwall</span>");
    out.format("<h1>%s</h1>", title);
    out.raw("<button class=\"theme\" type=\"button\">light / dark</button>");
    out.format("<div class=\"facts\">%s</div></header>\n", String.join(" · ", Facts.of(report)));
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private void verdict() {
    String severity =
        report.findings().isEmpty()
            ? ""
            : report.findings().getFirst().severity().name().toLowerCase(Locale.ROOT);
    out.format("<div class=\"card verdict %s\">%s</div>\n", severity, report.verdict());
  }

  private void figures() {
    out.raw("<div class=\"figures\">");
    figure(
        Quantity.millis(report.steps().medianMillis()),
        report.steps().count() == 0
            ? "recorded"
            : report.steps().count() > 2 ? "the median step, as recorded" : "a step, as recorded");
    Estimate estimated = report.estimatedStep();
    if (estimated != null) {
      figure(
          Quantity.millis(estimated.value()),
          "a step without the profiler ("
              + Quantity.number(estimated.low())
              + " to "
              + Quantity.number(estimated.high())
              + ")");
    }
    Report.DeviceBreakdown device = report.device();
    if (device != null && device.step() > 0) {
      figure(Quantity.percent(device.compute() / device.step()), "of the recorded step is compute");
    }
    long high = report.findings().stream().filter(one -> one.severity() == Severity.HIGH).count();
    figure(
        String.valueOf(report.findings().size()),
        (report.findings().size() == 1 ? "finding, " : "findings, ") + high + " of high severity");
    out.raw("</div>\n");
  }

  private void figure(String value, String label) {
    out.format("<div class=\"figure\"><b>%s</b><span>%s</span></div>", value, label);
  }

  /// Parts smaller than this share are left out, as in the terminal.
  private static final double LEAST_SHOWN = 0.0005;

  private record Part(String label, double millis, String colour) {}

  private void device() {
    Report.DeviceBreakdown device = report.device();
    Report.HostBreakdown host = report.host();
    if (device != null) {
      out.format(
          "<h2>Where the GPU's step goes</h2><div class=\"card\"><p class=\"facts\">ms of %s</p>",
          Facts.stepOfBreakdowns(report));
      stack(
          List.of(
              new Part("compute", device.compute(), "compute"),
              new Part("exposed communication", device.exposedCommunication(), "communication"),
              new Part("copies", device.memcpy(), "copies"),
              new Part("idle", device.idle(), "idle")),
          device.step());
      if (device.idle() > 0) {
        out.raw("<h3>Why it is idle</h3>");
        stack(
            List.of(
                new Part("host not launching", device.idleHost(), "host"),
                new Part("host sync", device.idleHostSync(), "host-sync"),
                new Part("input wait", device.idleInput(), "input"),
                new Part("kernel to kernel", device.idleKernel(), "kernel"),
                new Part("communication", device.idleCommunication(), "communication"),
                new Part("unexplained", device.idleUnexplained(), "unexplained")),
            device.idle());
      }
      out.raw("</div>\n");
    }
    double all = host.step();
    if (all > 0) {
      out.format(
          "<h2>Where the CPU's step goes</h2><div class=\"card\"><p class=\"facts\">ms of %s%s</p>",
          Facts.hostStep(report), host.threads() > 1 ? "; " + Facts.hostThreads(host) : "");
      stack(
          List.of(
              new Part("operators", host.operators(), "compute"),
              new Part("launches", host.launch(), "communication"),
              new Part("waiting for the GPU", host.waiting(), "host-sync"),
              new Part("waiting for input", host.input(), "input"),
              new Part("Python and the rest", host.python(), "kernel")),
          all);
      out.raw("</div>\n");
    }
  }

  private void stack(List<Part> parts, double whole) {
    out.raw("<div class=\"stack\" aria-hidden=\"true\">");
    for (Part part : parts) {
      if (part.millis() > LEAST_SHOWN * whole) {
        out.format(
            "<i style=\"flex:%.5f;background:var(--%s)\" title=\"%s\"></i>",
            part.millis() / whole,
            part.colour(),
            part.label() + " " + Quantity.millis(part.millis()));
      }
    }
    out.raw("</div><div class=\"legend\">");
    for (Part part : parts) {
      if (part.millis() > LEAST_SHOWN * whole) {
        out.format(
            "<div><span class=\"dot\" style=\"background:var(--%s)\"></span>%s<em>%s</em></div>",
            part.colour(),
            part.label(),
            Quantity.millis(part.millis()) + "  " + Quantity.percent(part.millis() / whole));
      }
    }
    out.raw("</div>");
  }

  private void findings(String heading, List<Finding> findings) {
    boolean faults = heading.equals("Findings");
    if (findings.isEmpty()) {
      if (faults) {
        out.raw("<h2>Findings</h2><div class=\"card quiet\">None.</div>\n");
      }
      return;
    }
    out.format("<h2>%s</h2>\n", heading);
    boolean first = faults;
    for (Finding finding : findings) {
      String severity = finding.severity().name().toLowerCase(Locale.ROOT);
      out.format("<details class=\"card finding\"%s><summary>", first ? " open" : "");
      out.format("<span class=\"id\">%s</span>", finding.id());
      if (faults) {
        out.format("<span class=\"badge %s\">%s</span>", severity, severity);
      }
      out.format("<span class=\"gain\">%s</span>", gain(finding, faults));
      out.format("<span class=\"title\">%s</span></summary>", finding.title());
      out.raw("<div class=\"body\">");
      out.format("<p><b>Why.</b> %s</p>", finding.why());
      out.format("<p><b>Fix.</b> %s</p>", finding.fix().text());
      if (!finding.fix().code().isBlank()) {
        out.format("<pre>%s</pre>", finding.fix().code().strip());
      }
      if (finding.fix().link().startsWith("https://")) {
        out.format(
            "<p><a href=\"%s\" rel=\"noreferrer\">%s</a></p>",
            finding.fix().link(), finding.fix().link());
      }
      evidence(finding.evidence());
      out.raw("</div></details>\n");
      first = false;
    }
  }

  private static String gain(Finding finding, boolean fault) {
    Estimate gain = finding.gain().millis();
    if (finding.gain().isNothing()) {
      return "saves nothing measurable";
    }
    if (gain.value() == 0 && gain.high() == 0) {
      return "";
    }
    String size =
        Quantity.millis(gain.value()) + " (" + Quantity.percent(finding.gain().fraction()) + ")";
    return gain.basis() == Basis.MEASURED
        ? (fault ? "loses " : "could save up to ") + size + " a step"
        : (fault ? "saves " : "would save ")
            + size
            + " a step, "
            + Quantity.number(gain.low())
            + " to "
            + Quantity.number(gain.high())
            + " "
            + gain.basis().name().toLowerCase(Locale.ROOT);
  }

  private void evidence(List<Evidence> evidence) {
    if (evidence.isEmpty()) {
      return;
    }
    out.raw(
        "<div class=\"scroll\"><table><tr><th>seen</th><th>track</th><th>at</th><th>for</th></tr>");
    for (Evidence one : evidence) {
      out.format(
          "<tr><td class=\"name\">%s</td><td>%s</td><td>%.3f ms</td><td>%s</td></tr>",
          PlainText.kernelName(one.name()),
          one.track(),
          report.millisIntoRecording(one),
          Quantity.millis(one.durationNanos() / 1e6));
    }
    out.raw("</table></div>");
  }

  private void queue() {
    Series queue = report.queueLength();
    if (queue == null || queue.values().length < 2) {
      return;
    }
    out.raw("<h2>Launches waiting for the GPU</h2><div class=\"card\">");
    out.raw(
        "<div class=\"quiet\"><p>Near 0 the GPU waits for the host; at about 1,000 the queue is"
            + " full and the host waits for the GPU.</p></div>");
    CurvePlot.write(
        out,
        List.of(queue),
        List.of("var(--compute)"),
        value -> Quantity.count(Math.round(value)),
        "Length of the launch queue over the recorded time");
    out.raw("</div>\n");
  }

  private void memory() {
    MemoryUse memory = report.memory();
    if (memory == null) {
      return;
    }
    List<Series> curves = new ArrayList<>();
    List<String> colours = new ArrayList<>();
    if (memory.reserved() != null) {
      curves.add(memory.reserved());
      colours.add("var(--kernel)");
    }
    curves.add(memory.allocated());
    colours.add("var(--compute)");
    out.raw("<h2>Device memory</h2><div class=\"card\">");
    out.format(
        "<div class=\"quiet\"><p>%s</p></div>",
        "Tensors peak at "
            + Quantity.bytes(memory.peakAllocatedBytes())
            + (memory.peakReservedBytes() < 0
                ? "."
                : "; the allocator reserves up to "
                    + Quantity.bytes(memory.peakReservedBytes())
                    + " (upper curve)."));
    CurvePlot.write(
        out, curves, colours, Quantity::bytes, "Allocated and reserved memory over time");
    out.raw("</div>\n");
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
    List<Map.Entry<String, Double>> kinds = new ArrayList<>(byKind.entrySet());
    kinds.sort((a, b) -> Double.compare(b.getValue(), a.getValue()));
    out.raw("<h2>Kernels</h2><div class=\"card\"><div class=\"scroll\"><table>");
    out.raw("<tr><th>by kind</th><th></th><th>ms a step</th><th>share</th></tr>");
    for (Map.Entry<String, Double> kind : kinds) {
      out.format("<tr><td>%s</td>", kind.getKey());
      bar(kind.getValue() / kinds.getFirst().getValue());
      out.format(
          "<td>%s</td><td>%s</td></tr>",
          Quantity.number(kind.getValue() / 1e6 / steps), Quantity.percent(kind.getValue() / all));
    }
    out.raw("</table></div><h3>Costliest</h3><div class=\"scroll\"><table>");
    out.raw(
        "<tr><th>kernel</th><th></th><th>ms a step</th><th>share</th><th>count</th><th>mean"
            + " us</th><th>occupancy</th></tr>");
    for (KernelStatistics kernel : firstOf(report.kernels())) {
      out.format(
          "<tr><td class=\"name\" title=\"%s\"><span>%s</span></td>",
          kernel.name(), PlainText.kernelName(kernel.name()));
      bar((double) kernel.totalNanos() / report.kernels().getFirst().totalNanos());
      out.format(
          "<td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>",
          Quantity.number(kernel.totalNanos() / 1e6 / steps),
          Quantity.percent(kernel.totalNanos() / all),
          Quantity.number((double) kernel.count() / steps),
          Quantity.number(kernel.totalNanos() / 1e3 / kernel.count()),
          Double.isNaN(kernel.occupancy()) ? "" : Quantity.percent(kernel.occupancy()));
    }
    out.raw("</table></div></div>\n");
  }

  private void bar(double share) {
    out.format("<td class=\"bar\"><i style=\"width:%.1f%%\"></i></td>", 100 * share);
  }

  private void tables() {
    if (!report.operators().isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      for (OperatorStatistics operator : firstOf(report.operators())) {
        rows.add(
            List.of(
                operator.name(),
                Quantity.number((double) operator.calls() / steps),
                Quantity.number(operator.deviceNanos() / 1e6 / steps),
                Quantity.number(operator.selfNanos() / 1e6 / steps)));
      }
      table("Operators", List.of("operator", "calls", "GPU ms", "CPU self ms"), rows);
    }
    if (!report.ranges().isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      for (RangeStatistics range : firstOf(report.ranges())) {
        rows.add(
            List.of(
                range.name(),
                Quantity.number((double) range.calls() / steps),
                Quantity.number(range.deviceNanos() / 1e6 / steps),
                Quantity.number(range.hostNanos() / 1e6 / steps)));
      }
      table(
          "Annotations and modules",
          List.of("annotation or module", "calls", "GPU ms", "CPU ms"),
          rows);
    }
    if (!report.collectives().isEmpty()) {
      List<List<String>> rows = new ArrayList<>();
      for (CollectiveStatistics collective : firstOf(report.collectives())) {
        rows.add(
            List.of(
                PlainText.kernelName(collective.name()),
                collective.processGroup(),
                Quantity.number((double) collective.count() / steps),
                Quantity.number(collective.totalNanos() / 1e6 / steps),
                collective.bytes() < 0 ? "" : Quantity.bytes((double) collective.bytes() / steps)));
      }
      table("Communication", List.of("collective", "group", "count", "ms", "bytes"), rows);
    }
  }

  private void sections() {
    for (Section section : report.sections()) {
      out.format("<h2>%s</h2>", section.title());
      out.format("<div class=\"quiet\"><p>%s</p></div>", section.sentence());
      for (Section.Table table : section.tables()) {
        table(table.title(), table.header(), table.rows());
      }
    }
  }

  private void table(String title, List<String> header, List<List<String>> rows) {
    out.format("<h2>%s</h2><div class=\"card\"><div class=\"scroll\"><table><tr>", title);
    for (String column : header) {
      out.format("<th>%s</th>", column);
    }
    out.raw("</tr>");
    for (List<String> row : rows) {
      out.raw("<tr>");
      for (int column = 0; column < row.size(); column++) {
        out.format(column == 0 ? "<td class=\"name\">%s</td>" : "<td>%s</td>", row.get(column));
      }
      out.raw("</tr>");
    }
    out.raw("</table></div></div>\n");
  }

  private void notJudged() {
    if (report.notJudged().isEmpty()) {
      return;
    }
    out.raw("<h2>Not judged</h2><div class=\"card quiet\">");
    for (NotJudged lacking : report.notJudged()) {
      out.format("<p><b>%s</b> needs %s</p>", lacking.id(), lacking.needs());
    }
    out.raw("</div>\n");
  }

  private void warnings() {
    List<String> lines = new ArrayList<>();
    for (Report.Input input : report.inputs()) {
      for (Report.Warning warning : input.warnings()) {
        String file = report.inputs().size() > 1 ? fileName(input.path()) + ": " : "";
        lines.add(
            file + warning.text() + (warning.count() > 1 ? " [" + warning.count() + "]" : ""));
      }
    }
    if (lines.isEmpty()) {
      return;
    }
    out.raw("<h2>About the recording</h2><div class=\"card quiet\">");
    for (String line : lines) {
      out.format("<p>%s</p>", line);
    }
    out.raw("</div>\n");
  }

  private static <T> List<T> firstOf(List<T> rows) {
    return rows.subList(0, Math.min(ROWS, rows.size()));
  }

  private static String resource(String name) {
    try (InputStream in = HtmlReport.class.getResourceAsStream("/dev/pitwall/report/" + name)) {
      if (in == null) {
        throw new IllegalStateException("no " + name + " in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
