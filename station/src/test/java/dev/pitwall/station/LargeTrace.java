package dev.pitwall.station;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Recording;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.Track;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/// Generates a trace of any size that looks like training: CPU threads with nested operators, API
/// calls at the leaves, streams that run what was launched, steps, and idle between them.
public final class LargeTrace {
  private static final int DEPTH = 6;
  private static final String[] KERNELS = {
    "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_32x3_tn_align8>(int)",
    "void (anonymous namespace)::layer_norm_kernel<float, float>(int, float)",
    "pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(Params)",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "Memcpy HtoD (Pinned -> Device)"
  };

  private final TraceBuilder builder = new TraceBuilder();
  private final SplittableRandom random;
  private int left;
  private int correlation;

  private LargeTrace(int slices, long seed) {
    left = slices;
    random = new SplittableRandom(seed);
  }

  /// A trace of about `slices` slices on `threads` CPU threads and as many streams.
  public static Trace of(int slices, int threads, long seed) {
    return new LargeTrace(slices, seed).generate(threads);
  }

  private Trace generate(int threads) {
    int[] cpu = new int[threads];
    int[] stream = new int[threads];
    for (int i = 0; i < threads; i++) {
      cpu[i] = builder.addTrack(Track.Kind.CPU_THREAD, "1", "" + (100 + i), "worker", -1, -1);
      stream[i] = builder.addTrack(Track.Kind.STREAM, "0", "" + (7 + i), "", i / 2, 7 + i);
    }
    int share = left / threads;
    for (int i = 0; i < threads; i++) {
      left = share;
      long time = 1_000L * i;
      long streamTime = time;
      int step = 0;
      while (left > 0) {
        long start = time;
        int calls = 200 + random.nextInt(400);
        for (int call = 0; call < calls && left > 0; call++) {
          long[] ends = operator(cpu[i], stream[i], time, streamTime, 0);
          time = ends[0] + random.nextInt(3_000);
          streamTime = ends[1];
        }
        add(cpu[i], Category.USER_ANNOTATION, "ProfilerStep#" + step++, start, time - start, -1);
        time += random.nextInt(2_000_000);
      }
    }
    return builder.build(
        new Recording(
            "test", 0, "", 1, "", "2.11.0", true, false, false, -1, 0, 0, 0, 0, List.of(),
            List.of(), Map.of()));
  }

  // Returns the ends of the operator and of the last kernel it launched.
  private long[] operator(int cpu, int stream, long start, long streamFree, int depth) {
    long time = start + 200 + random.nextInt(800);
    long free = streamFree;
    if (depth == DEPTH || random.nextInt(4) == 0) {
      int id = ++correlation;
      add(cpu, Category.RUNTIME, "cudaLaunchKernel", time, 1_500, id);
      long begin = Math.max(free, time + 4_000);
      long length = 1_000 + random.nextInt(1 << random.nextInt(8, 17));
      String kernel = KERNELS[random.nextInt(KERNELS.length)];
      Category category = kernel.startsWith("Memcpy") ? Category.MEMCPY : Category.KERNEL;
      add(stream, category, kernel, begin, length, id);
      free = begin + length;
      time += 2_000;
    } else {
      for (int child = random.nextInt(1, 4); child > 0; child--) {
        long[] ends = operator(cpu, stream, time, free, depth + 1);
        time = ends[0] + random.nextInt(500);
        free = ends[1];
      }
    }
    add(cpu, Category.CPU_OP, "aten::op_" + random.nextInt(300), start, time - start, -1);
    return new long[] {time + 100, free};
  }

  private void add(int track, Category category, String name, long start, long length, int id) {
    left--;
    builder.addSlice(
        track, category, 0, builder.names().intern(name), start, length, id, Slices.NONE, -1);
  }
}
