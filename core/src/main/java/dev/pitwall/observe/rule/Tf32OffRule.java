package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.hardware.Precision;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.Kernels;
import dev.pitwall.trace.pattern.MatmulPrecision;
import java.util.EnumSet;

/// Matrix products run in true single precision, without tensor cores, on a GPU that has TF32.
final class Tf32OffRule implements Rule {
  private static final double LEAST_SHARE = 0.01;

  @Override
  public String id() {
    return "tf32-off";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    int[] rows = singlePrecisionProducts(observation);
    if (rows.length == 0) {
      return Verdict.Clean.CLEAN;
    }
    double saved = MatmulRates.savedShare(observation, Precision.FP32, Precision.TF32);
    if (saved == 0) {
      return new Verdict.CannotJudge("a GPU in the trace whose rates are known");
    }
    Loss loss = Loss.of(observation, Loss.nanos(observation, rows) * saved);
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "Matrix products run in full fp32, without tensor cores, for %s a step.",
                Loss.of(observation, Loss.nanos(observation, rows)).text()),
            "Since PyTorch 1.12 matmuls of fp32 tensors do not use tensor cores unless allowed to."
                + " TF32 keeps the range of fp32 with 10 bits of mantissa in the products and sums"
                + " in fp32; training almost always tolerates it. bf16 autocast goes further and"
                + " halves the memory traffic too.",
            new Fix(
                "Allow TF32, or better use bf16 autocast.",
                """
                torch.set_float32_matmul_precision("high")
                # further: with torch.autocast("cuda", dtype=torch.bfloat16): ...\
                """,
                "https://docs.pytorch.org/docs/stable/notes/cuda.html"
                    + "#tensorfloat-32-tf32-on-ampere-and-later-devices"),
            Loss.longest(observation, rows)));
  }

  /// Matmuls and convolutions in fp32 without tensor cores. Fused attention in fp32 is not among
  /// them: the TF32 setting does not change it.
  static int[] singlePrecisionProducts(Observation observation) {
    return Kernels.ofPrecision(
        observation.index(),
        observation.kernelNames(),
        EnumSet.of(KernelClass.MATMUL, KernelClass.CONVOLUTION),
        EnumSet.of(MatmulPrecision.FP32));
  }
}
