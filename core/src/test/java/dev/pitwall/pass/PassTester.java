package dev.pitwall.pass;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.GraphVerifier;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.trace.TraceIndex;
import java.util.List;
import java.util.Optional;

/// Runs one pass on the graph of a small recording and checks the changed graph.
public final class PassTester {
  private final Pass pass;
  private final String argument;

  public PassTester(Pass pass) {
    this(pass, "");
  }

  public PassTester(Pass pass, String argument) {
    this.pass = pass;
    this.argument = argument;
  }

  /// The pass does not apply, and says why in a sentence.
  public void doesNotFire(TinyProgram program) {
    Optional<String> obstacle = pass.obstacle(PassContext.of(program.index()), argument);
    assertTrue(obstacle.isPresent(), pass.id() + " applies where it should not");
    assertTrue(obstacle.get().length() > 10, obstacle.get());
  }

  /// The pass applies.
  public Result fires(TinyProgram program) {
    TraceIndex index = program.index();
    PassContext context = PassContext.of(index);
    assertEquals(Optional.empty(), pass.obstacle(context, argument));
    ExecutionGraph before = TraceGraph.of(index).graph();
    ExecutionGraph after = pass.apply(context, before, argument);
    assertEquals(List.of(), GraphVerifier.faults(after));
    return new Result(before, after);
  }

  /// The graphs before and after a pass.
  public record Result(ExecutionGraph before, ExecutionGraph after) {
    /// Time of all device work of one step after the pass, in microseconds.
    public double deviceMicros() {
      return deviceMicros(after);
    }

    /// Time of all device work of one step before the pass, in microseconds.
    public double deviceMicrosBefore() {
      return deviceMicros(before);
    }

    public double stepMicros() {
      return SteadyState.of(after).stepNanos() / 1e3;
    }

    public double stepMicrosBefore() {
      return SteadyState.of(before).stepNanos() / 1e3;
    }

    /// The step gets shorter.
    public Result gains() {
      assertTrue(
          stepMicros() < stepMicrosBefore(),
          "the step takes " + stepMicros() + " us after and " + stepMicrosBefore() + " before");
      return this;
    }

    /// No node of this label is left.
    public Result lacks(String label) {
      assertFalse(hasLabel(label), label + " is still there");
      return this;
    }

    /// A node of this label is there.
    public Result has(String label) {
      assertTrue(hasLabel(label), label + " is missing");
      return this;
    }

    private boolean hasLabel(String label) {
      for (int node = 0; node < after.nodes(); node++) {
        if (after.label(node).equals(label)) {
          return true;
        }
      }
      return false;
    }

    private static double deviceMicros(ExecutionGraph graph) {
      double nanos = 0;
      for (int node = 0; node < graph.nodes(); node++) {
        if (graph.kind(node).isDeviceWork()) {
          nanos += graph.durationNanos(node);
        }
      }
      return nanos / 1e3 / graph.steps();
    }
  }
}
