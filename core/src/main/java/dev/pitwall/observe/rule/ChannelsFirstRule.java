package dev.pitwall.observe.rule;

import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.pattern.ChannelsFirstNorms;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.Kernels;
import dev.pitwall.trace.pattern.MatmulPrecision;
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
    if (convolutions.length == 0 || ChannelsFirstNorms.any(observation.index())) {
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    Loss loss = Loss.of(observation, Loss.nanos(observation, conversions));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    Finding finding =
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
            Loss.longest(observation, conversions));
    // In 16 bits the layout is a fault; in fp32 and TF32 the precision is, and the layout comes
    // after it (PyTorch's guide recommends channels last together with mixed precision).
    return inSixteenBits(observation, convolutions)
        ? new Verdict.Fault(finding)
        : new Verdict.Opportunity(finding);
  }

  private static boolean inSixteenBits(Observation observation, int[] convolutions) {
    Slices slices = observation.index().trace().slices();
    long wide = 0;
    for (int row : convolutions) {
      MatmulPrecision precision = observation.kernelNames().precisionOf(slices.nameId(row));
      boolean isWide = precision == MatmulPrecision.TF32 || precision == MatmulPrecision.FP32;
      wide += isWide ? slices.durationNanos(row) : 0;
    }
    return 2 * wide < Loss.nanos(observation, convolutions);
  }

  private static int[] kernels(Observation observation, KernelClass kernelClass) {
    return Kernels.ofClass(observation.index(), observation.kernelNames(), EnumSet.of(kernelClass));
  }
}
