package dev.pitwall.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class FailedProgramTest {
  @TempDir private Path parent;

  @ParameterizedTest
  @CsvSource({"loader,program.log", "tune,as-written/1/program.log"})
  void whatAFailedProgramPrintedIsKeptWhereTheMessageSays(String command, String log) {
    Path folder = parent.resolve("out");
    String said = run(command, folder, "echo no data; exit 3");
    assertThat(said).contains("What the program printed is in " + folder.resolve(log) + ".");
    assertThat(folder.resolve(log)).hasContent("no data");
  }

  @ParameterizedTest
  @CsvSource({"loader,exit 3", "loader,exit 0", "tune,exit 3", "tune,exit 0"})
  void aProgramThatPrintedNothingLeavesNoFolder(String command, String program) {
    Path folder = parent.resolve("out");
    assertThat(run(command, folder, program)).contains("The program printed nothing.");
    assertThat(folder).doesNotExist();
  }

  private static String run(String command, Path folder, String program) {
    StringWriter err = new StringWriter();
    CommandLine commandLine = Pitwall.commandLine().setErr(new PrintWriter(err));
    int status =
        commandLine.execute(command, "--out", folder.toString(), "--", "sh", "-c", program);
    assertThat(status).isBetween(2, 3);
    return err.toString();
  }
}
