package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.report.comparison.ComparisonJson;
import dev.pitwall.report.comparison.ComparisonText;
import dev.pitwall.study.RunComparison;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    description = "Say what changed between two runs, by cause, without the profiler's own cost.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class DiffCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "BEFORE", description = "A trace, or a folder of ranks.")
  private Path before;

  @Parameters(index = "1", paramLabel = "AFTER", description = "A trace, or a folder of ranks.")
  private Path after;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    RunComparison comparison =
        RunComparison.of(OpenedRun.read(before).ranks(), OpenedRun.read(after).ranks());
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      out.print(ComparisonText.of(comparison));
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(ComparisonJson.of(comparison), out);
    }
    return ExitCode.DONE.status();
  }
}
