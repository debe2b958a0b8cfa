package dev.pitwall.trace.kineto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Small files with one fault each, as found in real ones, and what must be left of them.
class DamagedTraceTest {
  /// A file, its rows as `category name start duration` (nanoseconds), and its warnings as
  /// `code count`.
  private record Case(String fault, String file, String rows, String warnings) {
    @Override
    public String toString() {
      return fault;
    }
  }

  private static final String LANE = "\"pid\":9,\"tid\":9";

  @TempDir private Path folder;

  private static List<Case> faults() {
    return List.of(
        new Case(
            "a sound file",
            events(op("a", "1.5", "2"), op("b", "2.001", "0.999")),
            "CPU_OP a 1500 2000, CPU_OP b 2001 999",
            ""),
        new Case(
            "quotes inside a name that nobody escaped",
            events(op("say \"hi\", twice", "1", "2"), op("operator\"\"_a", "4", "1")),
            "CPU_OP say \"hi\", twice 1000 2000, CPU_OP operator\"\"_a 4000 1000",
            "unescaped-quote 4"),
        new Case(
            "a lone backslash and a path of Windows",
            events(op("C:\\env\\data", "1", "2")),
            "CPU_OP C:\\env\\data 1000 2000",
            "lone-backslash 2"),
        new Case(
            "a newline and a tab inside a name",
            events(op("two\nlines\t", "1", "2")),
            "CPU_OP two\nlines\t 1000 2000",
            "control-character 2"),
        new Case(
            "escapes that are right",
            events(op("\\\"q\\\" \\u00e9 \\ud83d\\ude00 \\/", "1", "2")),
            "CPU_OP \"q\" é 😀 / 1000 2000",
            ""),
        new Case(
            "words where numbers should be",
            events(
                "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"m\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,\"args\":{\"memory"
                    + " bandwidth (GB/s)\": inf, \"bytes\": NaN, \"stream\": N/A}}",
                op("a", "3", "-nan"),
                op("b", "inf", "1")),
            "MEMCPY m 1000 2000, CPU_OP a 3000 0",
            "odd-number 2, no-duration 1, no-time 1"),
        new Case(
            "the end is missing in the middle of an event",
            "{\"traceEvents\":[" + op("a", "1", "2") + "," + op("b", "3", "4").substring(0, 30),
            "CPU_OP a 1000 2000",
            "truncated 1"),
        new Case(
            "the end is missing behind an event",
            "{\"traceEvents\":[" + op("a", "1", "2") + ",",
            "CPU_OP a 1000 2000",
            "truncated 1"),
        new Case(
            "an event is torn and the next is sound",
            events("{\"ph\":\"X\",\"name\":} 12 {{", op("b", "3", "4")),
            "CPU_OP b 3000 4000",
            "damaged-event 1"),
        new Case(
            "commas are doubled, trailing or missing",
            "{\"traceEvents\":["
                + op("a", "1", "2")
                + ",,"
                + op("b", "3", "4")
                + op("c", "9", "1")
                + ",],}",
            "CPU_OP a 1000 2000, CPU_OP b 3000 4000, CPU_OP c 9000 1000",
            ""),
        new Case(
            "keys are doubled: the last wins",
            events(
                "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"x\",\"name\":\"a\",\"ts\":5,\"ts\":1,\"dur\":2,"
                    + LANE
                    + "}"),
            "CPU_OP a 1000 2000",
            ""),
        new Case(
            "times are texts, with exponents, and finer than a nanosecond",
            events(
                op("a", "\"1661203462718626.123\"", "\"2\""),
                op("b", "1.661203462718626e15", "2.0"),
                op("c", "1661203462718627.0005", "0.0004999")),
            "CPU_OP b 1661203462718626000 2000, CPU_OP a 1661203462718626123 2000, CPU_OP c"
                + " 1661203462718627001 0",
            ""),
        new Case(
            "a duration is negative, absent, or of 292 years",
            events(
                op("a", "1", "-2"),
                "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"ts\":3," + LANE + "}",
                op("c", "5105454235721021", "9223372036854775.000")),
            "CPU_OP a 1000 0, CPU_OP b 3000 0, CPU_OP c 5105454235721021000 0",
            "negative-duration 1, no-duration 1, impossible-duration 1"),
        new Case(
            "process and thread are texts or absent",
            events(
                "{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"pid\":\"0\",\"tid\":\"stream"
                    + " 7\",\"ts\":1,\"dur\":2}",
                "{\"ph\":\"X\",\"cat\":\"Operator\",\"name\":\"a\",\"ts\":1,\"dur\":2}"),
            "KERNEL k 1000 2000, CPU_OP a 1000 2000",
            "no-lane 1"),
        new Case(
            "an array without an object around it",
            "[" + op("a", "1", "2") + "]",
            "CPU_OP a 1000 2000",
            ""),
        new Case("no events at all", "{\"schemaVersion\":1,\"traceEvents\":[]}", "", ""),
        new Case(
            "the name of the file holds a bracket",
            "{\"traceEvents\":[" + op("a", "1", "2") + "],\"traceName\":\"[x]}.json\"}",
            "CPU_OP a 1000 2000",
            ""),
        new Case(
            "metadata is broken before the events",
            "{\"deviceProperties\":[{\"id\":0,],\"note\": ]]]\n\"traceEvents\":["
                + op("a", "1", "2")
                + "]}",
            "CPU_OP a 1000 2000",
            "damaged-metadata 2"),
        new Case(
            "begins and ends in place of whole slices",
            events(
                "{\"ph\":\"B\",\"name\":\"outer\",\"ts\":1," + LANE + "}",
                "{\"ph\":\"B\",\"name\":\"inner\",\"ts\":2," + LANE + "}",
                "{\"ph\":\"E\",\"ts\":3," + LANE + "}",
                "{\"ph\":\"E\",\"ts\":5," + LANE + "}",
                "{\"ph\":\"E\",\"ts\":6," + LANE + "}",
                "{\"ph\":\"B\",\"name\":\"open\",\"ts\":7," + LANE + "}"),
            "OTHER outer 1000 4000, OTHER inner 2000 1000",
            "no-begin 1, no-end 1"),
        new Case(
            "unknown categories, asynchronous phases and no phase",
            events(
                "{\"ph\":\"X\",\"cat\":\"new_thing\",\"name\":\"n\",\"ts\":1,\"dur\":2,"
                    + LANE
                    + "}",
                "{\"ph\":\"b\",\"name\":\"async\",\"ts\":1," + LANE + "}",
                "{\"name\":\"nothing\"}"),
            "OTHER n 1000 2000",
            "unread-phase 1, no-phase 1"),
        new Case(
            "elements that are no objects",
            "{\"traceEvents\":[1, null, [2], \"x\", " + op("a", "1", "2") + "]}",
            "CPU_OP a 1000 2000",
            "damaged-event 1"));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void isReadAsFarAsItGoesAndSaysWhatItLost(Case given) throws IOException {
    Trace trace = read(given.file());
    assertThat(rows(trace)).isEqualTo(given.rows());
    assertThat(warnings(trace)).isEqualTo(given.warnings());
    assertThat(trace.losses().entries()).allMatch(entry -> entry.text().endsWith("."));
  }

  @Test
  void bytesThatAreNoUtf8ShowAsReplacements() throws IOException {
    byte[] file = events(op("a\u00ff", "1", "2")).getBytes(StandardCharsets.ISO_8859_1);
    Trace trace = read(file);
    assertThat(rows(trace)).isEqualTo("CPU_OP a\uFFFD 1000 2000");
    assertThat(warnings(trace)).isEqualTo("bad-utf8 1");
  }

  @Test
  void hugeUnsignedAndHexadecimalNumbersAreRead() throws IOException {
    Trace trace =
        read(
            events(
                "{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":1,"
                    + LANE
                    + ",\"args\":{\"Addr\":18446744073709551615,\"Bytes\":-512,\"Device"
                    + " Type\":1,\"Device Id\":3,\"Total Allocated\":1024}}",
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":2,\"tid\":0,\"ts\":1,\"dur\":2,"
                    + "\"args\":{\"stream\":\"0x1a\",\"device\":2,\"correlation\":4294967295}}"));
    assertThat(trace.memoryEvents().address(0)).isEqualTo(-1L);
    assertThat(trace.memoryEvents().bytes(0)).isEqualTo(-512);
    assertThat(trace.memoryEvents().device(0)).isEqualTo(3);
    assertThat(trace.memoryEvents().reservedBytes(0)).isEqualTo(-1);
    assertThat(trace.tracks()).anyMatch(track -> track.stream() == 26 && track.device() == 2);
    assertThat(trace.slices().correlation(trace.slices().size() - 1)).isEqualTo(Slices.NONE);
  }

  @Test
  void hostAndDeviceLanesOfTheSameNumbersStayApart() throws IOException {
    Trace trace =
        read(
            events(
                op("a", "1", "2").replace(LANE, "\"pid\":1,\"tid\":1"),
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}"));
    assertThat(trace.tracks()).hasSize(2);
  }

  @Test
  void forwardAndBackwardAreLinkedWhereverTheirFlowsStand() throws IOException {
    Trace trace =
        read(
            events(
                "{\"ph\":\"f\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":1,\"ts\":9,"
                    + LANE
                    + "}",
                op("forward", "1", "2"),
                op("backward", "9", "2"),
                op("other", "20", "1"),
                "{\"ph\":\"s\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":1,\"ts\":1,"
                    + LANE
                    + "}",
                "{\"ph\":\"f\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":2,\"ts\":77,"
                    + LANE
                    + "}"));
    assertThat(trace.forwardBackwardLinks().size()).isEqualTo(1);
    assertThat(trace.name(trace.forwardBackwardLinks().forwardRow(0))).isEqualTo("forward");
    assertThat(trace.name(trace.forwardBackwardLinks().backwardRow(0))).isEqualTo("backward");
    assertThat(warnings(trace)).isEqualTo("unmatched-flow 1");
  }

  @Test
  void launchFlowsGiveTheCorrelationThatOldRecordersLeftOut() throws IOException {
    Trace trace =
        read(
            events(
                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\",\"ts\":1,\"dur\":1,"
                    + LANE
                    + "}",
                "{\"ph\":\"s\",\"cat\":\"async_cpu_to_gpu\",\"name\":\"f\",\"id\":41,\"ts\":1,"
                    + LANE
                    + "}",
                "{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"pid\":0,\"tid\":0,\"ts\":3,\"dur\":1}",
                "{\"ph\":\"f\",\"cat\":\"async_cpu_to_gpu\",\"name\":\"f\",\"id\":41,\"pid\":0,\"tid\":0,\"ts\":3}"));
    assertThat(trace.slices().correlation(0)).isEqualTo(41);
    assertThat(trace.slices().correlation(1)).isEqualTo(41);
  }

  @Test
  void countersBecomeSeries() throws IOException {
    Trace trace =
        read(
            events(
                "{\"ph\":\"C\",\"name\":\"HBM\",\"pid\":\"GPU 3"
                    + " Counters\",\"tid\":0,\"ts\":2,\"args\":{\"Read(MB/s)\":7.5}}",
                "{\"ph\":\"C\",\"name\":\"HBM\",\"pid\":\"GPU 3"
                    + " Counters\",\"tid\":0,\"ts\":1,\"args\":{\"Read(MB/s)\":2}}"));
    assertThat(trace.counters()).hasSize(1);
    assertThat(trace.counters().getFirst().unit()).isEqualTo("MB/s");
    assertThat(trace.counters().getFirst().device()).isEqualTo(3);
    assertThat(trace.counters().getFirst().values().get(0)).isEqualTo(2);
    assertThat(trace.counters().getFirst().timeNanos().get(1)).isEqualTo(2000);
  }

  @Test
  void theRankIsTakenFromTheFileOrItsNameAndSaysWhich() throws IOException {
    Path named = Files.writeString(folder.resolve("job_rank-12.json"), events(op("a", "1", "2")));
    assertThat(TraceFiles.read(named).getFirst().recording().rank()).isEqualTo(12);
    assertThat(TraceFiles.read(named).getFirst().recording().rankSource()).isEqualTo("file name");
    Trace none = read(events(op("a", "1", "2")));
    assertThat(none.recording().rank()).isEqualTo(-1);
    Trace stated =
        read(
            "{\"traceEvents\":[],\"distributedInfo\":{\"rank\":3,\"world_size\":4,\"pg_config\":[{\"ranks\":\"[0]\"}]}}");
    assertThat(stated.recording().rank()).isEqualTo(3);
    assertThat(stated.recording().processGroups().getFirst().ranks()).isEqualTo("[0]");
  }

  @Test
  void hostileFilesEndInOneSentence() {
    assertThatThrownBy(() -> read("{\"traceEvents\":[{\"args\":" + "[".repeat(100_000)))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("512 levels");
    assertThatThrownBy(() -> read("{\"note\":\"" + "x".repeat(70 << 20)))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("64 MiB");
    assertThatThrownBy(() -> read("{\"hidden_size\": 4096}"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("traceEvents");
    assertThatThrownBy(() -> read("[{\"size\": 1}]"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("trace event");
  }

  private static String events(String... events) {
    return "{\"schemaVersion\":1,\"traceEvents\":[" + String.join(",\n", events) + "]}";
  }

  private static String op(String name, String micros, String duration) {
    return "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",%s,\"ts\":%s,\"dur\":%s}"
        .formatted(name, LANE, micros, duration);
  }

  private Trace read(String file) throws IOException {
    return read(file.getBytes(StandardCharsets.UTF_8));
  }

  private Trace read(byte[] file) throws IOException {
    return TraceFiles.read(Files.write(folder.resolve("trace.json"), file)).getFirst();
  }

  private static String rows(Trace trace) {
    List<String> rows = new ArrayList<>();
    Slices slices = trace.slices();
    for (int row = 0; row < slices.size(); row++) {
      rows.add(
          slices.category(row)
              + " "
              + trace.name(row)
              + " "
              + slices.startNanos(row)
              + " "
              + slices.durationNanos(row));
    }
    return String.join(", ", rows);
  }

  private static String warnings(Trace trace) {
    return trace.losses().entries().stream()
        .map((LossLedger.Entry entry) -> entry.code() + " " + entry.count())
        .collect(Collectors.joining(", "));
  }
}
