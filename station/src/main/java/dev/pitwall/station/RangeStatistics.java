package dev.pitwall.station;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.station.tile.MarkKind;
import dev.pitwall.station.tile.TimelineTrack;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Sums over the slices of some tracks between two times. A slice that sticks out counts with the
/// part inside; self time is scaled with it.
final class RangeStatistics {
  private static final int MAXIMUM_NAMES = 200;

  private static final class Sum {
    long count;
    long totalNanos;
    double selfNanos;
    long longestNanos;

    void add(long insideNanos, double self) {
      count++;
      totalNanos += insideNanos;
      selfNanos += self;
      longestNanos = Math.max(longestNanos, insideNanos);
    }
  }

  private record Key(MarkKind kind, String name) {}

  private final Map<Key, Sum> byName = new HashMap<>();
  private final Map<Integer, Long> busyOfTrack = new HashMap<>();
  private final long fromNanos;
  private final long toNanos;

  RangeStatistics(Run run, long fromNanos, long toNanos, int[] tracks) {
    this.fromNanos = fromNanos;
    this.toNanos = toNanos;
    for (int track : tracks) {
      if (track >= 0 && track < run.timeline().tracks().size()) {
        add(run, run.timeline().tracks().get(track));
      }
    }
  }

  private void add(Run run, TimelineTrack track) {
    TraceIndex index = run.ranks().get(track.rankIndex());
    Trace trace = index.trace();
    Slices slices = trace.slices();
    long base = run.timeline().baseNanos(track.rankIndex());
    long from = fromNanos + base;
    long to = toNanos + base;
    Map<Integer, Sum> byNameId = new HashMap<>();
    Map<Integer, MarkKind> kinds = new HashMap<>();
    long busy = 0;
    long busyUntil = from;
    for (int row = trace.firstRow(track.track().id());
        row < trace.endRow(track.track().id()) && slices.startNanos(row) < to;
        row++) {
      long start = Math.max(from, slices.startNanos(row));
      long end = Math.min(to, slices.endNanos(row));
      if (end < start || slices.endNanos(row) < from) {
        continue;
      }
      long duration = slices.durationNanos(row);
      double share = duration == 0 ? 1 : (double) (end - start) / duration;
      int nameId = slices.nameId(row);
      byNameId
          .computeIfAbsent(nameId, unseen -> new Sum())
          .add(end - start, index.calls().selfNanos(row) * share);
      kinds.putIfAbsent(nameId, run.timeline().kind(track.rankIndex(), row));
      busy += Math.max(0, end - Math.max(start, busyUntil));
      busyUntil = Math.max(busyUntil, end);
    }
    busyOfTrack.put(track.id(), busy);
    byNameId.forEach(
        (nameId, sum) -> {
          Sum merged =
              byName.computeIfAbsent(
                  new Key(kinds.getOrDefault(nameId, MarkKind.OTHER), trace.names().text(nameId)),
                  unseen -> new Sum());
          merged.count += sum.count;
          merged.totalNanos += sum.totalNanos;
          merged.selfNanos += sum.selfNanos;
          merged.longestNanos = Math.max(merged.longestNanos, sum.longestNanos);
        });
  }

  JsonWriter write() {
    JsonWriter json = new JsonWriter().object();
    json.key("from_ns").value(fromNanos).key("to_ns").value(toNanos);
    json.key("tracks").array();
    busyOfTrack.forEach(
        (track, busy) -> json.object().key("track").value(track).key("busy_ns").value(busy).end());
    json.end().key("names").array();
    List<Map.Entry<Key, Sum>> sorted = new ArrayList<>(byName.entrySet());
    sorted.sort(Comparator.comparingLong(entry -> -entry.getValue().totalNanos));
    for (Map.Entry<Key, Sum> entry : sorted.subList(0, Math.min(MAXIMUM_NAMES, sorted.size()))) {
      json.object()
          .key("name")
          .value(entry.getKey().name())
          .key("kind")
          .value(entry.getKey().kind().ordinal())
          .key("count")
          .value(entry.getValue().count)
          .key("total_ns")
          .value(entry.getValue().totalNanos)
          .key("self_ns")
          .value(Math.round(entry.getValue().selfNanos))
          .key("longest_ns")
          .value(entry.getValue().longestNanos)
          .end();
    }
    return json.end().key("name_count").value(sorted.size()).end();
  }
}
