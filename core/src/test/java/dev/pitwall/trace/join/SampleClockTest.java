package dev.pitwall.trace.join;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.smi.SampleLog;
import dev.pitwall.trace.smi.SampleLogReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class SampleClockTest {
  private final Trace trace = TraceReaders.read(SharedData.require("h200/gpt2/base.trace.json.gz"));

  @Test
  void aRealLogGoesOnTheClockOfTheTraceRecordedWhileItRan() throws IOException {
    SampleLog log = log("h200/dmon_a.txt", "");
    SampleClock clock = SampleClock.of(trace, log).orElseThrow();
    assertThat(clock.zoneNanos()).isZero();
    assertThat(clock.errorNanos()).isEqualTo(1_000_000_000L);
    Counter utilization =
        clock.counters(trace, log).stream()
            .filter(counter -> counter.name().equals(SampleLog.SM_UTILIZATION))
            .findFirst()
            .orElseThrow();
    // The GPU computed all the time while this was recorded, and nothing a second later.
    assertThat(utilization.values().get(0)).isEqualTo(100);
    assertThat(clock.counters(trace, log))
        .extracting(Counter::name)
        .contains(SampleLog.POWER, SampleLog.SM_CLOCK);
  }

  @Test
  void aLogInLocalTimeIsFoundInItsZone() throws IOException {
    // The same log as a machine nine hours east of UTC would have written it.
    SampleLog log = log("h200/dmon_a.txt", "9");
    assertThat(SampleClock.of(trace, log).orElseThrow().zoneNanos())
        .isEqualTo(9 * 3_600_000_000_000L);
  }

  @Test
  void aLogOfAnotherTimeIsNotJoined() throws IOException {
    Trace later = TraceReaders.read(SharedData.require("h200/resnet/base.trace.json.gz"));
    assertThat(SampleClock.of(later, log("h200/dmon_a.txt", ""))).isEmpty();
  }

  private static SampleLog log(String path, String hoursEast) throws IOException {
    String text = Files.readString(SharedData.require(path));
    if (!hoursEast.isEmpty()) {
      text = text.replace(" 14:", " " + (14 + Integer.parseInt(hoursEast)) + ":");
    }
    return SampleLogReader.read(text.getBytes(StandardCharsets.UTF_8), path);
  }
}
