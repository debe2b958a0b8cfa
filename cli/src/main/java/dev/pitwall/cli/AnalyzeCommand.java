package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.report.HtaReport;
import dev.pitwall.report.HtmlReport;
import dev.pitwall.report.JobAnalysis;
import dev.pitwall.report.JsonReport;
import dev.pitwall.report.Report;
import dev.pitwall.report.ReportBuilder;
import dev.pitwall.report.TerminalReport;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.trace.Trace;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "analyze",
    mixinStandardHelpOptions = true,
    description = "Say where the step of one run goes, what is wrong and how to fix it.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class AnalyzeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      description =
          "A torch.profiler trace, an Nsight Systems export, a memory snapshot, a flight recorder"
              + " dump, a log of device samples, an execution trace, or a folder of them (one trace"
              + " a rank).")
  private List<Path> paths;

  @Option(
      names = "--step-name",
      paramLabel = "NAME",
      description = "The name of the ranges that are training steps, where not ProfilerStep.")
  private @Nullable String stepName;

  @Option(
      names = "--hta",
      description = "Print five analyses by the definitions of Holistic Trace Analysis.")
  private boolean hta;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write the report as one HTML file that needs no network.")
  private @Nullable Path html;

  @Option(
      names = "--open",
      description = "Then open the run in the web station, as pitwall serve does, until Ctrl-C.")
  private boolean open;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() throws InterruptedException {
    Terminal terminal = Terminal.attached();
    List<Path> inputs = paths.stream().distinct().toList();
    json.refuseInputs(inputs);
    WholeFile.refuseInput(html, inputs, "--html");
    SideRecordings beside = SideRecordings.of(inputs);
    List<Path> files = beside.tracesOf(beside.others());
    HtaReport htaReport = new HtaReport(!"1".equals(System.getenv("HTA_DISABLE_NS_ROUNDING")));
    boolean tracesAlone = beside.sections().isEmpty() && beside.executionTraces().isEmpty();
    JobAnalysis job =
        JobAnalysis.of(
            files,
            beside.samples(),
            stepName,
            beside.sections().isEmpty() && beside.executionTraces().isEmpty(),
            new Progress(terminal, files.size(), hta, htaReport));
    terminal.clearProgress();
    SideRecordings all = beside.with(job.joins(), job.refused());
    Report report = ReportBuilder.build(job.results(), all);
    LeftOut.name(all.refused(), spec.commandLine().getErr());
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      out.print(
          hta
              ? htaReport.text(terminal.columns(), terminal.coloured())
              : TerminalReport.of(report, terminal.columns(), terminal.coloured()));
      out.flush();
    }
    if (html != null) {
      WholeFile.write(html, HtmlReport.of(report), "--html");
    }
    if (json.isAskedFor()) {
      json.write(hta ? JsonReport.of(report, htaReport) : JsonReport.of(report), out);
    }
    if (open) {
      StationSession.serve(
          StationSession.settings("127.0.0.1", 0, StationSession.DEFAULT_UPLOAD_MEBIBYTES),
          List.of(paths),
          json.takesStandardOutput() ? spec.commandLine().getErr() : out,
          true);
    }
    return ExitCode.DONE.status();
  }

  /// Says which file is being read, and hands traces on while they are in memory.
  private static final class Progress implements JobAnalysis.Watcher {
    private final Terminal terminal;
    private final int files;
    private final boolean hta;
    private final HtaReport htaReport;
    private final AtomicInteger read = new AtomicInteger();

    Progress(Terminal terminal, int files, boolean hta, HtaReport htaReport) {
      this.terminal = terminal;
      this.files = files;
      this.hta = hta;
      this.htaReport = htaReport;
    }

    @Override
    public void reading(Path file) {
      terminal.progress("reading " + file + " (" + read.incrementAndGet() + " of " + files + ")");
    }

    @Override
    public void read(int place, Trace trace) {
      if (hta) {
        htaReport.add(place, trace);
      }
    }
  }
}
