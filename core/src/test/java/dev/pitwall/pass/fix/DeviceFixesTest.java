package dev.pitwall.pass.fix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pitwall.error.PitwallException;
import dev.pitwall.pass.PassTester;
import dev.pitwall.pass.TinyProgram;
import org.junit.jupiter.api.Test;

class DeviceFixesTest {
  private static final String FLOATS = "[\"float\", \"float\"]";

  private static TinyProgram product(String kernel, long micros, String types) {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator(
                    "aten::mm",
                    "[[16384, 4096], [4096, 4096]]",
                    types,
                    q -> q.kernel(kernel, micros)));
    return program;
  }

  @Test
  void productsInFullFloat32BecomeSeveralTimesFasterInTf32() {
    PassTester.Result result =
        new PassTester(new Tf32Off())
            .fires(product("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n", 10_000, FLOATS))
            .gains();
    double speedup = result.deviceMicrosBefore() / result.deviceMicros();
    assertTrue(speedup > 5 && speedup < 8, "speed-up " + speedup);
  }

  @Test
  void productsInTf32LeaveNothingToAllow() {
    new PassTester(new Tf32Off())
        .doesNotFire(product("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n", 1_500, FLOATS));
  }

  @Test
  void productsInTf32AreAboutTwiceAsFastInBfloat16() {
    PassTester.Result result =
        new PassTester(new NoMixedPrecision())
            .fires(product("sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n", 1_500, FLOATS));
    double speedup = result.deviceMicrosBefore() / result.deviceMicros();
    assertTrue(speedup > 1.5 && speedup < 2.6, "speed-up " + speedup);
  }

  @Test
  void logitsOfAnOddVocabularyGainLittleFromBfloat16() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator(
                    "aten::mm",
                    "[[8192, 768], [768, 50257]]",
                    FLOATS,
                    q -> q.kernel("cutlass_80_tensorop_s1688gemm_tn_align1", 4_870)));
    PassTester.Result result = new PassTester(new NoMixedPrecision()).fires(program);
    double speedup = result.deviceMicrosBefore() / result.deviceMicros();
    assertTrue(speedup > 0.6 && speedup < 1.3, "speed-up " + speedup);
  }

  @Test
  void productsInBfloat16AreMixedAlready() {
    new PassTester(new NoMixedPrecision())
        .doesNotFire(product("nvjet_sm90_tst", 700, "[\"c10::BFloat16\", \"c10::BFloat16\"]"));
  }

  @Test
  void attentionWrittenOutBecomesOneKernel() {
    TinyProgram program = new TinyProgram();
    String scores = "[[16, 12, 1024, 1024], []]";
    for (int step = 0; step < 2; step++) {
      program.step(
          p ->
              p.operator(
                      "aten::matmul",
                      "[[16, 12, 1024, 64], [16, 12, 64, 1024]]",
                      FLOATS,
                      q -> q.operator("aten::bmm", r -> r.kernel("nvjet_scores", 120)))
                  .operator("aten::div", scores, FLOATS, q -> q.kernel("elementwise_div", 190))
                  .operator("aten::masked_fill", scores, FLOATS, q -> q.kernel("masked_fill", 700))
                  .operator("aten::softmax", scores, FLOATS, q -> q.kernel("softmax_warp", 420))
                  .operator(
                      "aten::matmul",
                      "[[16, 12, 1024, 1024], [16, 12, 1024, 64]]",
                      FLOATS,
                      q -> q.operator("aten::bmm", r -> r.kernel("nvjet_values", 120)))
                  .operator("aten::mm", q -> q.kernel("nvjet_after", 30)));
    }
    PassTester.Result result =
        new PassTester(new FuseAttention())
            .fires(program)
            .gains()
            .lacks("softmax_warp")
            .lacks("masked_fill")
            .has("flash attention forward")
            .has("nvjet_after");
    assertTrue(result.deviceMicros() < 200, "device time " + result.deviceMicros());
  }

  @Test
  void aSoftmaxThatIsNoAttentionIsLeftAlone() {
    TinyProgram program = new TinyProgram();
    program.step(
        p ->
            p.operator("aten::softmax", "[[64, 1000]]", FLOATS, q -> q.kernel("softmax_warp", 20)));
    new PassTester(new FuseAttention()).doesNotFire(program);
  }

  @Test
  void anOptimizerLoopBecomesAFewKernels() {
    PassTester.Result result =
        new PassTester(new OptimizerForLoop()).fires(optimizer(true)).gains();
    assertTrue(result.deviceMicros() < result.deviceMicrosBefore());
  }

  @Test
  void aForeachOptimizerHasNoLoopToGather() {
    new PassTester(new OptimizerForLoop()).doesNotFire(optimizer(false));
  }

  @Test
  void aFusedOptimizerMovesAThirdOfTheBytes() {
    PassTester.Result result =
        new PassTester(new OptimizerNotFused()).fires(optimizer(false)).gains().has("fused AdamW");
    assertEquals(0.39, result.deviceMicros() / result.deviceMicrosBefore(), 0.03);
  }

  @Test
  void aStepWithoutOptimizerHasNothingToFuse() {
    new PassTester(new OptimizerNotFused()).doesNotFire(product("nvjet_sm90_tst", 700, FLOATS));
  }

  @Test
  void layoutConversionsGoWhenImagesAreChannelsLast() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator(
                    "aten::cudnn_convolution",
                    "[[128, 64, 56, 56], [64, 64, 3, 3]]",
                    "[\"c10::BFloat16\", \"c10::BFloat16\"]",
                    q ->
                        q.kernel("cudnn::engines_precompiled::nchwToNhwcKernel", 60)
                            .kernel("sm90_xmma_fprop_implicit_gemm_bf16bf16", 200)
                            .kernel("cudnn::engines_precompiled::nhwcToNchwKernel", 60)));
    new PassTester(new ChannelsLast())
        .fires(program)
        .gains()
        .lacks("cudnn::engines_precompiled::nchwToNhwcKernel")
        .has("sm90_xmma_fprop_implicit_gemm_bf16bf16");
  }

  @Test
  void aModelWithoutConvolutionsHasNoChannels() {
    new PassTester(new ChannelsLast()).doesNotFire(product("nvjet_sm90_tst", 700, FLOATS));
  }

  @Test
  void halfTheBatchHalvesWhatFollowsTheSamplesAndNothingElse() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator(
                        "aten::embedding",
                        "[[50304, 768], [16, 1024]]",
                        "[\"float\", \"long int\"]",
                        q -> q.host(1))
                    .operator(
                        "aten::gelu",
                        "[[16, 1024, 3072], []]",
                        "[\"c10::BFloat16\", \"\"]",
                        q -> q.kernel("elementwise gelu", 70))
                    .operator(
                        "aten::mm",
                        "[[16384, 768], [768, 3072]]",
                        FLOATS,
                        q -> q.kernel("nvjet_sm90_tst", 114))
                    .operator(
                        "aten::_foreach_mul_", q -> q.kernel("multi_tensor_apply_kernel", 90)));
    PassTester.Result result =
        new PassTester(new WorkloadSize(WorkloadSize.Axis.BATCH), "8").fires(program);
    assertEquals(90 + (70 + 114) / 2.0, result.deviceMicros(), 8);
  }

  @Test
  void aBatchThatIsNoNumberIsAWrongUsage() {
    TinyProgram program = new TinyProgram();
    program.step(
        p ->
            p.operator(
                "aten::linear", "[[64, 512], [512, 512]]", FLOATS, q -> q.kernel("nvjet", 9)));
    PassTester tester = new PassTester(new WorkloadSize(WorkloadSize.Axis.BATCH), "many");
    assertThrows(PitwallException.class, () -> tester.fires(program));
  }

  @Test
  void aRecordingWithoutDimensionsCannotBeScaled() {
    TinyProgram program = new TinyProgram();
    program.step(p -> p.operator("aten::mm", q -> q.kernel("nvjet", 9)));
    new PassTester(new WorkloadSize(WorkloadSize.Axis.BATCH), "8").doesNotFire(program);
  }

  @Test
  void halfTheLayersTakeHalfTheTimeOfTheLayers() {
    PassTester.Result result = new PassTester(new LayerCount(), "4").fires(layers(8));
    assertEquals(100 + 4 * 150, result.deviceMicros(), 10);
  }

  @Test
  void aModelThatRepeatsNothingHasNoLayersToCount() {
    new PassTester(new LayerCount(), "4").doesNotFire(product("nvjet", 9, FLOATS));
  }

  @Test
  void aProgramThatRecomputesNothingHasNoCheckpointingToTurnOff() {
    new PassTester(new ActivationCheckpointing(), "off").doesNotFire(layers(4));
  }

  private static TinyProgram layers(int count) {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p -> {
              p.operator(
                  "aten::embedding",
                  "[[32000, 512], [4, 128]]",
                  "[\"float\", \"long int\"]",
                  q -> q.kernel("gather", 50));
              for (int layer = 0; layer < count; layer++) {
                p.operator(
                        "aten::layer_norm",
                        "[[4, 128, 512]]",
                        "[\"float\"]",
                        q -> q.kernel("layer_norm", 50))
                    .operator(
                        "aten::linear",
                        "[[4, 128, 512], [512, 512]]",
                        FLOATS,
                        q -> q.kernel("nvjet", 100));
              }
              p.operator(
                  "aten::cross_entropy_loss",
                  "[[512, 512]]",
                  "[\"float\"]",
                  q -> q.kernel("nll_loss", 50));
            });
    return program;
  }

  private static TinyProgram optimizer(boolean forLoop) {
    TinyProgram program = new TinyProgram();
    String[] updates = {"mul_", "lerp_", "mul_", "addcmul_", "sqrt", "div", "add_", "addcdiv_"};
    int[] micros = {90, 130, 90, 130, 90, 90, 90, 170};
    for (int step = 0; step < 2; step++) {
      program.step(
          p ->
              p.range(
                  "Optimizer.step#AdamW.step",
                  q -> {
                    for (int parameter = 0; parameter < (forLoop ? 60 : 1); parameter++) {
                      for (int i = 0; i < updates.length; i++) {
                        int update = i;
                        q.operator(
                            forLoop ? "aten::" + updates[i] : "aten::_foreach_" + updates[i],
                            r ->
                                r.kernel("multi " + updates[update], forLoop ? 3 : micros[update]));
                      }
                    }
                    q.host(500);
                  }));
    }
    return program;
  }
}
