package dev.pitwall.trace.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.Track;
import org.junit.jupiter.api.Test;

/// What the reader must find in recordings whose program is known.
class RealTracesTest {
  @Test
  void twoRankTraceSaysWhoRanWhatAndWhere() {
    Trace trace = read("h200/multi/b_ddp.rank0.trace.json.gz");

    assertThat(trace.recording().rank()).isZero();
    assertThat(trace.recording().rankSource()).isEqualTo("distributedInfo");
    assertThat(trace.recording().worldSize()).isEqualTo(2);
    assertThat(trace.recording().backend()).isEqualTo("nccl");
    assertThat(trace.recording().devices()).hasSize(2);
    assertThat(trace.recording().devices().getFirst().multiprocessors()).isEqualTo(132);
    assertThat(trace.recording().epochNanos()).isEqualTo(1790857026000000000L);
    assertThat(trace.losses().entries()).isEmpty();
    assertThat(trace.tracks())
        .filteredOn(track -> track.kind() == Track.Kind.STREAM)
        .extracting(Track::stream)
        .containsExactlyInAnyOrder(7L, 17L);
  }

  @Test
  void timesAreExactNanosecondsAndKernelsCarryTheirLaunch() {
    Trace trace = read("h200/multi/b_ddp.rank0.trace.json.gz");
    Slices slices = trace.slices();
    int stream7 =
        trace.tracks().stream().filter(track -> track.stream() == 7).findFirst().orElseThrow().id();

    int first = trace.firstRow(stream7);
    while (slices.category(first) != Category.KERNEL) {
      first++;
    }
    assertThat(slices.startNanos(first)).isEqualTo(5111747539802023L);
    assertThat(slices.durationNanos(first)).isEqualTo(44704);
    assertThat(slices.correlation(first)).isEqualTo(3723518);
    int launch = slices.deviceWork().launch(slices.deviceWorkDetail(first));
    assertThat(trace.kernelLaunches().get(launch).threadsPerBlock()).isEqualTo(512);
    assertThat(trace.kernelLaunches().get(launch).blocks()).isEqualTo(320);
  }

  @Test
  void collectivesOfKernelAndOperatorAreTheSame() {
    Trace trace = read("h200/multi/b_ddp.rank0.trace.json.gz");
    Slices slices = trace.slices();
    int onKernels = 0;
    int onOperators = 0;
    for (int row = 0; row < slices.size(); row++) {
      int device = slices.deviceWorkDetail(row);
      int operator = slices.operatorDetail(row);
      onKernels += device >= 0 && slices.deviceWork().collective(device) >= 0 ? 1 : 0;
      onOperators += operator >= 0 && slices.operators().collective(operator) >= 0 ? 1 : 0;
    }
    assertThat(onKernels).isPositive();
    assertThat(onOperators).isPositive();
    assertThat(trace.collectives()).allMatch(collective -> collective.groupSize() == 2);
    assertThat(trace.collectives()).allMatch(collective -> collective.ranks().equals("[0, 1]"));
  }

  private static Trace read(String path) {
    return TraceFiles.read(SharedData.require(path)).getFirst();
  }
}
