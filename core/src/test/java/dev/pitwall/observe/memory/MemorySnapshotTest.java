package dev.pitwall.observe.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.pitwall.SharedData;
import dev.pitwall.trace.memory.MemorySnapshot;
import dev.pitwall.trace.memory.MemorySnapshotReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class MemorySnapshotTest {
  @Test
  void theTimelineEndsAtTheTotalsThatThePickleStates() throws IOException {
    MemorySnapshot snapshot = read(SharedData.require("h200/gpt2/varlen_snapshot.pickle"));
    MemoryTimeline timeline = MemoryTimeline.of(snapshot, 0);
    assertThat(timeline.finalActiveBytes())
        .isEqualTo(3_221_684_224L)
        .isEqualTo(snapshot.activeBytes(0));
    assertThat(timeline.reservedBytes()[timeline.reservedBytes().length - 1])
        .isEqualTo(8_197_767_168L)
        .isEqualTo(snapshot.reservedBytes(0));
    assertThat(timeline.owners().stream().mapToLong(MemoryTimeline.Owner::bytes).sum())
        .isCloseTo(timeline.peakActiveBytes(), within(timeline.peakActiveBytes() / 200));
  }

  @Test
  void replayingTheHistoryHoldsTheReservedBytesThatWereRecorded() throws IOException {
    MemorySnapshot snapshot = read(SharedData.require("h200/gpt2/varlen_snapshot.pickle"));
    AllocatorReplay replay = AllocatorReplay.of(snapshot, 0, AllocatorReplay.Change.NONE);
    assertThat(replay.finalReservedBytes()).isCloseTo(8_197_767_168L, withinPercentage(5));
  }

  /// Three of the public snapshots are of another vendor's allocator, which rounds differently.
  @Test
  void replayingEveryPublicHistoryComesWithinATenthAndMostlyExact() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(SharedData.require("corpus/memsnap"))) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    int devices = 0;
    int exact = 0;
    for (Path file : files) {
      MemorySnapshot snapshot = read(file);
      for (int device = 0; device < snapshot.histories().size(); device++) {
        long recorded = snapshot.reservedBytes(device);
        if (recorded > 0) {
          long replayed =
              AllocatorReplay.of(snapshot, device, AllocatorReplay.Change.NONE)
                  .finalReservedBytes();
          assertThat(replayed)
              .as("%s, device %d", file, device)
              .isCloseTo(recorded, withinPercentage(10));
          devices++;
          exact += replayed == recorded ? 1 : 0;
        }
      }
    }
    assertThat(exact).isGreaterThanOrEqualTo(devices * 8 / 10);
  }

  @Test
  void expandableSegmentsHoldNoMoreThanSegmentsOfTheirOwnForVaryingShapes() throws IOException {
    MemorySnapshot snapshot = read(SharedData.require("h200/gpt2/varlen_snapshot.pickle"));
    long peakActive = MemoryTimeline.of(snapshot, 0).peakActiveBytes();
    AllocatorReplay replay =
        AllocatorReplay.of(snapshot, 0, AllocatorReplay.Change.EXPANDABLE_SEGMENTS);
    assertThat(replay.peakReservedBytes()).isBetween(peakActive, snapshot.reservedBytes(0));
  }

  private static MemorySnapshot read(Path file) throws IOException {
    try (InputStream raw = Files.newInputStream(file);
        InputStream in =
            new BufferedInputStream(
                file.toString().endsWith(".gz") ? new GZIPInputStream(raw, 1 << 16) : raw,
                1 << 16)) {
      return MemorySnapshotReader.read(in, file.getFileName().toString());
    }
  }
}
