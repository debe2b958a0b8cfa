package dev.pitwall.trace.kineto;

import static dev.pitwall.trace.json.JsonScanner.ABSENT;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceBuilder;

/// Turns events into rows: one slice, instant, link or name each, or a line of the ledger.
final class EventWriter {
  private static final long UNSIGNED_MINUS_ONE = 0xFFFF_FFFFL;

  private final TraceBuilder builder;
  private final Names names;
  private final LossLedger losses;
  private final Categories categories;
  private final TrackTable tracks;
  private final FlowTable flows = new FlowTable();
  private final RecordedWindow window = new RecordedWindow();
  private final int memoryName;
  private final int forwardBackwardCategory;
  private final int traceCategory;
  private final int threadNameName;
  private final int windowStartName;
  private final int windowEndName;
  private boolean sawShapes;
  private boolean sawStacks;
  private long events;

  EventWriter(TraceBuilder builder) {
    this.builder = builder;
    names = builder.names();
    losses = builder.losses();
    categories = new Categories(names);
    tracks = new TrackTable(builder);
    memoryName = names.intern("[memory]");
    forwardBackwardCategory = names.intern("fwdbwd");
    traceCategory = names.intern("Trace");
    threadNameName = names.intern("thread_name");
    windowStartName = names.intern("Iteration Start: PyTorch Profiler");
    windowEndName = names.intern("Record Window End");
  }

  /// Events seen, of every phase.
  long events() {
    return events;
  }

  boolean sawShapes() {
    return sawShapes;
  }

  boolean sawStacks() {
    return sawStacks;
  }

  RecordedWindow window() {
    return window;
  }

  void write(Event event, long offset) {
    events++;
    switch (event.phase) {
      case 'X' -> slice(event, offset);
      case 'i', 'I' -> instant(event, offset);
      case 's', 't', 'f' -> flow(event);
      case 'M' -> metadata(event);
      case 'B', 'E', 'b', 'e', 'n', 'C', 'N', 'D', 'O' ->
          losses.record(
              "unread-phase",
              "The event before byte "
                  + offset
                  + " has the phase '"
                  + (char) event.phase
                  + "', which is not read.");
      default ->
          losses.record(
              "no-phase",
              "The event before byte " + offset + " has no known phase; it was left out.");
    }
  }

  /// Ends the writing: names the tracks and links forward to backward.
  void finish() {
    tracks.describeTracks(names);
    long unmatched = flows.linkAll(builder);
    losses.record(
        "unmatched-flow",
        unmatched,
        "Forward-backward flows whose operators are not in the file were left out.");
  }

  private void slice(Event event, long offset) {
    if (event.categoryId == traceCategory) {
      window.start(event.timeNanos);
      return;
    }
    if (event.timeNanos == ABSENT) {
      losses.record(
          "no-time", "The slice before byte " + offset + " has no readable time; it was left out.");
      return;
    }
    Category category = categories.of(event.categoryId);
    boolean onDevice = categories.onDevice(event.categoryId);
    int track = tracks.track(event.process, event.thread, onDevice);
    if (onDevice) {
      tracks.isStream(
          track, event.device, category == Category.DEVICE_SYNC ? ABSENT : event.stream);
    }
    long duration = duration(event, offset);
    window.slice(event.timeNanos, duration);
    builder.addSlice(
        track,
        category,
        event.categoryId,
        event.nameId,
        event.timeNanos,
        duration,
        number(event.correlation),
        number(event.externalId),
        detail(category, event));
  }

  private long duration(Event event, long offset) {
    if (event.durationNanos == ABSENT) {
      losses.record(
          "no-duration",
          "The slice before byte " + offset + " has no readable duration; it reads as 0.");
      return 0;
    }
    if (event.durationNanos < 0) {
      losses.record(
          "negative-duration",
          "The slice before byte " + offset + " lasts less than nothing; it reads as 0.");
      return 0;
    }
    return event.durationNanos;
  }

  private int detail(Category category, Event event) {
    return switch (category) {
      case CPU_OP, USER_ANNOTATION -> operatorDetail(event);
      case KERNEL, MEMCPY, MEMSET -> deviceWorkDetail(event);
      case PYTHON_FUNCTION -> pythonDetail(event);
      case DEVICE_SYNC -> syncDetail(event);
      default -> Slices.NONE;
    };
  }

