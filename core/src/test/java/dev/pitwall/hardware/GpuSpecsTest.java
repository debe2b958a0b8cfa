package dev.pitwall.hardware;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuSpecsTest {
  @ParameterizedTest
  @CsvSource({
    "NVIDIA H200, H200-SXM-141GB",
    "NVIDIA H100 80GB HBM3, H100-SXM5-80GB",
    "h100_80gb, H100-SXM5-80GB",
    "NVIDIA A100-SXM4-40GB, A100-SXM4-40GB",
    "a100_80gb (p4de), A100-SXM4-80GB",
    "a100_sxm (vTrain testbed), A100-SXM4-80GB",
    "gb200, GB200",
    "b300, B300-SXM-288GB",
    "a10g_24gb, A10G",
    "v100_32gb (DGX-2), V100-SXM2-32GB",
    "mi300x, MI300X"
  })
  void findsAGpuByTheNamesInUse(String text, String name) {
    assertThat(GpuSpecs.known().find(text).map(GpuSpec::name)).contains(name);
  }

  @Test
  void saysSoWhereTheNameIsUnknown() {
    assertThat(GpuSpecs.known().find("a toaster")).isEmpty();
  }

  @Test
  void everyRowSaysWhereItComesFromAndReachesNoMoreThanItsPeak() {
    for (GpuSpec spec : GpuSpecs.known().all()) {
      assertThat(spec.source()).as(spec.name()).isNotBlank();
      for (Precision precision : List.of(Precision.FP16, Precision.BF16, Precision.FP8)) {
        assertThat(spec.reachableFlops(precision))
            .as(spec.name() + " " + precision)
            .isPositive()
            .isLessThanOrEqualTo(spec.peakFlops(precision));
      }
    }
  }
}
