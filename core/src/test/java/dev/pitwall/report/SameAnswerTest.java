package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.report.whatif.WhatIfJson;
import dev.pitwall.study.Ranking;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The same input gives the same report to the last digit. Objects get other identity hashes each
/// time, so a choice or a sum that follows them shows here.
class SameAnswerTest {
  private static final int TIMES = 3;

  @ParameterizedTest
  @ValueSource(strings = {"llama/base", "gpt2/base", "multi/b_fsdp2.rank0"})
  void analyzingTwiceWritesTheSameDocument(String name) {
    Path file = SharedData.require("h200/" + name + ".trace.json.gz");
    String first = document(file);
    for (int time = 1; time < TIMES; time++) {
      assertThat(document(file)).isEqualTo(first);
    }
  }

  private static String document(Path file) {
    TraceIndex index = TraceIndex.of(TraceReaders.read(file), null);
    JobSample sample = JobSample.of(file, index);
    Ranking ranking = sample.study().rank();
    return JsonReport.of(ReportBuilder.build(List.of(RunAnalysis.analyze(file, index))))
        + WhatIfJson.of(ranking, List.of());
  }
}
