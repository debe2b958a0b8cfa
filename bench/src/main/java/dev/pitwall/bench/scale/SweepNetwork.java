package dev.pitwall.bench.scale;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.Network;
import dev.pitwall.scale.table.InterconnectText;

/// The network that a sweep's columns describe.
final class SweepNetwork {
  private SweepNetwork() {}

  static Network of(GpuSpec gpu, int gpusPerNode, int nodes, String inside, String between) {
    return InterconnectText.cluster(inside + " " + between, gpu, gpusPerNode * nodes, nodes)
        .network();
  }
}
