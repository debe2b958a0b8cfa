package dev.pitwall.trace.compilelog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompileLogReaderTest {
  private static final Path COUNT =
      SharedData.repositoryRoot()
          .resolve("core/src/test/resources/dev/pitwall/trace/compilelog/count.py");

  @Test
  void everyRecordedLogHasTheCountsOfAnIndependentScript() throws Exception {
    List<Path> logs = recordedLogs();
    List<String> command = new ArrayList<>(List.of("python3", COUNT.toString()));
    logs.forEach(log -> command.add(log.toString()));
    List<String> counted = run(command);
    assertThat(counted).hasSameSizeAs(logs);
    for (int i = 0; i < logs.size(); i++) {
      CompileLog log = CompileLogReader.read(logs.get(i));
      assertThat(
              String.join(
                  "\t",
                  List.of(
                      logs.get(i).toString(),
                      "" + log.events(),
                      "" + log.graphBreaks(),
                      "" + log.recompiles(),
                      "" + log.compiledFrames(),
                      "" + log.failures(),
                      ""
                          + (log.losses().count("damaged-payload")
                              + log.losses().count("truncated")))))
          .isEqualTo(counted.get(i));
      assertThat(log.losses().count("unknown-event")).as("%s", logs.get(i)).isZero();
    }
  }

  @Test
  void aBreakThatLosesTheWholeFrameSaysSoWithItsIdItsLineAndItsHint() {
    CompileLog log = read("h200/gpt2_compile/torch_trace/rank_none_1.log.gz");
    Compilation lost = log.compilations().get(3);
    assertThat(lost.failed()).isTrue();
    assertThat(lost.graphs()).isEmpty();
    GraphBreak reason = lost.graphBreaks().getFirst();
    assertThat(reason.skipsFrame()).isTrue();
    assertThat(reason.breakId()).isEqualTo("GB0124");
    assertThat(reason.reason())
        .isEqualTo("Unsupported Tensor.item() call with capture_scalar_outputs=False");
    assertThat(reason.line()).isEqualTo(95);
    assertThat(reason.code()).startsWith("if s.noisy and float(");
    assertThat(reason.hints()).hasSize(1);
    assertThat(reason.stack()).noneMatch(SourceLine::isLibrary);
  }

  @Test
  void oneReasonIsBareTextAndSeveralAreAList() {
    CompileLog log = read("h200/gpt2_compile/torch_trace/rank_none_1.log.gz");
    List<Compilation> recompiles =
        log.compilations().stream().filter(Compilation::isRecompile).toList();
    assertThat(recompiles.get(1).guardFailures())
        .containsExactly(
            new GuardFailure(
                "0/0", "tensor 'i' size mismatch at index 1. expected 576, actual 832", ""));
    assertThat(recompiles.get(2).guardFailures().getFirst())
        .isEqualTo(
            new GuardFailure(
                "0/1", "12288*i.size()[1] >= 5242880", "(_inductor/scheduler.py:326 in can_fuse)"));
  }

  @Test
  void oldAndNewSpellingsOfTheSameBreaksReadAlike() {
    CompileLog old = read("compile/torch_trace_2.6.0_cpu.log.gz");
    CompileLog current = read("compile/torch_trace_2.14.1_cpu.log.gz");
    assertThat(old.torchVersion()).isEqualTo("2.5-2.6");
    assertThat(current.torchVersion()).startsWith("2.14.1");
    assertThat(breaks(old).map(GraphBreak::line))
        .containsExactlyElementsOf(breaks(current).map(GraphBreak::line).toList());
    assertThat(breaks(old).map(GraphBreak::reason).toList())
        .contains("Data-dependent jump", "Tensor.item");
    assertThat(breaks(current).map(GraphBreak::breakId).toList())
        .containsExactly("GB0059", "GB0170", "GB0124", "GB0036");
  }

  @Test
  void theProgramWrittenForAGraphIsCountedByKernelAndLibraryCall() {
    CompileLog log = read("h200/gpt2_compile/torch_trace/rank_none_1.log.gz");
    GeneratedGraph forward = log.compilations().getFirst().graphs().getFirst();
    assertThat(forward.role()).isEqualTo(GeneratedGraph.Role.FORWARD);
    assertThat(forward.cacheKey()).startsWith("flbvbgj");
    assertThat(forward.generatedCalls()).isEqualTo(91);
    assertThat(forward.externCalls()).containsEntry("extern_kernels.mm", 49);
    assertThat(forward.kernels().getFirst().operators()).containsExactly("aten._to_copy", "aten.t");
    Partition partition = log.compilations().getFirst().partition().orElseThrow();
    assertThat(partition.savedBytes()).isBetween(7_000_000_000L, 8_000_000_000L);
    assertThat(partition.recomputed()).contains("aten.erf.default");
  }

  @Test
  void theTimelineOfTheCompilerHasNoTimeTwice() {
    CompileLog log = read("h200/gpt2_compile/torch_trace/rank_none_1.log.gz");
    double outermost =
        log.phases().stream()
            .filter(phase -> phase.depth() == 0)
            .mapToDouble(CompilePhase::durationMicros)
            .sum();
    double exclusive = log.phases().stream().mapToDouble(CompilePhase::exclusiveMicros).sum();
    assertThat(exclusive).isBetween(outermost * 0.99, outermost * 1.01);
  }

  @Test
  void aCutLogIsReadAsFarAsItGoesAndSaysSo() throws IOException {
    byte[] whole = bytes("compile/torch_trace_2.6.0_cpu.log.gz");
    SplittableRandom random = new SplittableRandom(20261129);
    for (int trial = 0; trial < 20; trial++) {
      int cut = random.nextInt(2000, whole.length);
      CompileLog log =
          new EventReader("cut", -1).read(new ByteArrayInputStream(Arrays.copyOf(whole, cut)));
      assertThat(log.events()).as("seed 20261129, cut at %d", cut).isPositive();
      assertThat(log.compiledFrames()).isLessThanOrEqualTo(10);
      assertThat(log.losses().count("damaged-payload"))
          .as("seed 20261129, cut at %d: only the end may be damaged", cut)
          .isZero();
    }
  }

  @Test
  void linesOfTwoProcessesInOneFileAreKeptApart() throws IOException {
    String[] events =
        new String(bytes("compile/torch_trace_2.6.0_cpu.log.gz"), StandardCharsets.UTF_8)
            .split("\n(?=V\\d{4} )");
    StringBuilder interleaved = new StringBuilder();
    SplittableRandom random = new SplittableRandom(7);
    int left = 0;
    int right = 0;
    while (left < events.length || right < events.length) {
      boolean takeLeft = right >= events.length || left < events.length && random.nextBoolean();
      String event = takeLeft ? events[left++] : events[right++];
      String process = takeLeft ? " 1111 " : " 2222 ";
      interleaved.append(event.replaceFirst("(V\\d{4} \\S+) \\d+ ", "$1" + process)).append('\n');
    }
    CompileLog log =
        new EventReader("interleaved", -1)
            .read(
                new ByteArrayInputStream(interleaved.toString().getBytes(StandardCharsets.UTF_8)));
    assertThat(log.compiledFrames()).as("seed 7").isEqualTo(20);
    assertThat(log.graphBreaks()).isEqualTo(8);
    assertThat(log.recompiles()).isEqualTo(6);
    assertThat(log.failures()).isEqualTo(2);
    assertThat(log.losses().count("damaged-payload")).isZero();
  }

  @Test
  void unknownEventsAreCountedAndNothingElseIsLost() throws IOException {
    String text =
        "shipper: V0101 00:00:00.000000 1 torch/x.py:1] {\"brand_new\": {}, \"frame_id\": 0,"
            + " \"frame_compile_id\": 0}\nnoise\nV0101 00:00:00.000000 1 torch/x.py:1]"
            + " {\"artifact\": {\"name\": \"also_new\"}}\nV0101 00:00:00.000000 1 torch/x.py:1]"
            + " {\"broken\n\tpayload of nothing\n";
    CompileLog log =
        new EventReader("new", 3)
            .read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    assertThat(log.events()).isEqualTo(2);
    assertThat(log.rank()).isEqualTo(3);
    assertThat(log.losses().count("unknown-event")).isEqualTo(2);
    assertThat(log.losses().count("no-event")).isEqualTo(1);
    assertThat(log.losses().count("damaged-event")).isEqualTo(1);
    assertThat(log.losses().count("orphan-payload")).isEqualTo(1);
  }

  @Test
  void aFolderIsOneLogARankAndOtherFilesInItAreLeftOut(@TempDir Path folder) throws IOException {
    String event = "V0101 00:00:00.000000 1 torch/x.py:1] {\"str\": [\"a.py\", 0]}\n";
    Files.writeString(folder.resolve("dedicated_log_torch_trace_rank_0_ab.log"), event);
    Files.writeString(folder.resolve("dedicated_log_torch_trace_rank_1_cd.log"), event);
    Files.writeString(folder.resolve("notes.txt"), "nothing of ours");
    assertThat(CompileLogReader.readAll(List.of(folder)))
        .extracting(CompileLog::rank)
        .containsExactly(0, 1);
    assertThatThrownBy(() -> CompileLogReader.read(folder.resolve("notes.txt")))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("TORCH_TRACE=");
  }

  private static Stream<GraphBreak> breaks(CompileLog log) {
    return log.compilations().stream().flatMap(one -> one.graphBreaks().stream());
  }

  private static CompileLog read(String path) {
    return CompileLogReader.read(SharedData.require(path));
  }

  private static byte[] bytes(String path) throws IOException {
    try (InputStream in =
        new GZIPInputStream(Files.newInputStream(SharedData.require(path)), 1 << 16)) {
      return in.readAllBytes();
    }
  }

  private static List<Path> recordedLogs() throws IOException {
    List<Path> logs = new ArrayList<>();
    for (String folder : List.of("h200", "compile", "corpus/torch_trace")) {
      try (Stream<Path> files = Files.walk(SharedData.require(folder))) {
        files
            .filter(file -> file.toString().matches(".*(torch_trace).*\\.(log|txt)(\\.gz)?"))
            .filter(CompileLogReader::accepts)
            .sorted()
            .forEach(logs::add);
      }
    }
    return logs;
  }

  private static List<String> run(List<String> command) throws Exception {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException missing) {
      assumeTrue(false, "skipped: python3 is not here for the independent count");
      return List.of();
    }
    List<String> lines;
    try (InputStream out = process.getInputStream()) {
      lines = new String(out.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    assertThat(process.waitFor()).as("%s", lines).isZero();
    return lines;
  }
}
