package dev.pitwall.report.section;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class SideRecordingsTest {
  /// A trace of several ranks lists its process groups in its first lines, as flight recorder dumps
  /// do.
  @Test
  void aTraceOfSeveralRanksIsNoFlightRecorderDump() {
    Path trace = SharedData.require("h200/multi/s_ddp.rank0.trace.json.gz");
    SideRecordings beside = SideRecordings.of(List.of(trace));
    assertThat(beside.others()).containsExactly(trace);
    assertThat(beside.sources()).isEmpty();
  }
}
