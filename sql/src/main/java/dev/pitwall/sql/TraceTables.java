package dev.pitwall.sql;

import static dev.pitwall.sql.TableBuilder.bigint;
import static dev.pitwall.sql.TableBuilder.integer;
import static dev.pitwall.sql.TableBuilder.real;
import static dev.pitwall.sql.TableBuilder.text;
import static org.duckdb.DuckDBColumnType.BIGINT;
import static org.duckdb.DuckDBColumnType.DOUBLE;
import static org.duckdb.DuckDBColumnType.INTEGER;
import static org.duckdb.DuckDBColumnType.VARCHAR;

import dev.pitwall.observe.StepWindows;
import dev.pitwall.sql.ArrayTable.Cell;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.KernelLaunch;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.MemoryEvents;
import dev.pitwall.trace.OperatorDetails;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.Track;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The arrays of a run's traces as tables. Texts that repeat are ids into `raw_names()`; the views
/// in `views.sql` join them back.
final class TraceTables {
  private final List<TraceIndex> ranks;
  private final int[] firstSliceId;
  private final int[] firstNameId;
  private final int[] firstTrackId;

  TraceTables(List<TraceIndex> ranks) {
    this.ranks = ranks;
    firstSliceId = new int[ranks.size() + 1];
    firstNameId = new int[ranks.size() + 1];
    firstTrackId = new int[ranks.size() + 1];
    for (int i = 0; i < ranks.size(); i++) {
      Trace trace = ranks.get(i).trace();
      firstSliceId[i + 1] = firstSliceId[i] + trace.slices().size();
      firstNameId[i + 1] = firstNameId[i] + trace.names().size();
      firstTrackId[i + 1] = firstTrackId[i] + trace.tracks().size();
    }
  }

  List<ArrayTable> all() {
    return List.of(
        names(),
        tracks(),
        slices(),
        operators(),
        launches(),
        steps(),
        counters(),
        memory(),
        losses());
  }

  private ArrayTable names() {
    TableBuilder table =
        new TableBuilder("raw_names").column("name_id", INTEGER).column("name", VARCHAR);
    for (int i = 0; i < ranks.size(); i++) {
      Trace trace = ranks.get(i).trace();
      int base = firstNameId[i];
      table.part(
          trace.names().size(), integer(row -> base + row), text(row -> trace.names().text(row)));
    }
    return table.build();
  }

  private ArrayTable tracks() {
    TableBuilder table =
        new TableBuilder("raw_tracks")
            .column("track_id", INTEGER)
            .column("rank", INTEGER)
            .column("kind", VARCHAR)
            .column("track", VARCHAR)
            .column("process", VARCHAR)
            .column("thread", VARCHAR)
            .column("device", INTEGER)
            .column("stream", BIGINT);
    for (int i = 0; i < ranks.size(); i++) {
      List<Track> tracks = ranks.get(i).trace().tracks();
      int base = firstTrackId[i];
      int rank = rank(i);
      table.part(
          tracks.size(),
          integer(row -> base + row),
          integer(row -> rank),
          text(row -> kind(tracks.get(row).kind())),
          text(row -> tracks.get(row).label()),
          text(row -> tracks.get(row).process()),
          text(row -> tracks.get(row).thread()),
          integer(row -> tracks.get(row).device()),
          bigint(row -> tracks.get(row).stream()));
    }
    return table.build();
  }

  private ArrayTable slices() {
    TableBuilder table =
        new TableBuilder("raw_slices")
            .column("slice_id", INTEGER)
            .column("track_id", INTEGER)
            .column("category", INTEGER)
            .column("name_id", INTEGER)
            .column("start_ns", BIGINT)
            .column("dur_ns", BIGINT)
            .column("self_ns", BIGINT)
            .column("step", INTEGER)
            .column("parent_id", INTEGER)
            .column("correlation", INTEGER)
            .column("external_id", INTEGER);
    for (int i = 0; i < ranks.size(); i++) {
      TraceIndex index = ranks.get(i);
      Slices slices = index.trace().slices();
      int base = firstSliceId[i];
      int name = firstNameId[i];
      int track = firstTrackId[i];
      table.part(
          slices.size(),
          integer(row -> base + row),
          integer(row -> track + slices.track(row)),
          integer(row -> slices.category(row).ordinal()),
          integer(row -> name + slices.nameId(row)),
          (vector, at, row) -> vector.setLong(at, slices.startNanos(row)),
          bigint(slices::durationNanos),
          bigint(index.calls()::selfNanos),
          integer(index::stepOf),
          integer(row -> offset(base, index.calls().parent(row))),
          integer(slices::correlation),
          integer(slices::externalId));
    }
    return table.build();
  }

