package dev.pitwall.report.compile;

import dev.pitwall.compile.CompilePrediction;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.pass.compile.CompileMode;
import dev.pitwall.pass.compile.CompileModePass;
import dev.pitwall.report.Quantity;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.Section.Table;
import dev.pitwall.study.Change;
import dev.pitwall.study.CompileChoice;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What compiling an eager program would do: step, kernels, groups, memory, compile time and
/// payback of each mode.
public final class PredictionSection {
  private static final int ROWS = 20;

  /// Below this share of the step a gain is none: two runs of one program differ by as much.
  private static final double NO_GAIN = 0.03;

  private final CompilePrediction prediction;
  private final Map<CompileMode, Prediction> steps = new EnumMap<>(CompileMode.class);
  private final @Nullable CompileChoice choice;

  private PredictionSection(CompilePrediction prediction, WhatIf study) {
    this.prediction = prediction;
    for (CompileMode mode : CompileMode.values()) {
      study
          .alone(new Change(CompileModePass.ID, mode.spelling()))
          .ifPresent(step -> steps.put(mode, step));
    }
    this.choice = study.compileChoice().orElse(null);
  }

  /// Predicts every mode for the program of a trace that is not compiled.
  ///
  /// @param study of the same trace
  public static PredictionSection of(TraceIndex index, WhatIf study) {
    return new PredictionSection(CompilePrediction.of(index), study);
  }

  /// Whether at least one mode could be predicted.
  public boolean applies() {
    return !steps.isEmpty();
  }

  public Section section() {
    return new Section(
        "compile-prediction",
        "What torch.compile would do",
        sentence(),
        List.of(modes(), inEveryMode(), groups()),
        List.of());
  }

  private Table modes() {
    List<List<String>> rows = new ArrayList<>();
    steps.values().stream()
        .findFirst()
        .ifPresent(step -> rows.add(List.of("as it is", millis(step.before()), "", "", "")));
    steps.forEach((mode, step) -> rows.add(row(mode, step)));
    return new Table(
        "Modes", List.of("Mode", "Step, ms", "Verdict", "Compile, s", "Pays at"), rows);
  }

  private Table inEveryMode() {
    Estimate memory = prediction.peakMemoryChangeBytes();
    return new Table(
        "In every mode",
        List.of("A step", "Now", "Then"),
        List.of(
            List.of(
                "Kernels",
                Quantity.count(prediction.kernelsBefore()),
                Quantity.count(prediction.kernelsAfter())),
            List.of(
                "Peak memory, change in GB",
                "",
                String.format(
                    Locale.ROOT,
                    "%+.1f (%+.1f to %+.1f)",
                    memory.value() / 1e9,
                    memory.low() / 1e9,
                    memory.high() / 1e9))));
  }

  private Table groups() {
    List<List<String>> rows = new ArrayList<>();
    for (CompilePrediction.Group group :
        prediction.groups().subList(0, Math.min(ROWS, prediction.groups().size()))) {
      rows.add(
          List.of(
              group.label(),
              group.isBackward() ? "backward" : "forward",
              group.isExtern() ? "library" : "generated",
              Quantity.count(group.count()),
              Quantity.count(group.kernelsBefore()) + " to " + Quantity.count(group.kernels()),
              String.format(
                  Locale.ROOT, "%,.0f to %,.0f", group.microsBefore(), group.microsAfter())));
    }
    return new Table(
        "Groups, a step, now to then",
        List.of("Operators", "Part", "Kind", "Groups", "Kernels", "us"),
        rows);
  }

