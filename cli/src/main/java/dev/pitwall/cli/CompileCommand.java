package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.report.HtmlReport;
import dev.pitwall.report.Report;
import dev.pitwall.report.ReportBuilder;
import dev.pitwall.report.TerminalReport;
import dev.pitwall.report.compile.CompileRunReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "compile",
    mixinStandardHelpOptions = true,
    description =
        "Say what torch.compile did (breaks, recompiles, kernels, time), or would do to a program.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CompileCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      description = "A TORCH_TRACE log, a trace of the same job, or a folder that holds them.")
  private List<Path> paths;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write the report as one HTML file that needs no network.")
  private @Nullable Path html;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    Terminal terminal = Terminal.attached();
    terminal.progress("reading " + paths);
    CompileRunReport report = CompileRunReport.read(paths);
    terminal.clearProgress();
    Report shown = ReportBuilder.build(List.of(), report.recordings());
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      out.print(TerminalReport.of(shown, terminal.columns(), terminal.coloured()));
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(report.json(), out);
    }
    if (html != null) {
      WholeFile.write(html, HtmlReport.of(shown), "--html");
    }
    return ExitCode.DONE.status();
  }
}
