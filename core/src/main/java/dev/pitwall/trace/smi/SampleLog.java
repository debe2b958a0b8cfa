package dev.pitwall.trace.smi;

import dev.pitwall.trace.Counter;
import dev.pitwall.trace.LossLedger;
import java.util.List;
import java.util.Optional;

/// The samples of one log.
///
/// @param kind `dmon`, `query`, `dcgm` or `rocm-smi`
/// @param counters one a device and quantity; times are nanoseconds since 1970 read as UTC, or
///     since the first sample where the log has no clock
/// @param hasClock whether the log has wall-clock times
public record SampleLog(String kind, List<Counter> counters, boolean hasClock, LossLedger losses) {
  /// The quantities Pitwall names the same whatever tool wrote them.
  public static final String SM_UTILIZATION = "sm-utilization";

  public static final String MEMORY_UTILIZATION = "memory-utilization";
  public static final String POWER = "power";
  public static final String TEMPERATURE = "temperature";
  public static final String SM_CLOCK = "sm-clock";
  public static final String MEMORY_CLOCK = "memory-clock";
  public static final String MEMORY_USED = "memory-used";
  public static final String PCIE_RECEIVE = "pcie-receive";
  public static final String PCIE_TRANSMIT = "pcie-transmit";
  public static final String POWER_VIOLATION = "power-violation";
  public static final String THERMAL_VIOLATION = "thermal-violation";

  public SampleLog {
    counters = List.copyOf(counters);
  }

  public Optional<Counter> counter(String name, int device) {
    return counters.stream()
        .filter(counter -> counter.device() == device && counter.name().equals(name))
        .findFirst();
  }

  /// Devices that were sampled, ascending.
  public List<Integer> devices() {
    return counters.stream().map(Counter::device).distinct().sorted().toList();
  }
}
