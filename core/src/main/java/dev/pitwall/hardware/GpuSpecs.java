package dev.pitwall.hardware;

import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The GPUs we know, read from `gpu_specs.csv`, found by the names people and tools give them:
/// `H100`, `h100_80gb`, `NVIDIA H200`, `NVIDIA A100-SXM4-80GB`.
public final class GpuSpecs {
  private static final GpuSpecs KNOWN =
      new GpuSpecs(DataTable.resource("/dev/pitwall/hardware/gpu_specs.csv"));

  private final List<GpuSpec> specs = new ArrayList<>();
  private final List<Alias> aliases = new ArrayList<>();

  private record Alias(String text, GpuSpec spec) {}

  private GpuSpecs(DataTable table) {
    for (int row = 0; row < table.rows(); row++) {
      GpuSpec spec = read(table, row);
      specs.add(spec);
      aliases.add(new Alias(normalized(spec.name()), spec));
      for (String alias : table.text(row, "aliases").split("\\|")) {
        if (!alias.isBlank()) {
          aliases.add(new Alias(normalized(alias), spec));
        }
      }
    }
  }

  public static GpuSpecs known() {
    return KNOWN;
  }

  public List<GpuSpec> all() {
    return List.copyOf(specs);
  }

  /// The GPU that a free text names: the longest alias that stands in it as whole words, so that
  /// `GB200` is not read as `B200` nor `A10G` as `A10`.
  public Optional<GpuSpec> find(String text) {
    String wanted = normalized(text);
    Alias best = null;
    for (Alias alias : aliases) {
      if (standsIn(alias.text(), wanted)
          && (best == null || alias.text().length() > best.text().length())) {
        best = alias;
      }
    }
    return Optional.ofNullable(best).map(Alias::spec);
  }

  private static boolean standsIn(String alias, String text) {
    for (int at = text.indexOf(alias); at >= 0; at = text.indexOf(alias, at + 1)) {
      int end = at + alias.length();
      boolean freeBefore = at == 0 || text.charAt(at - 1) == '-';
      boolean freeAfter = end == text.length() || text.charAt(end) == '-';
      if (freeBefore && freeAfter) {
        return true;
      }
    }
    return false;
  }

  private static String normalized(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
  }

  private static GpuSpec read(DataTable table, int row) {
    return new GpuSpec(
        table.text(row, "gpu"),
        table.text(row, "vendor"),
        table.text(row, "architecture"),
        (int) table.number(row, "multiprocessors", 0),
        table.number(row, "fp32_tflops", 0) * 1e12,
        table.number(row, "tf32_tflops", 0) * 1e12,
        table.number(row, "fp16_tflops", 0) * 1e12,
        table.number(row, "bf16_tflops", 0) * 1e12,
        table.number(row, "fp8_tflops", 0) * 1e12,
        table.number(row, "fp4_tflops", 0) * 1e12,
        table.number(row, "memory_gb", 0) * (1L << 30),
        table.number(row, "memory_gb_per_s", 0) * 1e9,
        table.number(row, "l2_mb", 0) * (1L << 20),
        table.number(row, "scaleup_gb_per_s_one_way", 0) * 1e9,
        table.number(row, "pcie_gb_per_s_one_way", 0) * 1e9,
        table.number(row, "reachable_bf16_tflops", 0) * 1e12,
        table.number(row, "reachable_fp8_tflops", 0) * 1e12,
        table.text(row, "source"));
  }
}