  private ArrayTable operators() {
    TableBuilder table =
        new TableBuilder("raw_operators")
            .column("slice_id", INTEGER)
            .column("shapes_id", INTEGER)
            .column("dtypes_id", INTEGER)
            .column("inputs_id", INTEGER)
            .column("sequence", BIGINT);
    for (int i = 0; i < ranks.size(); i++) {
      Slices slices = ranks.get(i).trace().slices();
      int[] rows = rowsWhere(slices, row -> slices.category(row) == Category.CPU_OP);
      int base = firstSliceId[i];
      int name = firstNameId[i];
      OperatorDetails details = slices.operators();
      IntUnaryOperator detail = at -> slices.operatorDetail(rows[at]);
      table.part(
          rows.length,
          integer(at -> base + rows[at]),
          detailText(name, detail, details::inputShapesId),
          detailText(name, detail, details::inputTypesId),
          detailText(name, detail, details::concreteInputsId),
          bigint(
              at ->
                  detail.applyAsInt(at) < 0 ? -1 : details.sequenceNumber(detail.applyAsInt(at))));
    }
    return table.build();
  }

  private ArrayTable launches() {
    TableBuilder table =
        new TableBuilder("raw_launches")
            .column("kernel_id", INTEGER)
            .column("launch_id", INTEGER)
            .column("operator_id", INTEGER)
            .column("track_id", INTEGER)
            .column("category", INTEGER)
            .column("kernel_name_id", INTEGER)
            .column("api_name_id", INTEGER)
            .column("operator_name_id", INTEGER)
            .column("step", INTEGER)
            .column("launch_start_ns", BIGINT)
            .column("launch_dur_ns", BIGINT)
            .column("kernel_start_ns", BIGINT)
            .column("kernel_dur_ns", BIGINT)
            .column("grid", VARCHAR)
            .column("block", VARCHAR)
            .column("registers_per_thread", INTEGER)
            .column("shared_bytes", INTEGER)
            .column("bytes", BIGINT)
            .column("collective", VARCHAR)
            .column("input_elements", BIGINT)
            .column("group_size", INTEGER);
    for (int i = 0; i < ranks.size(); i++) {
      addLaunches(table, i);
    }
    return table.build();
  }

  private void addLaunches(TableBuilder table, int i) {
    TraceIndex index = ranks.get(i);
    Trace trace = index.trace();
    Slices slices = trace.slices();
    int[] rows = rowsWhere(slices, row -> slices.category(row).isDeviceWork());
    int base = firstSliceId[i];
    int name = firstNameId[i];
    int track = firstTrackId[i];
    IntUnaryOperator launch = at -> index.launches().launchOf(rows[at]);
    IntUnaryOperator operator = at -> index.operatorOf(rows[at]);
    DeviceWork work = new DeviceWork(trace, rows);
    table.part(
        rows.length,
        integer(at -> base + rows[at]),
        integer(at -> offset(base, launch.applyAsInt(at))),
        integer(at -> offset(base, operator.applyAsInt(at))),
        integer(at -> track + slices.track(rows[at])),
        integer(at -> slices.category(rows[at]).ordinal()),
        integer(at -> name + slices.nameId(rows[at])),
        integer(at -> nameOf(name, slices, launch.applyAsInt(at))),
        integer(at -> nameOf(name, slices, operator.applyAsInt(at))),
        integer(at -> index.stepOf(rows[at])),
        timeOf(launch, slices::startNanos),
        timeOf(launch, slices::durationNanos),
        (vector, at, row) -> vector.setLong(at, slices.startNanos(rows[row])),
        bigint(at -> slices.durationNanos(rows[at])),
        text(at -> work.shape(at, true)),
        text(at -> work.shape(at, false)),
        integer(at -> work.registers(at)),
        integer(at -> work.sharedBytes(at)),
        bigint(at -> work.bytes(at)),
        text(at -> work.collective(at)),
        bigint(at -> work.inputElements(at)),
        integer(at -> work.groupSize(at)));
  }

  /// The recorder's details of device rows; -1 or null where it gave none.
  private record DeviceWork(Trace trace, int[] rows) {
    private int detail(int at) {
      return trace.slices().deviceWorkDetail(rows[at]);
    }

    private @Nullable KernelLaunch launch(int at) {
      int detail = detail(at);
      int launch = detail < 0 ? -1 : trace.slices().deviceWork().launch(detail);
      return launch < 0 ? null : trace.kernelLaunches().get(launch);
    }

    private @Nullable Collective found(int at) {
      int detail = detail(at);
      int collective = detail < 0 ? -1 : trace.slices().deviceWork().collective(detail);
      return collective < 0 ? null : trace.collectives().get(collective);
    }

    @Nullable String shape(int at, boolean grid) {
      KernelLaunch launch = launch(at);
      if (launch == null) {
        return null;
      }
      return grid
          ? launch.gridX() + "," + launch.gridY() + "," + launch.gridZ()
          : launch.blockX() + "," + launch.blockY() + "," + launch.blockZ();
    }

    int registers(int at) {
      KernelLaunch launch = launch(at);
      return launch == null ? -1 : launch.registersPerThread();
    }

    int sharedBytes(int at) {
      KernelLaunch launch = launch(at);
      return launch == null ? -1 : launch.sharedMemoryBytes();
    }

    long bytes(int at) {
      int detail = detail(at);
      return detail < 0 ? -1 : trace.slices().deviceWork().bytes(detail);
    }

