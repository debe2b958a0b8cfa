package dev.pitwall.cli;

import dev.pitwall.capture.CaptureFolder;
import dev.pitwall.capture.ProgramRun;
import dev.pitwall.capture.RecordingSettings;
import dev.pitwall.capture.loader.LoaderReport;
import dev.pitwall.capture.loader.LoaderTrials;
import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "loader",
    mixinStandardHelpOptions = true,
    description = "Run a program's DataLoader alone, and say how many workers are enough.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class LoaderCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--workers",
      split = ",",
      description = "The numbers of workers to try; by default 0, 1, 2, 4 to the number of cores.")
  private @Nullable List<Integer> workers;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "For each setting at most (${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--batches",
      defaultValue = "48",
      description = "To time for each setting (${DEFAULT-VALUE}).")
  private int batches;

  @Mixin private MeasuredProgram program;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    List<String> command = program.command();
    try (OutputFolder folder = program.folder()) {
      return stress(command, folder.path());
    }
  }

  private int stress(List<String> command, Path folder) {
    int cores = Runtime.getRuntime().availableProcessors();
    LoaderTrials trials =
        new LoaderTrials(
            workers == null ? LoaderTrials.workersFor(cores) : workers, seconds, batches);
    RecordingSettings settings = program.unprofiled().withStress(trials.json());
    int status =
        new ProgramRun(command, folder, settings, Map.of(), ProgramRun.Output.LOG_FILE).execute();
    LoaderReport report = report(status, folder);
    PrintWriter printer = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      printer.print(report.text());
      printer.flush();
    }
    json.write(report.json(), printer);
    return ExitCode.DONE.status();
  }

  private static LoaderReport report(int status, Path folder) {
    if (status != 0) {
      throw PitwallException.unreadable(
          "the program ended with status "
              + status
              + " before its loader was tried. "
              + ProgramRun.leftIn(folder));
    }
    try {
      return LoaderReport.of(CaptureFolder.read(folder));
    } catch (PitwallException nothing) {
      throw new PitwallException(
          nothing.exitCode(), nothing.getMessage() + " " + ProgramRun.leftIn(folder), nothing);
    }
  }
}
