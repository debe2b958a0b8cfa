package dev.pitwall.cli;

import dev.pitwall.capture.ProgramRun;
import dev.pitwall.capture.RecordingSettings;
import dev.pitwall.capture.tune.ProgramVariantRunner;
import dev.pitwall.capture.tune.TuneRow;
import dev.pitwall.capture.tune.TuneStudy;
import dev.pitwall.capture.tune.TuneTable;
import dev.pitwall.capture.tune.TuneVariant;
import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "tune",
    mixinStandardHelpOptions = true,
    description = "Run a program, unchanged, in every mode of torch.compile, and say which pays.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class TuneCommand implements Callable<Integer> {
  /// Of each variant's first run, for its kernels.
  private static final int PROFILED_STEPS = 2;

  @Spec private CommandSpec spec;

  @Option(
      names = "--budget",
      defaultValue = "30m",
      description = "No run starts later than this (${DEFAULT-VALUE}): 90s, 30m, 2h.")
  private String budget;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Runs of each variant at most (${DEFAULT-VALUE}); at least 2 decide.")
  private int rounds;

  @Option(
      names = "--tolerance",
      defaultValue = "0.02",
      description =
          "Largest relative difference of losses that counts as equal (${DEFAULT-VALUE}).")
  private double lossTolerance;

  @Option(
      names = "--modes",
      split = ",",
      paramLabel = "MODE",
      description = "Only these modes of torch.compile; the autotuning ones take minutes.")
  private List<String> modes = TuneVariant.MODES;

  @Option(
      names = "--also",
      split = ",",
      paramLabel = "FINDING",
      description =
          "Try also what these findings suggest: tf32-off, channels-first, optimizer-not-fused,"
              + " input-bound, pageable-copy.")
  private List<String> also = List.of();

  @Mixin private MeasuredProgram program;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    List<String> command = program.command();
    try (OutputFolder folder = program.folder()) {
      return tune(command, folder.path());
    }
  }

  private int tune(List<String> command, Path folder) {
    PrintWriter err = spec.commandLine().getErr();
    RecordingSettings settings = program.unprofiled().withProfiledSteps(PROFILED_STEPS);
    TuneStudy study =
        new TuneStudy(
            new ProgramVariantRunner(command, folder, settings),
            seconds(budget),
            2,
            rounds,
            TuneVariant.compileModes(modes),
            Runtime.getRuntime().availableProcessors(),
            this::suggestions,
            line -> {
              err.println("pitwall: " + line);
              err.flush();
            },
            () -> System.nanoTime() / 1_000_000_000);
    List<TuneRow> rows = study.execute();
    TuneRow asWritten = rows.getFirst();
    if (!asWritten.measured()) {
      throw PitwallException.unreadable(
          "the program as written gave no step time ("
              + asWritten.failure()
              + ")."
              + (asWritten.runs().isEmpty()
                  ? ""
                  : " " + ProgramRun.leftIn(asWritten.runs().getFirst().folder())));
    }
    TuneTable table = new TuneTable(rows, lossTolerance, TuneStudy.predictedSteps(asWritten));
    PrintWriter printer = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      printer.print(table.text());
      printer.flush();
    }
    json.write(table.json(), printer);
    return ExitCode.DONE.status();
  }

  private Set<String> suggestions(Path profiledRun) {
    Set<String> findings = new TreeSet<>(also);
    findings.addAll(TuneStudy.findingsOf(profiledRun));
    return findings;
  }

  private static long seconds(String duration) {
    try {
      return Duration.parse("PT" + duration.toUpperCase(java.util.Locale.ROOT)).toSeconds();
    } catch (java.time.format.DateTimeParseException notADuration) {
      throw PitwallException.usage(
          "--budget " + duration + " is no duration; write it as 90s, 30m or 2h.");
    }
  }
}
