package dev.pitwall.station;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.json.Json;
import dev.pitwall.station.browser.Browser;
import dev.pitwall.station.browser.Page;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The time from the start of `pitwall serve` until a browser that is already open shows something.
/// Not part of the usual tests: its name does not end in `Test`. `-Dtrace=FILE` measures another
/// trace; one of 1 GB is made by `dev.pitwall.bench.GenerateTrace`.
///
/// ```
/// ./mvnw -q -Dquick -pl core,sql,station test -Dtest=FirstPaintBenchmark \\
///     -Dsurefire.failIfNoSpecifiedTests=false
/// ```
class FirstPaintBenchmark {
  private static final int STARTS = 5;

  /// First paint, marks and findings in milliseconds since 1970, the page's load until the first
  /// paint, and the layout shift.
  private static final String MOMENTS =
      """
      (async () => {
        const seen = async test => {
          while (!test()) await new Promise(resolve => setTimeout(resolve, 15));
          return performance.timeOrigin + performance.now();
        };
        const marks = await seen(() => document.querySelector('.timeline')?.timeline?.raster.painted > 0);
        const findings = await seen(() => document.querySelector('.finding'));
        const shifts = await new Promise(resolve => {
          let sum = 0;
          new PerformanceObserver(list => list.getEntries().forEach(shift => sum += shift.value))
            .observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve(sum), 100);
        });
        const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;
        return [performance.timeOrigin + paint, marks, findings, paint, shifts];
      })()\
      """;

  @TempDir private Path state;

  @Test
  void somethingIsShownSoonAfterTheCommand() throws Exception {
    Path trace =
        System.getProperty("trace") == null
            ? SharedData.require("h200/gpt2/noisy.trace.json.gz")
            : Path.of(System.getProperty("trace"));
    assertThat(pitwall("--version").waitFor()).isZero();
    try (Browser browser = Browser.start()) {
      for (int start = 0; start < STARTS; start++) {
        measure(browser, trace);
      }
    }
  }

  private void measure(Browser browser, Path trace) throws IOException, InterruptedException {
    Page page = browser.open("about:blank#", 1280, 800, false);
    double began = System.currentTimeMillis();
    Process station = pitwall("serve", trace.toString());
    try {
      page.navigate(station.inputReader(StandardCharsets.UTF_8).readLine());
      Json moments = page.evaluate(MOMENTS);
      System.out.println(
          String.format(
              Locale.ROOT,
              "first paint %.0f ms (%.0f ms of it the page's load), marks %.0f ms, findings %.0f"
                  + " ms, layout shift %.4f",
              moments.get(0).number(0) - began,
              moments.get(3).number(0),
              moments.get(1).number(0) - began,
              moments.get(2).number(0) - began,
              moments.get(4).number(0)));
    } finally {
      page.close();
      station.destroy();
      assertThat(station.waitFor(10, TimeUnit.SECONDS)).isTrue();
    }
  }

  private Process pitwall(String... arguments) {
    ProcessBuilder builder = new ProcessBuilder(arguments);
    builder.command().addFirst(SharedData.repositoryRoot().resolve("pitwall").toString());
    builder.environment().put("XDG_STATE_HOME", state.toString());
    try {
      return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
