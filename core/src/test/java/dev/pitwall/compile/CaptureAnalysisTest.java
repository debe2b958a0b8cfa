package dev.pitwall.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Severity;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.compilelog.CompileLog;
import dev.pitwall.trace.compilelog.CompileLogReader;
import dev.pitwall.trace.compilelog.GuardFailure;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CaptureAnalysisTest {
  @Test
  void theBranchInEachBlockIsTheFirstFindingWithItsLineAndTheRightAdvice() {
    CaptureReport report =
        CaptureAnalysis.analyze(
            List.of(log("h200/gpt2_compile/torch_trace/rank_none_1.log.gz")),
            List.of(trace("h200/gpt2_compile/noisy_default.trace.json.gz")));
    Finding first = report.findings().getFirst();
    assertThat(first.id()).isEqualTo("graph-break");
    assertThat(first.severity()).isEqualTo(Severity.HIGH);
    assertThat(first.title())
        .contains("collect.py:95", "GB0124", "fell back to eager", "24 compiled regions");
    assertThat(first.fix().text()).contains("torch.where", "never makes a tensor branch compile");
    assertThat(first.evidence()).isNotEmpty();
  }

  @Test
  void recompilesOfVaryingLengthNameTheDimension() {
    CaptureReport report =
        CaptureAnalysis.analyze(
            List.of(log("h200/gpt2_compile/torch_trace/rank_none_1.log.gz")), List.of());
    assertThat(report.recompiles())
        .extracting(cause -> cause.varied().kind())
        .contains(Varied.Kind.TENSOR_SIZE, Varied.Kind.COMPILER_HEURISTIC, Varied.Kind.FLOAT_VALUE);
    RecompileCause size =
        report.recompiles().stream()
            .filter(cause -> cause.varied().kind() == Varied.Kind.TENSOR_SIZE)
            .findFirst()
            .orElseThrow();
    assertThat(size.varied().text()).isEqualTo("dimension 1 of i: 576, then 832");
    assertThat(size.varied().advice().code()).contains("mark_dynamic(i, 1)");
    assertThat(size.seconds()).isGreaterThan(20);
  }

  @Test
  void graphsAndKernelsOfTheTraceAreFoundInTheLog() {
    CompiledRun run =
        CaptureAnalysis.analyze(
                List.of(log("h200/gpt2_compile/torch_trace/rank_none_1.log.gz")),
                List.of(trace("h200/gpt2_compile/default.trace.json.gz")))
            .run();
    assertThat(run).isNotNull();
    assertThat(run.graphs()).extracting(GraphUse::role).contains("FORWARD", "BACKWARD");
    KernelUse costliest = run.kernels().getFirst();
    assertThat(costliest.operators()).isNotEmpty();
    assertThat(costliest.shareOfMemoryRate()).isBetween(0.2, 1.0);
    assertThat(costliest.occupancy()).isNotNull();
  }

  @Test
  void onlyWhatAStepLaunchedCountsAndOnlyOnTheHost() {
    TraceIndex index = trace("h200/gpt2_compile/default.trace.json.gz");
    CompiledRun run = CaptureAnalysis.analyze(List.of(), List.of(index)).run();
    assertThat(run).isNotNull();
    for (KernelUse kernel : run.kernels()) {
      long launched = 0;
      for (int row = 0; row < index.trace().slices().size(); row++) {
        boolean ofKernel =
            index.trace().slices().category(row) == Category.KERNEL
                && index.trace().name(row).equals(kernel.name());
        launched += ofKernel && index.stepOf(row) >= 0 ? 1 : 0;
      }
      assertThat(kernel.callsPerStep() * index.steps().count())
          .as(kernel.name())
          .isEqualTo(launched, within(1e-9));
    }
    assertThat(run.graphs()).allMatch(graph -> graph.callsPerStep() == 1);
  }

  @Test
  void theTimelineGivesEverySecondOfTheCompilerToOnePart() {
    CompileTimeline timeline =
        CaptureAnalysis.analyze(
                List.of(log("h200/gpt2_compile/torch_trace/rank_none_1.log.gz")), List.of())
            .timeline();
    assertThat(timeline.rows()).extracting(CompileTimeline.Row::function).contains("forward");
    assertThat(timeline.rows()).anyMatch(row -> row.function().equals("forward, backward"));
    for (CompileTimeline.Row row : timeline.rows()) {
      double drawn =
          row.spans().stream().mapToDouble(span -> span.endSeconds() - span.startSeconds()).sum();
      assertThat(drawn)
          .as("%s", row.function())
          .isBetween(0.99 * row.seconds(), 1.01 * row.seconds());
      assertThat(row.drawn(40, timeline.seconds())).hasSize(40).matches("[DAIK·]+");
    }
  }

  @Test
  void aTraceWithoutItsLogStillShowsThatTheGraphBreaks() {
    CaptureReport report =
        CaptureAnalysis.analyze(
            List.of(), List.of(trace("h200/gpt2_compile/noisy_default.trace.json.gz")));
    assertThat(report.findings()).hasSize(1);
    assertThat(report.findings().getFirst().title()).startsWith("the graph breaks 12 times a step");
    assertThat(
            CaptureAnalysis.analyze(
                    List.of(), List.of(trace("h200/gpt2_compile/default.trace.json.gz")))
                .findings())
        .isEmpty();
  }

  @Test
  void eachOfLogAndTraceWorksAlone() {
    CaptureReport logOnly =
        CaptureAnalysis.analyze(List.of(log("compile/torch_trace_2.14.1_cpu.log.gz")), List.of());
    assertThat(logOnly.breaks()).hasSize(4);
    assertThat(logOnly.breaks())
        .extracting(site -> site.advice().key())
        .containsExactlyInAnyOrder("logging-print", "branch", "item", "dynamic-shape");
    assertThat(logOnly.findings()).anyMatch(one -> one.id().equals("compile-failed"));
    CaptureReport traceOnly =
        CaptureAnalysis.analyze(
            List.of(), List.of(trace("h200/gpt2_compile/reduce_overhead.trace.json.gz")));
    assertThat(traceOnly.run()).isNotNull();
    assertThat(traceOnly.run().graphReplays()).isPositive();
    assertThat(traceOnly.run().kernelsPerReplay()).isGreaterThan(100);
  }

  @Test
  void theSavedAndTheRecomputedOfTheLargestGraphAreNamed() {
    CaptureReport.MemoryPlan memory =
        CaptureAnalysis.analyze(
                List.of(log("h200/llama/torch_trace/rank_none_1.log.gz")), List.of())
            .memory();
    assertThat(memory.savedBytes()).isPositive();
    assertThat(memory.recomputed()).isNotEmpty();
    assertThat(memory.reusedBuffers()).isPositive();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "L['k'] == 1                    | INTEGER_VALUE   | k (was 1)",
        "k == 1                         | INTEGER_VALUE   | k (was 1)",
        "G['FLAG'] == 1                 | GLOBAL_VALUE    | the global FLAG (was 1)",
        "len(L['xs']) == 3              | LENGTH          | the length in len(L['xs']) == 3",
        "lr == 0.001                    | FLOAT_VALUE     | lr (was 0.001)",
        "tensor 'L['x']' size mismatch at index 0. expected 32, actual 48 | TENSOR_SIZE | dimension"
            + " 0 of x: 32, then 48",
        "tensor 'x' stride mismatch at index 0. expected 8, actual 1 | TENSOR_STRIDE | stride of"
            + " dimension 0 of x: 8, then 1",
        "tensor 'x' dtype mismatch. expected Float, actual Half | TENSOR_DTYPE | x: dtype mismatch."
            + " expected Float, actual Half",
        "___check_obj_id(L['f'], 123)   | OBJECT_IDENTITY | ___check_obj_id(L['f'], 123)"
      })
  void aGuardOfAnyVersionSaysWhatVaried(String guard, Varied.Kind kind, String text) {
    Varied varied = Varied.of(new GuardFailure("0/0", guard, ""));
    assertThat(varied.kind()).isEqualTo(kind);
    assertThat(varied.text()).isEqualTo(text);
    assertThat(varied.advice().fix()).isNotBlank();
  }

  private static CompileLog log(String path) {
    return CompileLogReader.read(SharedData.require(path));
  }

  private static TraceIndex trace(String path) {
    return TraceIndex.of(TraceReaders.read(SharedData.require(path)), null);
  }
}
