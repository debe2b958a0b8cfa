package dev.pitwall.observe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.TinyTrace;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceTimeTest {
  private static final String KERNEL = "nvjet_sm90_tst_128x128";
  private static final String COLLECTIVE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

  /// A step's launches on the main thread.
  private static TinyTrace step(TinyTrace trace, int number, long start, long length) {
    return trace.cpu("1", Category.USER_ANNOTATION, "ProfilerStep#" + number, start, length);
  }

  private static TinyTrace launch(TinyTrace trace, long at, long length, int correlation) {
    return trace.cpu("1", Category.RUNTIME, "cudaLaunchKernel", at, length, correlation);
  }

  private static DeviceTime measured(TinyTrace trace) {
    DeviceTime device = Observation.of(trace.index()).deviceTime();
    assertThat(device).isNotNull();
    return device;
  }

  @Test
  void communicationIsExposedOnlyWhereNothingComputes() {
    TinyTrace trace = step(new TinyTrace(), 0, 0, 100);
    launch(trace, 1, 1, 1);
    launch(trace, 3, 1, 2);
    trace.device(7, Category.KERNEL, KERNEL, 10, 40, 1);
    trace.device(20, Category.KERNEL, COLLECTIVE, 30, 50, 2);
    DeviceTime device = measured(trace);
    assertThat(device.computeNanos()).isEqualTo(40_000);
    assertThat(device.communicationNanos()).isEqualTo(50_000);
    assertThat(device.exposedCommunicationNanos()).isEqualTo(30_000);
    assertThat(device.windows().totalNanos()).isEqualTo(80_000);
    assertThat(device.idleNanos()).isEqualTo(10_000);
  }

  @Test
  void aStepLastsFromCompletionToCompletion() {
    TinyTrace trace = step(new TinyTrace(), 0, 0, 20);
    step(trace, 1, 20, 20);
    launch(trace, 1, 1, 1);
    launch(trace, 21, 1, 2);
    trace.device(7, Category.KERNEL, KERNEL, 5, 50, 1);
    trace.device(7, Category.KERNEL, KERNEL, 56, 50, 2);
    DeviceTime device = measured(trace);
    assertThat(device.windows().durationNanos(0)).isEqualTo(55_000);
    assertThat(device.windows().durationNanos(1)).isEqualTo(51_000);
  }

  @Test
  void deviceWorkWithoutAnyLaunchCountsInOneStepThatIsTheRecording() {
    TinyTrace trace = step(new TinyTrace(), 0, 0, 100);
    step(trace, 1, 100, 100);
    trace.device(7, Category.KERNEL, KERNEL, 10, 40, 1);
    trace.device(7, Category.KERNEL, KERNEL, 60, 100, 2);
    Observation observation = Observation.of(trace.index());
    DeviceTime device = observation.deviceTime();
    assertThat(device).isNotNull();
    assertThat(device.windows().count()).isEqualTo(1);
    assertThat(device.computeNanos()).isEqualTo(140_000);
    assertThat(observation.kernels().getFirst().totalNanos()).isEqualTo(140_000);
    assertThat(observation.index().steps().source()).isEqualTo(Steps.Source.NONE);
    assertThat(observation.host().stepNanos()).as("nothing of the host is known").isZero();
    assertThat(observation.quality().doubt()).isEqualTo(Doubt.LAUNCHES);
    assertThat(observation.quality().idleIsCredible()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "0, NONE",
    "500000, NONE",
    "5000000, CLOCKS",
    "-5000000, CLOCKS",
  })
  void deviceTimesSecondsFromTheHostsAreOfAnotherClock(long shiftMicros, Doubt doubt) {
    TinyTrace trace = step(new TinyTrace(), 0, 0, 100);
    launch(trace, 1, 1, 1);
    trace.device(7, Category.KERNEL, KERNEL, 10 + shiftMicros, 40, 1);
    RecordingQuality quality = Observation.of(trace.index()).quality();
    assertThat(quality.doubt()).isEqualTo(doubt);
    assertThat(quality.idleIsCredible()).isEqualTo(doubt == Doubt.NONE);
  }

  @Test
  void deviceWorkSecondsAheadOfItsLaunchIsOfAnotherClockHoweverLongTheRecording() {
    TinyTrace trace = step(new TinyTrace(), 0, 0, 9_000_000);
    launch(trace, 8_000_000, 1, 1);
    trace.device(7, Category.KERNEL, KERNEL, 3_000_000, 40, 1);
    assertThat(Observation.of(trace.index()).quality().doubt()).isEqualTo(Doubt.CLOCKS);
  }

  @Test
  void aWaitExplainsNoMoreIdleTimeThanItLasted() {
    TinyTrace trace = step(new TinyTrace(), 0, 0, 200);
    launch(trace, 1, 1, 1);
    trace.cpu("1", Category.RUNTIME, "cudaStreamSynchronize", 10, 20);
    launch(trace, 100, 1, 2);
    trace.device(7, Category.KERNEL, KERNEL, 5, 25, 1);
    trace.device(7, Category.KERNEL, KERNEL, 110, 10, 2);
    IdleGaps gaps = measured(trace).gaps();
    assertThat(gaps.totalNanos(IdleCause.HOST_SYNC)).isEqualTo(20_000);
    assertThat(gaps.totalNanos(IdleCause.HOST)).isEqualTo(5_000 + 60_000);
  }

  @Test
  void aTimelyLaunchLeavesTheGapToTheDevice() {
    TinyTrace trace = step(new TinyTrace(), 0, 0, 50);
    launch(trace, 1, 1, 1);
    launch(trace, 3, 1, 2);
    trace.device(7, Category.KERNEL, KERNEL, 5, 25, 1);
    trace.device(7, Category.KERNEL, KERNEL, 32, 10, 2);
    assertThat(measured(trace).gaps().totalNanos(IdleCause.KERNEL)).isEqualTo(2_000);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void everyMomentIsCountedOnceWhateverTheTrace(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TinyTrace trace = new TinyTrace();
    long now = 0;
    int correlation = 0;
    for (int step = 0; step < 4; step++) {
      long start = now;
      for (int call = 0; call < 30; call++) {
        now += random.nextLong(1, 30);
        int kind = random.nextInt(10);
        if (kind == 0) {
          trace.cpu("1", Category.RUNTIME, "cudaDeviceSynchronize", now, random.nextLong(1, 80));
          now += 80;
        } else if (kind == 1) {
          trace.cpu("1", Category.RUNTIME, "cudaMalloc", now, random.nextLong(1, 40));
          now += 40;
        } else {
          correlation++;
          launch(trace, now, 2, correlation);
          String name = random.nextInt(4) == 0 ? COLLECTIVE : KERNEL;
          Category category = random.nextInt(6) == 0 ? Category.MEMCPY : Category.KERNEL;
          trace.device(
              random.nextInt(3),
              category,
              name,
              now + random.nextLong(0, 60),
              random.nextLong(0, 50),
              random.nextInt(12) == 0 ? 100_000 + correlation : correlation);
        }
      }
      now += random.nextLong(3, 50);
      step(trace, step, start, now - start);
    }
    DeviceTime device = measured(trace);
    long counted =
        device.computeNanos()
            + device.exposedCommunicationNanos()
            + device.copyNanos()
            + device.idleNanos();
    assertThat(counted).as("seed %d", seed).isEqualTo(device.windows().totalNanos());
    long causes = 0;
    for (IdleCause cause : IdleCause.values()) {
      causes += device.gaps().totalNanos(cause);
    }
    assertThat(causes).as("seed %d", seed).isEqualTo(device.idleNanos());
  }
}
