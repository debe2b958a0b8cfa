package dev.pitwall.station;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.json.Json;
import dev.pitwall.station.browser.Browser;
import dev.pitwall.station.browser.Page;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.TinyTrace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A real browser uses the station as a person would.
class PageTest {
  private static final String HOSTILE = "<img src=x onerror=\"document.title='owned'\">'&amp;";
  private static final String SELECTED = "document.querySelector('.timeline').timeline.selected";

  @TempDir static Path folder;
  private static Browser browser;
  private static Station station;

  @SuppressWarnings("NullAway.Init") // opened before every test
  private Page page;

  @BeforeAll
  static void start() {
    browser = Browser.start();
    station =
        Station.start(
            new Station.Settings(
                "127.0.0.1", 0, 8 << 20, folder.resolve("state").resolve("recent")));
  }

  @AfterAll
  static void stop() {
    if (station != null) {
      station.close();
    }
    if (browser != null) {
      browser.close();
    }
  }

  @AfterEach
  void closePage() {
    if (page != null) {
      page.close();
    }
    for (OpenRuns.Entry entry : station.runs().entries()) {
      station.runs().forget(entry.id());
    }
  }

  private void open(String... recordings) {
    for (String recording : recordings) {
      station.runs().open(SharedData.require(recording)).join();
    }
    page = browser.open(station.address(), 1280, 800, false);
    page.waitFor("document.querySelector('.finding') || document.querySelector('[role=alert]')");
  }

  @Test
  void theWorstFindingIsShownInPlaceAndItsFixPredictsTheStep() {
    open("h200/gpt2/item.trace.json.gz");
    page.click(".finding .head");

    page.waitFor(SELECTED + " && !document.querySelector('.timeline').timeline.target");
    Json place =
        page.evaluate(
            "(() => { const t = document.querySelector('.timeline').timeline; const s = t.selected;"
                + " return [(s.start_ns - t.view.start) / (t.view.end - t.view.start),"
                + " (s.start_ns + s.dur_ns - t.view.start) / (t.view.end - t.view.start)]; })()");
    assertThat(place.get(0).number(-1)).isBetween(0.0, 1.0);
    assertThat((place.get(0).number(0) + place.get(1).number(0)) / 2).isBetween(0.3, 0.7);
    assertThat(page.text("#slice-name")).isNotEmpty();

    page.waitFor("document.querySelector('.finding .switch input')");
    page.click(".finding .switch i");
    page.waitFor("document.querySelector('#predicted-step')");
    assertThat(page.text("#predicted-step")).matches("[0-9.]+\\h+ms");
    page.waitFor("document.querySelector('.timeline').timeline.sections.length === 2");
    assertThat(page.text(".label.section + div, .tl-gutter")).contains("predicted");
    assertThat(page.complaints()).isEmpty();
  }

  @Test
  void twoRunsStandOneAboveTheOtherAlignedByStep() {
    open("h200/gpt2/base.trace.json.gz", "h200/gpt2/fused_adamw.trace.json.gz");

    page.waitFor("document.querySelector('.timeline').timeline.sections.length === 2");
    Json starts =
        page.evaluate(
            "document.querySelector('.timeline').timeline.sections.map(s =>"
                + " s.run.ranks[0].steps[1][0] + s.offset)");
    assertThat(starts.get(0).number(0)).isEqualTo(starts.get(1).number(1));
    page.waitFor("document.body.textContent.includes('What changed')");
    assertThat(page.complaints()).isEmpty();
  }

