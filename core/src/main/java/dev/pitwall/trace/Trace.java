package dev.pitwall.trace;

import java.util.List;

/// One rank's recording, read and sorted. Immutable once built by [TraceBuilder#build].
public final class Trace {
  private final Recording recording;
  private final Names names;
  private final List<Track> tracks;
  private final int[] firstRowOfTrack;
  private final Slices slices;
  private final List<KernelLaunch> kernelLaunches;
  private final List<Collective> collectives;
  private final MemoryEvents memoryEvents;
  private final ForwardBackwardLinks forwardBackwardLinks;
  private final List<Counter> counters;
  private final LossLedger losses;

  Trace(
      Recording recording,
      Names names,
      List<Track> tracks,
      int[] firstRowOfTrack,
      Slices slices,
      List<KernelLaunch> kernelLaunches,
      List<Collective> collectives,
      MemoryEvents memoryEvents,
      ForwardBackwardLinks forwardBackwardLinks,
      List<Counter> counters,
      LossLedger losses) {
    this.recording = recording;
    this.names = names;
    this.tracks = List.copyOf(tracks);
    this.firstRowOfTrack = firstRowOfTrack;
    this.slices = slices;
    this.kernelLaunches = List.copyOf(kernelLaunches);
    this.collectives = List.copyOf(collectives);
    this.memoryEvents = memoryEvents;
    this.forwardBackwardLinks = forwardBackwardLinks;
    this.counters = List.copyOf(counters);
    this.losses = losses;
  }

  public Recording recording() {
    return recording;
  }

  public Names names() {
    return names;
  }

  public List<Track> tracks() {
    return tracks;
  }

  public Slices slices() {
    return slices;
  }

  /// First row of a track's slices.
  public int firstRow(int track) {
    return firstRowOfTrack[track];
  }

  /// One past the last row of a track's slices.
  public int endRow(int track) {
    return firstRowOfTrack[track + 1];
  }

  /// First row of a track that starts at this moment or later; its end row where none does.
  public int firstRowFrom(int track, long timeNanos) {
    int low = firstRow(track);
    int high = endRow(track);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (slices.startNanos(middle) < timeNanos) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Name of a slice.
  public String name(int row) {
    return names.text(slices.nameId(row));
  }

  public List<KernelLaunch> kernelLaunches() {
    return kernelLaunches;
  }

  public List<Collective> collectives() {
    return collectives;
  }

  public MemoryEvents memoryEvents() {
    return memoryEvents;
  }

  public ForwardBackwardLinks forwardBackwardLinks() {
    return forwardBackwardLinks;
  }

  public List<Counter> counters() {
    return counters;
  }

  public LossLedger losses() {
    return losses;
  }
}
