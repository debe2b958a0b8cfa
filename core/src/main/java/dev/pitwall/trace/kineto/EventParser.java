package dev.pitwall.trace.kineto;

import static dev.pitwall.trace.json.JsonScanner.ABSENT;

import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.json.JsonScanner;
import dev.pitwall.trace.json.Keys;
import dev.pitwall.trace.json.MalformedJson;
import dev.pitwall.trace.json.Recall;

/// Reads one object of `traceEvents` into the scratch [Event].
final class EventParser {
  /// Ids of processes and threads that are texts lie below this, so that they meet no number.
  private static final long FIRST_TEXT_ID = Long.MIN_VALUE / 2;

  private final JsonScanner scanner;
  private final Names names;
  private final LossLedger losses;
  private final Keys keys = Key.all();
  private final Event event = new Event();
  private final Recall recall = new Recall();
  private final int[] last = new int[Key.values().length];
  private int lastCategoryId;
  private int lastNameId;
  private long seenKeys;

  EventParser(JsonScanner scanner, Names names, LossLedger losses) {
    this.scanner = scanner;
    this.names = names;
    this.losses = losses;
  }

  /// Reads the event at the scanner's position. The result is valid until the next call.
  Event read() throws MalformedJson {
    event.clear();
    keys.context(0);
    scanner.enterObject();
    int key;
    while ((key = scanner.nextKey(keys)) != JsonScanner.END) {
      switch (Key.of(key)) {
        case PHASE -> {
          event.phase = scanner.firstByte();
          keys.context(event.phase);
        }
        case CATEGORY -> {
          event.categoryId = recalled(Key.CATEGORY, lastCategoryId, event.phase);
          lastCategoryId = event.categoryId;
          keys.context(event.categoryId);
        }
        case NAME -> {
          event.nameId = recalled(Key.NAME, lastNameId, event.phase);
          lastNameId = event.nameId;
        }
        case PROCESS -> event.process = laneId();
        case THREAD -> event.thread = laneId();
        case TIME -> event.timeNanos = scanner.nanos();
        case DURATION -> event.durationNanos = scanner.nanos();
        case ID -> event.flowId = laneId();
        case ARGUMENTS -> arguments();
        default -> scanner.skip();
      }
    }
    return event;
  }

  private void arguments() throws MalformedJson {
    if (scanner.peek() != '{') {
      scanner.skip();
      return;
    }
    scanner.enterObject();
    int key;
    while ((key = scanner.nextKey(keys)) != JsonScanner.END) {
      argument(Key.of(key));
    }
  }

