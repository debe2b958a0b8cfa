package dev.pitwall.trace.compilelog;

import dev.pitwall.json.Json;

/// Finds the PyTorch version of a log: written since 2.9 or so, before that a range that its events
/// allow.
final class TorchVersion {
  private String exact = "";
  private boolean hasGuardList;
  private boolean hasInferenceGraph;
  private boolean hasBackwardMetrics;
  private boolean hasRuntimeMetrics;

  void exact(String text) {
    if (!text.isEmpty()) {
      exact = text;
    }
  }

  void saw(String kind, Json fields) {
    switch (kind) {
      case "dynamo_guards" -> hasGuardList = true;
      case "aot_inference_graph" -> hasInferenceGraph = true;
      case "bwd_compilation_metrics" -> hasBackwardMetrics = true;
      case "compilation_metrics_runtime" -> hasRuntimeMetrics = true;
      default -> {
        // Says nothing of the version.
      }
    }
    if (kind.endsWith("compilation_metrics")) {
      exact(fields.get("pytorch_version").text(""));
    }
  }

  String text() {
    if (!exact.isEmpty()) {
      return exact;
    }
    if (hasRuntimeMetrics) {
      return "2.7-2.10";
    }
    if (hasGuardList) {
      return hasInferenceGraph ? "2.4" : "2.3-2.4";
    }
    return hasBackwardMetrics ? "2.5-2.6" : "2.4-2.10";
  }
}
