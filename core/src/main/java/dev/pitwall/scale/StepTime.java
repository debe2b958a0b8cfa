package dev.pitwall.scale;

import java.util.Comparator;
import java.util.List;

/// Where the time of one step goes on the rank that limits it, in seconds. The parts add up to
/// [#seconds].
///
/// @param compute kernels of layers, head and recomputation, without anything they wait for
/// @param host what the CPU needs beyond that to launch them
/// @param bubble idle pipeline stages
/// @param tensor exposed communication of tensor, context and expert parallelism
/// @param data exposed communication of gradients and parameters, and what the hidden part of it
///     delays compute by
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

  /// One part and what it is called.
  public record Part(String name, double seconds) {}

  /// All parts, compute first.
  public List<Part> parts() {
    return List.of(
        new Part("compute", compute),
        new Part("host launches", host),
        new Part("pipeline bubble", bubble),
        new Part("tensor-parallel communication", tensor),
        new Part("gradient and parameter communication", data),
        new Part("optimizer", optimizer),
        new Part("offload", offload),
        new Part("fixed work", fixed));
  }

  /// The largest part other than compute, as a word; `compute` where compute is more than 85 %.
  public String limit() {
    if (compute >= 0.85 * seconds()) {
      return "compute";
    }
    return parts().stream()
        .skip(1)
        .filter(part -> part.seconds() > 0)
        .max(Comparator.comparingDouble(Part::seconds))
        .map(Part::name)
        .orElse("compute");
  }
}
