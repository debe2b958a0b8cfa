package dev.pitwall.scale.communication;

import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.observe.CollectiveStatistics;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.Device;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The collectives of one rank with their sizes, in order; a few kilobytes, whatever the trace's
/// size.
///
/// @param gpu name of the device
/// @param steps steps they span
/// @param transfers in order of start on the device
public record RankTraffic(String gpu, int steps, List<Transfer> transfers) {
  public RankTraffic {
    transfers = List.copyOf(transfers);
  }

  /// One collective.
  ///
  /// @param group the process group's description, or its name
  /// @param bytes by the convention of [CollectiveKind]
  /// @param exposedNanos the part in which no other kernel ran on this rank
  public record Transfer(
      String group,
      CollectiveKind kind,
      int ranks,
      long bytes,
      long durationNanos,
      long exposedNanos) {}

  public static RankTraffic of(TraceIndex index) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    KernelNames kernels = new KernelNames(trace.names());
    List<Integer> rows = new ArrayList<>();
    List<long[]> compute = new ArrayList<>();
    for (int row : slices.rows(Category.KERNEL)) {
      if (kernels.classOf(slices.nameId(row)) == KernelClass.COMMUNICATION) {
        if (index.steps().count() == 0 || index.countedStepOf(row) >= 0) {
          rows.add(row);
        }
      } else {
        compute.add(new long[] {slices.startNanos(row), slices.endNanos(row)});
      }
    }
    rows.sort(Comparator.comparingLong(slices::startNanos));
    compute.sort(Comparator.comparingLong(interval -> interval[0]));
    List<Transfer> transfers = new ArrayList<>();
    for (int row : rows) {
      int detail = slices.deviceWorkDetail(row);
      int number = detail == Slices.NONE ? -1 : slices.deviceWork().collective(detail);
      if (number < 0) {
        continue;
      }
      Collective moved = trace.collectives().get(number);
      CollectiveKind kind = kindOf(moved.name());
      long bytes = CollectiveStatistics.bytes(moved);
      if (kind != null && bytes >= 0 && moved.groupSize() > 1) {
        transfers.add(
            new Transfer(
                moved.processGroupDescription().isEmpty()
                    ? moved.processGroup()
                    : moved.processGroupDescription(),
                kind,
                moved.groupSize(),
                bytes,
                slices.durationNanos(row),
                exposed(slices.startNanos(row), slices.endNanos(row), compute)));
      }
    }
    List<Device> devices = trace.recording().devices();
    return new RankTraffic(
        devices.isEmpty() ? "" : devices.getFirst().name(),
        Math.max(1, index.steps().count()),
        transfers);
  }

  private static @Nullable CollectiveKind kindOf(String name) {
    String word = name.toLowerCase(Locale.ROOT).replace("_", "");
    if (word.contains("allreduce")) {
      return CollectiveKind.ALL_REDUCE;
    }
    if (word.contains("allgather")) {
      return CollectiveKind.ALL_GATHER;
    }
    if (word.contains("reducescatter")) {
      return CollectiveKind.REDUCE_SCATTER;
    }
    if (word.contains("alltoall")) {
      return CollectiveKind.ALL_TO_ALL;
    }
    return word.contains("broadcast") ? CollectiveKind.BROADCAST : null;
  }

  /// Length of an interval outside sorted intervals that may overlap each other.
  private static long exposed(long start, long end, List<long[]> sorted) {
    long covered = 0;
    long until = start;
    for (long[] interval : sorted) {
      if (interval[0] >= end) {
        break;
      }
      long from = Math.max(until, interval[0]);
      long to = Math.min(end, interval[1]);
      if (to > from) {
        covered += to - from;
        until = to;
      }
    }
    return end - start - covered;
  }
}
