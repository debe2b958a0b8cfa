package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Estimates how long a step takes without the recorder: its costs are taken out of the host's part
/// of the graph ([ProfilingOverhead]), waits for other ranks out of the collectives
/// ([CollectiveTransfers]), the rest is simulated to its steady state.
///
/// The interval comes from simulating with the costs smaller and larger by their own uncertainty,
/// so a step that the device bounds gets a narrow one and a step that the host bounds a wide one.
/// It is widened, with a sentence that says why, where the window was not a fair sample of the run.
public final class StepEstimator {
  /// What two measurements of one device-bound program differ by: the spread of the blocks in
  /// data/h200/*/truth.jsonl stays within 3 % for nine of ten.
  private static final double RUN_TO_RUN = 0.03;

  /// How much the speed of a host differs between the recorded window and another time, beyond what
  /// [HostSpeed] sees: the blocks of host-bound programs in data/h200.
  private static final double HOST_DRIFT = 0.06;

  /// Batches from loader workers come in bunches; a window of a few steps catches a part of one.
  private static final double INPUT_UNCERTAINTY = 0.35;

  private static final double UNEQUAL_STEPS = 0.03;

  /// Bounds of the search for the costs that explain a measured step.
  private static final double LARGEST_FACTOR = 8;

  private static final int FITTING_STEPS = 12;
  private static final double FITTED_SHARE = 0.01;

  private final List<TraceGraph> ranks;
  private final OverheadTable overheads;
  private final CollectiveTransfers transfers;
  private final List<String> remarks = new ArrayList<>();

  private StepEstimator(List<TraceGraph> ranks, OverheadTable overheads) {
    this.ranks = ranks;
    this.overheads = overheads;
    this.transfers = new CollectiveTransfers(ranks);
  }

  /// The step of a job recorded by one rank.
  public static Baseline estimate(TraceIndex index) {
    return estimate(List.of(index));
  }

  /// The step of a job from the recordings of some or all of its ranks.
  ///
  /// @param ranks the rank whose graph stands for the job first ([Representatives])
  public static Baseline estimate(List<TraceIndex> ranks) {
    return estimate(ranks, OverheadTable.shipped());
  }

  /// The same with other costs of recording than those that ship.
  public static Baseline estimate(List<TraceIndex> ranks, OverheadTable overheads) {
    return new StepEstimator(ranks.stream().map(TraceGraph::of).toList(), overheads).estimate();
  }

  /// The step of one rank whose true time was measured: the costs of recording are made larger or
  /// smaller, all by one factor, until the simulated step is the measured one. Then gains are those
  /// of this host on this day.
  ///
  /// @param measuredMillis with the interval that its noise gives
  /// @return empty where no factor from 0 to 8 explains the measured step within 1 %
  public static Optional<Baseline> fitted(TraceIndex index, Estimate measuredMillis) {
    TraceGraph rank = TraceGraph.of(index);
    StepEstimator estimator = new StepEstimator(List.of(rank), OverheadTable.shipped());
    DeviceClock clock = DeviceClock.of(rank);
    RecordedThings things = new RecordedThings(rank);
    ProfilingOverhead costs = OverheadTable.shipped().costs(index);
    double low = 0;
    double high = LARGEST_FACTOR;
    ExecutionGraph graph = estimator.without(rank, things, costs, clock);
    for (int i = 0; i < FITTING_STEPS && !explains(graph, measuredMillis); i++) {
      double factor = (low + high) / 2;
      graph = estimator.without(rank, things, costs.times(factor), clock);
      if (millis(graph) > measuredMillis.value()) {
        low = factor;
      } else {
        high = factor;
      }
    }
    double step = millis(graph);
    if (!explains(graph, measuredMillis)) {
      return Optional.empty();
    }
    return Optional.of(
        new Baseline(
            graph,
            new Estimate(
                step,
                Math.min(step, measuredMillis.low()),
                Math.max(step, measuredMillis.high()),
                Basis.MEASURED),
            List.of()));
  }

  private static boolean explains(ExecutionGraph graph, Estimate measuredMillis) {
    return Math.abs(millis(graph) - measuredMillis.value())
        <= FITTED_SHARE * measuredMillis.value();
  }

