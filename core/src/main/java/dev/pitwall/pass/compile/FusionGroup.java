package dev.pitwall.pass.compile;

import java.util.List;

/// What Inductor would run as one generated kernel (or one with the stages of a split reduction),
/// or one call into a library.
///
/// @param label its distinct operators in order: `add native_layer_norm _to_copy`
/// @param members the operators it stands for, in order of the eager program
/// @param isExtern whether it stays a library call, with its measured kernels
/// @param kernels launches: 1, or the stages of a split reduction; for a library call its own
/// @param elements elements it goes over
/// @param bytesRead from tensors made outside of it
/// @param bytesWritten to tensors needed outside of it
/// @param deviceNanos predicted time on the device; for a library call the measured
/// @param eagerNanos measured time of its members in the eager program
/// @param epilogueOf row of the product whose result it alone takes, so that a template could do it
///     before it stores; -1 where there is none
public record FusionGroup(
    String label,
    List<TracedOperator> members,
    boolean isExtern,
    int kernels,
    long elements,
    long bytesRead,
    long bytesWritten,
    double deviceNanos,
    long eagerNanos,
    int epilogueOf) {
  public FusionGroup {
    members = List.copyOf(members);
  }

  /// Kernels its members ran in the eager program.
  public int eagerKernels() {
    return members.stream().mapToInt(member -> member.deviceRows().size()).sum();
  }
}
