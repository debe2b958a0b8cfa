package dev.pitwall.trace.kineto;

import static dev.pitwall.trace.json.JsonScanner.ABSENT;

import dev.pitwall.table.DataTable;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.IntColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.Track;
import java.util.HashMap;
import java.util.Map;

/// Finds the track of an event by process, thread and side. Host and device are kept apart even
/// where their numbers meet: process 1 in a container and device 1 are both written `"pid": 1`.
final class TrackTable {
  private record Lane(long process, long thread) {}

  /// Processes whose rows without a category are device work (`device-processes.csv`).
  private static final Map<String, Category> DEVICE_PROCESSES = loadDeviceProcesses();

  private final TraceBuilder builder;
  private final Map<Lane, String> threadNames = new HashMap<>();
  private final Map<Long, String> processNames = new HashMap<>();
  private final LongColumn processes = new LongColumn();
  private final LongColumn threads = new LongColumn();
  private final LongColumn devices = new LongColumn();
  private final LongColumn streams = new LongColumn();
  private final IntColumn onDevice = new IntColumn();
  private int[] slots = new int[64];
  private int last = -1;

  TrackTable(TraceBuilder builder) {
    this.builder = builder;
  }

  /// The track of this lane, new if it was not seen before.
  int track(long process, long thread, boolean deviceSide) {
    if (last >= 0 && isLane(last, process, thread, deviceSide)) {
      return last;
    }
    int mask = slots.length - 1;
    int slot = slot(process, thread, mask);
    while (slots[slot] != 0) {
      int track = slots[slot] - 1;
      if (isLane(track, process, thread, deviceSide)) {
        last = track;
        return track;
      }
      slot = (slot + 1) & mask;
    }
    last = add(process, thread, deviceSide);
    slots[slot] = last + 1;
    if (2 * builder.tracks() > slots.length) {
      growSlots();
    }
    return last;
  }

  /// Notes which device and stream a track is, as its events say.
  void isStream(int track, long device, long stream) {
    devices.set(track, device);
    streams.set(track, stream);
  }

  /// Notes a name from a metadata event; the most specific wins, whatever the order.
  void nameThread(long process, long thread, String name) {
    threadNames.merge(
        new Lane(process, thread),
        bareName(name),
        (old, now) ->
            isGeneric(old) || (!isGeneric(now) && now.length() > old.length()) ? now : old);
  }

  void nameProcess(long process, String name) {
    processNames.putIfAbsent(process, name);
  }

  /// Writes names, kinds, devices and streams into the tracks; once, after the last event.
  void describeTracks() {
    Names names = builder.names();
    moveUncategorizedDeviceRows();
    for (int track = 0; track < builder.tracks(); track++) {
      long process = processes.get(track);
      long thread = threads.get(track);
      String name = threadNames.getOrDefault(new Lane(process, thread), "");
      if (onDevice.get(track) == 1) {
        int device =
            (int) (devices.get(track) == ABSENT ? number(process, names) : devices.get(track));
        long stream = streams.get(track) == ABSENT ? number(thread, names) : streams.get(track);
        builder.describeTrack(track, Track.Kind.STREAM, name, device, stream);
      } else {
        boolean numbered = thread >= 0 && process >= 0;
        builder.describeTrack(
            track, numbered ? Track.Kind.CPU_THREAD : Track.Kind.OTHER, name, -1, -1);
      }
    }
  }

  /// Some recorders write no category on device rows, only the name of their process.
  private void moveUncategorizedDeviceRows() {
    Category[] ofTrack = new Category[builder.tracks()];
    boolean some = false;
    for (int track = 0; track < ofTrack.length; track++) {
      ofTrack[track] =
          DEVICE_PROCESSES.getOrDefault(
              processNames.getOrDefault(processes.get(track), ""), Category.OTHER);
      some |= ofTrack[track] != Category.OTHER;
    }
    if (!some) {
      return;
    }
    for (int row = 0; row < builder.slices(); row++) {
      Category category = ofTrack[builder.track(row)];
      if (category != Category.OTHER && builder.categoryNameId(row) == 0) {
        boolean copies = builder.names().text(builder.nameId(row)).startsWith("MEMCPY");
        builder.categorize(row, copies ? Category.MEMCPY : category);
        onDevice.set(builder.track(row), 1);
        devices.set(builder.track(row), 0);
      }
    }
  }

  private static Map<String, Category> loadDeviceProcesses() {
    DataTable table = DataTable.resource("/dev/pitwall/trace/kineto/device-processes.csv");
    Map<String, Category> categories = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      categories.put(table.text(row, "process"), Category.valueOf(table.text(row, "category")));
    }
    return categories;
  }

  private int add(long process, long thread, boolean deviceSide) {
    processes.add(process);
    threads.add(thread);
    devices.add(ABSENT);
    streams.add(ABSENT);
    onDevice.add(deviceSide ? 1 : 0);
    Names names = builder.names();
    return builder.addTrack(
        deviceSide ? Track.Kind.STREAM : Track.Kind.CPU_THREAD,
        EventParser.laneText(process, names),
        EventParser.laneText(thread, names),
        "",
        -1,
        -1);
  }

  private boolean isLane(int track, long process, long thread, boolean deviceSide) {
    return threads.get(track) == thread
        && processes.get(track) == process
        && (onDevice.get(track) == 1) == deviceSide;
  }

  private static int slot(long process, long thread, int mask) {
    long code = (process * 31 + thread) * 0x9E3779B97F4A7C15L;
    return (int) (code >>> 40) & mask;
  }

  private void growSlots() {
    slots = new int[2 * slots.length];
    int mask = slots.length - 1;
    for (int track = 0; track < builder.tracks(); track++) {
      int slot = slot(processes.get(track), threads.get(track), mask);
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = track + 1;
    }
  }

  /// The number of a lane, also from a text such as `stream 7` (PyTorch up to 1.12); -1 without
  /// one.
  private static long number(long laneId, Names names) {
    if (laneId >= 0) {
      return laneId;
    }
    String text = EventParser.laneText(laneId, names);
    String digits = text.replaceAll("\\D", "");
    return digits.isEmpty() || digits.length() > 18 ? -1 : Long.parseLong(digits);
  }

  /// `thread 616 (pt_autograd_0)` names the thread `pt_autograd_0`.
  private static String bareName(String name) {
    int open = name.indexOf('(');
    return name.startsWith("thread ") && open > 0 && name.endsWith(")")
        ? name.substring(open + 1, name.length() - 1)
        : name.strip();
  }

  /// A name that many threads have: the program's, or none but a number.
  private static boolean isGeneric(String name) {
    return name.isEmpty() || name.startsWith("python") || name.startsWith("thread ");
  }
}
