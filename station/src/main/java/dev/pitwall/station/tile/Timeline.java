package dev.pitwall.station.tile;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/// A run (one trace a rank) laid out for drawing. Times given and taken are nanoseconds since the
/// first slice of the run; ranks are aligned by the wall clock where all of them recorded it, else
/// by their first slice. Immutable, safe for many threads.
public final class Timeline {
  private final List<Trace> ranks;
  private final long[] baseOfRank;
  private final boolean isByWallClock;
  private final List<TimelineTrack> tracks;
  private final LanePyramid[][] lanes;
  private final MarkKinds[] kinds;
  private final long durationNanos;

  public Timeline(List<Trace> ranks) {
    this.ranks = List.copyOf(ranks);
    isByWallClock = ranks.stream().allMatch(trace -> trace.recording().epochNanos() > 0);
    baseOfRank = bases(ranks, isByWallClock);
    kinds = ranks.stream().map(MarkKinds::new).toArray(MarkKinds[]::new);
    record Place(int rank, Track track) {}
    List<Place> places = new ArrayList<>();
    for (int rank = 0; rank < ranks.size(); rank++) {
      for (Track track : inReadingOrder(ranks.get(rank))) {
        places.add(new Place(rank, track));
      }
    }
    lanes = new LanePyramid[places.size()][];
    IntStream.range(0, lanes.length)
        .parallel()
        .forEach(
            i -> {
              Trace trace = ranks.get(places.get(i).rank);
              int[][] rows = Lanes.of(trace, places.get(i).track.id());
              lanes[i] = new LanePyramid[rows.length];
              for (int lane = 0; lane < rows.length; lane++) {
                lanes[i][lane] = new LanePyramid(trace.slices(), rows[lane]);
              }
            });
    List<TimelineTrack> laidOut = new ArrayList<>();
    long end = 0;
    for (int i = 0; i < lanes.length; i++) {
      int rank = places.get(i).rank;
      Track track = places.get(i).track;
      Slices slices = ranks.get(rank).slices();
      int count = ranks.get(rank).endRow(track.id()) - ranks.get(rank).firstRow(track.id());
      long busy = 0;
      for (int row : lanes[i][0].rows()) {
        busy += slices.durationNanos(row);
      }
      for (LanePyramid lane : lanes[i]) {
        int[] rows = lane.rows();
        end = Math.max(end, slices.endNanos(rows[rows.length - 1]) - baseOfRank[rank]);
      }
      laidOut.add(new TimelineTrack(i, rank, track, lanes[i].length, count, busy));
    }
    tracks = List.copyOf(laidOut);
    durationNanos = end;
  }

  public List<Trace> ranks() {
    return ranks;
  }

  public List<TimelineTrack> tracks() {
    return tracks;
  }

  /// From the first start to the last end of any slice.
  public long durationNanos() {
    return durationNanos;
  }

  /// Whether the ranks stand as their wall clocks say, and not by their first slices.
  public boolean isByWallClock() {
    return isByWallClock;
  }

  /// Nanoseconds since 1970 of the run's time 0; only where [#isByWallClock].
  public long epochNanos() {
    return ranks.isEmpty() ? 0 : ranks.getFirst().recording().epochNanos() + baseOfRank[0];
  }

  /// The time of a rank's trace at which the run's time is 0.
  public long baseNanos(int rankIndex) {
    return baseOfRank[rankIndex];
  }

  /// The kind that a slice is painted as.
  public MarkKind kind(int rankIndex, int row) {
    return kinds[rankIndex].of(row);
  }

  /// The lane that a slice lies on, in the track that [#trackOf] gives.
  public int laneOf(int rankIndex, int row) {
    LanePyramid[] candidates = lanes[trackOf(rankIndex, row)];
    long start = ranks.get(rankIndex).slices().startNanos(row);
    for (int lane = 0; lane < candidates.length; lane++) {
      int[] rows = candidates[lane].rows();
      for (int i = candidates[lane].firstAtOrAfter(start); i < rows.length; i++) {
        if (rows[i] == row) {
          return lane;
        }
        if (ranks.get(rankIndex).slices().startNanos(rows[i]) > start) {
          break;
        }
      }
    }
    throw new IllegalArgumentException("row " + row + " lies on no lane");
  }

  /// The timeline's track of a slice.
  public int trackOf(int rankIndex, int row) {
    int track = ranks.get(rankIndex).slices().track(row);
    for (TimelineTrack candidate : tracks) {
      if (candidate.rankIndex() == rankIndex && candidate.track().id() == track) {
        return candidate.id();
      }
    }
    throw new IllegalArgumentException("row " + row + " lies on no track");
  }

  /// The tile of one track, encoded as [TileEncoder] says.
  public ByteBuffer tile(int track, int bits, long index) {
    int rank = tracks.get(track).rankIndex();
    return new TileEncoder(ranks.get(rank).slices(), kinds[rank], bits, index, baseOfRank[rank])
        .encode(track, lanes[track]);
  }

  private static List<Track> inReadingOrder(Trace trace) {
    long[] covered = new long[trace.tracks().size()];
    for (Track track : trace.tracks()) {
      covered[track.id()] = coveredNanos(trace, track);
    }
    return trace.tracks().stream()
        .filter(track -> trace.endRow(track.id()) > trace.firstRow(track.id()))
        .sorted(
            Comparator.comparingInt((Track track) -> orderOf(track.kind()))
                .thenComparingInt(Track::device)
                .thenComparingLong(Track::stream)
                .thenComparingLong(track -> -covered[track.id()])
                .thenComparingInt(Track::id))
        .toList();
  }

  // The thread that drives the training is covered by its steps, so it comes first.
  private static long coveredNanos(Trace trace, Track track) {
    long covered = 0;
    long until = Long.MIN_VALUE;
    for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
      long start = Math.max(until, trace.slices().startNanos(row));
      until = Math.max(until, trace.slices().endNanos(row));
      covered += Math.max(0, until - start);
    }
    return covered;
  }

  private static int orderOf(Track.Kind kind) {
    return switch (kind) {
      case CPU_THREAD -> 0;
      case STREAM -> 1;
      case OTHER -> 2;
    };
  }

  private static long[] bases(List<Trace> ranks, boolean isByWallClock) {
    long[] firstStart = new long[ranks.size()];
    long[] epoch = new long[ranks.size()];
    for (int rank = 0; rank < firstStart.length; rank++) {
      Trace trace = ranks.get(rank);
      long first = Long.MAX_VALUE;
      for (int track = 0; track < trace.tracks().size(); track++) {
        if (trace.endRow(track) > trace.firstRow(track)) {
          first = Math.min(first, trace.slices().startNanos(trace.firstRow(track)));
        }
      }
      firstStart[rank] = first == Long.MAX_VALUE ? 0 : first;
      epoch[rank] = trace.recording().epochNanos();
    }
    if (!isByWallClock) {
      return firstStart;
    }
    long earliest = Long.MAX_VALUE;
    for (int rank = 0; rank < firstStart.length; rank++) {
      earliest = Math.min(earliest, epoch[rank] + firstStart[rank]);
    }
    long[] bases = new long[firstStart.length];
    for (int rank = 0; rank < bases.length; rank++) {
      bases[rank] = earliest - epoch[rank];
    }
    return bases;
  }
}
