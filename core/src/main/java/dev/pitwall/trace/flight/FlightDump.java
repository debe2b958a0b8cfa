package dev.pitwall.trace.flight;

import java.util.List;
import java.util.Map;

/// The flight recorder of one rank.
///
/// @param rank the rank, from the file name (a dump does not say), -1 where unknown
/// @param version version of the dump's format, such as `2.9`
/// @param members ranks of each process group, by group name; empty where the dump says "all"
/// @param entries the recorded operations, oldest first; a ring, so the oldest may be gone
public record FlightDump(
    int rank, String version, Map<String, List<Integer>> members, List<Entry> entries) {
  public FlightDump {
    members = Map.copyOf(members);
    entries = List.copyOf(entries);
  }

  /// How far an operation came, as the watchdog saw it.
  public enum State {
    SCHEDULED,
    STARTED,
    COMPLETED
  }

  /// One collective or point-to-point operation.
  ///
  /// @param group name of the process group
  /// @param groupDescription what the group is for, such as `default_pg`
  /// @param sequence number of the collective in its group, or of the point-to-point operation
  /// @param operation such as `nccl:all_reduce`
  /// @param inputSizes sizes as text, such as `[[16], [4, 2]]`
  /// @param createdNanos when the host enqueued it, nanoseconds since 1970
  /// @param frames Python frames, innermost first; empty where not recorded
  public record Entry(
      String group,
      String groupDescription,
      long sequence,
      boolean pointToPoint,
      String operation,
      String inputSizes,
      String outputSizes,
      String dtypes,
      State state,
      long createdNanos,
      long timeoutMillis,
      List<String> frames) {
    public Entry {
      frames = List.copyOf(frames);
    }
  }
}
