package dev.pitwall.trace.pattern;

import dev.pitwall.table.DataTable;
import java.util.HashMap;
import java.util.Map;

/// What a runtime or driver call does, told from its name (`api_calls.csv`).
public enum ApiCallKind {
  LAUNCH_KERNEL,
  LAUNCH_GRAPH,
  COPY_ASYNC,
  COPY_SYNC,
  SET_ASYNC,
  SET_SYNC,
  SYNCHRONIZE_DEVICE,
  SYNCHRONIZE_STREAM,
  SYNCHRONIZE_EVENT,
  STREAM_WAIT_EVENT,
  RECORD_EVENT,
  QUERY_EVENT,
  ALLOCATE,
  FREE,
  ALLOCATE_HOST,
  FREE_HOST,
  CAPTURE_GRAPH,
  OTHER;

  private static final Map<String, ApiCallKind> KINDS = read();

  /// The kind of the call with this name, whatever its vendor prefix and version suffix.
  public static ApiCallKind of(String callName) {
    String stem = callName;
    for (String prefix : new String[] {"cuda", "hip", "cu"}) {
      if (stem.startsWith(prefix)) {
        stem = stem.substring(prefix.length());
        break;
      }
    }
    int suffix = stem.indexOf('_');
    return KINDS.getOrDefault(suffix < 0 ? stem : stem.substring(0, suffix), OTHER);
  }

  /// The host waits in this call until the device has caught up.
  public boolean waitsForDevice() {
    return switch (this) {
      case SYNCHRONIZE_DEVICE, SYNCHRONIZE_STREAM, SYNCHRONIZE_EVENT, COPY_SYNC, SET_SYNC -> true;
      default -> false;
    };
  }

  private static Map<String, ApiCallKind> read() {
    DataTable table = DataTable.resource("/dev/pitwall/trace/pattern/api_calls.csv");
    Map<String, ApiCallKind> kinds = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      kinds.put(table.text(row, "call"), valueOf(table.text(row, "kind")));
    }
    return Map.copyOf(kinds);
  }
}
