package dev.pitwall.scale.communication;

import dev.pitwall.hardware.CollectiveCosts;
import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.Network;
import dev.pitwall.hardware.RankGroup;
import dev.pitwall.scale.Cluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// One kind of collective in one process group, over all ranks and steps.
///
/// A collective's kernel runs from the moment its own rank arrives, so on all but the last rank it
/// contains waiting. The shortest duration over the ranks is what the transfer took; the rest is
/// waiting for the last rank.
///
/// @param recordedRanks ranks whose recordings hold it; of one alone, waiting cannot be told
/// @param countPerStep collectives a step
/// @param medianBytes size of the middle one
/// @param exposedMillisPerStep mean over ranks of what nothing hides
/// @param waitingMillisPerStep mean over ranks of the time beyond the fastest rank's
/// @param busBandwidth reached by the transfers themselves, bytes per second
/// @param bestBusBandwidth what the link reaches at infinite size; 0 where the GPU is unknown
/// @param smallPerStep collectives a step below the size at which the link reaches half its best
public record GroupTraffic(
    String group,
    CollectiveKind kind,
    int ranks,
    int recordedRanks,
    double countPerStep,
    long medianBytes,
    double exposedMillisPerStep,
    double waitingMillisPerStep,
    double busBandwidth,
    double bestBusBandwidth,
    double smallPerStep,
    double efficientBytes) {

  private static final double MIB = 1L << 20;

  /// Whether only one of several ranks was recorded: its durations are transfer and waiting in one.
  public boolean isOfOneRank() {
    return recordedRanks == 1 && ranks > 1;
  }

  /// Every group and kind, most exposed first.
  ///
  /// @param traffic of the ranks of one job, at least one
  public static List<GroupTraffic> of(List<RankTraffic> traffic) {
    Map<String, List<List<RankTraffic.Transfer>>> groups = new LinkedHashMap<>();
    for (int rank = 0; rank < traffic.size(); rank++) {
      for (RankTraffic.Transfer transfer : traffic.get(rank).transfers()) {
        List<List<RankTraffic.Transfer>> byRank =
            groups.computeIfAbsent(
                transfer.group() + "\0" + transfer.kind(), key -> new ArrayList<>());
        while (byRank.size() <= rank) {
          byRank.add(new ArrayList<>());
        }
        byRank.get(rank).add(transfer);
      }
    }
    List<GroupTraffic> result = new ArrayList<>();
    int steps = traffic.stream().mapToInt(RankTraffic::steps).min().orElse(1);
    Optional<GpuSpec> gpu = GpuSpecs.known().find(traffic.getFirst().gpu());
    groups.values().forEach(byRank -> result.add(of(byRank, steps, gpu)));
    result.sort(Comparator.comparingDouble(GroupTraffic::exposedMillisPerStep).reversed());
    return result;
  }

  private static GroupTraffic of(
      List<List<RankTraffic.Transfer>> byRank, int steps, Optional<GpuSpec> gpu) {
    List<List<RankTraffic.Transfer>> present =
        byRank.stream().filter(transfers -> !transfers.isEmpty()).toList();
    List<RankTraffic.Transfer> first = present.getFirst();
    int aligned = present.stream().mapToInt(List::size).min().orElse(0);
    double transferNanos = 0;
    double volume = 0;
    double waiting = 0;
    double exposed = 0;
    for (int i = 0; i < aligned; i++) {
      long shortest = Long.MAX_VALUE;
      double sum = 0;
      for (List<RankTraffic.Transfer> transfers : present) {
        shortest = Math.min(shortest, transfers.get(i).durationNanos());
        sum += transfers.get(i).durationNanos();
        exposed += transfers.get(i).exposedNanos();
      }
      transferNanos += shortest;
      waiting += sum / present.size() - shortest;
      volume += first.get(i).bytes() * first.get(i).kind().volumeFactor(first.get(i).ranks());
    }
    CollectiveKind kind = first.getFirst().kind();
    int ranks = first.getFirst().ranks();
    long[] sizes = first.stream().mapToLong(RankTraffic.Transfer::bytes).sorted().toArray();
    double best = 0;
    double efficient = 0;
    double small = 0;
    if (gpu.isPresent()) {
      Network network = Cluster.reference(gpu.get(), ranks).network();
      RankGroup group = RankGroup.strided(ranks, 1, network.gpusPerNode());
      best = CollectiveCosts.fitted().busBandwidth(kind, group, network);
      double all = Arrays.stream(sizes).sum() / (double) steps;
      efficient = efficientBytes(kind, group, network, 0.8);
      efficient = efficient > all ? 0 : efficient;
      double half = efficientBytes(kind, group, network, 0.5);
      small = first.stream().filter(transfer -> transfer.bytes() < half).count() / (double) steps;
    }
    return new GroupTraffic(
        first.getFirst().group(),
        kind,
        ranks,
        present.size(),
        (double) first.size() / steps,
        sizes[sizes.length / 2],
        exposed / 1e6 / present.size() / steps,
        waiting / 1e6 / steps,
        transferNanos == 0 ? 0 : volume / transferNanos * 1e9,
        best,
        small,
        efficient);
  }

  /// The size at which a collective reaches this share of its best bandwidth.
  private static double efficientBytes(
      CollectiveKind kind, RankGroup group, Network network, double share) {
    double best = CollectiveCosts.fitted().busBandwidth(kind, group, network);
    double bytes = 1 << 16;
    while (bytes < 1L << 34) {
      double seconds = CollectiveCosts.fitted().seconds(kind, bytes, group, network);
      if (bytes * kind.volumeFactor(group.ranks()) / seconds >= share * best) {
        return bytes;
      }
      bytes *= 1.25;
    }
    return bytes;
  }

  /// What bucket size or wrapping would change, as a sentence; empty where sizes are no problem.
  public String advice() {
    if (bestBusBandwidth == 0 || smallPerStep < 1 || medianBytes >= efficientBytes) {
      return "";
    }
    double cap = Math.ceil(efficientBytes / MIB);
    return switch (kind) {
      case ALL_REDUCE ->
          String.format(
              Locale.ROOT,
              "Half of the all-reduces are %.0f MiB or less; bucket_cap_mb=%.0f brings each to 80"
                  + " %% of the link and saves their launches.",
              medianBytes / MIB,
              cap);
      case ALL_GATHER, REDUCE_SCATTER ->
          String.format(
              Locale.ROOT,
              "Half of the %ss are %.0f MiB or less; wrap several layers as one unit, up to %.0f"
                  + " MiB a gather, to bring each to 80 %% of the link.",
              kind.text(),
              medianBytes / MIB,
              cap);
      default -> "";
    };
  }
}
