package dev.pitwall.scale.communication;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupTrafficTest {
  private static List<GroupTraffic> of(String variant) {
    List<RankTraffic> ranks = new ArrayList<>();
    for (int rank = 0; rank < 2; rank++) {
      ranks.add(
          RankTraffic.of(
              TraceIndex.of(
                  TraceReaders.read(
                      SharedData.require(
                          "h200/multi/" + variant + ".rank" + rank + ".trace.json.gz")),
                  null)));
    }
    return GroupTraffic.of(ranks);
  }

  @Test
  void smallBucketsAreSeenAndALargerCapIsAdvised() {
    GroupTraffic reduced = of("s_ddp_bucket1").getFirst();
    assertThat(reduced.kind()).isEqualTo(CollectiveKind.ALL_REDUCE);
    assertThat(reduced.countPerStep()).isEqualTo(63);
    assertThat(reduced.smallPerStep()).isGreaterThan(20);
    assertThat(reduced.advice()).contains("bucket_cap_mb=");
  }

  @Test
  void largeUnitsReachMostOfTheLinkAndNeedNoAdvice() {
    List<GroupTraffic> groups = of("b_fsdp2");
    assertThat(groups)
        .extracting(GroupTraffic::kind)
        .containsExactlyInAnyOrder(CollectiveKind.ALL_GATHER, CollectiveKind.REDUCE_SCATTER);
    for (GroupTraffic group : groups) {
      assertThat(group.busBandwidth() / group.bestBusBandwidth()).isBetween(0.7, 1.0);
      assertThat(group.advice()).isEmpty();
    }
  }

  @Test
  void aSleepingRankShowsAsWaiting() {
    assertThat(of("s_ddp_straggler").getFirst().waitingMillisPerStep()).isGreaterThan(15);
  }
}
