package dev.pitwall.study;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.NodeKind;
import dev.pitwall.simulate.CriticalPath;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.trace.Category;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/// A step split by what it is spent on: the critical path of the simulated steady state by cause,
/// which sums to the step, and what all kernels and operators take, on the path or not.
///
/// @param stepMillis the step
/// @param causeMillis critical path by cause, one entry each; sums to the step
/// @param kernelMillis device time per step by kernel name, collectives and copies included
/// @param operatorMillis host self time per step by operator
/// @param communicationMillis device time per step in collectives, hidden or not
public record StepAttribution(
    double stepMillis,
    Map<StepCause, Double> causeMillis,
    Map<String, Double> kernelMillis,
    Map<String, Double> operatorMillis,
    double communicationMillis) {
  /// Splits the step of a program.
  public static StepAttribution of(Baseline program) {
    ExecutionGraph graph = program.graph();
    CriticalPath path = CriticalPath.of(SteadyState.of(graph).replay());
    double step = program.stepMillis().value();
    double perNano = path.nanos() == 0 ? 0 : step / path.nanos();
    Map<StepCause, Double> causes = new EnumMap<>(StepCause.class);
    for (StepCause cause : StepCause.values()) {
      causes.put(cause, 0.0);
    }
    for (CriticalPath.Piece piece : path.pieces()) {
      causes.merge(StepCause.of(graph, piece), piece.nanos() * perNano, Double::sum);
    }
    Map<String, Double> kernels = new HashMap<>();
    Map<String, Double> operators = new HashMap<>();
    double communication = 0;
    double perStep = 1e-6 / graph.steps();
    for (int node = 0; node < graph.nodes(); node++) {
      double millis = graph.durationNanos(node) * perStep;
      if (graph.kind(node).isDeviceWork()) {
        kernels.merge(graph.label(node), millis, Double::sum);
        communication += graph.kind(node) == NodeKind.COLLECTIVE ? millis : 0;
      } else if (graph.category(node) == Category.CPU_OP) {
        operators.merge(graph.label(node), millis, Double::sum);
      }
    }
    return new StepAttribution(step, causes, kernels, operators, communication);
  }

  /// Share of the step that the host spends on the critical path.
  public double hostShare() {
    double host = 0;
    for (Map.Entry<StepCause, Double> entry : causeMillis.entrySet()) {
      host += entry.getKey().isHost() ? entry.getValue() : 0;
    }
    return stepMillis > 0 ? host / stepMillis : 0;
  }

  /// Communication that the step does not wait for, in milliseconds.
  public double hiddenCommunicationMillis() {
    return Math.max(
        0, communicationMillis - causeMillis.getOrDefault(StepCause.COMMUNICATION, 0.0));
  }
}
