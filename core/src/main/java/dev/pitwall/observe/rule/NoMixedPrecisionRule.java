package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.Precision;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.Kernels;
import dev.pitwall.trace.pattern.MatmulPrecision;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/// All matrix products run in TF32 (or, on a GPU without TF32, in fp32), none in 16 bits.
final class NoMixedPrecisionRule implements Rule {
  private static final double LEAST_SHARE = 0.01;
  private static final Set<KernelClass> PRODUCTS =
      EnumSet.of(KernelClass.MATMUL, KernelClass.CONVOLUTION, KernelClass.ATTENTION);

  @Override
  public String id() {
    return "no-mixed-precision";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    long narrow =
        nanos(
            observation,
            EnumSet.of(
                MatmulPrecision.BF16,
                MatmulPrecision.FP16,
                MatmulPrecision.FP8,
                MatmulPrecision.FP4,
                MatmulPrecision.INT8));
    long tf32 = nanos(observation, EnumSet.of(MatmulPrecision.TF32));
    long fp32 = Loss.nanos(observation, Tf32OffRule.singlePrecisionProducts(observation));
    if (tf32 + fp32 == 0) {
      return narrow > 0 ? Verdict.Clean.CLEAN : Verdict.NotApplicable.NOT_APPLICABLE;
    }
    if (narrow > tf32 + fp32) {
      return Verdict.Clean.CLEAN;
    }
    Optional<GpuSpec> gpu = MatmulRates.gpu(observation);
    if (gpu.isEmpty()) {
      return new Verdict.CannotJudge("a GPU in the trace whose rates are known");
    }
    boolean hasTf32 = gpu.get().tf32Flops() > 0;
    if (hasTf32 && fp32 > tf32) {
      // The first step up is TF32, and that finding names bf16 as the next.
      return Verdict.NotApplicable.NOT_APPLICABLE;
    }
    Precision from = hasTf32 ? Precision.TF32 : Precision.FP32;
    double saved = MatmulRates.savedShare(observation, from, Precision.BF16);
    // Half the bytes for everything between the products as well: PyTorch's autocast runs these in
    // the width of their inputs.
    long between = observation.deviceTime().computeNanos() - tf32 - fp32 - narrow;
    Loss loss =
        Loss.of(observation, (hasTf32 ? tf32 : tf32 + fp32) * saved + Math.max(0, between) * 0.25);
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    int[] rows =
        Kernels.ofPrecision(
            observation.index(),
            observation.kernelNames(),
            PRODUCTS,
            EnumSet.of(MatmulPrecision.TF32, MatmulPrecision.FP32));
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "Matrix products run in %s for %s a step, none in 16 bits.",
                hasTf32 ? "TF32" : "fp32", Loss.of(observation, tf32 + fp32).text()),
            "16-bit products run at twice the rate of TF32 on tensor cores, and activations take"
                + " half the memory and half the traffic. bf16 has the range of fp32, so no loss"
                + " scaling is needed.",
            new Fix(
                "Run forward and loss under autocast; keep weights and optimizer in fp32.",
                """
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    loss = criterion(model(x), y)
                loss.backward()\
                """,
                "https://docs.pytorch.org/docs/stable/amp.html"),
            Loss.longest(observation, rows)));
  }

  private static long nanos(Observation observation, Set<MatmulPrecision> precisions) {
    return Loss.nanos(
        observation,
        Kernels.ofPrecision(observation.index(), observation.kernelNames(), PRODUCTS, precisions));
  }
}
