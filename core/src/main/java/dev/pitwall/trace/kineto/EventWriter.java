package dev.pitwall.trace.kineto;

import static dev.pitwall.trace.json.JsonScanner.ABSENT;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceBuilder;
import java.util.stream.Stream;

/// Turns events into rows: one slice, instant, link or name each, or a line of the ledger.
final class EventWriter {
  private static final long UNSIGNED_MINUS_ONE = 0xFFFF_FFFFL;

  private final TraceBuilder builder;
  private final Names names;
  private final LossLedger losses;
  private final Categories categories;
  private final TrackTable tracks;
  private final FlowTable flows = new FlowTable();
  private final OpenSlices openSlices = new OpenSlices();
  private final CounterTable counters = new CounterTable();
  private final RecordedWindow window = new RecordedWindow();
  private final int memoryName;
  private final int forwardBackwardCategory;
  private final int traceCategory;
  private final int processNameName;
  private final int threadNameName;
  private final int windowStartName;
  private final int windowEndName;
  private final int[] launchFlowCategories;
  private boolean sawShapes;
  private boolean sawStacks;
  private boolean sawFractions;
  private boolean sawKnownCategory;
  private long events;
  private long readEvents;
  private long lastProcess;
  private long lastThread;

  EventWriter(TraceBuilder builder) {
    this.builder = builder;
    names = builder.names();
    losses = builder.losses();
    categories = new Categories(names);
    tracks = new TrackTable(builder);
    memoryName = names.intern("[memory]");
    forwardBackwardCategory = names.intern("fwdbwd");
    launchFlowCategories =
        Stream.of("ac2g", "async_cpu_to_gpu", "async_gpu", "async")
            .mapToInt(names::intern)
            .toArray();
    traceCategory = names.intern("Trace");
    processNameName = names.intern("process_name");
    threadNameName = names.intern("thread_name");
    windowStartName = names.intern("Iteration Start: PyTorch Profiler");
    windowEndName = names.intern("Record Window End");
  }

  /// Events seen, of every phase.
  long events() {
    return events;
  }

  /// Events of a phase that the format knows.
  long readEvents() {
    return readEvents;
  }

  /// Whether any time is finer than a microsecond.
  boolean sawFractions() {
    return sawFractions;
  }

  /// Whether any slice has a category of Kineto's.
  boolean sawKnownCategory() {
    return sawKnownCategory;
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

  /// Writes an event that ends right before `offset`.
  void write(Event event, long offset) {
    events++;
    readEvents++;
    switch (event.phase) {
      case 'X' -> slice(event, offset);
      case 'i', 'I', 'R' -> instant(event, offset);
      case 's', 't', 'f' -> flow(event);
      case 'M' -> metadata(event);
      case 'B' -> openSlices.begin(event);
      case 'E' -> end(event, offset);
      case 'C' -> counter(event);
      case 'b', 'e', 'n', 'N', 'D', 'O', 'P', 'S', 'T', 'F', 'p', 'v', 'V', 'a', 'c', '(', ')' ->
          losses.record(
              "unread-phase",
              "The event before byte "
                  + offset
                  + " is of phase '"
                  + (char) event.phase
                  + "' (asynchronous, object or dump), which is left out.");
      default -> {
        readEvents--;
        losses.record(
            "no-phase",
            "The event before byte " + offset + " has no known phase; it was left out.");
      }
    }
  }

  /// Ends the writing: names the tracks, links forward to backward, hands over the counters.
  void finish() {
    tracks.describeTracks();
    counters.writeTo(builder);
    losses.record(
        "unmatched-flow",
        flows.linkAll(builder),
        "Forward-backward flows whose operators are not in the file were left out.");
    losses.record(
        "no-end", openSlices.unfinished(), "Slices have a begin and no end; they were left out.");
  }

  private void end(Event event, long offset) {
    OpenSlices.Open begin = openSlices.end(event);
    if (begin == null) {
      losses.record(
          "no-begin", "The end before byte " + offset + " ends nothing; it was left out.");
      return;
    }
    event.nameId = begin.nameId();
    event.categoryId = begin.categoryId();
    event.durationNanos =
        event.timeNanos == ABSENT || begin.startNanos() == ABSENT
            ? ABSENT
            : event.timeNanos - begin.startNanos();
    event.timeNanos = begin.startNanos();
    slice(event, offset);
  }

  private void counter(Event event) {
    if (event.timeNanos != ABSENT) {
      for (int i = 0; i < event.samples; i++) {
        counters.add(
            event.process,
            event.nameId,
            event.sampleNameIds[i],
            event.timeNanos,
            event.sampleValues[i]);
      }
    }
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
    if (event.process == ABSENT || event.thread == ABSENT) {
      losses.record(
          "no-lane",
          "The slice before byte "
              + offset
              + " names no process or no thread; it lies on a lane without a name.");
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
    sawKnownCategory |= category != Category.OTHER;
    sawFractions |= event.timeNanos % 1000 != 0;
    lastProcess = event.process;
    lastThread = event.thread;
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
    if (event.timeNanos > 0 && event.timeNanos + event.durationNanos < 0) {
      losses.record(
          "impossible-duration",
          "The slice before byte "
              + offset
              + " would end after the year 2262; its duration reads as 0.");
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
    sawStacks |= event.hasCallStack;
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
            orNone(event.stream),
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
    if (event.timeNanos == ABSENT) {
      return;
    }
    int row = builder.slices() - 1;
    boolean behindItsSlice =
        row >= 0
            && lastProcess == event.process
            && lastThread == event.thread
            && builder.startNanos(row) == event.timeNanos;
    if (event.categoryId == forwardBackwardCategory) {
      flows.add(
          event.phase == 's',
          event.flowId,
          tracks.track(event.process, event.thread, false),
          event.timeNanos,
          behindItsSlice ? row : Slices.NONE);
    } else if (behindItsSlice
        && builder.correlation(row) == Slices.NONE
        && isLaunchFlow(event.categoryId)) {
      builder.correlate(row, number(event.flowId));
    }
  }

  /// Recorders of AMD wrote no correlation until 2024; there the flow from call to kernel has it.
  private boolean isLaunchFlow(int categoryId) {
    for (int category : launchFlowCategories) {
      if (category == categoryId) {
        return true;
      }
    }
    return false;
  }

  private void metadata(Event event) {
    if (event.nameId == threadNameName) {
      tracks.nameThread(event.process, event.thread, names.text(event.labelId));
    } else if (event.nameId == processNameName) {
      tracks.nameProcess(event.process, names.text(event.labelId));
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
