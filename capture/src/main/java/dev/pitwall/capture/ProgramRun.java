package dev.pitwall.capture;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One run of the user's program with the recording hook in it. The program's input, output, exit
/// status and signals are its own.
///
/// @param command the program and its arguments, unchanged
/// @param folder where the recording goes; it is created
/// @param environment variables added to the user's own
/// @param output where the program's output goes
public record ProgramRun(
    List<String> command,
    Path folder,
    RecordingSettings settings,
    Map<String, String> environment,
    Output output) {
  /// Where the program writes.
  public enum Output {
    /// To our standard output and error.
    INHERITED,
    /// Both to our standard error: standard output belongs to a document.
    STANDARD_ERROR,
    /// To `program.log` in the folder.
    LOG_FILE
  }

  /// The program's own log where its output does not pass through.
  public static final String LOG = "program.log";

  /// What Nsight Systems exports; window.py names it too.
  static final String NSIGHT_EXPORT = "nsys.sqlite";

  private static final int SECONDS_TO_END = 5;

  private static final String DEVICE_LOG = "dmon.txt";

  public ProgramRun {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /// Runs to the end and returns the program's exit status, 128 + n where signal n ended it.
  ///
  /// @throws PitwallException where the program cannot be started (4)
  public int execute() {
    return execute(Long.MAX_VALUE);
  }

  /// Runs to the end or for so many seconds; then the program is ended and the status is 143, or
  /// 137 where it had to be killed.
  public int execute(long limitSeconds) {
    try {
      Files.createDirectories(folder);
      try (PythonHook hook = PythonHook.unpack(folder.resolve(".hook"))) {
        Process program = builder(hook).start();
        @Nullable Process deviceLog = settings.profiledSteps() > 0 ? startDeviceLog() : null;
        Console console = System.console();
        try (SignalRelay relay =
            new SignalRelay(program, console != null && console.isTerminal())) {
          return await(program, limitSeconds);
        } finally {
          if (deviceLog != null) {
            deviceLog.destroy();
            dropLonelyDeviceLog();
          }
        }
      }
    } catch (IOException failure) {
      String program = command.getFirst();
      if (!program.contains(File.separator) && onPath(program) == null) {
        throw new PitwallException(
            ExitCode.MISSING_PROGRAM,
            "there is no program " + program + " on the PATH; give one that your shell finds.",
            failure);
      }
      throw new PitwallException(
          ExitCode.MISSING_PROGRAM,
          "cannot run "
              + program
              + " ("
              + failure.getMessage()
              + "); give a program that your shell finds, and a folder that can be written.",
          failure);
    }
  }

  /// What a run that failed left in its folder, as a sentence: its log, and its recording.
  public static String leftIn(Path folder) {
    Path log = folder.resolve(LOG);
    try (Stream<Path> files = Files.list(folder)) {
      boolean recorded = files.anyMatch(file -> !file.equals(log));
      String kept = recorded ? "; what was recorded is in " + folder + "." : ".";
      return Files.exists(log) && Files.size(log) > 0
          ? "What the program printed is in " + log + kept
          : "The program printed nothing" + kept;
    } catch (IOException absent) {
      return "The program left nothing.";
    }
  }

  /// Samples of a program that recorded nothing say nothing.
  private void dropLonelyDeviceLog() throws IOException {
    if (output != Output.LOG_FILE && CaptureFolder.read(folder).isEmpty()) {
      Files.deleteIfExists(folder.resolve(DEVICE_LOG));
    }
  }

  private static int await(Process program, long limitSeconds) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (!program.waitFor(limitSeconds, TimeUnit.SECONDS)) {
            end(program);
          }
          return program.waitFor();
        } catch (InterruptedException stop) {
          interrupted = true;
          program.destroy();
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /// Asks the program and all it started to end, and kills what does not: PyTorch Lightning, for
  /// one, catches the request and may then wait for compile workers that are gone.
  private static void end(Process program) throws InterruptedException {
    List<ProcessHandle> started = program.descendants().toList();
    started.forEach(ProcessHandle::destroy);
    program.destroy();
    if (!program.waitFor(SECONDS_TO_END, TimeUnit.SECONDS)) {
      started.forEach(ProcessHandle::destroyForcibly);
      program.destroyForcibly();
    }
  }

  private ProcessBuilder builder(PythonHook hook) {
    ProcessBuilder builder = new ProcessBuilder(arguments());
    switch (output) {
      case INHERITED -> builder.inheritIO();
      case STANDARD_ERROR -> {
        builder.inheritIO();
        builder.redirectOutput(Redirect.to(new File("/dev/stderr")));
      }
      case LOG_FILE -> {
        builder.redirectErrorStream(true);
        builder.redirectOutput(folder.resolve(LOG).toFile());
      }
    }
    Map<String, String> variables = builder.environment();
    variables.putAll(environment);
    variables.put("PITWALL_SETTINGS", settings.json(folder));
    variables.put("PYTHONPATH", hook.pythonPath(variables.get("PYTHONPATH")));
    variables.putIfAbsent("KINETO_LOG_LEVEL", "6"); // libkineto tells of every window on stderr
    if (settings.profiledSteps() > 0 && settings.variant().isNull()) {
      variables.putIfAbsent(
          "TORCH_TRACE", folder.resolve("torch_trace").toAbsolutePath().toString());
    }
    return builder;
  }

  private List<String> arguments() {
    if (!settings.nsys()) {
      return command;
    }
    if (onPath("nsys") == null) {
      throw new PitwallException(
          ExitCode.MISSING_PROGRAM,
          "--nsys needs Nsight Systems' nsys on the PATH, and there is none; install it, or leave"
              + " --nsys out.");
    }
    List<String> wrapped =
        new ArrayList<>(
            List.of(
                "nsys",
                "profile",
                "--trace=cuda,nvtx,osrt,cudnn,cublas",
                "--capture-range=cudaProfilerApi",
                "--capture-range-end=stop",
                "--export=sqlite",
                "--output=" + folder.resolve("nsys")));
    wrapped.addAll(command);
    return wrapped;
  }

  /// Samples the device once a second, in the format that the smi reader knows; nothing where there
  /// is no nvidia-smi.
  private @Nullable Process startDeviceLog() throws IOException {
    Path smi = onPath("nvidia-smi");
    if (smi == null) {
      return null;
    }
    return new ProcessBuilder(smi.toString(), "dmon", "-s", "pucvmt", "-o", "DT")
        .redirectOutput(folder.resolve(DEVICE_LOG).toFile())
        .redirectError(Redirect.DISCARD)
        .start();
  }

  private static @Nullable Path onPath(String program) {
    String path = System.getenv("PATH");
    for (String folder : (path == null ? "" : path).split(File.pathSeparator, -1)) {
      Path candidate = Path.of(folder, program);
      if (!folder.isEmpty() && Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    return null;
  }
}