  private int operatorDetail(Event event) {
    sawShapes |= event.inputShapesId != 0;
    sawStacks |= event.extraId != 0;
    if ((event.inputShapesId
                | event.inputTypesId
                | event.inputStridesId
                | event.concreteInputsId
                | event.extraId
                | event.collectiveNameId)
            == 0
        && event.sequenceNumber == ABSENT
        && event.forwardThread == ABSENT) {
      return Slices.NONE;
    }
    return builder
        .operators()
        .add(
            event.inputShapesId,
            event.inputTypesId,
            event.inputStridesId,
            event.concreteInputsId,
            orNone(event.sequenceNumber),
            number(event.forwardThread),
            collective(event),
            event.extraId);
  }

  private int deviceWorkDetail(Event event) {
    return builder
        .deviceWork()
        .add(
            launch(event),
            orNone(event.bytes),
            collective(event),
            orNone(event.collectiveSequence),
            orNone(event.graphNode));
  }

  private int launch(Event event) {
    if (event.grid[0] == ABSENT && event.block[0] == ABSENT && event.registers == ABSENT) {
      return Slices.NONE;
    }
    return builder.internLaunch(
        number(event.grid[0]),
        number(event.grid[1]),
        number(event.grid[2]),
        number(event.block[0]),
        number(event.block[1]),
        number(event.block[2]),
        number(event.registers),
        number(event.sharedMemory));
  }

  private int collective(Event event) {
    if (event.collectiveNameId == 0) {
      return Slices.NONE;
    }
    return builder.intern(
        new Collective(
            names.text(event.collectiveNameId),
            names.text(event.dtypeId),
            orNone(event.inputElements),
            orNone(event.outputElements),
            number(event.groupSize),
            names.text(event.processGroupId),
            names.text(event.processGroupDescriptionId),
            names.text(event.processGroupRanksId)));
  }

  private int pythonDetail(Event event) {
    sawStacks = true;
    return builder
        .python()
        .add(number(event.pythonId), number(event.pythonParentId), number(event.pythonModuleId));
  }

  private int syncDetail(Event event) {
    return builder
        .syncs()
        .add(
            event.syncKindId,
            event.stream == UNSIGNED_MINUS_ONE ? Slices.NONE : orNone(event.stream),
            orNone(event.waitOnStream),
            number(event.waitOnEventRecord));
  }

  private void instant(Event event, long offset) {
    if (event.nameId == windowStartName) {
      window.start(event.timeNanos);
    } else if (event.nameId == windowEndName) {
      window.end(event.timeNanos);
    } else if (event.timeNanos == ABSENT) {
      losses.record(
          "no-time",
          "The instant before byte " + offset + " has no readable time; it was left out.");
    } else if (event.nameId == memoryName) {
      boolean onHost = event.deviceType == 0;
      builder
          .memoryEvents()
          .add(
              event.timeNanos,
              orNone(event.address),
              orNone(event.memoryBytes),
              orNone(event.totalAllocated),
              orNone(event.totalReserved),
              onHost ? Slices.NONE : number(event.deviceId),
              tracks.track(event.process, event.thread, false));
    } else {
      event.durationNanos = 0;
      slice(event, offset);
    }
  }

  private void flow(Event event) {
    if (event.categoryId != forwardBackwardCategory || event.timeNanos == ABSENT) {
      return;
    }
    int track = tracks.track(event.process, event.thread, false);
    int row = builder.slices() - 1;
    boolean behindItsSlice =
        row >= 0 && builder.track(row) == track && builder.startNanos(row) == event.timeNanos;
    flows.add(
        event.phase == 's',
        event.flowId,
        track,
        event.timeNanos,
        behindItsSlice ? row : Slices.NONE);
  }

  private void metadata(Event event) {
    if (event.nameId == threadNameName) {
      tracks.nameThread(event.process, event.thread, names.text(event.labelId));
    }
  }

  private static long orNone(long value) {
    return value == ABSENT ? Slices.NONE : value;
  }

  /// A number for an int column. Unsigned 32-bit values wrap, so that 4294967295 is -1.
  private static int number(long value) {
    return value >= Integer.MIN_VALUE && value <= UNSIGNED_MINUS_ONE ? (int) value : Slices.NONE;
  }
}
