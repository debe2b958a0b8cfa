package dev.pitwall.station;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.json.Json;
import dev.pitwall.station.browser.Browser;
import dev.pitwall.station.browser.Page;
import dev.pitwall.trace.Trace;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Frame times of the page and memory of page and server with ten million slices, software
/// rendering. Not part of the usual tests: its name does not end in `Test`.
///
/// ```
/// ./mvnw -q -Dquick -pl core,sql,station test -Dtest=FrameBenchmark \\
///     -Dsurefire.failIfNoSpecifiedTests=false
/// ```
class FrameBenchmark {
  private static final int SLICES = 10_000_000;
  private static final int RANK_THREADS = 16;

  /// Zooms in and out at moving pointers for 360 frames, over the streams and then over the
  /// threads, as fast as frames come.
  private static final String ZOOM =
      """
      (async scroll => {
        const timeline = document.querySelector('.timeline').timeline;
        const canvas = document.querySelector('.tl-canvas');
        const box = canvas.getBoundingClientRect();
        timeline.elements.scroller.scrollTop = scroll;
        const frame = () => new Promise(requestAnimationFrame);
        const gaps = [];
        let last = await frame();
        for (let round = 0; round < 6; round++) {
          for (let i = 0; i < 60; i++) {
            canvas.dispatchEvent(new WheelEvent('wheel', {
              deltaY: round % 2 === 1 ? 100 : -100, bubbles: true, cancelable: true,
              clientX: box.left + box.width * (0.25 + 0.1 * round), clientY: box.top + 100 }));
            const now = await frame();
            gaps.push(now - last);
            last = now;
          }
        }
        gaps.sort((a, b) => a - b);
        const own = timeline.frameStatistics();
        return [gaps[gaps.length >> 1], gaps[Math.floor(gaps.length * 0.95)], own.median, own.p95,
          own.painted, performance.memory.usedJSHeapSize];
      })\
      """;

  @Test
  void zoomsThroughTenMillionSlices(@TempDir Path folder) {
    Trace trace = LargeTrace.of(SLICES, RANK_THREADS, 1);
    try (Browser browser = Browser.start();
        Station station =
            Station.start(
                new Station.Settings("127.0.0.1", 0, 1 << 20, folder.resolve("recent")))) {
      long began = System.nanoTime();
      station.runs().open("ten million", List.of(trace)).join();
      say("index, lanes and pyramid: %.1f s", (System.nanoTime() - began) / 1e9);
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      say(
          "server: %d slices, %.0f MiB of heap in use",
          trace.slices().size(), (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0);
      Page page = browser.open(station.address(), 1280, 800, false);
      page.waitFor("document.querySelector('.timeline').timeline.raster.painted > 1000");
      for (int scroll : new int[] {0, 420}) {
        Json figures = page.evaluate(ZOOM + "(" + scroll + ")");
        say(
            "zooming, scrolled to %d: frame median %.1f ms, p95 %.1f ms; own work median %.1f ms,"
                + " p95 %.1f ms; %.0f marks; page heap %.0f MiB, renderer %.0f MiB",
            scroll,
            figures.get(0).number(0),
            figures.get(1).number(0),
            figures.get(2).number(0),
            figures.get(3).number(0),
            figures.get(4).number(0),
            figures.get(5).number(0) / 1048576,
            browser.rendererBytes() / 1048576.0);
      }
      assertThat(page.evaluate("document.querySelector('.timeline').timeline.frames").integer(0))
          .isGreaterThan(700);
    }
  }

  private static void say(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }
}
