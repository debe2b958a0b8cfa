package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.SharedData;
import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Gain;
import dev.pitwall.report.section.HangSection;
import dev.pitwall.report.section.Section;
import dev.pitwall.report.section.SideRecordings;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceReaders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What is one job, and that all who speak of it speak of the same rank and step.
class OneJobTest {
  @TempDir private Path folder;

  private static final JobAnalysis.Watcher NOBODY =
      new JobAnalysis.Watcher() {
        @Override
        public void reading(Path file) {}

        @Override
        public void read(int place, Trace trace) {}
      };

  @ParameterizedTest
  @CsvSource({
    "gpt2/base, llama/base, share no collective",
    "gpt2/base, gpt2/batch32, says a rank",
    "multi/s_ddp.rank0, multi/s_ddp_bucket1.rank0, rank 0",
    "multi/s_ddp.rank0, multi/s_fsdp2.rank1, one calls allreduce",
    "gpt2/base, multi/s_ddp.rank1, share no collective"
  })
  void runsThatAreNoRanksOfOneJobAreRefusedWithTheReason(String one, String other, String reason) {
    List<Path> files =
        Stream.of(one, other)
            .map(name -> SharedData.require("h200/" + name + ".trace.json.gz"))
            .toList();
    for (ThrowingCallable reader :
        List.<ThrowingCallable>of(
            () -> JobAnalysis.of(files, List.of(), null, true, NOBODY),
            () -> JobSample.read(files, null),
            () -> OpenedRun.read(files))) {
      assertThatThrownBy(reader)
          .isInstanceOfSatisfying(
              PitwallException.class,
              refused -> {
                assertThat(refused.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
                assertThat(refused.getMessage())
                    .contains("are two runs, not two ranks of one job")
                    .contains(reason)
                    .contains("pitwall diff");
              });
    }
  }

  @Test
  void aRankThatIsCutShortIsSaidToBeAndLeftOutOfTheMeans() throws IOException {
    Path first = SharedData.require("h200/multi/s_ddp.rank0.trace.json.gz");
    byte[] second = Files.readAllBytes(SharedData.require("h200/multi/s_ddp.rank1.trace.json.gz"));
    Path cut = folder.resolve("s_ddp.rank1.trace.json.gz");
    Files.write(cut, Arrays.copyOf(second, 200_000));
    Report alone =
        ReportBuilder.build(
            JobAnalysis.of(List.of(first), List.of(), null, true, NOBODY).results());
    List<Path> files = List.of(first, cut);
    Report both =
        ReportBuilder.build(JobAnalysis.of(files, List.of(), null, true, NOBODY).results());
    assertThat(both.shownRank()).isZero();
    assertThat(both.device()).isEqualTo(alone.device());
    assertThat(both.host()).isEqualTo(alone.host());
    assertThat(both.steps()).isEqualTo(alone.steps());
    assertThat(both.ranks()).hasSize(1);
    assertThat(both.inputs().get(1).warnings())
        .extracting(Report.Warning::code)
        .contains("cut-short");
    assertThat(JobSample.read(files, null).slowestFile()).isEqualTo(first);
  }

  @Test
  void aFlightRecorderDumpOfAnotherJobLeavesTheVerdict() {
    List<Path> files = ranks("s_ddp");
    List<RankResult> results = JobAnalysis.of(files, List.of(), null, true, NOBODY).results();
    Section dump =
        new Section(
            HangSection.ID,
            "Flight recorder of 1 rank",
            "Rank 9 waits.",
            List.of(),
            ReportBuilder.build(results).findings());
    SideRecordings beside =
        SideRecordings.none()
            .with(
                List.of(dump),
                List.of(
                    new SideRecordings.Source(
                        "_dump_9", SideRecordings.Source.FLIGHT_RECORDER, 9, 1, 1, 0, List.of())));
    Report report = ReportBuilder.build(results, beside);
    assertThat(report.verdict()).isEqualTo(ReportBuilder.build(results).verdict());
    Section said = report.sections().getLast();
    assertThat(said.sentence()).startsWith("The dump is of another job: it is of rank 9");
    assertThat(said.findings()).isEmpty();
  }

  @Test
  void gpuWorkAgainstNoneIsDoubted() throws IOException {
    JobSample gpu =
        JobSample.read(List.of(SharedData.require("h200/gpt2/base.trace.json.gz")), null);
    assertThat(JobSample.doubts(gpu, gpu)).isEmpty();
    Path file =
        Files.writeString(
            folder.resolve("cpu.json"),
            """
            {"traceEvents": [
              {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1",
               "pid": 1, "tid": 1, "ts": 0, "dur": 1000},
              {"ph": "X", "cat": "cpu_op", "name": "aten::mm",
               "pid": 1, "tid": 1, "ts": 10, "dur": 900}]}
            """);
    JobSample cpu = JobSample.read(List.of(file), null);
    assertThat(JobSample.doubts(gpu, cpu))
        .singleElement()
        .asString()
        .startsWith(file + " holds no GPU work");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no trace"})
  void aRankThatCannotBeReadIsNamedOnceAndLeftOutByEveryone(String content) throws IOException {
    Path rank = SharedData.require("h200/multi/s_ddp.rank0.trace.json.gz");
    Files.copy(rank, folder.resolve("s_ddp.rank0.trace.json.gz"));
    String broken = Files.writeString(folder.resolve("s_ddp.rank1.trace.json"), content).toString();
    SideRecordings beside = SideRecordings.of(List.of(folder));
    JobAnalysis job =
        JobAnalysis.of(beside.tracesOf(beside.others()), List.of(), null, true, NOBODY);
    assertThat(job.results()).hasSize(1);
    assertThat(beside.with(List.of(), job.refused()).refused())
        .extracting(SideRecordings.Source::path)
        .containsExactly(broken);
    assertThat(JobSample.in(folder).refused())
        .extracting(SideRecordings.Source::path)
        .containsExactly(broken);
    OpenedRun opened = OpenedRun.read(folder);
    assertThat(opened.ranks()).hasSize(1);
    assertThat(opened.refused()).extracting(SideRecordings.Source::path).containsExactly(broken);
    assertThat(opened.report().inputs()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"b_single", "s_ddp_straggler", "b_fsdp2"})
  void everyCommandSpeaksOfTheSameRankStepAndGains(String job) {
    List<Path> files = ranks(job);
    Report report =
        ReportBuilder.build(JobAnalysis.of(files, List.of(), null, true, NOBODY).results());
    JobSample sample = JobSample.read(files, null);
    OpenedRun opened = OpenedRun.read(files);
    assertThat(report.inputs().get(report.shownRank()).path())
        .isEqualTo(sample.slowestFile().toString())
        .isEqualTo(opened.sample().slowestFile().toString());
    Estimate step = sample.baseline().stepMillis();
    assertThat(report.estimatedStep()).isEqualTo(step);
    assertThat(opened.baseline().stepMillis()).isEqualTo(step);
    assertThat(opened.report().estimatedStep()).isEqualTo(step);
    assertThat(opened.report().findings()).isEqualTo(report.findings());
    WhatIf study = sample.study();
    List<Finding> simulated =
        Stream.concat(report.findings().stream(), report.opportunities().stream())
            .filter(finding -> finding.gain().millis().basis() == Basis.SIMULATED)
            .filter(finding -> !finding.id().equals("compile"))
            .toList();
    for (Finding finding : simulated) {
      Optional<Gain> gain = study.gainOf(finding.id());
      assertThat(gain).as(finding.id()).contains(finding.gain());
    }
  }

  @Test
  void aSingleRankOnTwoThreadsGetsTheReportOfOneThread() {
    Path file = SharedData.require("h200/gpt2/item.trace.json.gz");
    assertThat(
            JsonReport.of(
                ReportBuilder.build(
                    JobAnalysis.of(List.of(file), List.of(), null, true, NOBODY).results())))
        .isEqualTo(
            JsonReport.of(
                ReportBuilder.build(
                    List.of(RunAnalysis.analyze(file, TraceReaders.read(file), null)))));
  }

  private static List<Path> ranks(String job) {
    return IntStream.range(0, 2)
        .mapToObj(
            rank -> SharedData.require("h200/multi/" + job + ".rank" + rank + ".trace.json.gz"))
        .toList();
  }
}
