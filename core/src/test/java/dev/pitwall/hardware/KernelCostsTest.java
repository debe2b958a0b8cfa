package dev.pitwall.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pitwall.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The cost models against the microbenchmarks of one H200 (`data/h200/calib`). The constants were
/// fitted on the even rows, so the odd rows are the check.
class KernelCostsTest {
  /// Shorter rows measure the launch, not the kernel.
  private static final double SHORTEST_MICROS = 30;

  private final KernelCosts costs = new KernelCosts(GpuSpecs.known().find("NVIDIA H200").get());

  @Test
  void matmulsInBf16AreWithinTenPercentOnRowsTheyWereNotFittedOn() throws IOException {
    assertTrue(medianErrorOfProducts("torch.bfloat16", Precision.BF16) < 0.10);
  }

  @Test
  void matmulsInFp32AreWithinTenPercentOnRowsTheyWereNotFittedOn() throws IOException {
    assertTrue(medianErrorOfProducts("torch.float32", Precision.FP32) < 0.10);
  }

  @Test
  void additionsOfLargeTensorsAreWithinTenPercent() throws IOException {
    for (Json row : rows()) {
      double elements = row.get("n").number(0);
      if (row.get("op").text("").equals("add") && elements >= 1 << 24) {
        double predicted = costs.streamNanos(elements * 2 * 3) / 1e3;
        assertTrue(error(predicted, row.get("us").number(0)) < 0.10, row.toString());
      }
    }
  }

  @Test
  void attentionIsWithinFifteenPercentWhereItIsLongerThanItsLaunch() throws IOException {
    for (Json row : rows()) {
      double measured = row.get("us").number(0);
      if (row.get("op").text("").equals("sdpa_causal_fwd") && measured >= SHORTEST_MICROS) {
        AttentionShape shape =
            new AttentionShape(
                row.get("B").integer(1) * row.get("h").integer(1),
                row.get("T").integer(1),
                row.get("T").integer(1),
                row.get("hd").integer(1),
                true);
        assertTrue(
            error(costs.attentionForwardNanos(shape) / 1e3, measured) < 0.15, row.toString());
      }
    }
  }

  @Test
  void copiesOverTheHostLinkAreWithinTenPercentFromOneMebibyteOn() throws IOException {
    for (Json row : rows()) {
      String op = row.get("op").text("");
      double bytes = row.get("bytes").number(0);
      if (op.startsWith("h2d_pinned") && bytes > 4e6) {
        double predicted = KernelCosts.hostCopyNanos(bytes, true) / 1e3;
        assertTrue(error(predicted, row.get("us").number(0)) < 0.10, row.toString());
      }
      if (op.startsWith("h2d_pageable") && bytes > 4e6) {
        double predicted = KernelCosts.hostCopyNanos(bytes, false) / 1e3;
        assertTrue(error(predicted, row.get("us").number(0)) < 0.10, row.toString());
      }
    }
  }

  @Test
  void moreWorkNeverTakesLess() {
    double before = 0;
    for (long m = 64; m <= 1 << 16; m *= 2) {
      double nanos = costs.matmulNanos(new MatmulShape(1, m, 768, 768, 0), Precision.BF16);
      assertTrue(nanos >= before, "m = " + m);
      before = nanos;
    }
  }

  @Test
  void aTensorCoreFormatIsNeverSlowerThanSinglePrecision() {
    MatmulShape shape = new MatmulShape(1, 4096, 4096, 4096, 2);
    assertTrue(costs.matmulNanos(shape, Precision.TF32) < costs.matmulNanos(shape, Precision.FP32));
    assertTrue(costs.matmulNanos(shape, Precision.BF16) < costs.matmulNanos(shape, Precision.TF32));
  }

  @Test
  void logitsOfAnOddVocabularyAreSlowInSixteenBitsAndNotInSinglePrecision() {
    MatmulShape odd = new MatmulShape(1, 8192, 50257, 768, 0, true);
    MatmulShape even = new MatmulShape(1, 8192, 50257, 768, 0, false);
    double ratio = costs.matmulNanos(odd, Precision.BF16) / costs.matmulNanos(even, Precision.BF16);
    assertTrue(ratio > 4 && ratio < 8, "ratio " + ratio);
    assertEquals(
        costs.matmulNanos(even, Precision.FP32), costs.matmulNanos(odd, Precision.FP32), 1e-9);
  }

  private double medianErrorOfProducts(String dtype, Precision precision) throws IOException {
    List<Double> errors = new ArrayList<>();
    int number = 0;
    for (Json row : rows()) {
      if (!row.get("op").text("").equals("mm") || !row.get("dtype").text("").equals(dtype)) {
        continue;
      }
      double measured = row.get("us").number(0);
      if (measured < SHORTEST_MICROS || row.get("m").integer(0) < 256) {
        continue;
      }
      if (number++ % 2 == 1) {
        MatmulShape shape =
            new MatmulShape(
                1, row.get("m").integer(1), row.get("n").integer(1), row.get("k").integer(1), 0);
        errors.add(error(costs.matmulNanos(shape, precision) / 1e3, measured));
      }
    }
    Collections.sort(errors);
    return errors.get(errors.size() / 2);
  }

  private static double error(double predicted, double measured) {
    return Math.abs(predicted / measured - 1);
  }

  private static Json rows() throws IOException {
    try (InputStream in = KernelCostsTest.class.getResourceAsStream("calib_h200.json")) {
      return Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}
