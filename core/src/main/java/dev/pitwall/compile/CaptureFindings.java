package dev.pitwall.compile;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.pass.compile.CompileCosts;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.CompiledRegions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What is wrong with a compiled program, worst first. What costs time in every step comes from the
/// trace; what costs once is told in seconds and gains nothing a step.
final class CaptureFindings {
  private static final String GUIDE =
      "https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html";
  private static final int EVIDENCE_ROWS = 5;

  private CaptureFindings() {}

  static List<Finding> of(CaptureReport report, List<TraceIndex> traces) {
    List<Finding> findings = new ArrayList<>();
    report.breaks().forEach(site -> findings.add(graphBreak(site, report, traces)));
    if (report.logs().isEmpty()) {
      traces.forEach(index -> findings.addAll(unexplainedBreaks(index)));
    }
    report.recompiles().forEach(cause -> findings.add(recompile(cause)));
    report.frames().stream()
        .filter(frame -> frame.failures() > 0 && frame.graphBreaks() == 0)
        .forEach(frame -> findings.add(failure(frame)));
    report.cudaGraphSkips().forEach((reason, count) -> findings.add(skip(reason, count)));
    CompiledRun run = report.run();
    if (run != null && run.recordings() > 0) {
      findings.add(recorded(run));
    }
    if (!report.fallbacks().isEmpty()) {
      findings.add(fallbacks(report.fallbacks()));
    }
    return findings;
  }

  private static Finding graphBreak(BreakSite site, CaptureReport report, List<TraceIndex> traces) {
    BreakAdvice advice = site.advice();
    String code = site.first().code();
    String id = site.first().breakId().isEmpty() ? "" : " (" + site.first().breakId() + ")";
    CompiledRun run = report.run();
    String lost =
        site.skipsFrame()
            ? "; the whole frame "
                + site.lostFrame()
                + " fell back to eager, nothing of it is compiled"
            : "";
    String between =
        run == null || run.regionsPerStep() <= 1
            ? ""
            : String.format(
                Locale.ROOT,
                "; the step runs %.0f compiled regions with %.1f ms of host time around their"
                    + " graphs",
                run.regionsPerStep(),
                (run.betweenMicros() + run.wrapperMicros()) / 1e3);
    String title =
        String.format(
            Locale.ROOT,
            "the graph breaks at %s%s: %s%s%s%s",
            site.place(),
            id,
            code.isEmpty() ? site.first().reason() : code,
            lost,
            between,
            run == null ? costInLog(site) : "");
    String why =
        advice.explanation()
            + (site.first().explanation().isEmpty()
                ? ""
                : " PyTorch says: " + site.first().explanation());
    String link =
        site.first().breakId().isEmpty()
            ? GUIDE
            : "https://meta-pytorch.github.io/compile-graph-break-site/gb/"
                + site.first().breakId().toLowerCase(Locale.ROOT)
                + ".html";
    return new Finding(
        "graph-break",
        site.skipsFrame() ? Severity.HIGH : Severity.MEDIUM,
        title,
        why,
        new Fix(advice.fix(), advice.code(), link),
        unknownGain(),
        traces.stream().flatMap(index -> regionEvidence(index).stream()).toList());
  }

  /// What the log alone says of the cost: what was compiled behind the break, and what entering it
  /// costs the host each time.
  private static String costInLog(BreakSite site) {
    if (site.resumedFrames() == 0) {
      return "";
    }
    return String.format(
        Locale.ROOT,
        "; what follows was compiled %s in %.1f s, and entering it again costs the host about"
            + " %.2f ms a call (guards %.0f us as the compiler measured; a trace of the job shows"
            + " the rest)",
        site.resumedFrames() == 1 ? "once more" : site.resumedFrames() + " times more",
        site.resumedSeconds(),
        CompileCosts.constant("region_host_us") / 1e3 + site.resumedGuardMicros() / 1e3,
        site.resumedGuardMicros());
  }

  /// Breaks that a trace shows as resumed frames, without a reason.
  private static List<Finding> unexplainedBreaks(TraceIndex index) {
    int[] regions = CompiledRegions.find(index);
    int[] resumed = CompiledRegions.findResumed(index, regions);
    if (resumed.length == 0) {
      return List.of();
    }
    double steps = Math.max(1, index.steps().count());
    return List.of(
        new Finding(
            "graph-break",
            Severity.MEDIUM,
            String.format(
                Locale.ROOT,
                "the graph breaks %.0f times a step: %.0f compiled regions run where fewer would"
                    + " do",
                resumed.length / steps,
                regions.length / steps),
            "Each break ends the graph, runs the statement in Python, checks guards again and"
                + " enters another graph; nothing fuses across. The lines and reasons are in the"
                + " log only.",
            new Fix(
                "Write the log and give it together with this trace.",
                "TORCH_TRACE=trace python train.py   # then: pitwall compile trace profile.json.gz",
                GUIDE),
            unknownGain(),
            regionEvidence(index)));
  }

