package dev.pitwall.pass;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.KernelCosts;
import dev.pitwall.pass.kernel.KernelWorks;
import dev.pitwall.trace.Device;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.List;

/// What a pass may know beside the graph: the trace it was built from, what its kernels compute,
/// the costs of the device it ran on, and which passes have been applied before.
///
/// @param applied ids of the passes already applied, in order
public record PassContext(
    TraceIndex index, KernelWorks works, KernelCosts costs, List<String> applied) {
  /// Stands for a device the trace does not name.
  private static final String USUAL_GPU = "H100-SXM5-80GB";

  public PassContext {
    applied = List.copyOf(applied);
  }

  /// The context of a trace before any pass.
  public static PassContext of(TraceIndex index) {
    return new PassContext(index, new KernelWorks(index), new KernelCosts(gpuOf(index)), List.of());
  }

  /// The context after one more pass.
  public PassContext after(String id) {
    List<String> ids = new ArrayList<>(applied);
    ids.add(id);
    return new PassContext(index, works, costs, ids);
  }

  /// Whether a pass of this id has been applied before.
  public boolean has(String id) {
    return applied.contains(id);
  }

  private static GpuSpec gpuOf(TraceIndex index) {
    for (Device device : index.trace().recording().devices()) {
      var known = GpuSpecs.known().find(device.name());
      if (known.isPresent()) {
        return known.get();
      }
    }
    return GpuSpecs.known().find(USUAL_GPU).orElseThrow();
  }
}
