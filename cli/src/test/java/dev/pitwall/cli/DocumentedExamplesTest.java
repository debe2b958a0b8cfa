package dev.pitwall.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/// Every `$ pitwall …` of a documentation page, run from the repository's root, prints what the
/// page shows below it up to the end of its block. A line of `...` on the page stands for any
/// lines.
class DocumentedExamplesTest {
  private record Example(String command, List<String> shown) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "docs/occupancy.md",
        "docs/compile.md",
        "docs/lint.md",
        "docs/whatif.md"
      })
  void thePageShowsWhatTheProgramPrints(String page) throws IOException {
    List<Example> examples = examples(SharedData.repositoryRoot().resolve(page));
    assertThat(examples).isNotEmpty();
    for (Example example : examples) {
      List<String> printed = run(example.command()).lines().toList();
      int at = 0;
      boolean anyLines = false;
      for (String line : example.shown()) {
        if (line.equals("...")) {
          anyLines = true;
          continue;
        }
        while (anyLines && at < printed.size() && !printed.get(at).equals(line)) {
          at++;
        }
        anyLines = false;
        assertThat(at < printed.size() ? printed.get(at) : "(end of output)")
            .as("%s, $ %s, line %d of the output", page, example.command(), at + 1)
            .isEqualTo(line);
        at++;
      }
      assertThat(anyLines || at == printed.size())
          .as("%s, $ %s prints more:%n%s", page, example.command(), String.join("\n", printed))
          .isTrue();
    }
  }

  private static String run(String command) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = Pitwall.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    Path root = SharedData.repositoryRoot();
    List<String> arguments = new ArrayList<>();
    for (String word : command.split(" +")) {
      boolean path = word.contains("/") && Files.exists(root.resolve(word));
      arguments.add(path ? root.resolve(word).toString() : word);
    }
    commandLine.execute(arguments.subList(1, arguments.size()).toArray(String[]::new));
    return out.toString().replace(root + "/", "") + err;
  }

  private static List<Example> examples(Path page) throws IOException {
    List<Example> examples = new ArrayList<>();
    Example open = null;
    for (String line : Files.readAllLines(page)) {
      if (line.startsWith("$ pitwall ")) {
        open = new Example(line.substring(2), new ArrayList<>());
        examples.add(open);
      } else if (line.startsWith("```")) {
        open = null;
      } else if (open != null) {
        open.shown().add(line);
      }
    }
    return examples;
  }
}
