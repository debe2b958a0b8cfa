package dev.pitwall.station;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Launches;
import dev.pitwall.trace.MemoryEvents;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A step function over the run's time, drawn as an area under the tracks of its rank.
///
/// @param timeNanos ascending, since the run's start; the value holds until the next
record CounterSeries(
    String name, String unit, int rankIndex, int device, long[] timeNanos, double[] values) {
  double largest() {
    return Arrays.stream(values).filter(Double::isFinite).max().orElse(0);
  }

  /// Writes what is known of it without its values into an object that is open.
  void describe(JsonWriter json) {
    json.key("name").value(name).key("unit").value(unit).key("rank").value(rankIndex);
    json.key("device").value(device).key("largest").value(largest());
  }

  /// Writes `times`, `low` and `high` of the slots that hold a change, and the value before.
  void write(JsonWriter json, long fromNanos, long toNanos, int slots) {
    long slotNanos = Math.max(1, (toNanos - fromNanos) / slots);
    int at = Arrays.binarySearch(timeNanos, fromNanos);
    at = at < 0 ? -at - 1 : at;
    List<Long> times = new ArrayList<>();
    List<Double> low = new ArrayList<>();
    List<Double> high = new ArrayList<>();
    if (at > 0) {
      times.add(fromNanos);
      low.add(values[at - 1]);
      high.add(values[at - 1]);
    }
    while (at < timeNanos.length && timeNanos[at] <= toNanos) {
      long slot = (timeNanos[at] - fromNanos) / slotNanos;
      long first = timeNanos[at];
      double least = values[at];
      double largest = values[at];
      double last = values[at];
      while (at < timeNanos.length && (timeNanos[at] - fromNanos) / slotNanos == slot) {
        least = Math.min(least, values[at]);
        largest = Math.max(largest, values[at]);
        last = values[at];
        at++;
      }
      times.add(first);
      low.add(least);
      high.add(largest);
      if (last != largest) {
        times.add(timeNanos[at - 1]);
        low.add(last);
        high.add(last);
      }
    }
    json.key("times").array();
    times.forEach(json::value);
    json.end().key("low").array();
    low.forEach(json::value);
    json.end().key("high").array();
    high.forEach(json::value);
    json.end();
  }

  /// Everything that counts in a run: what the recorder sampled, the launches that wait for the
  /// device, and the allocator's memory.
  static List<CounterSeries> of(TraceIndex index, int rankIndex, long baseNanos) {
    List<CounterSeries> found = new ArrayList<>();
    Trace trace = index.trace();
    queueLength(index, rankIndex, baseNanos, found);
    memory(trace.memoryEvents(), rankIndex, baseNanos, found);
    for (Counter counter : trace.counters()) {
      int size = counter.values().size();
      long[] times = new long[size];
      double[] values = new double[size];
      for (int i = 0; i < size; i++) {
        times[i] = counter.timeNanos().get(i) - baseNanos;
        values[i] = counter.values().get(i);
      }
      if (size > 0) {
        found.add(
            new CounterSeries(
                counter.name(), counter.unit(), rankIndex, counter.device(), times, values));
      }
    }
    return found;
  }

  // Plus one when a call launches, minus one when the work that it launched begins.
  private static void queueLength(
      TraceIndex index, int rankIndex, long baseNanos, List<CounterSeries> found) {
    Slices slices = index.trace().slices();
    Launches launches = index.launches();
    long[] launched = new long[launches.deviceRows()];
    long[] begun = new long[launches.deviceRows()];
    int size = 0;
    for (int row = 0; row < slices.size(); row++) {
      int call = slices.category(row).isDeviceWork() ? launches.launchOf(row) : Slices.NONE;
      if (call != Slices.NONE) {
        launched[size] = slices.startNanos(call) - baseNanos;
        begun[size++] = Math.max(slices.startNanos(row), slices.startNanos(call)) - baseNanos;
      }
    }
    if (size == 0) {
      return;
    }
    Arrays.sort(launched, 0, size);
    Arrays.sort(begun, 0, size);
    long[] times = new long[2 * size];
    double[] values = new double[2 * size];
    int l = 0;
    int b = 0;
    for (int i = 0; i < times.length; i++) {
      boolean isLaunch = l < size && (b == size || launched[l] <= begun[b]);
      times[i] = isLaunch ? launched[l++] : begun[b++];
      values[i] = l - b;
    }
    found.add(new CounterSeries("launch queue", "launches", rankIndex, -1, times, values));
  }

  private static void memory(
      MemoryEvents events, int rankIndex, long baseNanos, List<CounterSeries> found) {
    int devices = 0;
    for (int row = 0; row < events.size(); row++) {
      devices = Math.max(devices, events.device(row) + 1);
    }
    for (int device = 0; device < devices; device++) {
      long[] times = new long[events.size()];
      double[] values = new double[events.size()];
      int size = 0;
      for (int row = 0; row < events.size(); row++) {
        if (events.device(row) == device && events.allocatedBytes(row) >= 0) {
          times[size] = events.timeNanos(row) - baseNanos;
          values[size++] = events.allocatedBytes(row);
        }
      }
      if (size > 0) {
        found.add(
            new CounterSeries(
                "memory allocated",
                "bytes",
                rankIndex,
                device,
                Arrays.copyOf(times, size),
                Arrays.copyOf(values, size)));
      }
    }
  }
}
