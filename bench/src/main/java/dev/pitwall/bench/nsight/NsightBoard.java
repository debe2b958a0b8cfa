package dev.pitwall.bench.nsight;

import dev.pitwall.bench.WholeProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/// Measures the analysis of an export of 1 GB as a whole process on two cores, the Java machine's
/// start included: `NsightBoard REPOSITORY [BYTES]`. The best of three runs counts. The export lies
/// in the system's temporary folder and is deleted.
final class NsightBoard {
  private static final long GIGABYTE = 1_000_000_000L;
  private static final int RUNS = 3;

  private NsightBoard() {}

  public static void main(String[] arguments) throws IOException, SQLException {
    long bytes = arguments.length > 1 ? Long.parseLong(arguments[1]) : GIGABYTE;
    Path folder = Files.createTempDirectory("pitwall-nsight");
    Path export = folder.resolve("run.sqlite");
    try {
      LargeExport.write(export, bytes);
      List<String> command = new ArrayList<>();
      if (Files.isExecutable(Path.of("/usr/bin/taskset"))) {
        command.addAll(List.of("taskset", "-c", "0,1"));
      }
      command.addAll(List.of(arguments[0] + "/pitwall", "analyze", export.toString()));
      WholeProcess best = WholeProcess.run(command);
      for (int run = 1; run < RUNS; run++) {
        WholeProcess next = WholeProcess.run(command);
        best = next.wallSeconds() < best.wallSeconds() ? next : best;
      }
      if (best.exitCode() != 0) {
        throw new IOException("pitwall analyze failed: " + best.output().strip());
      }
      System.out.println("export MB  wall s  CPU s  RSS MB");
      System.out.printf(
          "%9d %7.2f %6.2f %7d%n",
          Files.size(export) / 1_000_000,
          best.wallSeconds(),
          best.cpuSeconds(),
          best.peakBytes() >> 20);
    } finally {
      Files.deleteIfExists(export);
      Files.delete(folder);
    }
  }
}
