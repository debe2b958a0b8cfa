package dev.pitwall.trace.kineto;

import dev.pitwall.trace.json.JsonScanner;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The keys of events and of their `args` that the reader carries over. Any other is skipped.
enum Key {
  PHASE("ph"),
  CATEGORY("cat"),
  NAME("name"),
  PROCESS("pid"),
  THREAD("tid"),
  TIME("ts"),
  DURATION("dur"),
  ID("id"),
  ARGUMENTS("args"),
  EXTERNAL_ID("External id"),
  EXTERNAL_ID_OLD("external id"),
  CORRELATION("correlation"),
  SEQUENCE_NUMBER("Sequence number"),
  FORWARD_THREAD("Fwd thread id"),
  INPUT_SHAPES("Input Dims"),
  INPUT_SHAPES_OLD("Input dims"),
  INPUT_TYPES("Input type"),
  INPUT_STRIDES("Input Strides"),
  CONCRETE_INPUTS("Concrete Inputs"),
  CALL_STACK("Call stack"),
  MODULE_HIERARCHY("Module Hierarchy"),
  KERNEL_HASH("kernel_hash"),
  DEVICE("device"),
  STREAM("stream"),
  GRID("grid"),
  BLOCK("block"),
  REGISTERS("registers per thread"),
  SHARED_MEMORY("shared memory"),
  BYTES("bytes"),
  GRAPH_NODE("graph node id"),
  COLLECTIVE_NAME("Collective name"),
  DTYPE("dtype"),
  INPUT_ELEMENTS("In msg nelems"),
  OUTPUT_ELEMENTS("Out msg nelems"),
  INPUT_ELEMENTS_OLD("In msg size"),
  OUTPUT_ELEMENTS_OLD("Out msg size"),
  GROUP_SIZE("Group size"),
  PROCESS_GROUP("Process Group Name"),
  PROCESS_GROUP_ID("Process Group ID"),
  PROCESS_GROUP_DESCRIPTION("Process Group Description"),
  PROCESS_GROUP_RANKS("Process Group Ranks"),
  COLLECTIVE_SEQUENCE("Seq"),
  PYTHON_ID("Python id"),
  PYTHON_PARENT_ID("Python parent id"),
  PYTHON_MODULE_ID("Python module id"),
  SYNC_KIND("cuda_sync_kind"),
  WAIT_ON_STREAM("wait_on_stream"),
  WAIT_ON_EVENT_RECORD("wait_on_cuda_event_record_corr_id"),
  DEVICE_TYPE("Device Type"),
  DEVICE_ID("Device Id"),
  ADDRESS("Addr"),
  MEMORY_BYTES("Bytes"),
  TOTAL_ALLOCATED("Total Allocated"),
  TOTAL_RESERVED("Total Reserved"),
  SORT_INDEX("sort_index"),
  LABELS("labels"),
  OTHER("");

  private static final int SLOTS = 256;
  private static final Key[] TABLE = new Key[SLOTS];

  private final byte[] utf8;
  private final long fingerprint;

  static {
    Arrays.fill(TABLE, OTHER);
    for (Key key : values()) {
      if (key != OTHER) {
        int slot = slot(key.fingerprint);
        while (TABLE[slot] != OTHER) {
          slot = (slot + 1) % SLOTS;
        }
        TABLE[slot] = key;
      }
    }
  }

  Key(String text) {
    utf8 = text.getBytes(StandardCharsets.UTF_8);
    fingerprint = JsonScanner.fingerprint(Arrays.copyOf(utf8, utf8.length + 8), 0, utf8.length);
  }

  /// The key that the scanner has just read.
  static Key of(JsonScanner scanner) {
    long fingerprint = scanner.keyFingerprint();
    int slot = slot(fingerprint);
    while (true) {
      Key key = TABLE[slot];
      if (key == OTHER || (key.fingerprint == fingerprint && scanner.keyIs(key.utf8))) {
        return key;
      }
      slot = (slot + 1) % SLOTS;
    }
  }

  private static int slot(long fingerprint) {
    return (int) ((fingerprint * 0x9E3779B97F4A7C15L) >>> 56);
  }
}
