package dev.pitwall.pass.scale;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.Resource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The step of one rank as a graph whose layers are known: which nodes are the forward, the
/// backward and the optimizer of each, and which gradients each backward makes in which order.
///
/// ```
///   host     [fwd 0][fwd 1]...[fwd n][bwd n]...[bwd 0][optimizer]
///   compute    [fwd 0][fwd 1]  ...  [bwd n]  ...  [bwd 0][optimizer]
/// ```
///
/// @param micros for each micro-batch its units, in order of the forward
/// @param optimizerLaunches host nodes of the optimizer
/// @param optimizerKernels device nodes of the optimizer
/// @param computeStream resource of the kernels
/// @param host resource of the launching thread
public record LayeredStep(
    ExecutionGraph graph,
    List<List<Unit>> micros,
    int[] optimizerLaunches,
    int[] optimizerKernels,
    int host,
    int computeStream) {

  /// A piece of the model that a sharding strategy treats as one: a layer, or what stands before
  /// and after the layers.
  ///
  /// @param gradientElements elements of each parameter, in the order in which its gradient is
  ///     ready
  /// @param isLayer a layer, as opposed to embedding, head and loss (which FSDP leaves in its root)
  public record Unit(
      String name,
      long[] gradientElements,
      boolean isLayer,
      int[] forwardLaunches,
      int[] forwardKernels,
      int[] backwardLaunches,
      int[] backwardKernels) {

    public long elements() {
      return Arrays.stream(gradientElements).sum();
    }
  }

  /// Times of one unit, the input of [#build].
  public record UnitTimes(
      String name,
      long[] gradientElements,
      boolean isLayer,
      long forwardHostNanos,
      long forwardDeviceNanos,
      long backwardHostNanos,
      long backwardDeviceNanos) {
    /// The same unit, everything taking so many times as long.
    public UnitTimes times(double factor) {
      return new UnitTimes(
          name,
          gradientElements,
          isLayer,
          Math.round(forwardHostNanos * factor),
          Math.round(forwardDeviceNanos * factor),
          Math.round(backwardHostNanos * factor),
          Math.round(backwardDeviceNanos * factor));
    }
  }

  /// Launches and kernels into which each direction of a unit is cut: enough for the host to run
  /// ahead within a unit as it does in reality.
  private static final int PIECES = 4;

  /// Time from a launch to the start of its kernel (own measurements on H200: 4 to 6 us).
  static final long LAUNCH_LATENCY_NANOS = 5_000;

  public LayeredStep {
    micros = micros.stream().map(List::copyOf).toList();
  }

  /// Units of the last micro-batch, whose backward completes the gradients.
  public List<Unit> lastMicro() {
    return micros.getLast();
  }

  /// A plain step without any communication.
  ///
  /// @param microBatches how many times forward and backward run before the optimizer
  public static LayeredStep build(
      List<UnitTimes> units, int microBatches, long optimizerHostNanos, long optimizerDeviceNanos) {
    GraphBuilder builder = new GraphBuilder();
    int host = builder.resource(Resource.thread("host"));
    int compute = builder.resource(Resource.stream("compute", 0));
    List<List<Unit>> micros = new ArrayList<>();
    for (int micro = 0; micro < microBatches; micro++) {
      List<int[][]> forwards = new ArrayList<>();
      for (UnitTimes unit : units) {
        forwards.add(
            pieces(
                builder,
                host,
                compute,
                unit.forwardHostNanos(),
                unit.forwardDeviceNanos(),
                unit.name() + " forward"));
      }
      Unit[] made = new Unit[units.size()];
      for (int i = units.size() - 1; i >= 0; i--) {
        UnitTimes unit = units.get(i);
        int[][] backward =
            pieces(
                builder,
                host,
                compute,
                unit.backwardHostNanos(),
                unit.backwardDeviceNanos(),
                unit.name() + " backward");
        made[i] =
            new Unit(
                unit.name(),
                unit.gradientElements(),
                unit.isLayer(),
                forwards.get(i)[0],
                forwards.get(i)[1],
                backward[0],
                backward[1]);
      }
      micros.add(List.of(made));
    }
    int[][] optimizer =
        pieces(builder, host, compute, optimizerHostNanos, optimizerDeviceNanos, "optimizer");
    LayeredStep built =
        new LayeredStep(builder.build(), micros, optimizer[0], optimizer[1], host, compute);
    return built.renumbered(builder, built.graph());
  }

  private static int[][] pieces(
      GraphBuilder builder, int host, int compute, long hostNanos, long deviceNanos, String label) {
    int[] launches = new int[PIECES];
    int[] kernels = new int[PIECES];
    for (int piece = 0; piece < PIECES; piece++) {
      launches[piece] = builder.add(NodeKind.LAUNCH, host, hostNanos / PIECES, label);
      kernels[piece] = builder.add(NodeKind.KERNEL, compute, deviceNanos / PIECES, label);
      builder.edge(launches[piece], kernels[piece], EdgeKind.LAUNCH, LAUNCH_LATENCY_NANOS);
    }
    return new int[][] {launches, kernels};
  }

  /// This step after a builder that started from its graph (or built it) was frozen to `changed`.
  LayeredStep renumbered(GraphBuilder builder, ExecutionGraph changed) {
    List<List<Unit>> moved = new ArrayList<>();
    for (List<Unit> micro : micros) {
      List<Unit> units = new ArrayList<>();
      for (Unit unit : micro) {
        units.add(
            new Unit(
                unit.name(),
                unit.gradientElements(),
                unit.isLayer(),
                renumbered(builder, unit.forwardLaunches()),
                renumbered(builder, unit.forwardKernels()),
                renumbered(builder, unit.backwardLaunches()),
                renumbered(builder, unit.backwardKernels())));
      }
      moved.add(units);
    }
    return new LayeredStep(
        changed,
        moved,
        renumbered(builder, optimizerLaunches),
        renumbered(builder, optimizerKernels),
        host,
        computeStream);
  }

  private static int[] renumbered(GraphBuilder builder, int[] nodes) {
    return Arrays.stream(nodes).map(builder::numberInGraph).toArray();
  }
}
