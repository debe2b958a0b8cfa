package dev.pitwall.compile;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.pass.PassContext;
import dev.pitwall.pass.compile.CompileCosts;
import dev.pitwall.pass.compile.CompileMode;
import dev.pitwall.pass.compile.CompiledStep;
import dev.pitwall.pass.compile.FusionGroup;
import dev.pitwall.pass.compile.ProgramReader;
import dev.pitwall.pass.compile.TracedOperator;
import dev.pitwall.pass.compile.TracedProgram;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What the compiler would make of an eager program, beside its step time: kernels, groups, memory,
/// and how long compiling takes.
///
/// @param kernelsBefore kernels, copies and sets a step of what would be compiled
/// @param kernelsAfter the same after
/// @param regions compiled graphs, forward and backward
/// @param breaks waits of the host in the forward that would break the graph
/// @param groups equal groups together, longest first
/// @param savedBytesBefore activations the eager forward keeps for the backward, and the most that
///     one operator of the backward holds
/// @param savedBytesAfter the same after, as the partitioner recomputes what loops make
public record CompilePrediction(
    int kernelsBefore,
    int kernelsAfter,
    int regions,
    int breaks,
    int operators,
    List<Group> groups,
    double savedBytesBefore,
    double savedBytesAfter) {
  /// How far peak memory may be off, as a share of its change and of what is kept: four measured
  /// programs lie within.
  private static final double MEMORY_ERROR_OF_CHANGE = 0.5;

  private static final double MEMORY_ERROR_OF_KEPT = 0.1;

  /// How far compile time may be off, either way, as a factor.
  private static final double COMPILE_TIME_FACTOR = 2;

  /// Cold max-autotune over cold default, published for llama on B200: 83 against 22 s, 168 against
  /// 47.
  private static final double AUTOTUNE_FACTOR = 3.7;

  public CompilePrediction {
    groups = List.copyOf(groups);
  }

  /// Groups with the same operators, of a step.
  public record Group(
      String label,
      boolean isBackward,
      boolean isExtern,
      int count,
      int kernels,
      int kernelsBefore,
      double microsBefore,
      double microsAfter,
      double bytes) {}

  /// The prediction for the second recorded step, or the only one.
  public static CompilePrediction of(TraceIndex index) {
    List<TracedProgram> programs = new ProgramReader(index).read();
    TracedProgram program = programs.get(Math.min(1, programs.size() - 1));
    CompiledStep step =
        CompiledStep.of(program, new CompileCosts(PassContext.of(index).costs().gpu()));
    double before = 0;
    double after = 0;
    double transientBefore = 0;
    double transientAfter = 0;
    int regions = 0;
    Map<String, Group> groups = new LinkedHashMap<>();
    for (int at = 0; at < step.groupsOfRegion().size(); at++) {
      boolean isBackward = program.regions().get(at).isBackward();
      regions += step.groupsOfRegion().get(at).isEmpty() ? 0 : 1;
      for (FusionGroup group : step.groupsOfRegion().get(at)) {
        add(groups, group, isBackward);
        if (!isBackward) {
          before += savedEagerly(group);
          after += savedCompiled(group);
        } else if (!group.isExtern()) {
          transientBefore = Math.max(transientBefore, largestEagerly(group));
          transientAfter = Math.max(transientAfter, group.bytesRead() + group.bytesWritten());
        }
      }
    }
    boolean trains = program.regions().stream().anyMatch(TracedProgram.Region::isBackward);
    List<Group> sorted = new ArrayList<>(groups.values());
    sorted.sort(Comparator.comparingDouble(Group::microsAfter).reversed());
    return new CompilePrediction(
        step.kernelsBefore(),
        step.kernelsAfter(),
        regions,
        program.breaks(),
        step.operators(),
        sorted,
        trains ? before + transientBefore : 0,
        trains ? after + Math.min(transientAfter, transientBefore) : 0);
  }

  private static void add(Map<String, Group> groups, FusionGroup group, boolean isBackward) {
    groups.merge(
        isBackward + group.label(),
        new Group(
            group.label(),
            isBackward,
            group.isExtern(),
            1,
            group.kernels(),
            group.eagerKernels(),
            group.eagerNanos() / 1e3,
            group.deviceNanos() / 1e3,
            group.bytesRead() + group.bytesWritten()),
        (a, b) ->
            new Group(
                a.label(),
                a.isBackward(),
                a.isExtern(),
                a.count() + b.count(),
                a.kernels() + b.kernels(),
                a.kernelsBefore() + b.kernelsBefore(),
                a.microsBefore() + b.microsBefore(),
                a.microsAfter() + b.microsAfter(),
                a.bytes() + b.bytes()));
  }

  /// What autograd keeps of the operators of a group: inputs of products, normalizations, losses
  /// and of functions whose derivative needs them, outputs of softmax.
  private static double savedEagerly(FusionGroup group) {
    double bytes = 0;
    for (TracedOperator member : group.members()) {
      bytes +=
          switch (member.kind()) {
            case EXTERN -> member.largestInputBytes() + member.secondInputBytes();
            case NORMALIZATION, BATCH_NORM, LOSS -> member.largestInputBytes();
            case SOFTMAX -> member.outputBytes();
            case POINTWISE -> keepsInput(member) ? member.largestInputBytes() : 0;
            default -> 0;
          };
    }
    return bytes;
  }

  /// Whether the derivative needs the input; a relu keeps its output, which the next product keeps
  /// too.
  private static boolean keepsInput(TracedOperator operator) {
    String name = operator.name();
    return !name.contains("::add")
        && !name.contains("::sub")
        && !name.contains("::cat")
        && !name.contains("::relu");
  }

  /// What the partitioner keeps: what library calls need again, and what a loop whose derivative
  /// needs its input reads; what such a loop makes in between is computed again.
  private static double savedCompiled(FusionGroup group) {
    if (group.isExtern()) {
      return savedEagerly(group);
    }
    boolean needed =
        group.members().stream()
            .anyMatch(
                member ->
                    switch (member.kind()) {
                      case NORMALIZATION, BATCH_NORM, SOFTMAX -> true;
                      case POINTWISE -> keepsInput(member);
                      default -> false;
                    });
    return needed ? group.bytesRead() : 0;
  }

  /// The largest amount that one operator of the backward holds while it runs.
  private static double largestEagerly(FusionGroup group) {
    return group.members().stream()
        .mapToDouble(member -> member.largestInputBytes() + member.outputBytes())
        .max()
        .orElse(0);
  }

  /// Change of peak memory in bytes; negative where compiling saves.
  public Estimate peakMemoryChangeBytes() {
    double change = savedBytesAfter - savedBytesBefore;
    double error =
        Math.abs(change) * MEMORY_ERROR_OF_CHANGE + savedBytesBefore * MEMORY_ERROR_OF_KEPT;
    return new Estimate(change, change - error, change + error, Basis.MODELLED);
  }

  /// Seconds until the first compiled step is done, nothing cached.
  public Estimate compileSeconds(CompileMode mode) {
    double seconds =
        (CompileCosts.constant("compile_seconds_fixed")
                + operators * CompileCosts.constant("compile_seconds_an_operator"))
            * (mode == CompileMode.MAX_AUTOTUNE ? AUTOTUNE_FACTOR : 1);
    return new Estimate(
        seconds, seconds / COMPILE_TIME_FACTOR, seconds * COMPILE_TIME_FACTOR, Basis.MODELLED);
  }

  /// Steps after which compiling has paid back; empty where it never does.
  ///
  /// @param gainMillis what a step gains
  public java.util.OptionalLong paybackSteps(CompileMode mode, double gainMillis) {
    return gainMillis <= 0
        ? java.util.OptionalLong.empty()
        : java.util.OptionalLong.of(
            (long) Math.ceil(compileSeconds(mode).value() * 1e3 / gainMillis));
  }
}
