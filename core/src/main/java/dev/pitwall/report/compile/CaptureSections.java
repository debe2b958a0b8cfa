package dev.pitwall.report.compile;

import dev.pitwall.compile.BreakSite;
import dev.pitwall.compile.CaptureReport;
import dev.pitwall.compile.CompileTimeline;
import dev.pitwall.compile.CompiledRun;
import dev.pitwall.compile.FrameSummary;
import dev.pitwall.compile.GraphUse;
import dev.pitwall.compile.KernelUse;
import dev.pitwall.compile.RecompileCause;
import dev.pitwall.hardware.Occupancy;
import dev.pitwall.report.Quantity;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.Section.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// What the compiler did, as a section of a report: a sentence, tables and findings.
public final class CaptureSections {
  private static final int ROWS = 15;
  private static final int TIMELINE_SLOTS = 40;

  private CaptureSections() {}

  public static Section of(CaptureReport report) {
    List<Table> tables = new ArrayList<>();
    add(
        tables,
        "Logs",
        List.of(
            "Log",
            "Version",
            "Events",
            "Compiled",
            "Failed",
            "Breaks",
            "Recompiles",
            "Compile time"),
        logs(report));
    add(tables, "What was damaged in the logs", List.of("Log", "Loss"), losses(report));
    add(
        tables,
        "Graph breaks",
        List.of("Line", "Times", "Id", "Whole frame lost", "Kind"),
        breaks(report));
    add(
        tables,
        "Recompiles",
        List.of("What varied", "Times", "Seconds", "Function"),
        recompiles(report));
    add(
        tables,
        "Compiled functions",
        List.of(
            "Function",
            "Compiled",
            "Failed",
            "Breaks",
            "Operators",
            "Kernels",
            "Library calls",
            "Seconds",
            "Guards"),
        frames(report));
    add(
        tables,
        "Compile time by phase, without what is inside",
        List.of("Phase", "Seconds", "Times"),
        phases(report));
    add(
        tables,
        "Compile time as a timeline: D tracing, A autograd, I Inductor, K kernels",
        List.of("Function", "From", "Seconds", "Timeline"),
        timeline(report.timeline()));
    add(
        tables,
        "Library calls of all graphs",
        List.of("Call", "Times"),
        counts(report.externCalls()));
    add(tables, "CUDA graphs skipped", List.of("Reason", "Times"), counts(report.cudaGraphSkips()));
    add(tables, "Compiler caches", List.of("Lookup", "Times"), counts(report.cacheLookups()));
    add(
        tables,
        "Memory of the largest training graph",
        List.of("What", "Count", "Size"),
        memory(report));
    add(
        tables,
        "Operators that its backward computes again",
        List.of("Operator", "Times"),
        counts(report.memory().recomputed()));
    add(
        tables,
        "Ranks that differ",
        List.of("Difference"),
        report.divergences().stream().map(List::of).toList());
    CompiledRun run = report.run();
    if (run != null) {
      add(tables, "Compiled code in the trace, a step", List.of("What", "Value"), run(run));
      add(
          tables,
          "Compiled graphs by cache key",
          List.of("Graph", "Role", "Function", "Calls", "Host time"),
          graphs(run));
      add(
          tables,
          "Generated kernels, a step",
          List.of(
              "Kernel",
              "Calls",
              "Time",
              "Bytes a call",
              "Of memory rate",
              "Registers",
              "Shared",
              "Occupancy",
              "Limited by",
              "Better block"),
          kernels(run));
      add(
          tables,
          "Where generated kernels come from",
          List.of("Kernel", "Operators", "Lines"),
          origins(run));
    }
    return new Section("compile", "torch.compile", sentence(report), tables, report.findings());
  }

  private static String sentence(CaptureReport report) {
    int compiled = report.logs().stream().mapToInt(CaptureReport.LogSummary::compiledFrames).sum();
    int failed = report.logs().stream().mapToInt(CaptureReport.LogSummary::failures).sum();
    int breaks = report.logs().stream().mapToInt(CaptureReport.LogSummary::graphBreaks).sum();
    int recompiles = report.logs().stream().mapToInt(CaptureReport.LogSummary::recompiles).sum();
    double seconds =
        report.logs().stream().mapToDouble(CaptureReport.LogSummary::compileSeconds).sum();
    if (report.logs().isEmpty()) {
      CompiledRun run = report.run();
      return run == null || run.regionsPerStep() == 0 && run.kernels().isEmpty()
          ? "The trace shows no compiled code."
          : String.format(
              Locale.ROOT,
              "The trace runs %.1f compiled regions a step; without the TORCH_TRACE log their"
                  + " breaks and recompiles have no reasons.",
              run.regionsPerStep());
    }
    return String.format(
        Locale.ROOT,
        "%s compiled in %.1f s, %s failed, %s, %s.",
        Quantity.counted(compiled, "graph"),
        seconds,
        Quantity.counted(failed, "frame"),
        Quantity.counted(breaks, "graph break"),
        Quantity.counted(recompiles, "recompile"));
  }

