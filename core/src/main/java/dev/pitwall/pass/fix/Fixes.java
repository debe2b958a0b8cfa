package dev.pitwall.pass.fix;

import dev.pitwall.pass.Pass;
import java.util.List;

/// All fixes, in the order in which they are applied together: first what the host does too much,
/// then what the device does too much, then what else the program could be.
public final class Fixes {
  private static final List<Pass> ALL =
      List.of(
          new CompileInWindow(),
          new InputBound(),
          new PageableCopy(),
          new AllocatorThrash(),
          new HostSync(),
          new ZeroGradFill(),
          new OptimizerForLoop(),
          new OptimizerNotFused(),
          new ActivationCheckpointing(),
          new FuseAttention(),
          new Tf32Off(),
          new NoMixedPrecision(),
          new ChannelsLast(),
          new SmallCollectives(),
          new ExposedCommunication(),
          new WorkloadSize(WorkloadSize.Axis.BATCH),
          new WorkloadSize(WorkloadSize.Axis.SEQUENCE),
          new LayerCount(),
          new LaunchBound());

  private Fixes() {}

  public static List<Pass> all() {
    return ALL;
  }
}
