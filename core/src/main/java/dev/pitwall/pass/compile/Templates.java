package dev.pitwall.pass.compile;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What `max-autotune` gains over the libraries: a product from a template can do the loop that
/// takes its result before it stores. It is chosen where that saves more than the template is
/// slower, and only where products are most of the work; otherwise autotuning keeps the library.
final class Templates {
  /// How much slower a template of a large product is than the library's kernel. Published runs of
  /// llama on B200 (PyTorch 2.13), the only ones with both modes that record CUDA graphs, put
  /// max-autotune within -1 and +5 % of reduce-overhead: templates take over next to nothing of
  /// large products.
  private static final double TEMPLATE_LOSS = 0.35;

  private static final double LEAST_SHARE_OF_PRODUCTS = 0.4;

  private final Map<Integer, Double> factorOfProduct;
  private final Set<FusionGroup> absorbed;

  private Templates(Map<Integer, Double> factorOfProduct, Set<FusionGroup> absorbed) {
    this.factorOfProduct = factorOfProduct;
    this.absorbed = absorbed;
  }

  static Templates none() {
    return new Templates(Map.of(), Set.of());
  }

  static Templates of(List<FusionGroup> groups) {
    Map<Integer, FusionGroup> productOfRow = new HashMap<>();
    double products = 0;
    double all = 0;
    for (FusionGroup group : groups) {
      all += group.deviceNanos();
      if (group.isExtern() && group.label().endsWith("mm")) {
        products += group.deviceNanos();
        productOfRow.put(group.members().getFirst().row(), group);
      }
    }
    if (products < LEAST_SHARE_OF_PRODUCTS * all) {
      return none();
    }
    Map<Integer, Double> factors = new HashMap<>();
    Set<FusionGroup> absorbed = new HashSet<>();
    for (FusionGroup group : groups) {
      FusionGroup product = productOfRow.get(group.epilogueOf());
      if (product != null && product.deviceNanos() > 0) {
        // The loop's own stores remain, the round trip of the product's result goes.
        double kept =
            group.deviceNanos()
                * group.bytesWritten()
                / Math.max(1, group.bytesRead() + group.bytesWritten());
        double withTemplate = product.deviceNanos() * (1 + TEMPLATE_LOSS) + kept / 2;
        if (withTemplate < product.deviceNanos() + group.deviceNanos()) {
          factors.put(group.epilogueOf(), withTemplate / product.deviceNanos());
          absorbed.add(group);
        }
      }
    }
    return new Templates(factors, absorbed);
  }

  double factor(FusionGroup product) {
    return factorOfProduct.getOrDefault(product.members().getFirst().row(), 1.0);
  }

  boolean absorbs(FusionGroup group) {
    return absorbed.contains(group);
  }
}
