package dev.pitwall.study;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Gain;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.compile.CompileMode;
import dev.pitwall.pass.compile.CompileModePass;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.VaryingShapes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What changes would do to the step of one trace: each is applied to the graph, the graph is
/// simulated to its steady state, and the step is compared with that of the unchanged graph.
///
/// Results are kept, so that asking twice costs nothing. Not safe for concurrent use.
public final class WhatIf {
  /// A further change must save this share of the step to be part of the best combination.
  private static final double WORTHWHILE = 0.003;

  private final PassContext context;
  private final Baseline baseline;
  private final double baselineMillis;
  private final long[] deviceNanosOfRow;
  private @Nullable HostSensitivity hostSensitivity;
  private final Map<Change, Optional<Prediction>> alone = new HashMap<>();

  /// A study of a trace on its graph without the recorder's cost.
  public static WhatIf of(TraceIndex index) {
    return new WhatIf(index, Baseline.unprofiled(index));
  }

  /// A study of a trace on the graph it is given.
  ///
  /// @param index the trace that the baseline's graph is of
  public WhatIf(TraceIndex index, Baseline baseline) {
    this.context = PassContext.of(index);
    this.baseline = baseline;
    this.baselineMillis = SteadyState.of(baseline.graph()).stepNanos() / 1e6;
    this.deviceNanosOfRow = deviceNanosOfRow(index, baseline.graph());
  }

  /// The step before any change, in milliseconds.
  public Estimate before() {
    return baseline.stepMillis();
  }

  /// What all these changes together do, in the order given. Changes that do not apply are left out
  /// and named.
  public Prediction predict(List<Change> changes) {
    Applied result = apply(changes);
    return prediction(result.graph(), result.changes(), result.left(), result.workRatio());
  }

  /// The graph with all these changes that apply: what a predicted timeline is drawn from.
  public ExecutionGraph graphAfter(List<Change> changes) {
    return apply(changes).graph();
  }

  private record Applied(
      ExecutionGraph graph,
      List<Change> changes,
      List<Prediction.NotApplicable> left,
      double workRatio) {}

  private Applied apply(List<Change> changes) {
    ExecutionGraph graph = baseline.graph();
    PassContext now = context;
    List<Change> applied = new ArrayList<>();
    List<Prediction.NotApplicable> left = new ArrayList<>();
    double workRatio = 1;
    for (Change change : changes) {
      Pass pass = Passes.named(change.id());
      Optional<String> obstacle = pass.obstacle(now, change.argument());
      if (obstacle.isPresent()) {
        left.add(new Prediction.NotApplicable(change, obstacle.get()));
      } else {
        graph = pass.apply(now, graph, change.argument());
        workRatio *= pass.workRatio(now, change.argument());
        now = now.after(change.id());
        applied.add(new Change(change.id(), pass.usedArgument(change.argument())));
      }
    }
    return new Applied(graph, applied, left, workRatio);
  }

  /// What one change alone does; empty where it does not apply.
  public Optional<Prediction> alone(Change change) {
    Optional<Prediction> known = alone.get(change);
    if (known == null) {
      Prediction prediction = predict(List.of(change));
      known = prediction.applied().isEmpty() ? Optional.empty() : Optional.of(prediction);
      alone.put(change, known);
    }
    return known;
  }

  /// What the fix of a finding saves; empty where no pass has that id or it does not apply. A pass
  /// with several arguments worth trying counts with the best.
  public Optional<Gain> gainOf(String findingId) {
    Optional<Gain> best = Optional.empty();
    for (Pass pass : Passes.all()) {
      if (!Passes.answersTo(pass, findingId)) {
        continue;
      }
      for (String argument : pass.candidateArguments(context)) {
        Optional<Gain> gain = alone(new Change(pass.id(), argument)).map(Prediction::gain);
        if (gain.isPresent()
            && (best.isEmpty() || gain.get().millis().value() > best.get().millis().value())) {
          best = gain;
        }
      }
    }
    return best;
  }

  /// The mode of `torch.compile` to try first; empty where compiling does not apply.
  public Optional<CompileChoice> compileChoice() {
    Map<CompileMode, Prediction> byMode = new EnumMap<>(CompileMode.class);
    for (CompileMode mode : CompileMode.values()) {
      alone(new Change(CompileModePass.ID, mode.spelling()))
          .ifPresent(prediction -> byMode.put(mode, prediction));
    }
    return byMode.isEmpty()
        ? Optional.empty()
        : CompileChoice.of(byMode, VaryingShapes.betweenSteps(context.index()));
  }

  /// The arguments worth trying for a pass; one empty text where it takes none.
  public List<String> candidates(String id) {
    return Passes.named(id).candidateArguments(context);
  }

  /// Whether each pass applies, with what it would need where it does not. A pass that takes one of
  /// several words applies where it does with any of them.
  public List<Applicability> applicability() {
    List<Applicability> all = new ArrayList<>();
    for (Pass pass : Passes.all()) {
      Optional<String> obstacle = Optional.empty();
      for (String argument : argumentsToAsk(pass)) {
        obstacle = pass.obstacle(context, argument);
        if (obstacle.isEmpty()) {
          break;
        }
      }
      all.add(new Applicability(pass, obstacle));
    }
    return all;
  }

