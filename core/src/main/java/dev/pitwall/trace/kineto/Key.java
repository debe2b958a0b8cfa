package dev.pitwall.trace.kineto;

import dev.pitwall.trace.json.Keys;
import java.util.Arrays;

/// The keys of events and of their `args` that the reader carries over, and the common ones that it
/// skips (from `RECORD_FUNCTION_ID` on), which are here so that the order of keys is known.
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
  RECORD_FUNCTION_ID("Record function id"),
  EVENT_INDEX("Ev Idx"),
  EVENT_INDEX_OLD("Profiler Event Index"),
  FINISHED("finished"),
  CALLBACK_ID("cbid"),
  QUEUED("queued"),
  CONTEXT("context"),
  BLOCKS_PER_MULTIPROCESSOR("blocks per SM"),
  WARPS_PER_MULTIPROCESSOR("warps per SM"),
  RECORDED_OCCUPANCY("est. achieved occupancy %"),
  BINDING_POINT("bp"),
  OTHER("");

  private static final Key[] VALUES = values();

  private final String text;

  Key(String text) {
    this.text = text;
  }

  /// All keys for a scanner, in the order of their ordinals.
  static Keys all() {
    return new Keys(
        Arrays.stream(VALUES).filter(key -> key != OTHER).map(key -> key.text).toList());
  }

  String text() {
    return text;
  }

  /// The key with this index in [#all].
  static Key of(int index) {
    return index == Keys.UNKNOWN ? OTHER : VALUES[index];
  }
}
