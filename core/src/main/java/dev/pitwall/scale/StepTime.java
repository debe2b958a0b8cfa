package dev.pitwall.scale;

/// Where the time of one step goes on the rank that limits it, in seconds. The parts add up to
/// [#seconds].
///
/// @param compute kernels of layers, head and recomputation, without anything they wait for
/// @param host what the CPU needs beyond that to launch them
/// @param bubble idle pipeline stages
/// @param tensor exposed communication of tensor, context and expert parallelism
/// @param data exposed communication of gradients and parameters
/// @param optimizer update of the parameters
/// @param offload waiting for the host's memory, processor or drives
/// @param fixed everything outside the layers
public record StepTime(
    double compute,
    double host,
    double bubble,
    double tensor,
    double data,
    double optimizer,
    double offload,
    double fixed) {

  public double seconds() {
    return compute + host + bubble + tensor + data + optimizer + offload + fixed;
  }

  /// Exposed communication of all kinds.
  public double exposedCommunication() {
    return tensor + data;
  }

  /// The largest part other than compute, as a word; `compute` where compute is more than 85 %.
  public String limit() {
    double total = seconds();
    if (compute >= 0.85 * total) {
      return "compute";
    }
    String name = "compute";
    double most = 0;
    double[] parts = {host, bubble, tensor, data, optimizer, offload, fixed};
    String[] names = {
      "host launches",
      "pipeline bubble",
      "tensor-parallel communication",
      "gradient and parameter communication",
      "optimizer",
      "offload",
      "fixed work"
    };
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] > most) {
        most = parts[i];
        name = names[i];
      }
    }
    return name;
  }
}
