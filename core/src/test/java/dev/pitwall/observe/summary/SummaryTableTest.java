package dev.pitwall.observe.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.TinyTrace;
import dev.pitwall.trace.Trace;
import org.junit.jupiter.api.Test;

class SummaryTableTest {
  @Test
  void kernelsAreSummedOverTheWholeRecordingByTheDefinitionsOfNsysStats() {
    Trace trace =
        new TinyTrace()
            .device(7, Category.KERNEL, "gemm", 0, 10, 1)
            .device(7, Category.KERNEL, "gemm", 20, 30, 2)
            .device(9, Category.KERNEL, "add", 5, 10, 3)
            .device(7, Category.MEMCPY, "Memcpy HtoD (Pinned -> Device)", 60, 40, 4)
            .build();
    SummaryTable table = SummaryTable.of(trace, SummaryTable.Kind.CUDA_GPU_KERN_SUM);
    SummaryTable.Row gemm = table.rows().getFirst();
    assertThat(gemm.name()).isEqualTo("gemm");
    assertThat(gemm.totalNanos()).isEqualTo(40_000);
    assertThat(gemm.share()).isEqualTo(0.8);
    assertThat(gemm.medianNanos()).isEqualTo(20_000);
    assertThat(gemm.standardDeviationNanos()).isCloseTo(14_142.1, within(0.1));
    assertThat(table.rows().get(1).standardDeviationNanos()).isZero();
    assertThat(SummaryTable.of(trace, SummaryTable.Kind.CUDA_GPU_MEM_TIME_SUM).rows()).hasSize(1);
  }
}
