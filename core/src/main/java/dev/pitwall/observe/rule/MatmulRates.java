package dev.pitwall.observe.rule;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.Precision;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Device;
import java.util.List;
import java.util.Optional;

/// How much faster the recorded GPU multiplies in another format, by its data sheet.
final class MatmulRates {
  private MatmulRates() {}

  /// Share of a matmul's time that a faster format would save at the data sheet's rates, 0 where
  /// the GPU is not known or gains nothing.
  static double savedShare(Observation observation, Precision from, Precision to) {
    Optional<GpuSpec> gpu = gpu(observation);
    if (gpu.isEmpty()) {
      return 0;
    }
    double slow = gpu.get().peakFlops(from);
    double fast = gpu.get().peakFlops(to);
    return fast > slow && slow > 0 ? 1 - slow / fast : 0;
  }

  static Optional<GpuSpec> gpu(Observation observation) {
    List<Device> devices = observation.index().trace().recording().devices();
    return devices.isEmpty() ? Optional.empty() : GpuSpecs.known().find(devices.getFirst().name());
  }
}
