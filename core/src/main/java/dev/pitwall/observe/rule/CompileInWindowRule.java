package dev.pitwall.observe.rule;

import dev.pitwall.finding.Fix;
import dev.pitwall.observe.Observation;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.pattern.RowList;

/// torch.compile was compiling while the steps were recorded.
final class CompileInWindowRule implements Rule {
  @Override
  public String id() {
    return "compile-in-window";
  }

  @Override
  public Verdict judge(Observation observation) {
    Trace trace = observation.index().trace();
    RowList phases = new RowList();
    for (int row : trace.slices().rows(Category.CPU_OP)) {
      if (isCompilePhase(trace.name(row))) {
        int parent = observation.index().calls().parent(row);
        boolean outermost = true;
        for (int at = parent; at != Slices.NONE; at = observation.index().calls().parent(at)) {
          outermost &= !isCompilePhase(trace.name(at));
        }
        boolean inStep =
            observation.index().steps().count() == 0 || observation.index().stepOf(row) >= 0;
        if (outermost && inStep) {
          phases.add(row);
        }
      }
    }
    if (phases.size() == 0) {
      return Verdict.Clean.CLEAN;
    }
    int[] rows = phases.toArray();
    Loss loss = Loss.of(observation, Loss.nanos(observation, rows));
    return new Verdict.Fault(
        loss.finding(
            id(),
            String.format(
                "torch.compile compiled %,d times inside the recorded steps, %s a step: these steps"
                    + " are not the steady state.",
                rows.length, loss.text()),
            "The first call of a compiled function, and every recompile after a changed shape or"
                + " guard, takes seconds. A recording that contains one shows the compiler, not the"
                + " training step; if it happens in every window, something recompiles.",
            new Fix(
                "Warm up until nothing compiles any more, then record; look for the cause of"
                    + " repeated compiles with TORCH_LOGS=recompiles.",
                """
                schedule = torch.profiler.schedule(wait=5, warmup=2, active=3)
                # TORCH_LOGS=recompiles python train.py\
                """,
                "https://docs.pytorch.org/docs/stable/torch.compiler_faq.html"),
            Loss.longest(observation, rows)));
  }

  private static boolean isCompilePhase(String name) {
    return name.endsWith("(dynamo_timed)") || name.startsWith("_compile.compile_inner");
  }
}
