package dev.pitwall.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class SeveralInputsTest {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter errors = new StringWriter();

  private int analyze(Path... inputs) {
    String[] arguments = new String[inputs.length + 1];
    arguments[0] = "analyze";
    for (int i = 0; i < inputs.length; i++) {
      arguments[i + 1] = inputs[i].toString();
    }
    CommandLine commandLine = Pitwall.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(errors));
    return commandLine.execute(arguments);
  }

  @Test
  void whatCannotBeReadIsNamedAndLeftOut() throws IOException {
    Path snapshot = Files.writeString(folder.resolve("cut.pickle"), "\u0080\u0004cut off");
    Path text = Files.writeString(folder.resolve("notes.md"), "# Notes");
    Path trace = SharedData.repositoryRoot().resolve("samples/gpt2-clean.trace.json.gz");
    assertThat(analyze(snapshot, text, trace)).as(errors.toString()).isZero();
    assertThat(errors.toString()).contains("left out").contains("cut.pickle").contains("notes.md");
    assertThat(out.toString()).contains("without the profiler");
  }

  @Test
  void nothingThatCanBeReadIsAnErrorThatNamesTheKindsThatCan() throws IOException {
    Path text = Files.writeString(folder.resolve("notes.md"), "# Notes");
    assertThat(analyze(text)).isEqualTo(3);
    assertThat(errors.toString()).contains("memory snapshots").contains("torch.profiler");
    assertThat(out.toString()).isEmpty();
  }
}
