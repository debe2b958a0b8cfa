package dev.pitwall.trace.memory;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.memory.AllocationHistory.Action;
import dev.pitwall.trace.pickle.PickleReader;
import dev.pitwall.trace.pickle.Pickled;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads a memory snapshot pickle of PyTorch 1.13 to 2.14. Of a stack only the Python frames are
/// kept.
public final class MemorySnapshotReader {
  private static final int DEEPEST_STACK_FRAMES = 256;

  private final IdentityHashMap<Pickled, Integer> stackOfFrames = new IdentityHashMap<>();
  private final Map<List<String>, Integer> stackIndex = new LinkedHashMap<>();
  private final LossLedger losses = new LossLedger();

  private MemorySnapshotReader() {}

  /// @param in the pickle's bytes, inflated and buffered
  /// @param source the file's name, for messages
  /// @throws PitwallException with exit code 3 where this is no snapshot
  public static MemorySnapshot read(InputStream in, String source) throws IOException {
    Pickled top = PickleReader.read(in, source);
    if (top.get("segments") == Pickled.None.NONE) {
      throw PitwallException.unreadable(
          source
              + " is a pickle but no memory snapshot (it has no 'segments'); write one with"
              + " torch.cuda.memory._dump_snapshot(\"snapshot.pickle\").");
    }
    return new MemorySnapshotReader().snapshot(top);
  }

  private MemorySnapshot snapshot(Pickled top) {
    List<Segment> segments = new ArrayList<>();
    for (Pickled segment : top.get("segments")) {
      segments.add(segment(segment));
    }
    List<AllocationHistory> histories = new ArrayList<>();
    for (Pickled trace : top.get("device_traces")) {
      histories.add(history(trace));
    }
    if (histories.stream().allMatch(history -> history.size() == 0)) {
      losses.record(
          "no-history",
          "The snapshot holds no history; call torch.cuda.memory._record_memory_history() before"
              + " the steps to record it.");
    }
    List<MemorySnapshot.Annotation> annotations = new ArrayList<>();
    for (Pickled mark : top.get("external_annotations")) {
      annotations.add(
          new MemorySnapshot.Annotation(
              mark.get("name").text(""),
              mark.get("stage").text("").equals("START"),
              (int) mark.get("device").integer(0),
              mark.get("time_us").integer(-1)));
    }
    return new MemorySnapshot(
        segments,
        histories,
        List.copyOf(stackIndex.keySet()),
        annotations,
        settings(top.get("allocator_settings")),
        losses);
  }

  private Segment segment(Pickled segment) {
    long address = segment.get("address").integer(0);
    List<Segment.Block> blocks = new ArrayList<>();
    long next = address;
    for (Pickled block : segment.get("blocks")) {
      long at = block.get("address").integer(next);
      long bytes = block.get("size").integer(0);
      Segment.State state =
          switch (block.get("state").text("")) {
            case "active_allocated" -> Segment.State.ALLOCATED;
            case "active_pending_free", "active_awaiting_free" -> Segment.State.PENDING_FREE;
            default -> Segment.State.FREE;
          };
      Pickled newest = block.get("history").get(0);
      Pickled frames = newest == Pickled.None.NONE ? block.get("frames") : newest.get("frames");
      long requested = block.get("requested_size").integer(newest.get("real_size").integer(bytes));
      blocks.add(
          new Segment.Block(
              at, bytes, state == Segment.State.FREE ? 0 : requested, state, stack(frames)));
      next = at + bytes;
    }
    return new Segment(
        (int) segment.get("device").integer(0),
        address,
        segment.get("total_size").integer(0),
        segment.get("allocated_size").integer(0),
        segment.get("active_size").integer(0),
        segment.get("requested_size").integer(0),
        segment.get("stream").integer(0),
        segment.get("segment_type").text("").equals("small"),
        segment.get("is_expandable").bool(false),
        blocks);
  }

  private AllocationHistory history(Pickled trace) {
    AllocationHistory history = new AllocationHistory();
    for (Pickled event : trace) {
      String word = event.get("action").text("");
      Action action =
          switch (word) {
            case "alloc" -> Action.ALLOCATE;
            case "free_requested" -> Action.REQUEST_FREE;
            case "free_completed", "free" -> Action.COMPLETE_FREE;
            case "segment_alloc" -> Action.SEGMENT_ALLOCATE;
            case "segment_free" -> Action.SEGMENT_FREE;
            case "segment_map" -> Action.SEGMENT_MAP;
            case "segment_unmap" -> Action.SEGMENT_UNMAP;
            case "snapshot" -> Action.SNAPSHOT;
            case "oom" -> Action.OUT_OF_MEMORY;
            default -> Action.OTHER;
          };
      if (action == Action.OTHER) {
        losses.record(
            "unknown-action", "The history holds the action '" + word + "', which is skipped.");
      }
      history.add(
          action,
          event.get("addr").integer(event.get("device_free").integer(-1)),
          event.get("size").integer(0),
          event.get("stream").integer(0),
          event.get("time_us").integer(-1),
          stack(event.get("frames")));
    }
    return history;
  }

  private int stack(Pickled frames) {
    if (frames.size() == 0) {
      return -1;
    }
    Integer known = stackOfFrames.get(frames);
    if (known != null) {
      return known;
    }
    List<String> lines = new ArrayList<>();
    int depth = 0;
    for (Pickled frame : frames) {
      String file = frame.get("filename").text("");
      boolean python = file.endsWith(".py") || file.startsWith("<");
      if (python && depth++ < DEEPEST_STACK_FRAMES) {
        lines.add(
            frame.get("name").text("?") + " (" + file + ":" + frame.get("line").integer(0) + ")");
      }
    }
    int index = stackIndex.computeIfAbsent(List.copyOf(lines), unseen -> stackIndex.size());
    stackOfFrames.put(frames, index);
    return index;
  }

  private static Map<String, String> settings(Pickled settings) {
    Map<String, String> texts = new LinkedHashMap<>();
    if (settings instanceof Pickled.Dictionary dictionary) {
      for (String key : dictionary.keys()) {
        switch (dictionary.get(key)) {
          case Pickled.Text text -> texts.put(key, text.value());
          case Pickled.Int number -> texts.put(key, Long.toString(number.value()));
          case Pickled.Real number -> texts.put(key, Double.toString(number.value()));
          case Pickled.Bool truth -> texts.put(key, Boolean.toString(truth.value()));
          case Pickled.None none -> texts.put(key, "None");
          case Pickled.Sequence list -> {}
          case Pickled.Dictionary map -> {}
        }
      }
    }
    return texts;
  }
}
