package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.pattern.RowList;

/// One process drives several GPUs through `nn.DataParallel`.
final class DataParallelRule implements Rule {
  @Override
  public String id() {
    return "data-parallel";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.devices().size() < 2) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    Trace trace = observation.index().trace();
    Slices slices = trace.slices();
    boolean[] isForward = new boolean[trace.names().size()];
    for (int id = 0; id < isForward.length; id++) {
      isForward[id] = trace.names().text(id).startsWith("DataParallel.forward");
    }
    RowList calls = new RowList();
    for (int row = 0; row < slices.size(); row++) {
      if (isForward[slices.nameId(row)]) {
        calls.add(row);
      }
    }
    if (calls.size() == 0) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        Loss.none()
            .finding(
                id(),
                String.format(
                    "nn.DataParallel drives %d GPUs from one process.",
                    observation.devices().size()),
                "DataParallel copies the whole model to every GPU in each step, gathers outputs on"
                    + " one of them, and runs all in one process, so that one interpreter launches"
                    + " the work of all GPUs in turn.",
                new Fix(
                    "Use DistributedDataParallel, one process a GPU.",
                    """
                    torchrun --nproc-per-node=8 train.py
                    model = DistributedDataParallel(model, device_ids=[local_rank])\
                    """,
                    "https://docs.pytorch.org/docs/stable/notes/ddp.html"),
                Loss.longest(observation, calls.toArray())));
  }
}
