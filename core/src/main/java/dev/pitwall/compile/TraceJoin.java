package dev.pitwall.compile;

import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.Occupancy;
import dev.pitwall.hardware.OccupancyLimits;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Device;
import dev.pitwall.trace.KernelLaunch;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.compilelog.Compilation;
import dev.pitwall.trace.compilelog.GeneratedGraph;
import dev.pitwall.trace.compilelog.GeneratedKernel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Finds compiled code in a trace and joins it with the log: graphs by their cache key, kernels by
/// their names.
final class TraceJoin {
  private static final String GRAPH = "## Call CompiledFxGraph ";
  private static final String REGION = "Torch-Compiled Region";
  private static final double WORTH_ANOTHER_BLOCK_SIZE = 0.1;

  private final TraceIndex index;
  private final Trace trace;
  private final Slices slices;
  private final double steps;

  private TraceJoin(TraceIndex index) {
    this.index = index;
    this.trace = index.trace();
    this.slices = trace.slices();
    this.steps = Math.max(1, index.steps().count());
  }

  static CompiledRun of(TraceIndex index, List<Compilation> compilations) {
    return new TraceJoin(index).join(compilations);
  }

  private CompiledRun join(List<Compilation> compilations) {
    double regions = 0;
    double lookup = 0;
    double lookups = 0;
    double wrapper = 0;
    double replays = 0;
    int recordings = 0;
    long replayed = 0;
    boolean compiles = false;
    Map<String, double[]> graphs = new LinkedHashMap<>();
    Map<String, KernelTotals> kernels = new HashMap<>();
    Map<Integer, long[]> regionSpan = new HashMap<>();
    double regionNanosOfSpan = 0;
    for (int row = 0; row < slices.size(); row++) {
      String name = trace.name(row);
      // The recorder repeats annotations on the streams: those are no calls of the host.
      if (!inStep(row) || slices.category(row) == Category.GPU_USER_ANNOTATION) {
        continue;
      }
      if (slices.category(row).isDeviceWork()) {
        if (isGenerated(name)) {
          kernels.computeIfAbsent(name, unseen -> new KernelTotals()).add(this, row);
        }
        continue;
      }
      long nanos = slices.durationNanos(row);
      if (name.startsWith(REGION)) {
        regions++;
        if (!isUnder(row, REGION)) {
          wrapper += nanos;
          regionNanosOfSpan += nanos;
        }
        long[] span =
            regionSpan.computeIfAbsent(
                index.stepOf(row), unseen -> new long[] {Long.MAX_VALUE, Long.MIN_VALUE});
        span[0] = Math.min(span[0], slices.startNanos(row));
        span[1] = Math.max(span[1], slices.endNanos(row));
      } else if (name.equals("TorchDynamo Cache Lookup")) {
        lookup += nanos;
        lookups++;
      } else if (name.startsWith(GRAPH)) {
        double[] sum = graphs.computeIfAbsent(keyOf(name), unseen -> new double[2]);
        sum[0]++;
        sum[1] += nanos;
        wrapper -= isUnder(row, REGION) ? nanos : 0;
      } else if (name.startsWith("cudaGraphLaunch") || name.startsWith("hipGraphLaunch")) {
        replays++;
        for (int device = index.launches().firstDeviceRow(row);
            device != Slices.NONE;
            device = index.launches().nextDeviceRow(device)) {
          replayed++;
        }
      } else if (name.startsWith("cudaGraphInstantiate")
          || name.startsWith("hipGraphInstantiate")) {
        recordings++;
      } else if (name.endsWith("(dynamo_timed)")) {
        compiles = true;
      }
    }
    double between = -regionNanosOfSpan;
    for (long[] span : regionSpan.values()) {
      between += span[1] - span[0];
    }
    return new CompiledRun(
        regions / steps,
        lookup / steps / 1e3,
        lookups / steps,
        Math.max(0, wrapper) / steps / 1e3,
        Math.max(0, between) / steps / 1e3,
        replays / steps,
        replays == 0 ? 0 : replayed / replays,
        recordings,
        compiles,
        graphs(graphs, compilations),
        kernels(kernels, compilations));
  }

  /// Whether a step launched this work or made this call; without steps everything counts.
  private boolean inStep(int row) {
    return index.steps().count() == 0 || index.stepOf(row) >= 0;
  }