  private List<String> argumentsToAsk(Pass pass) {
    return pass.argumentForm().contains("|")
        ? List.of(pass.argumentForm().split("\\|"))
        : List.of("");
  }

  /// A pass and why it does not apply to this trace, if so.
  public record Applicability(Pass pass, Optional<String> obstacle) {}

  /// All changes worth trying, each alone, by gain, and the best combination of them.
  public Ranking rank() {
    List<Prediction> ranked = new ArrayList<>();
    for (Pass pass : Passes.all()) {
      for (String argument : pass.candidateArguments(context)) {
        alone(new Change(pass.id(), argument)).ifPresent(ranked::add);
      }
    }
    ranked.sort(
        Comparator.comparingDouble((Prediction one) -> one.gain().millis().value()).reversed());
    return new Ranking(ranked, bestCombination(ranked));
  }

  /// Adds one change after the other, most gain alone first, and keeps those that still save.
  private Prediction bestCombination(List<Prediction> ranked) {
    ExecutionGraph graph = baseline.graph();
    PassContext now = context;
    List<Change> kept = new ArrayList<>();
    double step = before().value();
    for (Prediction one : ranked) {
      Change change = one.applied().getFirst();
      Pass pass = Passes.named(change.id());
      if (now.has(change.id()) || pass.obstacle(now, change.argument()).isPresent()) {
        continue;
      }
      ExecutionGraph changed = pass.apply(now, graph, change.argument());
      double changedStep = stepMillis(changed);
      if (changedStep < step - WORTHWHILE * before().value()) {
        graph = changed;
        now = now.after(change.id());
        kept.add(change);
        step = changedStep;
      }
    }
    return prediction(graph, kept, List.of(), 1);
  }

  private Prediction prediction(
      ExecutionGraph graph,
      List<Change> applied,
      List<Prediction.NotApplicable> left,
      double workRatio) {
    Estimate before = before();
    if (applied.isEmpty()) {
      Estimate nothing = new Estimate(0, 0, 0, Basis.SIMULATED);
      return new Prediction(before, before, new Gain(nothing, 0), applied, left, 1);
    }
    Uncertainty uncertainty =
        new Uncertainty(
            before,
            stepMillis(graph),
            modelledMillis(graph),
            modelledHostMillis(graph),
            hostSensitivity(),
            HostSensitivity.of(graph));
    return new Prediction(before, uncertainty.step(), uncertainty.gain(), applied, left, workRatio);
  }

  private HostSensitivity hostSensitivity() {
    if (hostSensitivity == null) {
      hostSensitivity = HostSensitivity.of(baseline.graph());
    }
    return hostSensitivity;
  }

  /// Device time of one step that the graph has and the baseline has not, by trace row.
  private double modelledMillis(ExecutionGraph graph) {
    double modelled = 0;
    for (int node = 0; node < graph.nodes(); node++) {
      if (!graph.kind(node).isDeviceWork()) {
        continue;
      }
      int row = graph.traceRow(node);
      if (row < 0 || deviceNanosOfRow[row] != graph.durationNanos(node)) {
        modelled += graph.durationNanos(node);
      }
    }
    return modelled / 1e6 / graph.steps();
  }

  /// By how much the step would be longer if the host work that a pass put in took longer by the
  /// error of its model.
  private double modelledHostMillis(ExecutionGraph graph) {
    long[] durations = new long[graph.nodes()];
    boolean any = false;
    for (int node = 0; node < durations.length; node++) {
      durations[node] = graph.durationNanos(node);
      NodeKind kind = graph.kind(node);
      if (graph.traceRow(node) < 0 && !kind.isDeviceWork() && kind != NodeKind.HOST_WAIT) {
        durations[node] = Math.round(durations[node] * (1 + Uncertainty.HOST_MODEL_ERROR));
        any = true;
      }
    }
    return any ? stepMillis(graph.withDurationsNanos(durations)) - stepMillis(graph) : 0;
  }

  /// By trace row, how long its device work lasts before any change.
  private static long[] deviceNanosOfRow(TraceIndex index, ExecutionGraph graph) {
    long[] nanos = new long[index.trace().slices().size()];
    for (int node = 0; node < graph.nodes(); node++) {
      if (graph.traceRow(node) >= 0 && graph.kind(node).isDeviceWork()) {
        nanos[graph.traceRow(node)] = graph.durationNanos(node);
      }
    }
    return nanos;
  }

  /// The job's step with this graph: it changes as the step of the rank that the graph is of.
  private double stepMillis(ExecutionGraph graph) {
    double simulated = SteadyState.of(graph).stepNanos() / 1e6;
    return baselineMillis > 0 ? before().value() * (simulated / baselineMillis) : simulated;
  }
}
