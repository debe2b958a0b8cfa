package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.JobSample;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.comparison.ComparisonJson;
import dev.pitwall.report.comparison.ComparisonJunit;
import dev.pitwall.report.comparison.ComparisonMarkdown;
import dev.pitwall.report.comparison.ComparisonText;
import dev.pitwall.study.RegressionGate;
import dev.pitwall.study.RunComparison;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "gate",
    mixinStandardHelpOptions = true,
    description =
        "Compare two runs and fail (exit code 1) where the step became longer than allowed, beyond"
            + " noise.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class GateCommand implements Callable<Integer> {
  private static final Pattern SHARE = Pattern.compile("([0-9]+(?:\\.[0-9]+)?|\\.[0-9]+) ?(%)?");
  private static final double MOST_PERCENT = 10_000;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "BEFORE", description = "A trace, or a folder of ranks.")
  private Path before;

  @Parameters(index = "1", paramLabel = "AFTER", description = "A trace, or a folder of ranks.")
  private Path after;

  @Option(
      names = "--max-regression",
      paramLabel = "SHARE",
      defaultValue = "3%",
      description =
          "How much longer the step may be, as a share (0.03) or in percent; three percent if left"
              + " out.")
  private String maxRegression;

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "Write the answer as JUnit XML, one test.")
  private @Nullable Path junit;

  @Option(
      names = "--markdown",
      paramLabel = "FILE",
      description = "Write the answer as Markdown, for a pull request or a job's summary.")
  private @Nullable Path markdown;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    List<Path> inputs = List.of(before, after);
    json.refuseInputs(inputs);
    WholeFile.refuseInput(junit, inputs, "--junit");
    WholeFile.refuseInput(markdown, inputs, "--markdown");
    double allowed = share(maxRegression);
    JobSample first = JobSample.in(before);
    JobSample second = JobSample.in(after);
    LeftOut.name(first.refused(), spec.commandLine().getErr());
    LeftOut.name(second.refused(), spec.commandLine().getErr());
    RegressionGate gate =
        new RegressionGate(
            RunComparison.of(first.baselineToCompare(), second.baselineToCompare())
                .withDoubts(JobSample.doubts(first, second)),
            allowed);
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      TextPage page = Terminal.attached().page();
      ComparisonText.write(gate, before.toString(), after.toString(), page);
      out.print(page);
      out.flush();
    }
    if (junit != null) {
      WholeFile.write(
          junit, ComparisonJunit.of(gate, before.toString(), after.toString()), "--junit");
    }
    if (markdown != null) {
      WholeFile.write(markdown, ComparisonMarkdown.of(gate), "--markdown");
    }
    if (json.isAskedFor()) {
      json.write(ComparisonJson.of(gate), out);
    }
    return gate.fails() ? ExitCode.GATE_FAILED.status() : ExitCode.DONE.status();
  }

  private static double share(String text) {
    Matcher written = SHARE.matcher(text);
    if (written.matches()) {
      double number = Double.parseDouble(written.group(1));
      boolean percent = written.group(2) != null;
      if (percent ? number <= MOST_PERCENT : number <= 1) {
        return percent ? number / 100 : number;
      }
    }
    throw PitwallException.usage(
        "--max-regression takes a share such as 3% or 0.03, got '" + text + "'.");
  }
}
