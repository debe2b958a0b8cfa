package dev.pitwall.pass.compile;

import java.util.ArrayList;
import java.util.List;

/// One step as the compiler would run it: each region with its groups; a region that stays eager
/// has none.
public record CompiledStep(TracedProgram program, List<List<FusionGroup>> groupsOfRegion) {
  public CompiledStep {
    groupsOfRegion = List.copyOf(groupsOfRegion);
  }

  public static CompiledStep of(TracedProgram program, CompileCosts costs) {
    List<List<FusionGroup>> groups = new ArrayList<>();
    for (TracedProgram.Region region : program.regions()) {
      groups.add(region.isCompiled() ? FusionPlanner.plan(region, costs) : List.of());
    }
    return new CompiledStep(program, groups);
  }

  /// Kernels of the compiled regions in the eager program.
  public int kernelsBefore() {
    return groupsOfRegion.stream().flatMap(List::stream).mapToInt(FusionGroup::eagerKernels).sum();
  }

  /// Kernels of the compiled regions after.
  public int kernelsAfter() {
    return groupsOfRegion.stream().flatMap(List::stream).mapToInt(FusionGroup::kernels).sum();
  }

  /// Operators that would be compiled.
  public int operators() {
    return groupsOfRegion.stream()
        .flatMap(List::stream)
        .mapToInt(group -> group.members().size())
        .sum();
  }
}