    @Nullable String collective(int at) {
      Collective found = found(at);
      return found == null ? null : found.name();
    }

    long inputElements(int at) {
      Collective found = found(at);
      return found == null ? -1 : found.inputElements();
    }

    int groupSize(int at) {
      Collective found = found(at);
      return found == null ? -1 : found.groupSize();
    }
  }

  private ArrayTable steps() {
    TableBuilder table =
        new TableBuilder("raw_steps")
            .column("rank", INTEGER)
            .column("step", INTEGER)
            .column("name", VARCHAR)
            .column("start_ns", BIGINT)
            .column("end_ns", BIGINT)
            .column("cpu_start_ns", BIGINT)
            .column("cpu_end_ns", BIGINT);
    for (int i = 0; i < ranks.size(); i++) {
      TraceIndex index = ranks.get(i);
      int rank = rank(i);
      StepWindows windows = StepWindows.of(index);
      table.part(
          index.steps().count(),
          integer(row -> rank),
          integer(row -> row),
          text(row -> index.steps().name()),
          (vector, at, row) -> vector.setLong(at, windows.startNanos(row)),
          (vector, at, row) -> vector.setLong(at, windows.endNanos(row)),
          (vector, at, row) -> vector.setLong(at, index.steps().startNanos()[row]),
          (vector, at, row) -> vector.setLong(at, index.steps().endNanos()[row]));
    }
    return table.build();
  }

  private ArrayTable counters() {
    TableBuilder table =
        new TableBuilder("raw_counters")
            .column("rank", INTEGER)
            .column("name", VARCHAR)
            .column("unit", VARCHAR)
            .column("device", INTEGER)
            .column("time_ns", BIGINT)
            .column("value", DOUBLE);
    for (int i = 0; i < ranks.size(); i++) {
      int rank = rank(i);
      for (Counter counter : ranks.get(i).trace().counters()) {
        table.part(
            counter.values().size(),
            integer(row -> rank),
            text(row -> counter.name()),
            text(row -> counter.unit()),
            integer(row -> counter.device()),
            (vector, at, row) -> vector.setLong(at, counter.timeNanos().get(row)),
            real(row -> counter.values().get(row)));
      }
    }
    return table.build();
  }

  private ArrayTable memory() {
    TableBuilder table =
        new TableBuilder("raw_memory")
            .column("rank", INTEGER)
            .column("time_ns", BIGINT)
            .column("device", INTEGER)
            .column("delta_bytes", BIGINT)
            .column("allocated_bytes", BIGINT)
            .column("reserved_bytes", BIGINT);
    for (int i = 0; i < ranks.size(); i++) {
      MemoryEvents events = ranks.get(i).trace().memoryEvents();
      int rank = rank(i);
      table.part(
          events.size(),
          integer(row -> rank),
          (vector, at, row) -> vector.setLong(at, events.timeNanos(row)),
          integer(events::device),
          (vector, at, row) -> vector.setLong(at, events.bytes(row)),
          bigint(events::allocatedBytes),
          bigint(events::reservedBytes));
    }
    return table.build();
  }

  private ArrayTable losses() {
    TableBuilder table =
        new TableBuilder("raw_losses")
            .column("rank", INTEGER)
            .column("code", VARCHAR)
            .column("count", BIGINT)
            .column("text", VARCHAR);
    for (int i = 0; i < ranks.size(); i++) {
      List<LossLedger.Entry> entries = ranks.get(i).trace().losses().entries();
      int rank = rank(i);
      table.part(
          entries.size(),
          integer(row -> rank),
          text(row -> entries.get(row).code()),
          bigint(row -> entries.get(row).count()),
          text(row -> entries.get(row).text()));
    }
    return table.build();
  }

  private int rank(int i) {
    int recorded = ranks.get(i).trace().recording().rank();
    return recorded >= 0 ? recorded : i;
  }

  private static String kind(Track.Kind kind) {
    return switch (kind) {
      case CPU_THREAD -> "cpu";
      case STREAM -> "stream";
      case OTHER -> "other";
    };
  }

  private static int offset(int base, int row) {
    return row < 0 ? -1 : base + row;
  }

  private static int nameOf(int base, Slices slices, int row) {
    return row < 0 ? -1 : base + slices.nameId(row);
  }

  private static Cell timeOf(IntUnaryOperator rowAt, IntToLongFunction time) {
    return (vector, at, row) -> {
      int found = rowAt.applyAsInt(row);
      if (found < 0) {
        vector.setNull(at);
      } else {
        vector.setLong(at, time.applyAsLong(found));
      }
    };
  }

  private static Cell detailText(
      int base, IntUnaryOperator detailAt, IntUnaryOperator textOfDetail) {
    return integer(
        at -> {
          int detail = detailAt.applyAsInt(at);
          return detail < 0 ? -1 : base + textOfDetail.applyAsInt(detail);
        });
  }

  private static int[] rowsWhere(Slices slices, IntPredicate wanted) {
    return IntStream.range(0, slices.size()).filter(wanted).toArray();
  }
}
