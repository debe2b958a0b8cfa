package dev.pitwall.hardware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.error.PitwallException;
import dev.pitwall.table.DataTable;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OccupancyTest {
  @Test
  void everyCaseOfTheVendorsOwnHeaderIsAnsweredAlike() {
    DataTable cases = DataTable.resource("/dev/pitwall/hardware/occupancy_cases.csv");
    TreeSet<String> capabilities = new TreeSet<>();
    for (int row = 0; row < cases.rows(); row++) {
      String capability = cases.text(row, "compute_capability");
      capabilities.add(capability);
      Occupancy occupancy =
          Occupancy.of(
              OccupancyLimits.ofGpu(capability),
              (int) cases.number(row, "threads_per_block", -1),
              (int) cases.number(row, "registers_per_thread", -1),
              (int) cases.number(row, "shared_memory_bytes", -1));
      String where = "row " + row + " of occupancy_cases.csv, cc " + capability;
      assertThat(occupancy.activeBlocks())
          .as(where)
          .isEqualTo((int) cases.number(row, "active_blocks", -1));
      assertThat(
              occupancy.limiters().stream()
                  .map(limiter -> limiter.label().replace(' ', '-'))
                  .collect(Collectors.joining("+")))
          .as(where)
          .isEqualTo(cases.text(row, "limited_by"));
      assertThat(occupancy.registersPerBlock())
          .as(where)
          .isEqualTo((int) cases.number(row, "registers_per_block", -1));
      assertThat(occupancy.sharedMemoryPerBlockBytes())
          .as(where)
          .isEqualTo((int) cases.number(row, "shared_memory_per_block", -1));
    }
    assertThat(cases.rows()).isGreaterThanOrEqualTo(200);
    assertThat(capabilities)
        .containsExactlyInAnyOrderElementsOf(
            OccupancyLimits.all().stream().map(OccupancyLimits::computeCapability).toList());
  }

  @Test
  void registersAreSharedOutByPartitionSoSixtyFiveThousandByTheBlockIsTooMany() {
    Occupancy occupancy = Occupancy.of(OccupancyLimits.ofGpu("H200"), 256, 96, 0);
    assertThat(occupancy.activeBlocks()).isEqualTo(2);
    assertThat(occupancy.fraction()).isCloseTo(0.25, within(1e-12));
    assertThat(occupancy.limiters()).containsExactly(Occupancy.Limiter.REGISTERS);
  }

  @Test
  void anotherBlockSizeMayBeBetter() {
    assertThat(Occupancy.byBlockSize(OccupancyLimits.ofGpu("NVIDIA H200"), 96, 0))
        .extracting(Occupancy::activeWarps)
        .containsExactly(20, 20, 20, 16, 16, 0);
  }

  @Test
  void aGridThatJustSpillsIntoASecondWaveWastesHalf() {
    Occupancy occupancy = Occupancy.of(OccupancyLimits.ofGpu("9.0"), 256, 128, 65536);
    assertThat(occupancy.activeBlocks()).isEqualTo(2);
    assertThat(occupancy.waves(264, 132)).isEqualTo(1.0);
    assertThat(occupancy.waveEfficiency(265, 132)).isLessThan(0.51);
  }

  @Test
  void driversNamesAreUnderstoodAndUnknownOnesAreRefusedInASentence() {
    assertThat(OccupancyLimits.ofGpu("NVIDIA L40S").computeCapability()).isEqualTo("8.9");
    assertThat(OccupancyLimits.ofGpu("NVIDIA A100-SXM4-80GB").computeCapability()).isEqualTo("8.0");
    assertThat(OccupancyLimits.ofGpu("NVIDIA GB300").computeCapability()).isEqualTo("10.3");
    assertThatThrownBy(() -> OccupancyLimits.ofGpu("abacus"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("abacus")
        .hasMessageContaining("9.0");
  }
}
