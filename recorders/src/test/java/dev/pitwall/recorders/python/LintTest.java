package dev.pitwall.recorders.python;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.PyTorch;
import dev.pitwall.SharedData;
import dev.pitwall.compile.lint.LintFinding;
import dev.pitwall.compile.lint.Linter;
import dev.pitwall.compile.lint.TorchRelease;
import dev.pitwall.report.compile.LintText;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class LintTest {
  private static final Path CASES =
      SharedData.repositoryRoot()
          .resolve("recorders/src/test/resources/dev/pitwall/recorders/python/lint_cases.py");

  /// Functions of the cases whose break lies in what they call.
  private static final Map<String, String> CALLER =
      Map.of("helper", "calls_a_printing_helper", "forward", "Branching");

  @Test
  void verdictsAgreeWithDynamoOnEveryFunctionOfTheProbe() {
    DataTable verdicts = DataTable.resource("/dev/pitwall/recorders/python/probe_verdicts.csv");
    List<LintFinding> findings =
        Linter.lint(
            PythonSources.read(List.of(SharedData.require("compile/break_probe.py"))),
            TorchRelease.parse("2.13"));
    for (int row = 0; row < verdicts.rows(); row++) {
      String function = verdicts.text(row, "function");
      boolean found =
          findings.stream().anyMatch(one -> breaks(one) && one.function().equals(function));
      assertThat(found)
          .as("%s breaks under PyTorch 2.13", function)
          .isEqualTo(verdicts.text(row, "breaks_2_13").equals("1"));
    }
  }

  @Test
  void verdictsAgreeWithWhatRealPyTorchDoesToTheSameFile() throws Exception {
    Process process =
        new ProcessBuilder(PyTorch.require().toString(), CASES.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String output;
    try (InputStream out = process.getInputStream()) {
      output = new String(out.readAllBytes(), StandardCharsets.UTF_8);
    }
    Map<String, Boolean> dynamo = new TreeMap<>();
    Matcher verdict = Pattern.compile("VERDICT (\\w+) ([01])").matcher(output);
    while (verdict.find()) {
      dynamo.put(verdict.group(1), verdict.group(2).equals("1"));
    }
    assertThat(dynamo).as(output).hasSize(29);
    Map<String, Boolean> lint = new HashMap<>();
    dynamo.keySet().forEach(name -> lint.put(name, false));
    Linter.lint(PythonSources.read(List.of(CASES)), TorchRelease.parse("2.13")).stream()
        .filter(LintTest::breaks)
        .forEach(
            finding -> lint.put(CALLER.getOrDefault(finding.function(), finding.function()), true));
    assertThat(new TreeMap<>(lint)).isEqualTo(dynamo);
  }

  @Test
  void rulesKnowTheVersion() {
    String source =
        """
        import copy, random, torch
        @torch.compile
        def f(x):
            return copy.deepcopy({"a": 1})["a"] * x * random.random()
        """;
    assertThat(names(source, "2.6")).contains("deepcopy", "random");
    assertThat(names(source, "2.13")).containsExactly("random");
    assertThat(names(source, "2.14")).isEmpty();
  }

  @Test
  void functionsNotKnownToBeCompiledAreLeftInPeace() {
    assertThat(names("def f(x):\n    print(x)\n    return x.item()\n", "2.13")).isEmpty();
  }

  @Test
  void everyFindingHasALineAReasonAndAFix() {
    for (LintFinding finding :
        Linter.lint(PythonSources.read(List.of(CASES)), TorchRelease.NEWEST)) {
      assertThat(finding.line()).isPositive();
      assertThat(finding.code()).isNotBlank();
      assertThat(finding.rule().fix()).as(finding.rule().name()).isNotBlank();
      if (breaks(finding)) {
        assertThat(finding.because()).isNotBlank();
      }
    }
  }

  @Test
  void adviceThatGoesAroundIsAnsweredWithWhatIsTrue() {
    String source =
        """
        import os, torch
        import torch.nn.functional as F
        os.environ["TORCHDYNAMO_PRINT_GRAPH"] = "1"
        torch._dynamo.config.suppress_errors = True
        torch._dynamo.config.cache_size_limit = 64
        def branch(x):
            if x.sum().item() > 0:
                x = x + 1
            return F.conditional(x, x, x)
        step = torch.compile(branch, fullgraph=True, dynamic=True, mode="max-autotune")
        torch.compiler.cudagraph_mark_step_begin()
        print(torch._dynamo.explain(branch)(torch.ones(8)))
        """;
    Map<String, String> fixOf = new HashMap<>();
    lint(source, "2.14").forEach(one -> fixOf.put(one.rule().name(), one.rule().fix()));
    assertThat(fixOf.get("item"))
        .contains("torch.where")
        .contains("never makes a tensor branch compile");
    assertThat(fixOf.get("fullgraph")).contains("check");
    assertThat(fixOf.get("print-graph-variable")).contains("TORCH_LOGS=graph_code");
    assertThat(fixOf.get("no-conditional"))
        .contains("torch.cond(pred, true_fn, false_fn, operands)");
    assertThat(fixOf.get("suppress-errors")).contains("Fix what fails");
    assertThat(fixOf.get("raised-limit")).contains("guard");
    assertThat(fixOf.get("always-max-autotune")).contains("Measure");
    assertThat(fixOf.get("always-dynamic")).contains("Mark the one dimension");
    assertThat(fixOf.get("mark-step-begin")).contains("Clone");
    assertThat(fixOf.get("explain")).contains("TORCH_TRACE");
  }

  @Test
  void recompilesAndWaitsThatSourceShows() {
    String source =
        """
        import torch
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.steps = 0
            def forward(self, x):
                self.steps += 1
                return x * 2
        model = torch.compile(Model())
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        step = torch.compile(optimizer.step)
        loader = DataLoader(data, batch_size=64, shuffle=True)
        total = 0
        for x in loader:
            loss = torch.compile(model)(x).sum()
            loss.backward()
            step()
            total += loss.item()
            torch.cuda.empty_cache()
        """;
    assertThat(names(source, "2.14"))
        .contains(
            "module-counter",
            "float-learning-rate",
            "ragged-last-batch",
            "compile-in-loop",
            "loop-item",
            "loop-synchronize");
  }

  @Test
  void sarifHasWhatCodeReviewNeeds() {
    JsonNode sarif =
        new ObjectMapper()
            .readTree(
                LintText.sarif(
                    Linter.lint(PythonSources.read(List.of(CASES)), TorchRelease.NEWEST)));
    assertThat(sarif.get("version").asString()).isEqualTo("2.1.0");
    JsonNode first = sarif.get("runs").get(0).get("results").get(0);
    assertThat(first.get("ruleId").asString()).isEqualTo("tensor-branch");
    assertThat(
            first
                .get("locations")
                .get(0)
                .get("physicalLocation")
                .get("region")
                .get("startLine")
                .asInt())
        .isEqualTo(16);
  }

  @Test
  void sourceThatDoesNotParseIsSaidToBeSoOnceAtItsLine() {
    List<LintFinding> findings = lint("import torch\ndef f(x:\n    return x\ny = = 1\n", "2.13");
    assertThat(findings).extracting(one -> one.rule().name()).containsExactly("syntax");
    assertThat(findings.getFirst().line()).isEqualTo(2);
    assertThat(LintText.of(findings, 100)).contains("train.py:2:", "does not parse as Python");
    assertThat(names("x = (1\n", "2.13")).containsExactly("syntax");
    assertThat(lint("(".repeat(100_000), "2.13")).hasSize(1);
  }

  @Test
  void aFileOfTwentyThousandLinesKeepsItsLinesAndColumns() {
    String source =
        "x = torch.zeros(1)\n".repeat(20_000) + "y = torch.compile(f, fullgraph=True)\n";
    List<LintFinding> findings = lint(source, "2.13");
    assertThat(findings).hasSize(1);
    assertThat(findings.getFirst().line()).isEqualTo(20_001);
  }

  @Test
  void nodesSpanTheirTextAlsoBehindCharactersOfSeveralBytes() {
    Syntax root = PythonParser.parse("a.py", "s = 'é€😀'; y = f(z)\n").root();
    assertThat(root.all("string").getFirst().text()).isEqualTo("'é€😀'");
    assertThat(root.all("call").getFirst().text()).isEqualTo("f(z)");
    assertThat(root.all("call").getFirst().child("arguments").orElseThrow().text())
        .isEqualTo("(z)");
  }

  @Test
  void oneFileInAnotherEncodingDoesNotStopTheRest(@TempDir Path folder) throws Exception {
    Files.write(folder.resolve("a.py"), "# café\n".getBytes(StandardCharsets.ISO_8859_1));
    Files.write(
        folder.resolve("b.py"),
        "# -*- coding: cp1252 -*-\ns = '€'\n".getBytes(Charset.forName("windows-1252")));
    Files.writeString(folder.resolve("c.py"), "\uFEFFs = 'é'\n");
    assertThat(PythonSources.read(List.of(folder)))
        .extracting(SourceFile::text)
        .containsExactly("# café\n", "# -*- coding: cp1252 -*-\ns = '€'\n", "s = 'é'\n");
  }

  @Test
  void controlCharactersOfTheSourceDoNotReachTheTerminal() {
    String text =
        LintText.of(lint("y = torch.compile(f, fullgraph=True)\t# \u001b[31mred\n", "2.13"), 100);
    assertThat(text).contains("fullgraph=True) # \uFFFD[31mred").doesNotContain("\u001b");
  }

  private static boolean breaks(LintFinding finding) {
    return finding.rule().level().equals("error");
  }

  @Test
  void aNameThatIsWrappedAgainAndAgainIsFollowedOnce() {
    String source =
        "import torch\ndef f(x):\n    print(x)\n    return x\nm = f\n"
            + "m = wrap(m)\n".repeat(2_000)
            + "c = torch.compile(m)\n";
    assertThat(lint(source, "2.13")).extracting(LintFinding::line).containsExactly(3);
  }

  @Test
  void aDisabledFunctionIsLeftAloneHoweverOftenItIsCalled() {
    String source =
        "import torch\n@torch.compiler.disable\ndef log(x):\n    print(x)\n    return x\n"
            + "@torch.compile\ndef f(x):\n"
            + "    x = log(x)\n".repeat(3)
            + "    return x\n";
    assertThat(lint(source, "2.13"))
        .extracting(LintFinding::line)
        .containsExactlyInAnyOrder(8, 9, 10);
  }

  @Test
  void aLongLineIsPrintedCut() {
    String line =
        "y = torch.compile(f, fullgraph=True)" + " ".repeat(10) + "# " + "x".repeat(5_000);
    assertThat(LintText.of(lint(line + "\n", "2.13"), 100).lines())
        .isNotEmpty()
        .allMatch(printed -> printed.length() < 600);
  }

  private static List<LintFinding> lint(String source, String version) {
    return Linter.lint(
        List.of(PythonParser.parse("train.py", source)), TorchRelease.parse(version));
  }

  private static List<String> names(String source, String version) {
    return lint(source, version).stream().map(one -> one.rule().name()).distinct().toList();
  }
}
