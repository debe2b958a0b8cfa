package dev.pitwall.capture;

import dev.pitwall.PyTorch;
import dev.pitwall.SharedData;
import dev.pitwall.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Runs the small programs of `src/test/python/programs` on the real PyTorch, as a user's shell
/// would.
public final class Programs {
  /// One thread: a test machine has few cores, and several would make the step's time a lottery.
  public static final Map<String, String> ONE_THREAD = Map.of("OMP_NUM_THREADS", "1");

  private Programs() {}

  /// `python PROGRAM ARGUMENTS`.
  public static List<String> python(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(PyTorch.require().toString()));
    command.add(path(program));
    command.addAll(List.of(arguments));
    return command;
  }

  /// `torchrun --nproc-per-node 2 PROGRAM`.
  public static List<String> torchrun(String program) {
    return List.of(
        PyTorch.require().toString(),
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        path(program));
  }

  private static String path(String program) {
    return SharedData.repositoryRoot()
        .resolve("capture/src/test/python/programs")
        .resolve(program)
        .toString();
  }

  /// Settings of `pitwall capture` without options.
  public static RecordingSettings settings() {
    return new RecordingSettings(
        10, 24, 3, false, false, false, null, false, Json.Null.NULL, Json.Null.NULL);
  }

  /// Runs into the folder and returns the exit status.
  public static int run(List<String> command, Path folder, RecordingSettings settings) {
    return new ProgramRun(command, folder, settings, ONE_THREAD, ProgramRun.Output.LOG_FILE)
        .execute();
  }

  /// What the program printed.
  public static String log(Path folder) throws IOException {
    return Files.readString(folder.resolve(ProgramRun.LOG));
  }
}
