package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.json.Json;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.TinyTrace;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Names come from files of strangers: they are text, never markup, script or terminal codes.
class HostileNamesTest {
  private static final String NAME =
      "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"\u001b[31mred\u202e";

  private static Report report() {
    TinyTrace trace =
        new TinyTrace()
            .cpu("1", Category.USER_ANNOTATION, "ProfilerStep#1", 0, 100)
            .cpu("1", Category.CPU_OP, NAME, 1, 20)
            .cpu("1", Category.RUNTIME, "cudaLaunchKernel", 2, 1, 1)
            .cpu("1", Category.USER_ANNOTATION, NAME, 30, 20)
            .device(7, Category.KERNEL, NAME, 10, 50, 1);
    return ReportBuilder.build(List.of(RunAnalysis.analyze(Path.of(NAME), trace.build(), null)));
  }

  @Test
  void theHtmlPageHoldsThemAsText() {
    String page = HtmlReport.of(report());
    assertThat(page).contains("&lt;img src=x").doesNotContain("<img").doesNotContain("\u001b");
    assertThat(page.split("<script>", -1)).hasSize(2);
  }

  @Test
  void theTerminalGetsNoControlCharacters() {
    assertThat(TerminalReport.of(report(), 100, false)).doesNotContain("\u001b", "\u202e");
  }

  @Test
  void jsonKeepsThemExactly() {
    Json kernels = Json.parse(JsonReport.of(report())).get("kernels");
    assertThat(kernels.get(0).get("name").text("")).isEqualTo(NAME);
  }
}