  private String sentence() {
    CompileChoice best = choice;
    if (best == null) {
      return "Compiling cannot be predicted from this trace.";
    }
    Prediction step = best.prediction();
    String shapes =
        best.shapesVary()
            ? " Shapes vary from step to step: compile with dynamic=True or pad to a few lengths,"
                + " or each new shape compiles again and records another CUDA graph."
            : "";
    String hints =
        prediction.breaks() <= 0
            ? ""
            : " "
                + prediction.breaks()
                + " waits of the host would break the graph; fix them first.";
    String breaks = hints + shapes;
    return switch (verdict(step)) {
      case "gain" ->
          String.format(
              Locale.ROOT,
              "mode=\"%s\" would take the step from %.1f to %.1f ms.%s",
              best.mode().spelling(),
              step.before().value(),
              step.after().value(),
              breaks);
      case "slower" -> "No mode gains: compiling would make the step slower." + breaks;
      default -> "No mode gains more than two runs of the same program differ by." + breaks;
    };
  }

  private List<String> row(CompileMode mode, Prediction step) {
    Estimate seconds = prediction.compileSeconds(mode);
    OptionalLong payback = prediction.paybackSteps(mode, step.gain().millis().value());
    return List.of(
        mode.spelling(),
        millis(step.after()),
        isSure(step) ? verdict(step) : verdict(step) + ", unsure",
        String.format(
            Locale.ROOT, "%.0f (%.0f to %.0f)", seconds.value(), seconds.low(), seconds.high()),
        payback.isEmpty() || !verdict(step).equals("gain")
            ? "never"
            : Quantity.count(payback.getAsLong()));
  }

  private static String millis(Estimate step) {
    return step.low() == step.high()
        ? String.format(Locale.ROOT, "%,.1f", step.value())
        : String.format(
            Locale.ROOT, "%,.1f (%,.1f to %,.1f)", step.value(), step.low(), step.high());
  }

  private static String verdict(Prediction step) {
    double share = step.after().value() / step.before().value();
    if (share < 1 - NO_GAIN) {
      return "gain";
    }
    return share > 1 + NO_GAIN ? "slower" : "no gain";
  }

  /// Whether the interval of the gain keeps to one side of nothing.
  private static boolean isSure(Prediction step) {
    Estimate gain = step.gain().millis();
    return gain.low() > 0 == gain.high() > 0;
  }

  /// Writes the member `compile_prediction` of a report.
  void write(JsonWriter out) {
    out.key("compile_prediction").object();
    out.key("kernels_before").value(prediction.kernelsBefore());
    out.key("kernels_after").value(prediction.kernelsAfter());
    out.key("regions").value(prediction.regions());
    out.key("graph_breaks").value(prediction.breaks());
    estimate(out, "peak_memory_change_bytes", prediction.peakMemoryChangeBytes());
    out.key("modes").array();
    steps.forEach(
        (mode, step) -> {
          out.object();
          out.key("mode").value(mode.spelling());
          estimate(out, "before_ms", step.before());
          estimate(out, "after_ms", step.after());
          out.key("verdict").value(verdict(step));
          out.key("sure").value(isSure(step));
          estimate(out, "compile_s", prediction.compileSeconds(mode));
          OptionalLong payback = prediction.paybackSteps(mode, step.gain().millis().value());
          out.key("payback_steps");
          if (payback.isPresent()) {
            out.value(payback.getAsLong());
          } else {
            out.value((String) null);
          }
          out.end();
        });
    out.end();
    out.key("groups").array();
    for (CompilePrediction.Group group : prediction.groups()) {
      out.object();
      out.key("operators").value(group.label());
      out.key("backward").value(group.isBackward());
      out.key("extern").value(group.isExtern());
      out.key("groups").value(group.count());
      out.key("kernels_before").value(group.kernelsBefore());
      out.key("kernels_after").value(group.kernels());
      out.key("us_before").value(group.microsBefore());
      out.key("us_after").value(group.microsAfter());
      out.key("bytes").value(group.bytes());
      out.end();
    }
    out.end();
    out.end();
  }

  private static void estimate(JsonWriter out, String key, Estimate estimate) {
    out.key(key).object();
    out.key("value").value(estimate.value());
    out.key("low").value(estimate.low());
    out.key("high").value(estimate.high());
    out.key("basis").value(estimate.basis().name());
    out.end();
  }
}
