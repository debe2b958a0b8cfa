package dev.pitwall.cli;

import dev.pitwall.capture.CaptureFolder;
import dev.pitwall.capture.CaptureSummary;
import dev.pitwall.capture.ProgramRun;
import dev.pitwall.capture.PythonHook;
import dev.pitwall.capture.RankRecording;
import dev.pitwall.capture.RecordingSettings;
import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.report.JsonReport;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.report.RunForecast;
import dev.pitwall.report.TerminalReport;
import dev.pitwall.report.TextPage;
import dev.pitwall.study.ledger.Ledger;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "capture",
    mixinStandardHelpOptions = true,
    description =
        "Record a program, unchanged: its true step time, then a few profiled steps. Then analyze.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CaptureCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--steps",
      defaultValue = "3",
      description = "Steps to profile (${DEFAULT-VALUE}).")
  private int profiledSteps;

  @Option(names = "--memory", description = "Record allocations and a memory snapshot.")
  private boolean memory;

  @Option(names = "--stacks", description = "Record Python stacks.")
  private boolean stacks;

  @Option(names = "--nsys", description = "Let Nsight Systems record the window.")
  private boolean nsys;

  @Option(names = "--stop", description = "End the program once everything is recorded.")
  private boolean stop;

  @Option(
      names = "--python-path",
      paramLabel = "FOLDER",
      description = "Only write the Python package into this folder, for a notebook, and say how.")
  private @Nullable Path pythonPath;

  @Mixin private MeasuredProgram program;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() throws IOException {
    if (pythonPath != null) {
      return writePackage(pythonPath);
    }
    List<String> command = program.command();
    try (OutputFolder folder = program.folder()) {
      return capture(command, folder.path());
    }
  }

  private int capture(List<String> command, Path folder) {
    RecordingSettings settings =
        new RecordingSettings(
            program.warmupSteps(),
            program.measuredSteps(),
            profiledSteps,
            memory,
            stacks,
            nsys,
            program.stepFunction(),
            stop,
            Json.Null.NULL,
            Json.Null.NULL);
    ProgramRun.Output output =
        json.takesStandardOutput() ? ProgramRun.Output.STANDARD_ERROR : ProgramRun.Output.INHERITED;
    int status = new ProgramRun(command, folder, settings, Map.of(), output).execute();
    List<RankRecording> ranks = CaptureFolder.read(folder);
    if (ranks.isEmpty()) {
      PitwallException nothing =
          PitwallException.usage(
              "no training step was seen: no torch optimizer stepped in "
                  + String.join(" ", command)
                  + "; name the function that is one step with --step.");
      if (status == 0) {
        throw nothing;
      }
      spec.commandLine().getErr().println("pitwall: " + nothing.getMessage());
      return status;
    }
    PrintWriter printer = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      TextPage page = Terminal.attached().page().blank();
      CaptureSummary.write(ranks, page);
      printer.print(page.line("folder     " + folder).blank());
      printer.flush();
    }
    if (ranks.stream().anyMatch(rank -> rank.traceFile() != null)) {
      analyze(folder);
    }
    return status;
  }

  private int writePackage(Path target) throws IOException {
    PythonHook.unpack(OutputFolder.empty(target).path());
    PrintWriter printer = spec.commandLine().getOut();
    printer.println("import sys; sys.path.insert(0, \"" + target.toAbsolutePath() + "\")");
    printer.println("import pitwall; pitwall.start(\"capture-1\")");
    printer.flush();
    return ExitCode.DONE.status();
  }

  private void analyze(Path folder) {
    Ledger ledger = LedgerCommand.usersOwn();
    OpenedRun run = OpenedRun.read(folder);
    Optional<RunForecast> forecast = RunForecast.of(folder, run);
    if (forecast.isPresent()) {
      try {
        forecast.get().predictions().correctedBy(ledger).writeTo(folder);
      } catch (IOException failure) {
        throw PitwallException.usage(
            "cannot write the predictions into " + folder + " (" + failure.getMessage() + ").");
      }
      forecast.get().stepJudged().ifPresent(ledger::record);
    }
    PrintWriter printer = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      Terminal terminal = Terminal.attached();
      printer.print(TerminalReport.of(run.report(), terminal.columns(), terminal.coloured()));
      printer.flush();
    }
    if (json.isAskedFor()) {
      json.write(JsonReport.of(run.report()), printer);
    }
  }
}
