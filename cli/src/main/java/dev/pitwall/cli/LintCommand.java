package dev.pitwall.cli;

import dev.pitwall.compile.lint.LintFinding;
import dev.pitwall.compile.lint.Linter;
import dev.pitwall.compile.lint.TorchRelease;
import dev.pitwall.error.ExitCode;
import dev.pitwall.recorders.python.PythonSources;
import dev.pitwall.report.PlainText;
import dev.pitwall.report.compile.LintText;
import dev.pitwall.trace.python.SourceFile;
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
    name = "lint",
    mixinStandardHelpOptions = true,
    description = "Find graph breaks, host waits and recompiles that Python source shows.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class LintCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "SOURCE", description = "Python files or folders.")
  private List<Path> paths;

  @Option(
      names = "--torch",
      paramLabel = "VERSION",
      description = "The version of PyTorch the code runs on, such as 2.13; the newest known else.")
  private @Nullable String version;

  @Option(
      names = "--sarif",
      paramLabel = "FILE",
      description = "Write the findings as SARIF 2.1.0, for code review.")
  private @Nullable Path sarif;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    TorchRelease release = version == null ? TorchRelease.NEWEST : TorchRelease.parse(version);
    PrintWriter err = spec.commandLine().getErr();
    List<SourceFile> sources =
        PythonSources.read(
            paths, leftOut -> err.println("pitwall: " + PlainText.printable(leftOut)));
    err.flush();
    List<Path> inputs = sources.stream().map(source -> Path.of(source.path())).toList();
    json.refuseInputs(inputs);
    WholeFile.refuseInput(sarif, inputs, "--sarif");
    List<LintFinding> findings = Linter.lint(sources, release);
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      out.print(LintText.of(findings, Terminal.attached().columnsOrEndless()));
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(LintText.json(findings), out);
    }
    if (sarif != null) {
      WholeFile.write(sarif, LintText.sarif(findings), "--sarif");
    }
    return ExitCode.DONE.status();
  }
}
