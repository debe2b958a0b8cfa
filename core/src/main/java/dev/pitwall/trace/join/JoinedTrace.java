package dev.pitwall.trace.join;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.DoubleColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.Track;

/// The trace of one recorder with what another recorder saw besides, on the clock of the first.
///
/// Taken over are sampled counters, calls of the operating system and named ranges, as far as they
/// lie in the window of the trace; what both recorded (kernels, calls of CUDA, ranges of the same
/// name) counts once. The added tracks are no threads of the trace, so that no analysis takes their
/// slices for the program's own work.
public final class JoinedTrace {
  private JoinedTrace() {}

  /// @param trace whose clock is kept; it must not be used afterwards
  /// @param other what is taken over from
  public static Trace of(Trace trace, Trace other, ClockAlignment clock) {
    TraceBuilder builder = new TraceBuilder(trace);
    long from = trace.recording().windowStartNanos();
    long to = trace.recording().windowEndNanos();
    Slices slices = other.slices();
    int namesOfTrace = builder.names().size();
    for (Track track : other.tracks()) {
      int added = Slices.NONE;
      for (int row = other.firstRow(track.id()); row < other.endRow(track.id()); row++) {
        Category category = slices.category(row);
        if (category != Category.OS_RUNTIME && category != Category.USER_ANNOTATION) {
          continue;
        }
        long start = clock.toReference(slices.startNanos(row));
        long end = clock.toReference(slices.endNanos(row));
        if (end < from || start > to) {
          continue;
        }
        if (added == Slices.NONE) {
          added =
              builder.addTrack(
                  Track.Kind.OTHER,
                  track.process(),
                  track.thread(),
                  "Nsight Systems, " + track.label(),
                  -1,
                  -1);
        }
        int name = builder.names().find(other.name(row));
        boolean known = name >= 0 && name < namesOfTrace;
        builder.addSlice(
            added,
            known && category == Category.USER_ANNOTATION ? Category.OTHER : category,
            builder.names().intern(other.names().text(slices.categoryNameId(row))),
            known ? name : builder.names().intern(other.name(row)),
            start,
            end - start,
            Slices.NONE,
            Slices.NONE,
            Slices.NONE);
      }
    }
    for (Counter counter : other.counters()) {
      builder.addCounter(onClock(counter, clock, from, to));
    }
    return builder.build(trace.recording());
  }

  private static Counter onClock(Counter counter, ClockAlignment clock, long from, long to) {
    LongColumn times = new LongColumn();
    DoubleColumn values = new DoubleColumn();
    for (int i = 0; i < counter.values().size(); i++) {
      long time = clock.toReference(counter.timeNanos().get(i));
      if (time >= from && time <= to) {
        times.add(time);
        values.add(counter.values().get(i));
      }
    }
    return new Counter(counter.name(), counter.unit(), counter.device(), times, values);
  }
}
