package dev.pitwall.pass.compile;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.table.DataTable;
import java.util.HashMap;
import java.util.Map;

/// Times of generated kernels and of the host around them, with the measured shares of
/// `compile_costs.csv`. All times are nanoseconds.
public final class CompileCosts {
  private static final Map<String, Double> TABLE = read();

  private final GpuSpec gpu;

  public CompileCosts(GpuSpec gpu) {
    this.gpu = gpu;
  }

  /// One number of the table, in its own unit.
  public static double constant(String name) {
    Double value = TABLE.get(name);
    if (value == null) {
      throw new IllegalArgumentException("compile_costs.csv has no row " + name);
    }
    return value;
  }

  /// A generated kernel: whichever is longer, its bytes over the memory or its special functions.
  ///
  /// @param bytes read and written
  /// @param specialFunctions exponentials and the like, over all elements
  /// @param share the constant that says which share of the memory rate its kind reaches
  double kernelNanos(double bytes, double specialFunctions, String share) {
    double memory = memoryNanos(bytes, share);
    double compute = specialFunctions * constant("special_function_ps") / 1e3;
    return constant("fused_kernel_fixed_us") * 1e3 + Math.max(memory, compute);
  }

  /// Time to move bytes at a share of the memory rate.
  double memoryNanos(double bytes, String share) {
    return bytes / (gpu.memoryBytesPerSecond() * constant(share)) * 1e9;
  }

  int multiprocessors() {
    return Math.max(1, gpu.multiprocessors());
  }

  private static Map<String, Double> read() {
    DataTable table = DataTable.resource("/dev/pitwall/pass/compile/compile_costs.csv");
    Map<String, Double> values = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      values.put(table.text(row, "name"), table.number(row, "value", Double.NaN));
    }
    return Map.copyOf(values);
  }
}