  private boolean isUnder(int row, String prefix) {
    for (int at = index.calls().parent(row); at != Slices.NONE; at = index.calls().parent(at)) {
      if (trace.name(at).startsWith(prefix)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isGenerated(String kernel) {
    return kernel.startsWith("triton_");
  }

  private static String keyOf(String annotation) {
    return annotation.substring(GRAPH.length()).replace("##", "").strip();
  }

  private List<GraphUse> graphs(Map<String, double[]> calls, List<Compilation> compilations) {
    List<GraphUse> uses = new ArrayList<>();
    calls.forEach(
        (key, sum) -> {
          String role = "";
          String function = "";
          for (Compilation one : compilations) {
            for (GeneratedGraph graph : one.graphs()) {
              if (graph.cacheKey().equals(key)) {
                role = graph.role().name();
                function = one.function();
              }
            }
          }
          uses.add(new GraphUse(key, role, function, sum[0] / steps, sum[1] / sum[0] / 1e3));
        });
    return uses;
  }

  private List<KernelUse> kernels(
      Map<String, KernelTotals> totals, List<Compilation> compilations) {
    Map<String, GeneratedKernel> known = new HashMap<>();
    for (Compilation one : compilations) {
      for (GeneratedGraph graph : one.graphs()) {
        graph.kernels().forEach(kernel -> known.put(kernel.name(), kernel));
      }
    }
    Device device =
        trace.recording().devices().isEmpty() ? null : trace.recording().devices().getFirst();
    Optional<OccupancyLimits> limits =
        device == null
            ? Optional.empty()
            : OccupancyLimits.ofComputeCapability(device.computeMajor(), device.computeMinor());
    Optional<GpuSpec> gpu =
        device == null ? Optional.empty() : GpuSpecs.known().find(device.name());
    List<KernelUse> uses = new ArrayList<>();
    totals.forEach(
        (name, total) -> {
          GeneratedKernel kernel = known.get(name);
          KernelLaunch launch = total.launch;
          Occupancy occupancy =
              launch == null || limits.isEmpty() || launch.registersPerThread() < 0
                  ? null
                  : Occupancy.of(
                      limits.get(),
                      launch.threadsPerBlock(),
                      launch.registersPerThread(),
                      Math.max(0, launch.sharedMemoryBytes()));
          double bytes = total.sized == 0 ? -1 : total.bytes / (double) total.sized;
          double rate =
              bytes <= 0 || gpu.isEmpty()
                  ? 0
                  : bytes
                      / (total.nanos / (double) total.calls / 1e9)
                      / gpu.get().memoryBytesPerSecond();
          uses.add(
              new KernelUse(
                  name,
                  total.calls / steps,
                  total.nanos / steps / 1e3,
                  bytes,
                  rate,
                  launch == null ? -1 : launch.registersPerThread(),
                  launch == null ? -1 : launch.sharedMemoryBytes(),
                  occupancy,
                  better(occupancy, launch),
                  kernel == null ? List.of() : kernel.operators(),
                  kernel == null ? List.of() : kernel.stackLines()));
        });
    uses.sort(Comparator.comparingDouble(KernelUse::microsPerStep).reversed());
    return uses;
  }

  private static @Nullable Occupancy better(
      @Nullable Occupancy occupancy, @Nullable KernelLaunch launch) {
    if (occupancy == null || launch == null) {
      return null;
    }
    Occupancy best = occupancy;
    for (Occupancy other :
        Occupancy.byBlockSize(
            occupancy.limits(),
            launch.registersPerThread(),
            Math.max(0, launch.sharedMemoryBytes()))) {
      best = other.fraction() > best.fraction() ? other : best;
    }
    return best.fraction() >= occupancy.fraction() + WORTH_ANOTHER_BLOCK_SIZE ? best : null;
  }

  /// Launches of one kernel, added up.
  private static final class KernelTotals {
    long calls;
    long nanos;
    long bytes;
    long sized;
    @Nullable KernelLaunch launch;

    void add(TraceJoin join, int deviceRow) {
      calls++;
      nanos += join.slices.durationNanos(deviceRow);
      int detail = join.slices.deviceWorkDetail(deviceRow);
      int launchIndex = detail == Slices.NONE ? -1 : join.slices.deviceWork().launch(detail);
      if (launch == null && launchIndex >= 0) {
        launch = join.trace.kernelLaunches().get(launchIndex);
      }
      int call = join.index.launches().launchOf(deviceRow);
      int host =
          call == Slices.NONE ? Slices.NONE : join.index.calls().enclosing(call, Category.CPU_OP);
      int operator = host == Slices.NONE ? Slices.NONE : join.slices.operatorDetail(host);
      if (operator != Slices.NONE && isGenerated(join.trace.name(host))) {
        long moved = join.bytesOf(operator);
        if (moved > 0) {
          bytes += moved;
          sized++;
        }
      }
    }
  }

  /// Bytes of all tensors that a generated kernel is called with: what it reads and writes, each
  /// once.
  private long bytesOf(int operator) {
    Shapes shapes = Shapes.parse(trace.names().text(slices.operators().inputShapesId(operator)));
    String[] types =
        trace
            .names()
            .text(slices.operators().inputTypesId(operator))
            .replaceAll("[\\[\\]\"]", "")
            .split(",", -1);
    long bytes = 0;
    for (int at = 0; at < shapes.size() && at < types.length; at++) {
      long[] dimensions = shapes.tensor(at);
      if (dimensions.length > 0) {
        bytes += Shapes.elements(dimensions) * itemBytes(types[at].strip());
      }
    }
    return bytes;
  }

  private static int itemBytes(String type) {
    return switch (type) {
      case "float", "int" -> 4;
      case "double", "long int" -> 8;
      case "c10::BFloat16", "c10::Half" -> 2;
      case "bool", "unsigned char", "signed char" -> 1;
      default -> 0;
    };
  }
}
