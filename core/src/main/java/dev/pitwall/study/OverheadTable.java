package dev.pitwall.study;

import dev.pitwall.table.DataTable;
import dev.pitwall.trace.TraceIndex;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The recorder's costs by PyTorch version: a table whose last row not above a recording's version
/// counts, in nanoseconds on a host of a stated speed.
public final class OverheadTable {
  private static final Pattern VERSION = Pattern.compile("(\\d{1,3})\\.(\\d{1,3})");
  private static final OverheadTable SHIPPED =
      new OverheadTable(DataTable.resource("/dev/pitwall/study/profiling_overhead.csv"));

  private final DataTable table;

  /// A table with the columns of `profiling_overhead.csv`.
  public OverheadTable(DataTable table) {
    this.table = table;
  }

  /// The costs that ship with the program.
  public static OverheadTable shipped() {
    return SHIPPED;
  }

  /// The costs on the host and under the recording options of a trace.
  ProfilingOverhead costs(TraceIndex index) {
    int row = rowFor(index.trace().recording().torchVersion());
    double scale = HostSpeed.unitNanos(index) / table.number(row, "host_unit_nanos", 1);
    boolean shapes = index.trace().recording().recordsShapes();
    ProfilingOverhead onReferenceHost =
        new ProfilingOverhead(
            table.number(row, shapes ? "operator" : "operator_without_shapes", 0),
            table.number(row, "api_call", 0),
            table.number(row, "launch", 0),
            table.number(row, "graph_node", 0),
            table.number(row, "annotation", 0),
            table.number(row, "python_frame", 0),
            table.number(row, "memory_event", 0),
            table.number(row, "compiled_kernel", 0),
            table.number(row, "compiled_graph", 0),
            1);
    return onReferenceHost.times(scale).withHostSlowdown(table.number(row, "host_slowdown", 1));
  }

  /// By what share the costs may be larger or smaller than the table says.
  double uncertainty(TraceIndex index) {
    return table.number(rowFor(index.trace().recording().torchVersion()), "uncertainty", 0);
  }

  private int rowFor(@Nullable String torchVersion) {
    int found = 0;
    for (int row = 0; row < table.rows(); row++) {
      if (torchVersion == null
          || minorVersion(table.text(row, "torch_from")) <= minorVersion(torchVersion)) {
        found = row;
      }
    }
    return found;
  }

  /// `2.11.0+cu130` as 2011; 0 where it is no version.
  private static int minorVersion(String version) {
    Matcher matcher = VERSION.matcher(version);
    return matcher.lookingAt()
        ? Integer.parseInt(matcher.group(1)) * 1000 + Integer.parseInt(matcher.group(2))
        : 0;
  }
}