  private void argument(Key key) throws MalformedJson {
    switch (key) {
      case EXTERNAL_ID, EXTERNAL_ID_OLD -> event.externalId = integer();
      case CORRELATION -> event.correlation = integer();
      case SEQUENCE_NUMBER -> event.sequenceNumber = integer();
      case FORWARD_THREAD -> event.forwardThread = integer();
      case INPUT_SHAPES, INPUT_SHAPES_OLD ->
          event.inputShapesId =
              last[Key.INPUT_SHAPES.ordinal()] =
                  recalled(Key.INPUT_SHAPES, event.nameId, last[Key.INPUT_SHAPES.ordinal()]);
      case INPUT_TYPES ->
          event.inputTypesId =
              last[Key.INPUT_TYPES.ordinal()] =
                  recalled(Key.INPUT_TYPES, event.nameId, last[Key.INPUT_TYPES.ordinal()]);
      case INPUT_STRIDES ->
          event.inputStridesId =
              last[Key.INPUT_STRIDES.ordinal()] =
                  recalled(Key.INPUT_STRIDES, event.nameId, last[Key.INPUT_STRIDES.ordinal()]);
      case CONCRETE_INPUTS ->
          event.concreteInputsId =
              last[Key.CONCRETE_INPUTS.ordinal()] =
                  recalled(Key.CONCRETE_INPUTS, event.nameId, last[Key.CONCRETE_INPUTS.ordinal()]);
      case CALL_STACK -> {
        event.extraId = scanner.intern(names);
        event.hasCallStack = event.extraId != 0;
      }
      case MODULE_HIERARCHY, KERNEL_HASH -> {
        int text = scanner.intern(names);
        event.extraId = event.extraId == 0 ? text : event.extraId;
      }
      case DEVICE -> event.device = integer();
      case STREAM -> event.stream = integer();
      case GRID -> triple(event.grid);
      case BLOCK -> triple(event.block);
      case REGISTERS -> event.registers = integer();
      case SHARED_MEMORY -> event.sharedMemory = integer();
      case BYTES -> event.bytes = integer();
      case GRAPH_NODE -> event.graphNode = integer();
      case COLLECTIVE_NAME -> event.collectiveNameId = scanner.intern(names);
      case DTYPE -> event.dtypeId = scanner.intern(names);
      case INPUT_ELEMENTS, INPUT_ELEMENTS_OLD -> event.inputElements = integer();
      case OUTPUT_ELEMENTS, OUTPUT_ELEMENTS_OLD -> event.outputElements = integer();
      case GROUP_SIZE -> event.groupSize = integer();
      case PROCESS_GROUP, PROCESS_GROUP_ID -> event.processGroupId = scanner.intern(names);
      case PROCESS_GROUP_DESCRIPTION -> event.processGroupDescriptionId = scanner.intern(names);
      case PROCESS_GROUP_RANKS -> event.processGroupRanksId = scanner.intern(names);
      case COLLECTIVE_SEQUENCE -> event.collectiveSequence = integer();
      case PYTHON_ID -> event.pythonId = integer();
      case PYTHON_PARENT_ID -> event.pythonParentId = integer();
      case PYTHON_MODULE_ID -> event.pythonModuleId = integer();
      case SYNC_KIND -> event.syncKindId = scanner.intern(names);
      case WAIT_ON_STREAM -> event.waitOnStream = integer();
      case WAIT_ON_EVENT_RECORD -> event.waitOnEventRecord = integer();
      case DEVICE_TYPE -> event.deviceType = integer();
      case DEVICE_ID -> event.deviceId = integer();
      case ADDRESS -> event.address = integer();
      case MEMORY_BYTES -> event.memoryBytes = integer();
      case TOTAL_ALLOCATED -> event.totalAllocated = integer();
      case TOTAL_RESERVED -> event.totalReserved = integer();
      case NAME, LABELS -> event.labelId = scanner.intern(names);
      case RECORD_FUNCTION_ID, EVENT_INDEX, EVENT_INDEX_OLD, FINISHED -> {
        seenKeys |= 1L << key.ordinal();
        scanner.skip();
      }
      case OTHER -> {
        if (event.phase == 'C') {
          sample();
        } else {
          scanner.skip();
        }
      }
      default -> scanner.skip();
    }
  }

  private void sample() throws MalformedJson {
    int nameId = names.intern(scanner.tokenText());
    String value = scanner.text(0);
    try {
      event.addSample(nameId, Double.parseDouble(value));
    } catch (NumberFormatException noNumber) {
      losses.record("odd-number", oddNumber(value));
    }
  }

  /// Whether an argument that tells the recorder's version has been seen.
  boolean saw(Key key) {
    return (seenKeys & 1L << key.ordinal()) != 0;
  }

  private int recalled(Key key, int before, int beforeThat) throws MalformedJson {
    recall.context(key.ordinal(), before, beforeThat);
    return scanner.intern(names, recall);
  }

  private long integer() throws MalformedJson {
    long value = scanner.integer();
    if (value == ABSENT && !scanner.tokenIsNull()) {
      losses.record("odd-number", oddNumber(scanner.tokenText()));
    }
    return value;
  }

  private String oddNumber(String text) {
    return "'"
        + (text.length() <= 40 ? text : text.substring(0, 40) + "…")
        + "' before byte "
        + scanner.offset()
        + " stands where a number should; it was left out.";
  }

  /// A process, thread or flow id: the number, or for a text one made from its id in the names.
  private long laneId() throws MalformedJson {
    long number = scanner.integer();
    if (number != ABSENT) {
      return number;
    }
    return FIRST_TEXT_ID + scanner.internToken(names);
  }

  /// The text of a process or thread id as written; [#laneId] undone.
  static String laneText(long laneId, Names names) {
    if (laneId == ABSENT) {
      return "";
    }
    return laneId < FIRST_TEXT_ID / 2
        ? names.text((int) (laneId - FIRST_TEXT_ID))
        : Long.toString(laneId);
  }

  private void triple(long[] target) throws MalformedJson {
    if (scanner.peek() != '[') {
      scanner.skip();
      return;
    }
    scanner.enterArray();
    for (int i = 0; scanner.nextElement(); i++) {
      long value = scanner.integer();
      if (i < target.length) {
        target[i] = value;
      }
    }
  }
}