  private Baseline estimate() {
    ExecutionGraph ofFirst = null;
    double slowest = 0;
    double sum = 0;
    double fastestLow = Double.MAX_VALUE;
    double slowestHigh = 0;
    for (TraceGraph rank : ranks) {
      double uncertainty = overheads.uncertainty(rank.index());
      DeviceClock clock = DeviceClock.of(rank);
      RecordedThings things = new RecordedThings(rank);
      ProfilingOverhead costs = overheads.costs(rank.index());
      ExecutionGraph graph = without(rank, things, costs, clock);
      double step = millis(graph);
      double low =
          millis(
              without(rank, things, costs.times(1 + uncertainty).slowedBy(1 + HOST_DRIFT), clock));
      double high =
          millis(
              without(rank, things, costs.times(1 - uncertainty).slowedBy(1 - HOST_DRIFT), clock));
      double below = root(step - low, RUN_TO_RUN * step, clock.spread() * step);
      double above = root(high - step, RUN_TO_RUN * step, clock.spread() * step);
      double unfair = unfairness(rank, clock);
      fastestLow = Math.min(fastestLow, step - root(below, unfair * step));
      slowestHigh = Math.max(slowestHigh, step + root(above, unfair * step));
      sum += step;
      slowest = Math.max(slowest, step);
      ofFirst = ofFirst == null ? graph : ofFirst;
    }
    double value = (slowest + sum / ranks.size()) / 2;
    if (ranks.size() == 1 && !transfers.isEmpty()) {
      slowestHigh = Math.max(slowestHigh, alone(ranks.getFirst(), value));
    }
    return new Baseline(
        Objects.requireNonNull(ofFirst),
        new Estimate(value, Math.max(0, fastestLow), slowestHigh, Basis.SIMULATED),
        remarks);
  }

  /// The graph of a rank without the recorder's cost.
  private ExecutionGraph without(
      TraceGraph rank, RecordedThings things, ProfilingOverhead costs, DeviceClock clock) {
    ExecutionGraph graph = rank.graph();
    long[] durations = costs.durationsWithout(things);
    transfers.applyTo(rank, durations);
    InputArrivals.settle(rank, durations);
    if (clock.factor() != 1) {
      for (int node = 0; node < durations.length; node++) {
        if (graph.kind(node) == NodeKind.KERNEL) {
          durations[node] = Math.round(durations[node] * clock.factor());
        }
      }
    }
    return graph.withDurationsNanos(durations);
  }

  private static double millis(ExecutionGraph graph) {
    return SteadyState.of(graph).stepNanos() / 1e6;
  }

  /// How far, as a share, the window may be from the run it was cut from. Says why.
  private double unfairness(TraceGraph rank, DeviceClock clock) {
    double unfair = 0;
    int waits = InputArrivals.waits(rank);
    if (waits > 0) {
      unfair += INPUT_UNCERTAINTY;
      remark(
          "The window caught %d waits for input batches, which come in bunches; a longer window"
                  .formatted(waits)
              + " narrows the estimate.");
    }
    if (clock.spread() > 0) {
      remark(
          "Equal kernels took up to %.0f %% longer within the recording: the device changed its"
                  .formatted(100 * clock.spread())
              + " clock.");
    }
    double spread = StepSpread.ofDevice(rank);
    if (spread > UNEQUAL_STEPS && clock.spread() == 0) {
      unfair += spread / 2 / Math.sqrt(rank.graph().steps());
      remark(
          "The device work of the recorded steps differs by %.0f %%; other steps may differ too."
              .formatted(100 * spread));
    }
    return unfair;
  }

  private void remark(String sentence) {
    if (!remarks.contains(sentence)) {
      remarks.add(sentence);
    }
  }

  /// The step if the waits inside the collectives were all real.
  private double alone(TraceGraph rank, double value) {
    long[] durations = overheads.costs(rank.index()).durationsWithout(new RecordedThings(rank));
    double asRecorded = millis(rank.graph().withDurationsNanos(durations));
    if (asRecorded > value * (1 + RUN_TO_RUN)) {
      remark(
          "Only one rank was given: how much of its collectives is waiting for others is not"
              + " known.");
    }
    return asRecorded;
  }

  private static double root(double... errors) {
    double sum = 0;
    for (double error : errors) {
      sum += error * error;
    }
    return Math.sqrt(sum);
  }
}
