package dev.pitwall.simulate.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CachingAllocatorTest {
  @ParameterizedTest
  @CsvSource({
    "1, 512, 2097152",
    "1048576, 1048576, 2097152",
    "1048577, 1049088, 20971520",
    "10485760, 10485760, 10485760",
    "10485761, 10486272, 12582912"
  })
  void sizesRoundAsThePyTorchSourceSays(long requested, long rounded, long segment) {
    assertThat(CachingAllocator.roundedBytes(requested)).isEqualTo(rounded);
    assertThat(CachingAllocator.segmentBytes(rounded)).isEqualTo(segment);
  }

  @Test
  void aLargeBlockIsSplitOnlyWhenMoreThanOneMebibyteIsLeft() {
    CachingAllocator allocator = new CachingAllocator(false, Long.MAX_VALUE);
    CachingAllocator.Block whole = allocator.allocate(20 << 20, 0);
    allocator.free(whole);
    assertThat(allocator.allocate(19 << 20, 0).bytes()).isEqualTo(20 << 20);
    assertThat(allocator.reservedBytes()).isEqualTo(20 << 20);
  }

  @Test
  void blocksOfAnotherStreamAreNotReused() {
    CachingAllocator allocator = new CachingAllocator(false, Long.MAX_VALUE);
    allocator.free(allocator.allocate(16 << 20, 0));
    allocator.allocate(16 << 20, 1);
    assertThat(allocator.reservedBytes()).isEqualTo(32 << 20);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whateverTheOrderReservedCoversTheLiveBytesAndAnEmptiedCacheHoldsNothing(boolean expandable) {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    CachingAllocator allocator = new CachingAllocator(expandable, Long.MAX_VALUE);
    List<CachingAllocator.Block> live = new ArrayList<>();
    long liveBytes = 0;
    for (int round = 0; round < 5_000; round++) {
      if (live.isEmpty() || random.nextInt(5) < 3) {
        CachingAllocator.Block block =
            allocator.allocate(1 + random.nextLong(1L << random.nextInt(1, 26)), random.nextInt(2));
        live.add(block);
        liveBytes += block.bytes();
      } else {
        CachingAllocator.Block block = live.remove(random.nextInt(live.size()));
        liveBytes -= block.bytes();
        allocator.free(block);
      }
      assertThat(allocator.reservedBytes()).as("seed %d", seed).isGreaterThanOrEqualTo(liveBytes);
    }
    live.forEach(allocator::free);
    allocator.emptyCache();
    assertThat(allocator.reservedBytes()).as("seed %d", seed).isZero();
  }
}
