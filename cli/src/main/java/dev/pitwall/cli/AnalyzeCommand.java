package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.report.JsonReport;
import dev.pitwall.report.RankResult;
import dev.pitwall.report.Report;
import dev.pitwall.report.ReportBuilder;
import dev.pitwall.report.RunAnalysis;
import dev.pitwall.report.TerminalReport;
import dev.pitwall.trace.TraceReaders;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
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
    name = "analyze",
    mixinStandardHelpOptions = true,
    description = "Say where the step of one run goes, what is wrong and how to fix it.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class AnalyzeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "PATH",
      description = "A torch.profiler trace, or a folder with one a rank.")
  private List<Path> paths;

  @Option(
      names = "--step-name",
      paramLabel = "NAME",
      description = "The name of the ranges that are training steps, where not ProfilerStep.")
  private @Nullable String stepName;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    Terminal terminal = Terminal.attached();
    List<Path> files = TraceReaders.filesOf(paths);
    List<RankResult> results = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      terminal.progress("reading " + files.get(i) + " (" + (i + 1) + " of " + files.size() + ")");
      results.add(RunAnalysis.analyze(files.get(i), TraceReaders.read(files.get(i)), stepName));
    }
    terminal.clearProgress();
    Report report = ReportBuilder.build(results);
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      out.print(TerminalReport.of(report, terminal.columns(), terminal.coloured()));
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(JsonReport.of(report), out);
    }
    return ExitCode.DONE.status();
  }
}
