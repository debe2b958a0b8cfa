package dev.pitwall.observe.rule;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Fix;
import dev.pitwall.observe.DeviceTime;
import dev.pitwall.observe.IdleCause;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.pattern.HostSyncs;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The host waits for the device inside the step, and the device then waits for the host.
final class HostSyncRule implements Rule {
  private static final double LEAST_SHARE = 0.005;

  @Override
  public String id() {
    return "host-sync";
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
    int[] syncs = HostSyncs.find(observation.index());
    if (syncs.length == 0) {
      return Verdict.Clean.CLEAN;
    }
    Loss loss = Loss.of(observation, device.gaps().totalNanos(IdleCause.HOST_SYNC));
    Loss waited = Loss.of(observation, Loss.nanos(observation, syncs));
    if (!loss.atLeast(LEAST_SHARE) && !waited.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    String culprit = mostCommonCulprit(observation, syncs);
    List<Evidence> evidence = Loss.longest(observation, syncs);
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "%s makes the host wait for the GPU %s; the GPU then idles %s a step.",
                culprit, Loss.timesPerStep(observation, syncs.length), loss.text()),
            "The host normally runs ahead and keeps a queue of launches before the GPU. A call that"
                + " needs a value from the GPU (.item(), .cpu(), float(tensor), if tensor:,"
                + " nonzero, torch.cuda.synchronize) empties that queue: when the host goes on, the"
                + " GPU has nothing to do until new launches arrive.",
            new Fix(
                "Keep the value on the GPU: log every N steps, accumulate on the device, replace a"
                    + " branch on a tensor by torch.where, and read results with a non-blocking"
                    + " copy.",
                """
                running_loss += loss.detach()          # no .item() here
                if step % 100 == 0:
                    print((running_loss / 100).item())\
                """,
                "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html"
                    + "#avoid-unnecessary-cpu-gpu-synchronization"),
            evidence));
  }

  /// The outermost operator around most of the waits, or the call itself where none is.
  private static String mostCommonCulprit(Observation observation, int[] syncs) {
    Trace trace = observation.index().trace();
    Map<String, Integer> counts = new TreeMap<>();
    for (int row : syncs) {
      int operator = observation.index().calls().outermost(row, Category.CPU_OP);
      while (operator != Slices.NONE && !trace.name(operator).startsWith("aten::")) {
        operator = inner(observation, operator, row);
      }
      String name = trace.name(operator == Slices.NONE ? row : operator);
      counts.merge(name, 1, Integer::sum);
    }
    String best = "";
    int most = 0;
    for (Map.Entry<String, Integer> entry : counts.entrySet()) {
      if (entry.getValue() > most) {
        best = entry.getKey();
        most = entry.getValue();
      }
    }
    return best;
  }

  /// The operator directly inside `outer` on the way down to `row`.
  private static int inner(Observation observation, int outer, int row) {
    int found = Slices.NONE;
    for (int at = row;
        at != outer && at != Slices.NONE;
        at = observation.index().calls().parent(at)) {
      if (observation.index().trace().slices().category(at) == Category.CPU_OP) {
        found = at;
      }
    }
    return found;
  }
}
