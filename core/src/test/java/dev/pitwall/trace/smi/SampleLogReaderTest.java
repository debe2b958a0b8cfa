package dev.pitwall.trace.smi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Counter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class SampleLogReaderTest {
  @Test
  void dmonOfTheMeasuredRunsHasEveryQuantityOncePerSecond() throws IOException {
    SampleLog log =
        SampleLogReader.read(
            Files.readAllBytes(SharedData.require("h200/dmon_a.txt")), "dmon_a.txt");
    Counter clock = log.counter(SampleLog.SM_CLOCK, 0).orElseThrow();
    assertThat(log.kind()).isEqualTo("dmon");
    assertThat(clock.unit()).isEqualTo("MHz");
    assertThat(clock.values().get(0)).isEqualTo(1980);
    assertThat(clock.timeNanos().get(1) - clock.timeNanos().get(0)).isEqualTo(1_000_000_000L);
    assertThat(log.counter(SampleLog.PCIE_RECEIVE, 0)).isPresent();
  }

  @Test
  void dcgmRocmAndQueryTablesGiveTheSameNames() {
    assertThat(
            read("GPUId,TimeStampUs,Field,Values\n1,1718783836956328,power_usage_instant,71.20\n"))
        .satisfies(log -> assertThat(log.counter(SampleLog.POWER, 1)).isPresent());
    assertThat(read("device,GPU use (%),Temperature (Sensor edge) (C)\ncard2,97,51.0\n"))
        .satisfies(
            log -> {
              assertThat(log.counter(SampleLog.SM_UTILIZATION, 2).orElseThrow().values().get(0))
                  .isEqualTo(97);
              assertThat(log.hasClock()).isFalse();
            });
    assertThat(read("timestamp, index, utilization.gpu [%]\n2026/01/03 15:36:53.507, 3, 41 %\n"))
        .satisfies(log -> assertThat(log.counter(SampleLog.SM_UTILIZATION, 3)).isPresent());
  }

  @Test
  void linesThatDoNotFitAreCountedNotFatal() {
    SampleLog log = read("# gpu  sm\n# Idx  %\n 0 5\n 0\n 0 7\n");
    assertThat(log.losses().count("sample-line")).isEqualTo(1);
    assertThat(log.counter(SampleLog.SM_UTILIZATION, 0).orElseThrow().values().size()).isEqualTo(2);
  }

  @Test
  void everyPublicLogIsReadOrRefusedInOneSentence() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(SharedData.require("corpus/gpumon"))) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    int read = 0;
    for (Path file : files) {
      byte[] bytes = Files.readAllBytes(file);
      if (file.toString().endsWith(".gz")) {
        bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
      }
      try {
        assertThat(SampleLogReader.read(bytes, "log").counters()).isNotEmpty();
        read++;
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).startsWith("log holds no device samples").endsWith(".");
      }
    }
    assertThat(read).isGreaterThanOrEqualTo(files.size() / 2);
  }

  @Test
  void anythingElseIsRefusedInOneSentence() {
    assertThatThrownBy(() -> read("hello\nworld\n")).isInstanceOf(PitwallException.class);
  }

  private static SampleLog read(String text) {
    return SampleLogReader.read(text.getBytes(StandardCharsets.UTF_8), "log");
  }
}
