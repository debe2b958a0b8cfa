package dev.pitwall.trace;

/// A lane that slices lie on.
///
/// @param id index of the track in its trace
/// @param kind CPU thread, stream or another lane
/// @param process the recorder's process id as written (`451`, `Spans`)
/// @param thread the recorder's thread or stream id as written (`476`, `7`)
/// @param name the most specific name seen (`pt_autograd_0`), or an empty text
/// @param device index of the device for a stream, else -1
/// @param stream stream id for a stream, else -1
public record Track(
    int id, Kind kind, String process, String thread, String name, int device, long stream) {
  /// What a track is.
  public enum Kind {
    CPU_THREAD,
    STREAM,
    OTHER
  }

  /// How the track is written in reports: `stream 7 (GPU 0)`, `thread 476 pt_autograd_0`.
  public String label() {
    return switch (kind) {
      case STREAM -> "stream " + stream + " (GPU " + device + ")";
      case CPU_THREAD -> name.isEmpty() ? "thread " + thread : "thread " + thread + " " + name;
      case OTHER -> name.isEmpty() ? process + " " + thread : name;
    };
  }
}
