package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// GPUs communicate through a backend made for CPUs.
final class SlowBackendRule implements Rule {
  private static final Set<String> FOR_CPUS = Set.of("gloo", "mpi");

  @Override
  public String id() {
    return "slow-backend";
  }

  @Override
  public Verdict judge(Observation observation) {
    String backend = observation.index().trace().recording().backend().toLowerCase(Locale.ROOT);
    if (observation.deviceTime() == null || backend.isEmpty()) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    if (!FOR_CPUS.contains(backend)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        Loss.none()
            .finding(
                id(),
                "Ranks on GPUs communicate through " + backend + ", which copies over the CPU.",
                "NCCL moves tensors from GPU to GPU over NVLink, PCIe or the network card without"
                    + " the host; other backends stage each message in host memory.",
                new Fix(
                    "Initialize with NCCL.",
                    "torch.distributed.init_process_group(\"nccl\")",
                    "https://docs.pytorch.org/docs/stable/distributed.html"),
                List.of()));
  }
}
