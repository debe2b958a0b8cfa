package dev.pitwall.graph;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.SyncDetails;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// What recorded synchronization rows say of the waits of streams for events: which call made which
/// stream wait for what another had been given by the time of a `cudaEventRecord`.
final class RecordedEventWaits {
  /// Two processes use a stream of this number, or none does.
  private static final int AMBIGUOUS = -1;

  /// @param track the stream that waits
  /// @param onTrack the stream that is waited for
  /// @param recordCorrelation correlation of the call that recorded the event
  record Wait(int track, int onTrack, int recordCorrelation) {}

  private final Map<Integer, Wait> byCall = new HashMap<>();
  private final Map<Integer, int[]> tailsAtRecord = new HashMap<>();

  RecordedEventWaits(Trace trace) {
    Map<String, Integer> trackOfStream = new HashMap<>();
    for (Track track : trace.tracks()) {
      if (track.kind() == Track.Kind.STREAM) {
        trackOfStream.merge(track.device() + " " + track.stream(), track.id(), (a, b) -> AMBIGUOUS);
      }
    }
    Slices slices = trace.slices();
    SyncDetails syncs = slices.syncs();
    for (Track track : trace.tracks()) {
      int end = syncs.size() == 0 ? 0 : trace.endRow(track.id());
      for (int row = trace.firstRow(track.id()); row < end; row++) {
        int detail = slices.syncDetail(row);
        if (slices.category(row) != Category.DEVICE_SYNC || detail == Slices.NONE) {
          continue;
        }
        String device = track.device() + " ";
        int waits = trackOfStream.getOrDefault(device + syncs.stream(detail), AMBIGUOUS);
        int on = trackOfStream.getOrDefault(device + syncs.waitOnStream(detail), AMBIGUOUS);
        int record = syncs.waitOnEventRecordCorrelation(detail);
        if (waits != AMBIGUOUS && on != AMBIGUOUS && waits != on && record >= 0) {
          byCall.put(slices.correlation(row), new Wait(waits, on, record));
          tailsAtRecord.put(record, new int[0]);
        }
      }
    }
  }

  /// The wait that a call made; empty where no row says.
  Optional<Wait> of(int callCorrelation) {
    return Optional.ofNullable(byCall.get(callCorrelation));
  }

  /// Keeps the last node of every stream at the call that records an event someone waits for.
  void recorded(int callCorrelation, int[] tails) {
    tailsAtRecord.computeIfPresent(callCorrelation, (call, none) -> tails.clone());
  }

  /// The last node of a stream when the event was recorded, or -1.
  int tail(Wait wait, int stream) {
    int[] tails = tailsAtRecord.getOrDefault(wait.recordCorrelation(), new int[0]);
    return stream < tails.length ? tails[stream] : -1;
  }
}
