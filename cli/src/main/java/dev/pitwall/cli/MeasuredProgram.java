package dev.pitwall.cli;

import dev.pitwall.capture.RecordingSettings;
import dev.pitwall.error.PitwallException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// The user's program on the command line: what to run, what its step is, how many steps are
/// measured without a profiler, and the folder for what comes of it.
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class MeasuredProgram {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description = "The folder to write; by default ${COMMAND-NAME}-1, -2 and so on.")
  private @Nullable Path out;

  @Option(
      names = "--warmup",
      paramLabel = "N",
      defaultValue = "10",
      description = "Steps before anything is measured (${DEFAULT-VALUE}).")
  private int warmupSteps;

  @Option(
      names = "--measure",
      paramLabel = "N",
      defaultValue = "24",
      description = "Steps whose true time is measured, without a profiler (${DEFAULT-VALUE}).")
  private int measuredSteps;

  @Option(
      names = "--step",
      paramLabel = "FUNCTION",
      description =
          "The function or module:Class.method that is one training step; by default a step ends"
              + " when the optimizer has stepped.")
  private @Nullable String stepFunction;

  @Parameters(
      arity = "0..*",
      paramLabel = "-- PROGRAM",
      description = "The program and its arguments.")
  private List<String> command = List.of();

  int warmupSteps() {
    return warmupSteps;
  }

  int measuredSteps() {
    return measuredSteps;
  }

  @Nullable String stepFunction() {
    return stepFunction;
  }

  /// How a run without a profiler is recorded.
  RecordingSettings unprofiled() {
    return RecordingSettings.unprofiled(warmupSteps, measuredSteps).withStepFunction(stepFunction);
  }

  /// The program and its arguments.
  ///
  /// @throws PitwallException where none was given (2)
  List<String> command() {
    if (command.isEmpty()) {
      throw PitwallException.usage("give the program after --, such as: -- python train.py.");
    }
    return command;
  }

  /// The folder to write, not made yet.
  OutputFolder folder() {
    return out == null ? OutputFolder.next(spec.name()) : OutputFolder.empty(out);
  }
}
