package dev.pitwall.trace.kineto;

import static dev.pitwall.trace.json.JsonScanner.ABSENT;

/// The event being read: one scratch object for the whole file, cleared between events. Keys come
/// in any order, so nothing is decided before the event's last brace. Numbers are
/// [dev.pitwall.trace.json.JsonScanner#ABSENT] and ids of texts 0 where the event does not have
/// them.
final class Event {
  /// Counter events in real traces have up to 20 values.
  private static final int MOST_SAMPLES = 64;

  int phase;
  int categoryId;
  int nameId;
  long process;
  long thread;
  long timeNanos;
  long durationNanos;
  long flowId;

  long externalId;
  long correlation;
  long device;
  long stream;
  long sequenceNumber;
  long forwardThread;
  int inputShapesId;
  int inputTypesId;
  int inputStridesId;
  int concreteInputsId;
  int extraId;
  boolean hasCallStack;

  final long[] grid = new long[3];
  final long[] block = new long[3];
  long registers;
  long sharedMemory;
  long bytes;
  long graphNode;

  int collectiveNameId;
  int dtypeId;
  long inputElements;
  long outputElements;
  long groupSize;
  int processGroupId;
  int processGroupDescriptionId;
  int processGroupRanksId;
  long collectiveSequence;

  long pythonId;
  long pythonParentId;
  long pythonModuleId;

  int syncKindId;
  long waitOnStream;
  long waitOnEventRecord;

  long deviceType;
  long deviceId;
  long address;
  long memoryBytes;
  long totalAllocated;
  long totalReserved;

  int labelId;

  /// Values of a counter event: the first `samples` of both arrays.
  int samples;

  final int[] sampleNameIds = new int[MOST_SAMPLES];
  final double[] sampleValues = new double[MOST_SAMPLES];

  void addSample(int nameId, double value) {
    if (samples < MOST_SAMPLES) {
      sampleNameIds[samples] = nameId;
      sampleValues[samples++] = value;
    }
  }

  void clear() {
    phase = 0;
    categoryId = 0;
    nameId = 0;
    process = ABSENT;
    thread = ABSENT;
    timeNanos = ABSENT;
    durationNanos = ABSENT;
    flowId = ABSENT;
    clearArguments();
  }

  private void clearArguments() {
    externalId = ABSENT;
    correlation = ABSENT;
    device = ABSENT;
    stream = ABSENT;
    sequenceNumber = ABSENT;
    forwardThread = ABSENT;
    inputShapesId = 0;
    inputTypesId = 0;
    inputStridesId = 0;
    concreteInputsId = 0;
    extraId = 0;
    hasCallStack = false;
    grid[0] = ABSENT;
    grid[1] = ABSENT;
    grid[2] = ABSENT;
    block[0] = ABSENT;
    block[1] = ABSENT;
    block[2] = ABSENT;
    registers = ABSENT;
    sharedMemory = ABSENT;
    bytes = ABSENT;
    graphNode = ABSENT;
    collectiveNameId = 0;
    dtypeId = 0;
    inputElements = ABSENT;
    outputElements = ABSENT;
    groupSize = ABSENT;
    processGroupId = 0;
    processGroupDescriptionId = 0;
    processGroupRanksId = 0;
    collectiveSequence = ABSENT;
    pythonId = ABSENT;
    pythonParentId = ABSENT;
    pythonModuleId = ABSENT;
    syncKindId = 0;
    waitOnStream = ABSENT;
    waitOnEventRecord = ABSENT;
    deviceType = ABSENT;
    deviceId = ABSENT;
    address = ABSENT;
    memoryBytes = ABSENT;
    totalAllocated = ABSENT;
    totalReserved = ABSENT;
    labelId = 0;
    samples = 0;
  }
}
