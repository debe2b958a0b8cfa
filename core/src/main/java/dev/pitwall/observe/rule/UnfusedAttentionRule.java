package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.RowList;
import dev.pitwall.trace.pattern.UnfusedAttention;
import java.util.List;

/// Attention is written out, so the square matrix of scores goes through device memory again and
/// again.
final class UnfusedAttentionRule implements Rule {
  private static final double LEAST_SHARE = 0.005;

  @Override
  public String id() {
    return "unfused-attention";
  }

  @Override
  public Verdict judge(Observation observation) {
    if (observation.deviceTime() == null) {
      return new Verdict.CannotJudge(Needs.DEVICE_WORK);
    }
    List<UnfusedAttention.Region> regions = UnfusedAttention.find(observation.index());
    if (regions.isEmpty()) {
      return Verdict.Clean.CLEAN;
    }
    Slices slices = observation.index().trace().slices();
    RowList aroundMatmuls = new RowList();
    for (UnfusedAttention.Region region : regions) {
      for (int[] rows : new int[][] {region.forwardRows(), region.backwardRows()}) {
        for (int row : rows) {
          if (observation.kernelNames().classOf(slices.nameId(row)) != KernelClass.MATMUL) {
            aroundMatmuls.add(row);
          }
        }
      }
    }
    int[] rows = aroundMatmuls.toArray();
    Loss loss = Loss.of(observation, Loss.nanos(observation, rows));
    if (!loss.atLeast(LEAST_SHARE)) {
      return Verdict.Clean.CLEAN;
    }
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "Attention is written out as matmul, softmax, matmul %s; scaling, masking, softmax"
                    + " and copies of the scores take %s a step.",
                Loss.timesPerStep(observation, regions.size()), loss.text()),
            "The scores are one number for every pair of tokens. Each operator between the two"
                + " matmuls reads and writes that square matrix in device memory, forward and"
                + " backward, and keeps copies for backward. A fused kernel computes attention tile"
                + " by tile and never stores it.",
            new Fix(
                "Use scaled_dot_product_attention, in 16 bits so that its flash kernel applies.",
                "y = F.scaled_dot_product_attention(q, k, v, is_causal=True)",
                "https://docs.pytorch.org/docs/stable/generated/"
                    + "torch.nn.functional.scaled_dot_product_attention.html"),
            Loss.longest(observation, rows)));
  }
}
