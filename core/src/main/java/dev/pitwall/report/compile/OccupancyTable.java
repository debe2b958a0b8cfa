package dev.pitwall.report.compile;

import dev.pitwall.hardware.Occupancy;
import dev.pitwall.hardware.OccupancyLimits;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.TextTable;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// One kernel's occupancy as a table, the same kernel at other block sizes as a curve, and both as
/// JSON.
public final class OccupancyTable {
  private static final int CURVE_WIDTH = 25;

  private final String gpu;
  private final int registersPerThread;
  private final int sharedMemoryBytes;
  private final Occupancy asked;
  private final List<Occupancy> curve;

  /// @param gpu the GPU as the user named it
  public OccupancyTable(
      String gpu, int threadsPerBlock, int registersPerThread, int sharedMemoryBytes) {
    this.gpu = gpu;
    this.registersPerThread = registersPerThread;
    this.sharedMemoryBytes = sharedMemoryBytes;
    OccupancyLimits limits = OccupancyLimits.ofGpu(gpu);
    this.asked = Occupancy.of(limits, threadsPerBlock, registersPerThread, sharedMemoryBytes);
    this.curve = Occupancy.byBlockSize(limits, registersPerThread, sharedMemoryBytes);
  }

  /// Adds what limits the kernel, and the curve.
  public void write(TextPage page) {
    OccupancyLimits limits = asked.limits();
    page.paragraph(
        String.format(
            Locale.ROOT,
            "%s (compute capability %s): %d threads a block, %d registers a thread, %,d bytes of"
                + " shared memory a block",
            gpu,
            limits.computeCapability(),
            asked.threadsPerBlock(),
            registersPerThread,
            sharedMemoryBytes));
    page.blank().table(limitTable()).blank();
    if (asked.activeBlocks() == 0) {
      page.paragraph(
          "  ", "This kernel cannot be launched: " + limiters(asked) + " over the limit.");
    } else {
      page.paragraph(
          "  ",
          String.format(
              Locale.ROOT,
              "%d blocks resident, %d of %d warps: %.1f %% occupancy, limited by %s",
              asked.activeBlocks(),
              asked.activeWarps(),
              limits.maxWarpsPerMultiprocessor(),
              100 * asked.fraction(),
              limiters(asked)));
    }
    page.blank().table(curveTable());
  }

  private TextTable limitTable() {
    OccupancyLimits limits = asked.limits();
    int warpsPerBlock =
        (asked.threadsPerBlock() + OccupancyLimits.WARP_THREADS - 1) / OccupancyLimits.WARP_THREADS;
    return new TextTable(
            TextTable.name("limit"),
            TextTable.figure("resident blocks"),
            TextTable.sentence("because"))
        .row(
            "warps",
            blocks(asked.blocksByWarps()),
            String.format(
                Locale.ROOT,
                "%d warps a multiprocessor, %d a block",
                limits.maxWarpsPerMultiprocessor(),
                warpsPerBlock))
        .row(
            "registers",
            blocks(asked.blocksByRegisters()),
            String.format(
                Locale.ROOT,
                "%,d registers a multiprocessor in %d partitions, %,d a block",
                OccupancyLimits.REGISTERS_PER_MULTIPROCESSOR,
                OccupancyLimits.PARTITIONS,
                asked.registersPerBlock()))
        .row(
            "shared memory",
            blocks(asked.blocksBySharedMemory()),
            String.format(
                Locale.ROOT,
                "%,d bytes a multiprocessor, %,d a block",
                limits.sharedMemoryPerMultiprocessorBytes(),
                asked.sharedMemoryPerBlockBytes()))
        .row("blocks", blocks(asked.blocksBySlots()), "block slots of a multiprocessor");
  }

  private TextTable curveTable() {
    TextTable table =
        new TextTable(
            TextTable.name("block size"),
            // As a figure, for a bar that is cut says something else.
            TextTable.figure(" ".repeat(CURVE_WIDTH)),
            TextTable.figure("occupancy"),
            TextTable.sentence("limited by"));
    for (Occupancy at : curve) {
      String bar = "#".repeat((int) Math.round(CURVE_WIDTH * at.fraction()));
      table.row(
          Integer.toString(at.threadsPerBlock()),
          bar + " ".repeat(CURVE_WIDTH - bar.length()),
          String.format(Locale.ROOT, "%.1f %%", 100 * at.fraction()),
          at.activeBlocks() == 0 ? "does not launch: " + limiters(at) : limiters(at));
    }
    return table;
  }

  /// A `pitwall.report/1` document with the member `occupancy`.
  public String json() {
    JsonWriter json = new JsonWriter().object().key("schema").value("pitwall.report/1");
    json.key("occupancy").object();
    json.key("gpu").value(gpu);
    json.key("compute_capability").value(asked.limits().computeCapability());
    json.key("registers_per_thread").value(registersPerThread);
    json.key("shared_memory_bytes").value(sharedMemoryBytes);
    json.key("kernel");
    write(json, asked);
    json.key("by_block_size").array();
    curve.forEach(at -> write(json, at));
    return json.end().end().end() + "\n";
  }

  private static void write(JsonWriter json, Occupancy at) {
    json.object();
    json.key("threads_per_block").value(at.threadsPerBlock());
    json.key("active_blocks").value(at.activeBlocks());
    json.key("active_warps").value(at.activeWarps());
    json.key("max_warps").value(at.limits().maxWarpsPerMultiprocessor());
    json.key("fraction").value(at.fraction());
    json.key("limited_by").array();
    at.limiters().forEach(limiter -> json.value(limiter.label()));
    json.end().end();
  }

  private static String blocks(int count) {
    return count == Integer.MAX_VALUE ? "no limit" : Integer.toString(count);
  }

  private static String limiters(Occupancy at) {
    return at.limiters().stream()
        .map(Occupancy.Limiter::label)
        .collect(Collectors.joining(" and "));
  }
}
