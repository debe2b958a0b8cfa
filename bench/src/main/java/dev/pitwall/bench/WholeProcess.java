package dev.pitwall.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// One program from start to exit: its wall time, CPU time, largest resident memory and output.
///
/// Memory is `VmHWM` of Linux, asked every 20 ms while the program runs; CPU time is what the
/// kernel charged it until the last look.
///
/// @param cpuSeconds user and system time of all its threads
/// @param peakBytes largest resident memory, 0 where the system does not tell
public record WholeProcess(
    double wallSeconds, double cpuSeconds, long peakBytes, int exitCode, String output) {
  private static final long LOOK_MILLIS = 20;

  public static WholeProcess run(List<String> command) throws IOException {
    Path output = Files.createTempFile("pitwall-bench", ".out");
    try {
      long before = System.nanoTime();
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(output.toFile())
              .redirectErrorStream(true)
              .start();
      long peak = 0;
      Duration cpu = Duration.ZERO;
      boolean exited = false;
      while (!exited) {
        peak = Math.max(peak, highWaterMark(process.pid()));
        cpu = process.info().totalCpuDuration().orElse(cpu);
        exited = process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      }
      double wall = (System.nanoTime() - before) / 1e9;
      return new WholeProcess(
          wall, cpu.toMillis() / 1e3, peak, process.exitValue(), Files.readString(output));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", interrupted);
    } finally {
      Files.delete(output);
    }
  }

  private static long highWaterMark(long pid) {
    try {
      for (String line :
          Files.readAllLines(Path.of("/proc/" + pid + "/status"), StandardCharsets.ISO_8859_1)) {
        if (line.startsWith("VmHWM:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
        }
      }
    } catch (IOException gone) {
      // The program has just exited; the mark of the last look counts.
    }
    return 0;
  }
}
