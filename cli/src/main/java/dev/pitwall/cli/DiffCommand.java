package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.report.JobSample;
import dev.pitwall.report.LedgerText;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.report.RunForecast;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.comparison.ComparisonJson;
import dev.pitwall.report.comparison.ComparisonText;
import dev.pitwall.report.comparison.ReportDifference;
import dev.pitwall.study.RunComparison;
import dev.pitwall.study.ledger.RunPredictions;
import dev.pitwall.study.ledger.Verification;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
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
    OpenedRun first = OpenedRun.read(before);
    OpenedRun second = OpenedRun.read(after);
    LeftOut.name(first.refused(), spec.commandLine().getErr());
    LeftOut.name(second.refused(), spec.commandLine().getErr());
    RunComparison comparison =
        RunComparison.of(first.baseline(), second.baseline())
            .withDoubts(JobSample.doubts(first.sample(), second.sample()));
    ReportDifference difference = ReportDifference.between(first.report(), second.report());
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      TextPage page = Terminal.attached().page();
      ComparisonText.write(comparison, difference, before.toString(), after.toString(), page);
      verify(first, second).ifPresent(verification -> LedgerText.write(verification, page.blank()));
      out.print(page);
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(ComparisonJson.of(comparison, difference), out);
    }
    return ExitCode.DONE.status();
  }

  /// Judges what was predicted for the first run by the second, and writes it into the ledger.
  private Optional<Verification> verify(OpenedRun first, OpenedRun second) {
    Optional<RunPredictions> predicted = RunForecast.predictionsFor(before, first);
    if (predicted.isEmpty()) {
      return Optional.empty();
    }
    Optional<Verification> verification =
        RunForecast.predictionsFor(after, second)
            .flatMap(now -> Verification.of(predicted.get(), now));
    verification.ifPresent(
        judged ->
            LedgerCommand.usersOwn().record(judged.entry(before, after, predicted.get().gpu())));
    return verification;
  }
}
