package dev.pitwall.observe.rule;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Fix;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.IdleCause;
import dev.pitwall.observe.IdleGaps;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.ApiCallKind;
import dev.pitwall.trace.pattern.ApiCalls;
import dev.pitwall.trace.pattern.CompiledRegions;
import dev.pitwall.trace.pattern.OptimizerSteps;
import dev.pitwall.trace.pattern.RowList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The host cannot launch as fast as the device works: many small kernels, each paid for with
/// Python, dispatch and a driver call.
final class LaunchBoundRule implements Rule {
  private static final double LEAST_SHARE = 0.10;

  /// Launching a kernel takes microseconds; a host that launches nothing for this long does
  /// something else.
  private static final long NOT_LAUNCHING_NANOS = 5_000_000;

  @Override
  public String id() {
    return "launch-bound";
  }

  @Override
  public Verdict judge(Observation observation) {
    DeviceTime device = observation.deviceTime();
    if (device == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    if (!observation.quality().idleIsCredible()) {
      return new Verdict.CannotJudge(Needs.credibleIdle(observation.quality()));
    }
    if (observation.index().steps().count() == 0) {
      return new Verdict.CannotJudge(Needs.STEPS);
    }
    long idle = betweenLaunches(observation, device.gaps());
    // The recorder slows the host in every gap, those that do not count here among them.
    double share = idle / Math.max(1.0, device.gaps().totalNanos(IdleCause.HOST));
    double recording = share * ProfilerCost.nanos(observation);
    Loss loss = Loss.of(observation, Math.max(0, idle - recording));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    int launches = observation.host().kernelLaunches() / observation.stepCount();
    double busy = device.millisPerStep(device.windows().totalNanos() - device.idleNanos());
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                Locale.ROOT,
                "The GPU works %.1f ms a step and otherwise waits for the host to launch its %,d"
                    + " kernels.",
                busy,
                launches),
            "Every kernel costs the host some microseconds of Python, dispatch and driver. Where"
                + " kernels are shorter than that, the GPU is done before the next one arrives, and"
                + " a faster GPU changes nothing.",
            fix(observation.index()),
            longestGaps(observation, device)));
  }

  /// What is not done yet: a compiled program has its operators fused, and one in a CUDA graph its
  /// launches gathered.
  private static Fix fix(TraceIndex index) {
    Optional<String> fusable =
        OptimizerSteps.find(index).stream()
            .filter(step -> step.implementation() != OptimizerSteps.Implementation.FUSED)
            .map(OptimizerSteps.OptimizerStep::optimizer)
            .filter(OptimizerNotFusedRule.HAVE_FUSED::contains)
            .findFirst();
    String optimizer =
        fusable.map(name -> "optimizer = torch.optim." + name + "(params, fused=True)").orElse("");
    String others =
        (fusable.isPresent() ? " fuse the optimizer," : "")
            + " or give each kernel more work with a larger batch.";
    if (launchesGraphs(index)) {
      return new Fix(
          "What lies outside of the CUDA graph is launched one by one: take more into the graph,"
              + others,
          optimizer,
          "https://docs.pytorch.org/docs/stable/torch.compiler_cudagraph_trees.html");
    }
    if (CompiledRegions.find(index).length > 0) {
      return new Fix(
          "Launch less: the program is compiled already, let the compiler replay it as a CUDA"
              + " graph,"
              + others,
          "model = torch.compile(model, mode=\"reduce-overhead\")"
              + (fusable.isPresent() ? "\n" + optimizer : ""),
          "https://docs.pytorch.org/docs/stable/generated/torch.compile.html");
    }
    return new Fix(
        "Launch less: replay forward and backward as a CUDA graph, let torch.compile fuse"
            + " operators,"
            + others,
        "model = torch.cuda.make_graphed_callables(model, (sample_batch,))"
            + (fusable.isPresent() ? "\n" + optimizer : ""),
        "https://docs.pytorch.org/docs/stable/generated/torch.cuda.make_graphed_callables.html");
  }

  private static boolean launchesGraphs(TraceIndex index) {
    ApiCalls calls = new ApiCalls(index.trace());
    for (int row : index.trace().slices().apiCallRows()) {
      if (index.stepOf(row) >= 0 && calls.kind(row) == ApiCallKind.LAUNCH_GRAPH) {
        return true;
      }
    }
    return false;
  }

  /// Idle time before launches that came late, without the holes in which the host did something
  /// else; with them where no operators were recorded, since then nobody knows what it did.
  private static long betweenLaunches(Observation observation, IdleGaps gaps) {
    if (observation.operators().isEmpty()) {
      return gaps.totalNanos(IdleCause.HOST);
    }
    long nanos = 0;
    for (int gap = 0; gap < gaps.size(); gap++) {
      boolean launching = gaps.durationNanos(gap) < NOT_LAUNCHING_NANOS;
      nanos += launching && gaps.cause(gap) == IdleCause.HOST ? gaps.durationNanos(gap) : 0;
    }
    return nanos;
  }

  private static List<Evidence> longestGaps(Observation observation, DeviceTime device) {
    IdleGaps gaps = device.gaps();
    RowList rows = new RowList();
    long longest = 0;
    for (int gap = 0; gap < gaps.size(); gap++) {
      boolean host = gaps.cause(gap) == IdleCause.HOST && gaps.nextRow(gap) != Slices.NONE;
      if (host
          && (gaps.durationNanos(gap) < NOT_LAUNCHING_NANOS || observation.operators().isEmpty())
          && gaps.durationNanos(gap) > longest / 2) {
        longest = Math.max(longest, gaps.durationNanos(gap));
        rows.add(gap);
      }
    }
    int[] candidates = rows.toArray();
    return java.util.Arrays.stream(candidates)
        .boxed()
        .sorted((a, b) -> Long.compare(gaps.durationNanos(b), gaps.durationNanos(a)))
        .limit(5)
        .map(
            gap -> {
              Evidence next = Loss.evidence(observation, gaps.nextRow(gap));
              return new Evidence(
                  next.rank(),
                  next.track(),
                  "idle before " + next.name(),
                  gaps.startNanos(gap),
                  gaps.durationNanos(gap));
            })
        .toList();
  }
}
