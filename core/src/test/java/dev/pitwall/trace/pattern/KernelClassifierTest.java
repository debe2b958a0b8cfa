package dev.pitwall.trace.pattern;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KernelClassifierTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>); COMMUNICATION",
        "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT; MATMUL",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(int); MATMUL",
        "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc; CONVOLUTION",
        "cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_26; ATTENTION",
        "void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16>(int); LAYOUT_CONVERSION",
        "void at::native::batch_norm_backward_kernel<float>(int); NORMALIZATION",
        "void (anonymous namespace)::softmax_warp_forward<float, float>(int); SOFTMAX",
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int);"
            + " FILL",
        "void at::native::vectorized_elementwise_kernel<8,"
            + " at::native::bfloat16_copy_kernel_cuda>(); COPY",
        "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>>();"
            + " OPTIMIZER",
        "triton_poi_fused_add_relu_3; POINTWISE",
        "my_own_kernel; OTHER"
      })
  void theClassFollowsFromTheName(String name, KernelClass expected) {
    assertThat(KernelClassifier.classOf(name)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3; FP32",
        "sm90_xmma_gemm_f32f32_tf32f32_f32_nt_n_tilesize128x128x32; TF32",
        "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x256_8x4_nt_align1>(int); FP32",
        "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT; BF16",
        "nvjet_sm90_hsh_256x128_64x4_1x2_h_bz_coopA_NNT; FP16",
        "volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn; FP16",
        "my_own_kernel; UNKNOWN"
      })
  void thePrecisionFollowsFromTheName(String name, MatmulPrecision expected) {
    assertThat(KernelClassifier.precisionOf(name)).isEqualTo(expected);
  }
}
