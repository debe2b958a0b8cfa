package dev.pitwall.observe.rule;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Fix;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.IdleCause;
import dev.pitwall.observe.IdleGaps;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.pattern.CompiledRegions;
import dev.pitwall.trace.pattern.HostSyncs;
import dev.pitwall.trace.pattern.RowList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/// A compiled frame falls into several graphs: Dynamo met something it cannot capture, ran it in
/// Python and went on in a new frame.
final class GraphBreakRule implements Rule {
  @Override
  public String id() {
    return "graph-break";
  }

  @Override
  public Verdict judge(Observation observation) {
    int[] regions = CompiledRegions.find(observation.index());
    if (regions.length == 0) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    int[] resumed = CompiledRegions.findResumed(observation.index(), regions);
    if (resumed.length == 0) {
      return Verdict.Clean.CLEAN;
    }
    DeviceTime device = observation.deviceTime();
    if (device == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    Loss loss = Loss.of(observation, idleFromBreaks(observation, device, resumed));
    int syncs = syncsInside(observation, regions);
    List<Evidence> evidence = Loss.longest(observation, resumed);
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                Locale.ROOT,
                "torch.compile broke its graph: %s Python runs between two graphs%s; the GPU idles"
                    + " at least %s a step there.",
                Loss.timesPerStep(observation, resumed.length),
                syncs > 0
                    ? " (a value is read from the GPU in " + syncs / observation.stepCount() + ")"
                    : "",
                loss.text()),
            "At a graph break Dynamo ends the graph, runs the rest of the statement in Python,"
                + " checks guards again and enters another graph. Fusion stops at the border, its"
                + " tensors go through memory, and CUDA graphs are cut in pieces. Typical causes:"
                + " .item() or float(tensor), a branch on a tensor's value, print, an unsupported"
                + " library call.",
            new Fix(
                "Find the line with TORCH_LOGS=graph_breaks and express it in tensors (torch.where,"
                    + " torch.cond), or move it out of the compiled function. fullgraph=True turns"
                    + " every break into an error; it does not remove one.",
                """
                x = torch.where(x.abs().max() > limit, clip(x), x)   # no Python branch on a tensor
                # TORCH_LOGS=graph_breaks python train.py\
                """,
                "https://docs.pytorch.org/docs/stable/torch.compiler_faq.html"),
            evidence));
  }

  /// Idle time whose ending launch lies in a resumed frame or whose cause is a wait inside one.
  private static long idleFromBreaks(Observation observation, DeviceTime device, int[] resumed) {
    Trace trace = observation.index().trace();
    Slices slices = trace.slices();
    BitSet firstInside = new BitSet();
    for (int row : resumed) {
      firstInside.set(row);
    }
    boolean syncsAreInside = syncsInside(observation, resumed) > 0 || resumed.length > 0;
    IdleGaps gaps = device.gaps();
    long nanos = 0;
    for (int gap = 0; gap < gaps.size(); gap++) {
      int next = gaps.nextRow(gap);
      if (next == Slices.NONE) {
        continue;
      }
      if (gaps.cause(gap) == IdleCause.HOST_SYNC && syncsAreInside) {
        nanos += gaps.durationNanos(gap);
      } else if (gaps.cause(gap) == IdleCause.HOST
          && isFirstLaunchOf(observation, slices, next, firstInside)) {
        nanos += gaps.durationNanos(gap);
      }
    }
    return nanos;
  }

  /// Whether no other launch stands between this one and the start of its resumed frame.
  private static boolean isFirstLaunchOf(
      Observation observation, Slices slices, int deviceRow, BitSet resumed) {
    int call = observation.index().launches().launchOf(deviceRow);
    int frame = call;
    while (frame != Slices.NONE && !resumed.get(frame)) {
      frame = observation.index().calls().parent(frame);
    }
    if (frame == Slices.NONE) {
      return false;
    }
    for (int row = frame + 1; row < call; row++) {
      if (slices.category(row).isApiCall()
          && observation.index().launches().firstDeviceRow(row) != Slices.NONE) {
        return false;
      }
    }
    return true;
  }

  private static int syncsInside(Observation observation, int[] regions) {
    BitSet inside = new BitSet();
    for (int row : regions) {
      inside.set(row);
    }
    RowList syncs = new RowList();
    for (int row : HostSyncs.find(observation.index())) {
      for (int at = row; at != Slices.NONE; at = observation.index().calls().parent(at)) {
        if (inside.get(at)
            && observation.index().trace().slices().category(at) == Category.CPU_OP) {
          syncs.add(row);
          break;
        }
      }
    }
    return syncs.size();
  }
}