  @Test
  void ranksStandSideBySideWithTheSamplesOfTheirDevices() throws IOException {
    for (String file : List.of("s_ddp.rank0.trace.json.gz", "s_ddp.rank1.trace.json.gz")) {
      Files.copy(
          SharedData.require("h200/multi/" + file),
          Files.createDirectories(folder.resolve("job")).resolve(file));
    }
    Files.copy(SharedData.require("h200/dmon_multi.txt"), folder.resolve("job/dmon.txt"));
    station.runs().open(folder.resolve("job")).join();
    page = browser.open(station.address(), 1280, 800, false);
    page.waitFor("document.querySelectorAll('.label.rank').length === 2");

    assertThat(page.text(".tl-gutter")).contains("sm utilization").contains("power");
    assertThat(
            page.evaluate("document.querySelectorAll('[aria-expanded=false].name').length")
                .integer(-1))
        .isEqualTo(1);
    page.click(".label.rank .name");
    page.waitFor("document.querySelectorAll('[aria-expanded=false].name').length === 2");
    assertThat(page.complaints()).isEmpty();
  }

  @Test
  void searchGoesFromHitToHit() {
    open("h200/gpt2/base.trace.json.gz");
    page.key("/");
    page.type("vectorized_layer_norm_kernel");
    page.waitFor("/ \\d/.test(document.querySelector('.search-count').textContent)");
    page.key("Enter");
    page.waitFor(SELECTED);
    long first = page.evaluate(SELECTED + ".row").integer(-1);
    page.key("Enter");
    page.waitFor(SELECTED + ".row !== " + first);

    assertThat(page.evaluate(SELECTED + ".name").text("")).contains("vectorized_layer_norm_kernel");
    assertThat(page.text(".search-count")).startsWith("2 / ");
  }

  @Test
  void aKernelLeadsToItsLaunchItsOperatorAndItsShapes() {
    open("h200/gpt2/base.trace.json.gz");
    page.key("/");
    page.type("vectorized_layer_norm_kernel");
    page.waitFor("document.querySelector('.timeline').timeline.hits.length > 0");
    page.key("Enter");
    page.waitFor(SELECTED + " && document.querySelector('.details .link')");

    assertThat(page.text(".details")).contains("launched by").contains("input shapes");
    page.click(".details .link");
    page.waitFor("document.querySelector('#slice-name').textContent.includes('aunch')");
  }

  @Test
  void aQueryIsAnsweredAsATableAndAWrongOneWithItsReason() {
    open("h200/gpt2/base.trace.json.gz");
    page.click("#tab-query");
    page.click("#run-query");
    page.waitFor("document.querySelectorAll('#query-result tbody tr').length === 20");

    page.evaluate("document.querySelector('#sql').select()");
    page.click("#sql");
    page.evaluate("document.querySelector('#sql').select()");
    page.type("DROP VIEW slices");
    page.click("#run-query");
    page.waitFor("document.querySelector('.query-error')");
    assertThat(page.text(".query-error")).contains("read-only");
  }

  @Test
  void aBrokenFileThatIsDroppedIsExplained() {
    page = browser.open(station.address(), 1280, 800, false);
    page.waitFor("document.querySelector('.drop')");
    page.evaluate(
        "(() => { const data = new DataTransfer(); data.items.add(new File(['no trace at all'],"
            + " 'broken.json')); document.dispatchEvent(new DragEvent('drop', { dataTransfer: data,"
            + " bubbles: true, cancelable: true })); })()");
    page.waitFor("document.querySelector('.notice.error')");

    assertThat(page.text(".notice.error span")).startsWith("broken.json ");
  }

