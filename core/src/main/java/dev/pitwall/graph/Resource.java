package dev.pitwall.graph;

/// A lane that does one node at a time, in order.
///
/// @param kind CPU thread or stream
/// @param name how it is written in reports
/// @param device index of the device of a stream, -1 for a thread
/// @param track the trace's track, -1 for a resource made by hand
public record Resource(Kind kind, String name, int device, int track) {
  /// What a resource is.
  public enum Kind {
    CPU_THREAD,
    STREAM
  }

  public static Resource thread(String name) {
    return new Resource(Kind.CPU_THREAD, name, -1, -1);
  }

  public static Resource stream(String name, int device) {
    return new Resource(Kind.STREAM, name, device, -1);
  }

  public boolean isStream() {
    return kind == Kind.STREAM;
  }

  /// The kind of the edges between neighbours on this resource.
  EdgeKind order() {
    return kind == Kind.STREAM ? EdgeKind.STREAM_ORDER : EdgeKind.PROGRAM_ORDER;
  }
}
