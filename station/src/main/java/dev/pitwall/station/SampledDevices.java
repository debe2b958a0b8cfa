package dev.pitwall.station;

import dev.pitwall.station.tile.Timeline;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import dev.pitwall.trace.smi.SampleLog;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/// The logs of device samples beside a run's traces, as counters of its timeline: each device under
/// the first rank that works on it.
///
/// `nvidia-smi` writes the local time without its zone, so a log is moved by the whole
/// quarter-hours that bring its middle nearest to the run's. A log that even then does not touch
/// the run is of another run and is left out, as is one without a clock.
final class SampledDevices {
  private static final long ZONE_STEP_NANOS = 900_000_000_000L;

  /// In this order, and no others: what a log samples beside (encoders, BAR1) is in the report.
  private static final List<String> SHOWN =
      List.of(
          SampleLog.SM_UTILIZATION,
          SampleLog.MEMORY_UTILIZATION,
          SampleLog.MEMORY_USED,
          SampleLog.POWER,
          SampleLog.SM_CLOCK,
          SampleLog.TEMPERATURE,
          SampleLog.PCIE_RECEIVE,
          SampleLog.PCIE_TRANSMIT);

  private SampledDevices() {}

  static List<CounterSeries> of(List<SampleLog> logs, Timeline timeline) {
    List<CounterSeries> found = new ArrayList<>();
    for (SampleLog log : logs) {
      if (log.hasClock() && timeline.isByWallClock()) {
        add(log, timeline, found);
      }
    }
    return found;
  }

  private static void add(SampleLog log, Timeline timeline, List<CounterSeries> found) {
    long first = times(log).min().orElse(0) - timeline.epochNanos();
    long last = times(log).max().orElse(0) - timeline.epochNanos();
    long away = timeline.durationNanos() / 2 - (first + last) / 2;
    long zone = Math.round((double) away / ZONE_STEP_NANOS) * ZONE_STEP_NANOS;
    if (first + zone > timeline.durationNanos() || last + zone < 0) {
      return;
    }
    for (int device : log.devices()) {
      for (String name : SHOWN) {
        log.counter(name, device)
            .map(counter -> placed(counter, zone, device, timeline))
            .filter(series -> series.largest() > 0)
            .ifPresent(found::add);
      }
    }
  }

  private static LongStream times(SampleLog log) {
    return log.counters().stream()
        .filter(counter -> counter.timeNanos().size() > 0)
        .flatMapToLong(
            counter ->
                LongStream.of(
                    counter.timeNanos().get(0),
                    counter.timeNanos().get(counter.timeNanos().size() - 1)));
  }

  /// From the last sample before the run to the first behind it.
  private static CounterSeries placed(Counter counter, long zone, int device, Timeline timeline) {
    long offset = zone - timeline.epochNanos();
    int from = 0;
    int to = 0;
    for (int i = 0; i < counter.timeNanos().size(); i++) {
      long time = counter.timeNanos().get(i) + offset;
      from = time <= 0 ? i : from;
      to = time <= timeline.durationNanos() ? i + 1 : to;
    }
    int size = Math.max(0, to - from);
    long[] times = new long[size];
    double[] values = new double[size];
    for (int i = 0; i < size; i++) {
      times[i] = counter.timeNanos().get(from + i) + offset;
      values[i] = counter.values().get(from + i);
    }
    return new CounterSeries(
        counter.name().replace('-', ' '),
        counter.unit(),
        rankOf(device, timeline),
        device,
        times,
        values);
  }

  private static int rankOf(int device, Timeline timeline) {
    for (int rank = 0; rank < timeline.ranks().size(); rank++) {
      Trace trace = timeline.ranks().get(rank);
      for (Track track : trace.tracks()) {
        if (track.kind() == Track.Kind.STREAM
            && track.device() == device
            && trace.endRow(track.id()) > trace.firstRow(track.id())) {
          return rank;
        }
      }
    }
    return 0;
  }
}