  @Test
  void namesOfATraceAreTextWhateverTheyContain() {
    TinyTrace trace =
        new TinyTrace()
            .cpu("1", Category.USER_ANNOTATION, "ProfilerStep#0", 0, 1000)
            .cpu("1", Category.CPU_OP, HOSTILE, 0, 900)
            .cpu("1", Category.RUNTIME, "cudaLaunchKernel", 10, 5, 1)
            .device(7, Category.KERNEL, HOSTILE, 20, 800, 1);
    station.runs().open("<b>" + HOSTILE, List.of(trace.build())).join();
    page = browser.open(station.address(), 1280, 800, false);
    page.waitFor("document.querySelector('.timeline').timeline.sections.length === 1");
    page.key("/");
    page.type("onerror");
    page.waitFor("document.querySelector('.timeline').timeline.hits.length === 2");
    page.key("Enter");
    page.waitFor("document.querySelector('#slice-name')");
    page.click("#tab-query");
    page.click("#run-query");
    page.waitFor("document.querySelector('#query-result td')");
    page.click("#tab-details");
    page.click("#tab-report");

    assertThat(page.text("#slice-name")).isEqualTo(HOSTILE);
    assertThat(page.evaluate("document.querySelectorAll('main img, main b b').length").integer(-1))
        .isZero();
    assertThat(page.evaluate("document.title").text("")).startsWith("<b>").endsWith("Pitwall");
    assertThat(page.complaints()).isEmpty();
  }

  @Test
  void aLinkShowsTheSameViewAgain() {
    open("h200/gpt2/base.trace.json.gz");
    page.key("w");
    page.key("w");
    page.key("d");
    page.waitFor("location.hash.includes('from=')");
    page.evaluate("new Promise(resolve => setTimeout(resolve, 400))");
    String address = page.evaluate("location.href").text("");
    double start =
        page.evaluate("document.querySelector('.timeline').timeline.view.start").number(0);
    page.navigate("about:blank#");
    page.navigate(address);
    page.waitFor("document.querySelector('.timeline').timeline.sections.length === 1");

    assertThat(address).doesNotContain("token");
    assertThat(page.evaluate("document.querySelector('.timeline').timeline.view.start").number(0))
        .isCloseTo(start, org.assertj.core.data.Offset.offset(2.0));
  }

  @Test
  void aRangeGivesStatisticsAndTracksCanBePinnedAndHidden() {
    open("h200/gpt2/base.trace.json.gz");
    page.drag(400, 130, 600, 130, 8);
    page.waitFor("document.querySelectorAll('.drawer tbody tr').length > 5");

    page.evaluate("document.querySelector('[aria-label^=\"Pin thread\"]').click()");
    page.waitFor("document.querySelector('.label.pinned')");
    page.evaluate("document.querySelector('[aria-label^=\"Hide stream\"]').click()");
    page.waitFor("document.body.textContent.includes('show 1 hidden')");
  }

  @Test
  void theCriticalPathIsDrawn() {
    open("h200/gpt2/base.trace.json.gz");
    page.key("c");
    page.waitFor(
        "document.querySelector('.timeline').timeline.sections[0].criticalPath.length > 10");
    assertThat(page.complaints()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1280, false", "1280, true", "390, false", "390, true"})
  void axeFindsNoSeriousViolation(int width, boolean dark) throws IOException {
    station.runs().open(SharedData.require("h200/gpt2/item.trace.json.gz")).join();
    page = browser.open(station.address(), width, 820, dark);
    page.waitFor("document.querySelector('.finding .switch')");
    page.evaluate(axe());
    for (String tab :
        List.of("findings", "report", "scale", "details", "statistics", "table", "query")) {
      page.evaluate("document.querySelector('#tab-" + tab + "').click()");
      if (width < 800) {
        int screen = List.of("findings", "report", "scale").contains(tab) ? 2 : 3;
        page.evaluate(
            "document.querySelector('.screens button:nth-child(" + screen + ")').click()");
      }
      Json violations =
          page.evaluate(
              "axe.run().then(found => found.violations.filter(v => ['serious',"
                  + " 'critical'].includes(v.impact)).map(v => v.id + ': ' + v.nodes.map(n =>"
                  + " n.html).join(' | ')))");
      assertThat(violations.size()).as(tab + " " + violations).isZero();
    }
    page.screenshot(Path.of("target", "screenshots", (dark ? "dark-" : "light-") + width + ".png"));
  }

  private static String axe() throws IOException {
    try (InputStream in =
        PageTest.class.getResourceAsStream(
            "/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
      if (in == null) {
        throw new IllegalStateException("axe-core is not on the test class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
