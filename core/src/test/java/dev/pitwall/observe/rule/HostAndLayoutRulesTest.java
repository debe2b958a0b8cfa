package dev.pitwall.observe.rule;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pitwall.observe.Observation;
import dev.pitwall.pass.TinyProgram;
import org.junit.jupiter.api.Test;

class HostAndLayoutRulesTest {
  /// Sorting the indices of an embedding calls the runtime a dozen times between two launches.
  private static void embeddingBackward(TinyProgram program) {
    for (int kernel = 0; kernel < 100; kernel++) {
      for (int call = 0; call < 12; call++) {
        program.call("cudaGetDevice", 1);
      }
      program.kernel("radix_sort", 3);
    }
  }

  @Test
  void callsThatLaunchNothingDoNotHideALaunchBoundProgram() {
    TinyProgram program =
        TinyProgram.ofSteps(
            3,
            p ->
                p.operator(
                    "aten::_embedding_bag_dense_backward",
                    HostAndLayoutRulesTest::embeddingBackward));
    assertInstanceOf(
        Verdict.Fault.class, new LaunchBoundRule().judge(Observation.of(program.index())));
  }

  @Test
  void timeOfTheRecorderIsNotBlamedOnTheProgram() {
    TinyProgram program =
        TinyProgram.ofSteps(
            3,
            p -> {
              for (int operator = 0; operator < 200; operator++) {
                p.operator("aten::add", q -> q.kernel("vectorized_elementwise_kernel", 6));
              }
            });
    assertInstanceOf(
        Verdict.Clean.class, new LaunchBoundRule().judge(Observation.of(program.index())));
  }

  @Test
  void aProgramThatIsCompiledAlreadyIsNotToldToCompile() {
    TinyProgram program =
        TinyProgram.ofSteps(
            3,
            p ->
                p.operator(
                    "Torch-Compiled Region: 0/0", HostAndLayoutRulesTest::embeddingBackward));
    Verdict verdict = new LaunchBoundRule().judge(Observation.of(program.index()));
    String code = assertInstanceOf(Verdict.Fault.class, verdict).finding().fix().code();
    assertTrue(code.contains("reduce-overhead"), code);
  }

  private static TinyProgram convolutions(String normalization) {
    return TinyProgram.ofSteps(
        2,
        p ->
            p.operator(
                    "aten::cudnn_convolution",
                    "[[16, 64, 192, 192], [64, 64, 3, 3]]",
                    "[\"c10::BFloat16\", \"c10::BFloat16\"]",
                    q ->
                        q.kernel("cudnn::ops::nchwToNhwcKernel<__nv_bfloat16>", 200)
                            .kernel("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32", 300)
                            .kernel("cudnn::ops::nhwcToNchwKernel<__nv_bfloat16>", 200))
                .operator(
                    normalization,
                    "[[16, 64, 192, 192]]",
                    "[\"c10::BFloat16\"]",
                    q -> q.kernel("normalization_kernel", 150)));
  }

  @Test
  void convolutionsBetweenBatchNormsWantChannelsLast() {
    Observation observation = Observation.of(convolutions("aten::native_batch_norm").index());
    assertInstanceOf(Verdict.Fault.class, new ChannelsFirstRule().judge(observation));
  }

  @Test
  void convolutionsBetweenGroupNormsGainNothingFromChannelsLast() {
    Observation observation = Observation.of(convolutions("aten::native_group_norm").index());
    assertInstanceOf(Verdict.NotApplicable.class, new ChannelsFirstRule().judge(observation));
  }
}
