package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.Set;

/// API calls of a trace by kind. Each distinct name is looked up once. Not safe for concurrent use.
public final class ApiCalls {
  private final Trace trace;
  private final ApiCallKind[] kindOfName;

  public ApiCalls(Trace trace) {
    this.trace = trace;
    this.kindOfName = new ApiCallKind[trace.names().size()];
  }

  /// What this slice does; [ApiCallKind#OTHER] for a slice that is no API call.
  public ApiCallKind kind(int row) {
    if (!trace.slices().category(row).isApiCall()) {
      return ApiCallKind.OTHER;
    }
    int nameId = trace.slices().nameId(row);
    ApiCallKind known = kindOfName[nameId];
    if (known == null) {
      known = ApiCallKind.of(trace.names().text(nameId));
      kindOfName[nameId] = known;
    }
    return known;
  }

  /// Rows of the calls of these kinds that start inside a step, by track and start.
  public static int[] insideSteps(TraceIndex index, Set<ApiCallKind> kinds) {
    ApiCalls calls = new ApiCalls(index.trace());
    RowList rows = new RowList();
    for (int row : index.trace().slices().apiCallRows()) {
      if (kinds.contains(calls.kind(row)) && index.stepOf(row) >= 0) {
        rows.add(row);
      }
    }
    return rows.toArray();
  }
}
