package dev.pitwall.station.tile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.station.LargeTrace;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TinyTrace;
import dev.pitwall.trace.Trace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimelineTest {
  private record Mark(float start, float end, int row, int count, int lane, int busy) {}

  private static List<Mark> marks(ByteBuffer tile) {
    ByteBuffer in = tile.order(ByteOrder.LITTLE_ENDIAN);
    int size = in.getInt(4);
    List<Mark> marks = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      marks.add(
          new Mark(
              in.getFloat(8 + 4 * i),
              in.getFloat(8 + 4 * (size + i)),
              in.getInt(8 + 4 * (2 * size + i)),
              in.getInt(8 + 4 * (4 * size + i)),
              in.get(8 + 21 * size + i) & 0xff,
              in.get(8 + 22 * size + i) & 0xff));
    }
    return marks;
  }

  @Test
  void nestedSlicesLieOneLaneDeeper() {
    Trace trace =
        new TinyTrace()
            .cpu("1", Category.CPU_OP, "parent", 0, 100)
            .cpu("1", Category.CPU_OP, "child", 10, 20)
            .cpu("1", Category.CPU_OP, "grandchild", 12, 5)
            .cpu("1", Category.CPU_OP, "second child", 40, 20)
            .build();

    Timeline timeline = new Timeline(List.of(trace));

    assertThat(timeline.tracks().getFirst().lanes()).isEqualTo(3);
    assertThat(List.of(0, 1, 2, 3).stream().map(row -> timeline.laneOf(0, row)))
        .containsExactly(0, 1, 2, 1);
  }

  @Test
  void kernelsThatOverlapByALittleShareTheirLaneAndAnnotationsLieBelow() {
    Trace trace =
        new TinyTrace()
            .device(7, Category.GPU_USER_ANNOTATION, "step", 0, 100, -1)
            .device(7, Category.KERNEL, "first", 0, 10, 1)
            .device(7, Category.KERNEL, "second", 9, 10, 2)
            .device(7, Category.KERNEL, "deep inside the second", 11, 4, 3)
            .build();

    Timeline timeline = new Timeline(List.of(trace));

    assertThat(timeline.tracks().getFirst().lanes()).isEqualTo(3);
    assertThat(List.of(0, 1, 2, 3).stream().map(row -> timeline.laneOf(0, row)))
        .containsExactly(2, 0, 0, 1);
  }

  @Test
  void aLongSliceStandsInEveryTileThatItCrosses() {
    Trace trace =
        new TinyTrace()
            .cpu("1", Category.CPU_OP, "long", 0, 1000)
            .cpu("1", Category.CPU_OP, "short", 2000, 1)
            .build();
    Timeline timeline = new Timeline(List.of(trace));

    // 2^8 ns a bucket: a tile is 131 us wide, so the slice of 1000 us crosses eight.
    assertThat(marks(timeline.tile(0, 8, 0))).containsExactly(mark(0, 1e6 / 131072, 0));
    assertThat(marks(timeline.tile(0, 8, 7))).containsExactly(mark(-7, 1e6 / 131072 - 7, 0));
    assertThat(marks(timeline.tile(0, 8, 8))).isEmpty();
  }

  @Test
  void ranksWithAClockAreAlignedByIt() {
    Trace early = new TinyTrace().cpu("1", Category.CPU_OP, "a", 50, 10).build();
    Timeline timeline = new Timeline(List.of(early, early));

    assertThat(timeline.baseNanos(0)).isEqualTo(50_000);
    assertThat(timeline.durationNanos()).isEqualTo(10_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everySliceIsInOneMarkOfEveryLevelAndLongOnesStandAlone(long seed) {
    Trace trace = LargeTrace.of(30_000, 3, seed);
    Timeline timeline = new Timeline(List.of(trace));
    SplittableRandom random = new SplittableRandom(seed);
    Slices slices = trace.slices();
    for (int trial = 0; trial < 60; trial++) {
      int track = random.nextInt(timeline.tracks().size());
      int bits = random.nextInt(4, 24);
      long width = 1L << (bits + TileEncoder.BUCKET_BITS);
      long index = random.nextLong(timeline.durationNanos() / width + 1);
      String where = "seed " + seed + " track " + track + " bits " + bits + " index " + index;
      int counted = 0;
      List<Integer> alone = new ArrayList<>();
      for (Mark mark : marks(timeline.tile(track, bits, index))) {
        assertThat(mark.end()).as(where).isGreaterThanOrEqualTo(mark.start());
        if (mark.start() >= 0) {
          counted += mark.count();
          if (mark.busy() == 255) {
            alone.add(mark.row());
          }
        }
      }
      int id = timeline.tracks().get(track).track().id();
      long base = timeline.baseNanos(0);
      long from = bucketUp(index * width + base, bits);
      long to = bucketUp((index + 1) * width + base, bits);
      int expected = 0;
      for (int row = trace.firstRow(id); row < trace.endRow(id); row++) {
        long start = slices.startNanos(row);
        if (start >= from && start < to) {
          expected++;
          if (slices.durationNanos(row) >= 1L << bits) {
            assertThat(alone).as(where).contains(row);
          }
        }
      }
      assertThat(counted).as(where).isEqualTo(expected);
    }
  }

  private static long bucketUp(long time, int bits) {
    return -(-time >> bits) << bits;
  }

  private static Mark mark(double start, double end, int row) {
    return new Mark((float) start, (float) end, row, 1, 0, 255);
  }
}
