package dev.pitwall.pass;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.trace.TraceIndex;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// What a pass may know beside the graph: the trace it was built from, the device it ran on, and
/// which passes have been applied before.
///
/// @param gpu the device, or the closest known one where the trace does not name it
/// @param applied ids of the passes already applied, in order
public record PassContext(TraceIndex index, GpuSpec gpu, List<String> applied) {
  public PassContext {
    applied = List.copyOf(applied);
  }

  /// The context after one more pass.
  public PassContext after(String id) {
    Set<String> ids = new LinkedHashSet<>(applied);
    ids.add(id);
    return new PassContext(index, gpu, List.copyOf(ids));
  }

  /// Whether a pass of this id has been applied before.
  public boolean has(String id) {
    return applied.contains(id);
  }
}
