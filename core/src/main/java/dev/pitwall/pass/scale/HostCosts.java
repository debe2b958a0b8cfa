package dev.pitwall.pass.scale;

import dev.pitwall.table.DataTable;
import java.util.HashMap;
import java.util.Map;

/// What the CPU pays for the mechanics of a strategy, in nanoseconds on a host of this speed. The
/// values come from `host_costs.csv`, measured in runs without a profiler; `slowness` scales them
/// to the host at hand (1 is the host of h200/multi).
public final class HostCosts {
  private static final Map<String, Double> MICROS = read();

  private final double slowness;

  public HostCosts(double slowness) {
    this.slowness = slowness;
  }

  /// Nanoseconds of one occurrence of this mechanism.
  public long nanos(String mechanism) {
    Double micros = MICROS.get(mechanism);
    if (micros == null) {
      throw new IllegalArgumentException("no host cost for " + mechanism);
    }
    return Math.round(micros * slowness * 1000);
  }

  private static Map<String, Double> read() {
    DataTable table = DataTable.resource("/dev/pitwall/pass/scale/host_costs.csv");
    Map<String, Double> micros = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      micros.put(table.text(row, "mechanism"), table.number(row, "micros", 0));
    }
    return micros;
  }
}
