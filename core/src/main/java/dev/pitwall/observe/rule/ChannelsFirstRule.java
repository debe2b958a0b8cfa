package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.Kernels;
import java.util.EnumSet;

/// Convolutions run on tensor cores in channels-last layout, the program keeps channels first, and
/// cuDNN converts back and forth around every one of them.
final class ChannelsFirstRule implements Rule {
  private static final double LEAST_SHARE = 0.01;

  @Override
  public String id() {
    return "channels-first";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    int[] convolutions = kernels(observation, KernelClass.CONVOLUTION);
    int[] conversions = kernels(observation, KernelClass.LAYOUT_CONVERSION);
    if (convolutions.length == 0) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    Loss loss = Loss.of(observation, Loss.nanos(observation, conversions));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "Convolutions run in channels-last layout but the model keeps channels first: %,d"
                    + " layout conversions take %s a step.",
                conversions.length / observation.stepCount(), loss.text()),
            "Tensor-core convolutions want channels as the last dimension in memory. With NCHW"
                + " tensors cuDNN converts input and output of each one, and batch norm and pooling"
                + " run their slower NCHW kernels.",
            new Fix(
                "Convert model and input once; PyTorch keeps the layout from there on.",
                """
                model = model.to(memory_format=torch.channels_last)
                x = x.to("cuda", memory_format=torch.channels_last, non_blocking=True)\
                """,
                "https://docs.pytorch.org/tutorials/intermediate/memory_format_tutorial.html"),
            Loss.longest(observation, conversions)));
  }

  private static int[] kernels(Observation observation, KernelClass kernelClass) {
    return Kernels.ofClass(observation.index(), observation.kernelNames(), EnumSet.of(kernelClass));
  }
}
