package dev.pitwall.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureFolderTest {
  private static final String STEPS =
      """
      {"event":"start","rank":3}
      {"event":"steps","phase":"warmup","first":0,"wall_ns":[9,8],"loader_wait_ns":[1,2],"batches":[1,1],"memory":[[1,null,null,null,70]]}
      {"event":"steps","phase":"measure","first":2,"wall_ns":[7,7,7],"loader_wait_ns":[0,0,0],"batches":[2,2,2],"memory":[[2,100,90,400,70],[3,110,90,400,70],[4,120,90,400,70]]}
      """;

  @TempDir Path folder;

  @Test
  void readsUpToTheLineThatIsCutOff() throws IOException {
    Files.writeString(folder.resolve("rank3.steps.jsonl"), STEPS + "{\"event\":\"trut");
    RankRecording rank = CaptureFolder.read(folder).getFirst();
    assertThat(rank.name()).isEqualTo("rank3");
    assertThat(rank.steps()).hasSize(5);
    assertThat(rank.steps("warmup").get(1).residentBytes()).isEqualTo(70);
    assertThat(rank.steps("warmup").get(0).residentBytes()).isEqualTo(-1);
    assertThat(rank.batchesPerStep()).isEqualTo(2);
    assertThat(rank.ended()).isNull();
    assertThat(rank.truth().isNull()).isTrue();
  }

  @Test
  void growthIsThatOfActiveMemoryWhereThereIsADevice() throws IOException {
    Files.writeString(folder.resolve("rank0.steps.jsonl"), STEPS);
    assertThat(CaptureFolder.read(folder).getFirst().memoryGrowthBytesPerStep()).isEqualTo(10);
  }

  @Test
  void ranksAreInNumericOrder() throws IOException {
    for (int rank : new int[] {10, 2, 0}) {
      Files.writeString(folder.resolve("rank" + rank + ".steps.jsonl"), STEPS);
    }
    assertThat(CaptureFolder.read(folder))
        .extracting(RankRecording::name)
        .containsExactly("rank0", "rank2", "rank10");
  }

  @Test
  void aFolderWithoutStepsIsNoRecording() {
    assertThat(CaptureFolder.read(folder)).isEmpty();
  }
}
