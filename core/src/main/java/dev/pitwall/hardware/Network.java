package dev.pitwall.hardware;

/// The links of a cluster. All bandwidths in bytes per second and one direction.
///
/// @param architecture of the GPU, since NCCL's choice of algorithm depends on it
/// @param gpusPerNode GPUs that reach each other over the scale-up link (a rack of NVL72 is one
///     node)
/// @param scaleUp kind of the link inside a node
/// @param scaleUpBytesPerSecond what one GPU sends over it
/// @param fabric kind of the network between nodes
/// @param nodeBytesPerSecond what one node sends into it, all its NICs together
public record Network(
    String architecture,
    int gpusPerNode,
    ScaleUp scaleUp,
    double scaleUpBytesPerSecond,
    Fabric fabric,
    double nodeBytesPerSecond) {

  /// How GPUs of one node are joined.
  public enum ScaleUp {
    NVLINK,
    PCIE
  }

  /// How nodes are joined.
  public enum Fabric {
    INFINIBAND,
    ROCE,
    CLOUD,
    ETHERNET
  }

  /// The same network with the scale-up link this many times as fast.
  public Network withScaleUpTimes(double factor) {
    return new Network(
        architecture,
        gpusPerNode,
        scaleUp,
        scaleUpBytesPerSecond * factor,
        fabric,
        nodeBytesPerSecond);
  }

  /// The same network with the fabric this many times as fast.
  public Network withFabricTimes(double factor) {
    return new Network(
        architecture,
        gpusPerNode,
        scaleUp,
        scaleUpBytesPerSecond,
        fabric,
        nodeBytesPerSecond * factor);
  }
}
