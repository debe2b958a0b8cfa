package dev.pitwall.observe.rule;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.ApiCallKind;
import dev.pitwall.trace.pattern.ApiCalls;
import dev.pitwall.trace.pattern.RowList;

/// Launches were recorded, the work they launched was not: launch time is not kernel time.
final class NoGpuActivityRule implements Rule {
  @Override
  public String id() {
    return "no-gpu-activity";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.quality().deviceRows() > 0) {
      return Verdict.Clean.CLEAN;
    }
    ApiCalls calls = new ApiCalls(observation.index().trace());
    RowList launches = new RowList();
    for (int row : observation.index().trace().slices().apiCallRows()) {
      ApiCallKind kind = calls.kind(row);
      if (kind == ApiCallKind.LAUNCH_KERNEL || kind == ApiCallKind.LAUNCH_GRAPH) {
        launches.add(row);
      }
    }
    if (launches.size() == 0) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    return new Verdict.Fault(
        new Finding(
            id(),
            Severity.HIGH,
            String.format(
                "The trace holds %,d kernel launches and not one kernel: GPU time is missing.",
                launches.size()),
            "A launch only puts work in a queue, so its duration says nothing of the kernel's. The"
                + " recorder was not given the GPU activity, or was not permitted to read it"
                + " (another profiler attached, no permission for performance counters, a fork"
                + " after CUDA was initialized).",
            new Fix(
                "Record the GPU as well, with no other profiler attached.",
                """
                with torch.profiler.profile(
                    activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
                    record_shapes=True,
                ) as prof:\
                """,
                "https://docs.pytorch.org/docs/stable/profiler.html"),
            new Gain(Estimate.measured(0), 0),
            Loss.longest(observation, launches.toArray())));
  }
}