  private static void add(
      List<Table> tables, String title, List<String> header, List<List<String>> rows) {
    if (!rows.isEmpty()) {
      tables.add(withoutEmptyColumns(title, header, rows.subList(0, Math.min(ROWS, rows.size()))));
    }
  }

  /// The table without the columns that say nothing in any row.
  private static Table withoutEmptyColumns(
      String title, List<String> header, List<List<String>> rows) {
    int[] kept =
        IntStream.range(0, header.size())
            .filter(
                column ->
                    column == 0
                        || rows.stream()
                            .anyMatch(
                                row -> !row.get(column).isBlank() && !row.get(column).equals("-")))
            .toArray();
    return new Table(title, picked(header, kept), rows.stream().map(r -> picked(r, kept)).toList());
  }

  private static List<String> picked(List<String> cells, int[] columns) {
    return Arrays.stream(columns).mapToObj(cells::get).toList();
  }

  private static List<List<String>> logs(CaptureReport report) {
    return report.logs().stream()
        .map(
            log ->
                List.of(
                    log.rank() < 0 ? log.file() : "rank " + log.rank() + " " + log.file(),
                    log.torchVersion(),
                    number(log.events()),
                    number(log.compiledFrames()),
                    number(log.failures()),
                    number(log.graphBreaks()),
                    number(log.recompiles()),
                    String.format(Locale.ROOT, "%.1f s", log.compileSeconds())))
        .toList();
  }

  private static List<List<String>> losses(CaptureReport report) {
    List<List<String>> rows = new ArrayList<>();
    for (CaptureReport.LogSummary log : report.logs()) {
      log.losses().forEach(loss -> rows.add(List.of(log.file(), loss)));
    }
    return rows;
  }

  private static List<List<String>> breaks(CaptureReport report) {
    List<List<String>> rows = new ArrayList<>();
    for (BreakSite site : report.breaks()) {
      rows.add(
          List.of(
              site.place() + "  " + site.first().code(),
              number(site.count()),
              site.first().breakId().isEmpty() ? "-" : site.first().breakId(),
              site.skipsFrame() ? "yes" : "no",
              site.advice().key()));
    }
    return rows;
  }

  private static List<List<String>> recompiles(CaptureReport report) {
    List<List<String>> rows = new ArrayList<>();
    for (RecompileCause cause : report.recompiles()) {
      rows.add(
          List.of(
              cause.varied().text(),
              number(cause.count()),
              String.format(Locale.ROOT, "%.1f", cause.seconds()),
              cause.function()));
    }
    return rows;
  }

  private static List<List<String>> frames(CaptureReport report) {
    List<List<String>> rows = new ArrayList<>();
    for (FrameSummary frame : report.frames()) {
      rows.add(
          List.of(
              (frame.rank() < 0 ? "" : "rank " + frame.rank() + " ")
                  + frame.function()
                  + " "
                  + frame.place(),
              number(frame.compilations()),
              number(frame.failures()),
              number(frame.graphBreaks()),
              number(frame.graphOperators()),
              number(frame.generatedKernels()),
              number(frame.externCalls()),
              String.format(Locale.ROOT, "%.1f", frame.seconds()),
              frame.guards() < 0 || frame.guardMicros() < 0
                  ? "-"
                  : String.format(
                      Locale.ROOT, "%,d in %.0f us", frame.guards(), frame.guardMicros())));
    }
    return rows;
  }

  private static List<List<String>> phases(CaptureReport report) {
    return report.phases().stream()
        .map(
            phase ->
                List.of(
                    phase.name(),
                    String.format(Locale.ROOT, "%.2f", phase.seconds()),
                    number(phase.count())))
        .toList();
  }

  private static List<List<String>> timeline(CompileTimeline timeline) {
    return timeline.rows().stream()
        .sorted(Comparator.comparingDouble(CompileTimeline.Row::seconds).reversed())
        .limit(ROWS)
        .sorted(Comparator.comparingDouble(CompileTimeline.Row::startSeconds))
        .map(
            row ->
                List.of(
                    row.function(),
                    String.format(Locale.ROOT, "%.1f s", row.startSeconds()),
                    String.format(Locale.ROOT, "%.2f", row.seconds()),
                    row.drawn(TIMELINE_SLOTS, timeline.seconds())))
        .toList();
  }

  private static List<List<String>> counts(Map<String, Integer> counts) {
    return counts.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .map(entry -> List.of(entry.getKey(), number(entry.getValue())))
        .toList();
  }

