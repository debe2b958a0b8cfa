package dev.pitwall.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.TinyTrace;
import org.junit.jupiter.api.Test;

class HostTimeTest {
  private static HostTime measured(TinyTrace trace) {
    HostTime host = Observation.of(trace.index()).host();
    assertThat(
            host.operatorNanos()
                + host.launchNanos()
                + host.waitNanos()
                + host.inputNanos()
                + host.pythonNanos())
        .isEqualTo(host.stepNanos());
    return host;
  }

  private static TinyTrace step() {
    return new TinyTrace().cpu("1", Category.USER_ANNOTATION, "ProfilerStep#0", 0, 100);
  }

  @Test
  void operatorsInsideAWaitForInputAreTheWait() {
    TinyTrace trace = step();
    trace.cpu("1", Category.USER_ANNOTATION, "enumerate(DataLoader)#_Iter.__next__", 0, 60);
    trace.cpu("1", Category.CPU_OP, "aten::stack", 10, 40);
    trace.cpu("1", Category.CPU_OP, "aten::mm", 70, 20);
    trace.cpu("1", Category.RUNTIME, "cudaLaunchKernel", 75, 5, 1);
    trace.device(7, Category.KERNEL, "gemm", 80, 10, 1);
    HostTime host = measured(trace);
    assertThat(host.inputNanos()).isEqualTo(60_000);
    assertThat(host.operatorNanos()).isEqualTo(15_000);
    assertThat(host.launchNanos()).isEqualTo(5_000);
    assertThat(host.pythonNanos()).isEqualTo(20_000);
  }

  @Test
  void aMomentOfTwoThreadsCountsOnceForTheOneThatWorks() {
    TinyTrace trace = step();
    trace.cpu("1", Category.CPU_OP, "aten::mm", 10, 30);
    trace.cpu("1", Category.RUNTIME, "cudaLaunchKernel", 15, 5, 1);
    trace.cpu("1", Category.RUNTIME, "cudaDeviceSynchronize", 50, 40, 3);
    trace.cpu("2", Category.CPU_OP, "MmBackward0", 30, 50);
    trace.cpu("2", Category.RUNTIME, "cudaLaunchKernel", 60, 10, 2);
    trace.device(7, Category.KERNEL, "gemm", 20, 10, 1);
    trace.device(7, Category.KERNEL, "gemm", 70, 10, 2);
    HostTime host = measured(trace);
    assertThat(host.threads()).isEqualTo(2);
    assertThat(host.stepNanos()).isEqualTo(100_000);
    assertThat(host.operatorNanos()).isEqualTo(55_000);
    assertThat(host.launchNanos()).isEqualTo(15_000);
    assertThat(host.waitNanos()).isEqualTo(10_000);
    assertThat(host.pythonNanos()).isEqualTo(20_000);
  }
}
