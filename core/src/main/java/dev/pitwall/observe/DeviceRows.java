package dev.pitwall.observe;

import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.Track;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/// Kernels, copies and sets of one device over all its streams, in order of start.
final class DeviceRows {
  private DeviceRows() {}

  /// The devices that ran anything, the busiest first.
  static List<Integer> busiestFirst(Trace trace) {
    List<Integer> devices = new ArrayList<>();
    List<Long> busy = new ArrayList<>();
    Slices slices = trace.slices();
    for (Track track : trace.tracks()) {
      if (track.kind() != Track.Kind.STREAM) {
        continue;
      }
      long nanos = 0;
      for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
        if (slices.category(row).isDeviceWork()) {
          nanos += 1 + slices.durationNanos(row);
        }
      }
      if (nanos == 0) {
        continue;
      }
      int at = devices.indexOf(track.device());
      if (at < 0) {
        devices.add(track.device());
        busy.add(nanos);
      } else {
        busy.set(at, busy.get(at) + nanos);
      }
    }
    List<Integer> order = new ArrayList<>(devices);
    order.sort(
        Collections.reverseOrder(
            (a, b) -> Long.compare(busy.get(devices.indexOf(a)), busy.get(devices.indexOf(b)))));
    return List.copyOf(order);
  }

  /// Rows of the device's work by ascending start.
  static int[] inOrder(Trace trace, int device) {
    Slices slices = trace.slices();
    int[] merged = {};
    List<int[]> runs = new ArrayList<>();
    for (Track track : trace.tracks()) {
      if (track.kind() == Track.Kind.STREAM && track.device() == device) {
        int[] run = new int[trace.endRow(track.id()) - trace.firstRow(track.id())];
        int size = 0;
        for (int row = trace.firstRow(track.id()); row < trace.endRow(track.id()); row++) {
          if (slices.category(row).isDeviceWork()) {
            run[size++] = row;
          }
        }
        if (size > 0) {
          runs.add(Arrays.copyOf(run, size));
        }
      }
    }
    while (runs.size() > 1) {
      List<int[]> next = new ArrayList<>();
      for (int i = 0; i < runs.size(); i += 2) {
        next.add(i + 1 < runs.size() ? merge(slices, runs.get(i), runs.get(i + 1)) : runs.get(i));
      }
      runs = next;
    }
    return runs.isEmpty() ? merged : runs.getFirst();
  }

  private static int[] merge(Slices slices, int[] left, int[] right) {
    int[] merged = new int[left.length + right.length];
    int l = 0;
    int r = 0;
    for (int i = 0; i < merged.length; i++) {
      boolean takeLeft =
          r == right.length
              || (l < left.length && slices.startNanos(left[l]) <= slices.startNanos(right[r]));
      merged[i] = takeLeft ? left[l++] : right[r++];
    }
    return merged;
  }
}
