package dev.pitwall.observe.hta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.json.Json;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.kineto.KinetoReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/// Every golden file of HTA against the same analyses here: all five, with and without the last
/// step, rounded and not. What may differ is in `docs/hta.md`.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HtaGoldenTest {
  private static final double RELATIVE = 1e-6;

  @TestFactory
  List<DynamicTest> everyGoldenValueIsReproduced() throws IOException {
    Path golden = SharedData.require("hta");
    DataTable catalogue = DataTable.read(SharedData.require("corpus/CATALOG.tsv"));
    List<DynamicTest> tests = new ArrayList<>();
    try (Stream<Path> files = Files.list(golden)) {
      for (Path file :
          files.filter(path -> path.toString().endsWith(".json.gz")).sorted().toList()) {
        Json expected = Json.parse(unpacked(file));
        Path trace = traceOf(expected.get("trace").text(""), catalogue);
        boolean ofAnotherDevice = file.getFileName().toString().startsWith("mtia");
        if (trace != null && !ofAnotherDevice) {
          tests.add(
              DynamicTest.dynamicTest(
                  "golden " + (tests.size() + 1), () -> compare(file, expected, trace)));
        }
      }
    }
    assertThat(tests).as("golden files with their traces").hasSizeGreaterThan(20);
    return tests;
  }

  private static void compare(Path golden, Json expected, Path file) {
    boolean rounding = !golden.getFileName().toString().contains("norounding");
    Trace trace = new KinetoReader().read(file);
    for (boolean includeLast : new boolean[] {false, true}) {
      Json variant =
          expected
              .get("variants")
              .get("include_last_profiler_step=" + (includeLast ? "True" : "False"));
      HtaBreakdown breakdown = HtaBreakdown.of(trace, includeLast, rounding);
      temporal(variant.get("temporal_breakdown"), breakdown);
      overlap(variant.get("comm_comp_overlap"), breakdown);
      kernelTypes(variant.get("gpu_kernel_breakdown(all,mem=True)"), breakdown);
      idle(variant.get("idle_time_breakdown(delay=30)"), breakdown);
      queues(variant.get("queue_length_summary"), breakdown);
    }
  }

  private static void temporal(Json expected, HtaBreakdown breakdown) {
    if (!expected.get("ok").bool(false)) {
      assertThat(breakdown.wouldFailInHta()).as("HTA fails and says so").isTrue();
      return;
    }
    Json row = expected.get("value").get(0);
    HtaBreakdown.Temporal temporal = breakdown.temporal();
    assertThat(temporal).isNotNull();
    equal("idle", temporal.idleMicros(), row.get("idle_time(us)"));
    equal("compute", temporal.computeMicros(), row.get("compute_time(us)"));
    equal("non-compute", temporal.nonComputeMicros(), row.get("non_compute_time(us)"));
    equal("kernel", temporal.kernelMicros(), row.get("kernel_time(us)"));
    equal("idle %", temporal.percent(temporal.idleMicros()), row.get("idle_time_pctg"));
    equal("compute %", temporal.percent(temporal.computeMicros()), row.get("compute_time_pctg"));
  }

  private static void overlap(Json expected, HtaBreakdown breakdown) {
    equal(
        "overlap",
        breakdown.overlapPercent(),
        expected.get("value").get(0).get("comp_comm_overlap_pctg"));
  }

  private static void kernelTypes(Json expected, HtaBreakdown breakdown) {
    Json rows = expected.get("value").get("kernel_type");
    assertThat(breakdown.kernelTypes()).hasSize(rows.size());
    for (Json row : rows) {
      HtaBreakdown.TypeShare type =
          breakdown.kernelTypes().stream()
              .filter(one -> one.type().equals(row.get("kernel_type").text("")))
              .findFirst()
              .orElseThrow();
      equal(type.type(), type.micros(), row.get("sum"));
      equal(type.type() + " %", type.percent(), row.get("percentage"));
    }
  }

  private static void idle(Json expected, HtaBreakdown breakdown) {
    Json rows = expected.get("value").get("breakdown");
    assertThat(breakdown.idle()).hasSize(rows.size());
    for (Json row : rows) {
      HtaBreakdown.Idle idle =
          breakdown.idle().stream()
              .filter(one -> one.stream() == row.get("stream").integer(-1))
              .filter(one -> one.category().equals(row.get("idle_category").text("")))
              .findFirst()
              .orElseThrow();
      equal(idle.category(), idle.micros(), row.get("idle_time"));
      equal(idle.category() + " ratio", idle.ratio(), row.get("idle_time_ratio"));
    }
  }

  private static void queues(Json expected, HtaBreakdown breakdown) {
    Json rows = expected.get("value");
    assertThat(breakdown.queues()).hasSize(rows.size());
    for (Json row : rows) {
      HtaBreakdown.Queue queue =
          breakdown.queues().stream()
              .filter(one -> one.stream() == row.get("stream").integer(-1))
              .findFirst()
              .orElseThrow();
      equal("count", queue.count(), row.get("queue_length_count"));
      equal("max", queue.max(), row.get("queue_length_max"));
      equal("min", queue.min(), row.get("queue_length_min"));
      double tied = 2.0 * queue.ties() / queue.count();
      near("mean", queue.mean(), row.get("queue_length_mean"), tied);
      near("std", queue.deviation(), row.get("queue_length_std"), tied);
      double rank = queue.ties() > 0 ? 1 : 0;
      near("25%", queue.quarter(), row.get("queue_length_25%"), rank);
      near("50%", queue.half(), row.get("queue_length_50%"), rank);
      near("75%", queue.threeQuarters(), row.get("queue_length_75%"), rank);
    }
  }

  private static void equal(String what, double actual, Json expected) {
    double wanted = expected.number(Double.NaN);
    near(what, actual, expected, RELATIVE * Math.max(1, Math.abs(wanted)));
  }

  private static void near(String what, double actual, Json expected, double tolerance) {
    double wanted = expected.number(Double.NaN);
    if (Double.isNaN(wanted)) {
      assertThat(actual).as(what).isNaN();
    } else {
      assertThat(actual).as(what).isCloseTo(wanted, within(tolerance + RELATIVE));
    }
  }

  private static @Nullable Path traceOf(String trace, DataTable catalogue) {
    int own = trace.indexOf("h200/");
    if (own >= 0) {
      return SharedData.require(trace.substring(own));
    }
    for (int row = 0; row < catalogue.rows(); row++) {
      if (catalogue.text(row, "path_in_repo").equals(trace)) {
        return SharedData.require("corpus/" + catalogue.text(row, "path"));
      }
    }
    return null;
  }

  private static String unpacked(Path file) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
