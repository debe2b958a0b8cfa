package dev.pitwall.pass.compile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.pass.TinyProgram;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FusionPlannerTest {
  private static final CompileCosts H200 =
      new CompileCosts(GpuSpecs.known().find("NVIDIA H200").orElseThrow());

  @ParameterizedTest
  @CsvSource({
    "gpt2/base, gpt2_compile/default",
    "gpt2/math_attention, gpt2_compile/math_default",
    "llama/base, llama/default",
    "resnet/channels_last, resnet/compile_default",
    "small/base, small/default"
  })
  void asManyKernelsArePredictedFromTheEagerTraceAsTheCompiledOneHas(
      String eager, String compiled) {
    int predicted = step(index(eager)).kernelsAfter();
    int measured = kernelsOfCompiledGraphs(index(compiled));
    assertThat(predicted)
        .as("kernels of the compiled graphs of %s, against %s", eager, compiled)
        .isBetween((int) (measured * 0.75), (int) (measured * 1.25));
  }

  @Test
  void aNormalizationTakesTheAdditionBeforeAndTheCastAfterIt() {
    List<FusionGroup> forward = step(index("gpt2/base")).groupsOfRegion().getFirst();
    assertThat(forward)
        .filteredOn(group -> group.label().equals("add native_layer_norm _to_copy"))
        .hasSize(24)
        .allSatisfy(group -> assertThat(group.kernels()).isEqualTo(1));
    assertThat(forward)
        .filteredOn(FusionGroup::isExtern)
        .extracting(FusionGroup::label)
        .containsOnly("mm", "_scaled_dot_product_cudnn_attention");
  }

  @Test
  void theLossNeverStoresWhatTheSoftmaxOfTheVocabularyMakes() {
    List<FusionGroup> forward = step(index("gpt2/base")).groupsOfRegion().getFirst();
    FusionGroup softmax =
        forward.stream()
            .filter(group -> group.label().startsWith("_log_softmax"))
            .findFirst()
            .orElseThrow();
    assertThat(softmax.bytesRead()).isEqualTo(2L * 16_384 * 50_304);
    assertThat(softmax.bytesWritten()).isZero();
  }

  @Test
  void aBreakInALoopLeavesTheFrameAroundItEager() {
    TracedProgram noisy = new ProgramReader(index("gpt2/noisy")).read().get(1);
    assertThat(noisy.regions().getFirst().isCompiled()).isFalse();
    assertThat(noisy.regions().getFirst().operators())
        .extracting(TracedOperator::name)
        .contains("aten::embedding");
    assertThat(noisy.regions())
        .filteredOn(region -> region.isCompiled() && !region.isBackward())
        .hasSize(24);
  }

  @Test
  void aRecurrentLayerAndWhatFollowsItStayEager() {
    TinyProgram program =
        TinyProgram.ofSteps(
            1,
            p ->
                p.operator("aten::relu", q -> q.kernel("vectorized_elementwise_kernel", 10))
                    .operator("aten::_cudnn_rnn", q -> q.kernel("LSTM_elementWise_fp", 50))
                    .operator("aten::mm", q -> q.kernel("nvjet_head", 20)));
    List<TracedProgram.Region> regions =
        new ProgramReader(program.index()).read().getFirst().regions();
    assertThat(regions).extracting(TracedProgram.Region::isCompiled).containsExactly(true, false);
    assertThat(regions.getLast().operators())
        .extracting(TracedOperator::name)
        .containsExactly("aten::_cudnn_rnn", "aten::mm");
  }

  @Test
  void aReductionToFewResultsIsSplitIntoStages() {
    // 53 batch norms of a ResNet-50: 64 channels over 128x56x56 positions need three stages.
    assertThat(ReductionSplit.kernels(128 * 56 * 56, 64, false, 132)).isEqualTo(3);
    assertThat(ReductionSplit.kernels(128 * 7 * 7, 2048, false, 132)).isEqualTo(2);
    assertThat(ReductionSplit.kernels(768, 16_384, true, 132)).isEqualTo(1);
    assertThat(ReductionSplit.kernels(1 << 24, 1, true, 132)).isGreaterThanOrEqualTo(2);
  }

  private static CompiledStep step(TraceIndex index) {
    return CompiledStep.of(new ProgramReader(index).read().get(1), H200);
  }

  private static TraceIndex index(String trace) {
    return TraceIndex.of(
        TraceFiles.read(SharedData.require("h200/" + trace + ".trace.json.gz")).getFirst(), null);
  }

  private static int kernelsOfCompiledGraphs(TraceIndex index) {
    int kernels = 0;
    for (int row = 0; row < index.trace().slices().size(); row++) {
      if (!index.trace().slices().category(row).isDeviceWork() || index.stepOf(row) != 1) {
        continue;
      }
      for (int at = index.launches().launchOf(row);
          at != Slices.NONE;
          at = index.calls().parent(at)) {
        if (index.trace().name(at).startsWith("## Call CompiledFxGraph")) {
          kernels++;
          break;
        }
      }
    }
    return kernels;
  }
}