  private static List<List<String>> memory(CaptureReport report) {
    CaptureReport.MemoryPlan memory = report.memory();
    if (memory.function().isEmpty()) {
      return List.of();
    }
    return List.of(
        List.of(
            "saved by the forward of " + memory.function(),
            number(memory.savedTensors()),
            bytes(memory.savedBytes())),
        List.of("buffers allocated", number(memory.buffers()), bytes(memory.bufferBytes())),
        List.of(
            "buffers that reuse an earlier one's memory",
            number(memory.reusedBuffers()),
            bytes(memory.reusedBytes())));
  }

  private static List<List<String>> run(CompiledRun run) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("compiled regions", String.format(Locale.ROOT, "%.1f", run.regionsPerStep())));
    rows.add(
        List.of(
            "guards evaluated",
            run.lookupsPerStep() <= 0
                ? "-"
                : String.format(
                    Locale.ROOT,
                    "%s, %.0f checks of %s",
                    micros(run.lookupMicros()),
                    run.lookupsPerStep(),
                    micros(run.lookupMicros() / run.lookupsPerStep()))));
    rows.add(List.of("wrappers around the graphs", micros(run.wrapperMicros())));
    rows.add(List.of("host time between regions", micros(run.betweenMicros())));
    if (run.graphReplays() > 0) {
      rows.add(
          List.of(
              "CUDA graph launches",
              String.format(
                  Locale.ROOT,
                  "%.1f of %.0f kernels each",
                  run.graphReplays(),
                  run.kernelsPerReplay())));
    }
    if (run.recordings() > 0) {
      rows.add(List.of("CUDA graphs recorded in the window", number(run.recordings())));
    }
    if (run.compiledInWindow()) {
      rows.add(List.of("the compiler ran inside the window", "yes"));
    }
    return rows;
  }

  private static List<List<String>> graphs(CompiledRun run) {
    List<List<String>> rows = new ArrayList<>();
    for (GraphUse use : run.graphs()) {
      rows.add(
          List.of(
              use.cacheKey(),
              use.role().isEmpty() ? "not in the log" : use.role().toLowerCase(Locale.ROOT),
              use.function(),
              String.format(Locale.ROOT, "%.1f", use.callsPerStep()),
              micros(use.hostMicrosPerCall())));
    }
    return rows;
  }

  private static List<List<String>> kernels(CompiledRun run) {
    List<List<String>> rows = new ArrayList<>();
    for (KernelUse use : run.kernels()) {
      Occupancy occupancy = use.occupancy();
      Occupancy better = use.better();
      rows.add(
          List.of(
              use.name(),
              String.format(Locale.ROOT, "%.1f", use.callsPerStep()),
              micros(use.microsPerStep()),
              use.bytesPerCall() < 0 ? "-" : bytes(Math.round(use.bytesPerCall())),
              use.shareOfMemoryRate() <= 0
                  ? "-"
                  : String.format(Locale.ROOT, "%.0f %%", 100 * use.shareOfMemoryRate()),
              use.registersPerThread() < 0
                  ? "-"
                  : use.registersPerThread() + (use.isLikelyToSpill() ? ", spills" : ""),
              use.sharedMemoryBytes() < 0
                  ? "-"
                  : String.format(Locale.ROOT, "%.1f KiB", use.sharedMemoryBytes() / 1024.0),
              occupancy == null
                  ? "-"
                  : String.format(Locale.ROOT, "%.0f %%", 100 * occupancy.fraction()),
              occupancy == null
                  ? "-"
                  : occupancy.limiters().stream()
                      .map(Occupancy.Limiter::label)
                      .collect(Collectors.joining("+")),
              better == null
                  ? "-"
                  : String.format(
                      Locale.ROOT,
                      "%d: %.0f %%",
                      better.threadsPerBlock(),
                      100 * better.fraction())));
    }
    return rows;
  }

  private static List<List<String>> origins(CompiledRun run) {
    List<List<String>> rows = new ArrayList<>();
    for (KernelUse use : run.kernels()) {
      if (!use.operators().isEmpty() || !use.lines().isEmpty()) {
        rows.add(
            List.of(
                use.name(),
                String.join(" ", use.operators()),
                use.lines().isEmpty() ? "-" : String.join(" ", use.lines())));
      }
    }
    return rows;
  }

  private static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String micros(double micros) {
    return micros >= 1000
        ? String.format(Locale.ROOT, "%.2f ms", micros / 1000)
        : String.format(Locale.ROOT, "%.0f us", micros);
  }

  private static String bytes(long bytes) {
    return bytes >= 1_000_000_000
        ? String.format(Locale.ROOT, "%.2f GB", bytes / 1e9)
        : String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
  }
}