  /// The longest stretches that no compiled region covers, as the regions that begin behind them.
  private static List<Evidence> regionEvidence(TraceIndex index) {
    Slices slices = index.trace().slices();
    List<Evidence> evidence = new ArrayList<>();
    for (int row = 0; row < slices.size() && evidence.size() < EVIDENCE_ROWS; row++) {
      if (slices.category(row) == Category.CPU_OP
          && index.trace().name(row).startsWith("Torch-Compiled Region")) {
        evidence.add(
            new Evidence(
                index.trace().recording().rank(),
                index.trace().tracks().get(slices.track(row)).label(),
                index.trace().name(row),
                slices.startNanos(row),
                slices.durationNanos(row)));
      }
    }
    return evidence;
  }

  private static Finding recompile(RecompileCause cause) {
    Varied.Advice advice = cause.varied().advice();
    String title =
        String.format(
            Locale.ROOT,
            "%s compiled again %s, %.1f s, because %s: %s%s",
            cause.function(),
            cause.count() == 1 ? "once" : cause.count() + " times",
            cause.seconds(),
            advice.what(),
            cause.varied().text(),
            cause.hitsLimit()
                ? "; it reached the limit of recompiles and runs eagerly for every further case"
                : "");
    return new Finding(
        "recompile",
        cause.hitsLimit() ? Severity.HIGH : Severity.MEDIUM,
        title,
        advice.why() + " Guard: " + cause.guard(),
        new Fix(
            advice.fix() + " A higher recompile_limit only hides it.",
            advice.code(),
            "https://docs.pytorch.org/docs/stable/torch.compiler_dynamic_shapes.html"),
        unknownGain(),
        List.of());
  }

  private static Finding failure(FrameSummary frame) {
    return new Finding(
        "compile-failed",
        Severity.HIGH,
        String.format(
            Locale.ROOT,
            "%s (%s) failed to compile %s (%s) and runs eagerly",
            frame.function(),
            frame.place(),
            frame.failures() == 1 ? "once" : frame.failures() + " times",
            frame.failure()),
        "A frame whose compilation ends in an exception runs eagerly. suppress_errors=True does the"
            + " same silently: it hides the loss, it does not fix it.",
        new Fix("Fix the cause of the exception; fullgraph=True shows it at once.", "", GUIDE),
        unknownGain(),
        List.of());
  }

  private static Finding skip(String reason, int count) {
    return new Finding(
        "cudagraph-skipped",
        Severity.MEDIUM,
        String.format(
            Locale.ROOT, "CUDA graphs were skipped for %d compilations: %s", count, reason),
        "A graph with CPU tensors, mutated inputs or operators that wait for the host cannot be"
            + " recorded, so each of its kernels is launched one by one.",
        new Fix(
            "Keep all tensors on the device, update inputs out of place, and clone outputs that are"
                + " kept across steps (mark_step_begin alone does not keep them).",
            "",
            "https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html"),
        unknownGain(),
        List.of());
  }

  private static Finding recorded(CompiledRun run) {
    return new Finding(
        "cudagraph-skipped",
        Severity.MEDIUM,
        String.format(
            Locale.ROOT, "%d CUDA graphs were recorded inside the window", run.recordings()),
        "A CUDA graph is recorded once for each shape and each set of addresses. A recording in the"
            + " steady state means that shapes or addresses keep changing.",
        new Fix(
            "Pad to a few sizes, and keep parameters at their addresses.",
            "torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = True",
            "https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html"),
        unknownGain(),
        List.of());
  }

  private static Finding fallbacks(Map<String, Integer> fallbacks) {
    return new Finding(
        "fallback-kernels",
        Severity.LOW,
        "operators that Inductor did not generate: "
            + String.join(
                ", ",
                fallbacks.entrySet().stream()
                    .map(entry -> entry.getKey() + " x" + entry.getValue())
                    .toList()),
        "A fallback is a wall: nothing fuses with it, and its inputs and outputs go through"
            + " memory.",
        new Fix("Use an operator that Inductor lowers, where there is one.", "", GUIDE),
        unknownGain(),
        List.of());
  }

  /// Costs once, or not known without a trace.
  private static Gain unknownGain() {
    return new Gain(new Estimate(0, 0, 0, Basis.MODELLED), 0);
  }
}
