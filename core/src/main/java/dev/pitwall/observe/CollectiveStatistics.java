package dev.pitwall.observe;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.pattern.KernelClass;
import dev.pitwall.trace.pattern.KernelNames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The collectives of one kind in one process group, over all steps.
///
/// @param name the recorder's word (`allreduce`), or the kernel's name where it did not say
/// @param processGroup name of the process group, or empty
/// @param groupSize ranks in the group, -1 where unknown
/// @param count how many
/// @param bytes bytes in the larger of send and receive buffer, added up; -1 where unknown
/// @param totalNanos their durations added up
public record CollectiveStatistics(
    String name, String processGroup, int groupSize, int count, long bytes, long totalNanos) {
  static List<CollectiveStatistics> of(TraceIndex index, int[] deviceRows, KernelNames kernels) {
    Trace trace = index.trace();
    Slices slices = trace.slices();
    Map<String, CollectiveStatistics> table = new LinkedHashMap<>();
    for (int row : deviceRows) {
      if (slices.category(row) != Category.KERNEL
          || kernels.classOf(slices.nameId(row)) != KernelClass.COMMUNICATION
          || (index.steps().count() > 0 && index.countedStepOf(row) < 0)) {
        continue;
      }
      int detail = slices.deviceWorkDetail(row);
      int collective = detail == Slices.NONE ? -1 : slices.deviceWork().collective(detail);
      CollectiveStatistics one;
      if (collective < 0) {
        one = new CollectiveStatistics(trace.name(row), "", -1, 1, -1, slices.durationNanos(row));
      } else {
        Collective moved = trace.collectives().get(collective);
        one =
            new CollectiveStatistics(
                moved.name(),
                moved.processGroup(),
                moved.groupSize(),
                1,
                bytes(moved),
                slices.durationNanos(row));
      }
      table.merge(one.name + '\0' + one.processGroup, one, CollectiveStatistics::plus);
    }
    List<CollectiveStatistics> sorted = new ArrayList<>(table.values());
    sorted.sort(Comparator.comparingLong(CollectiveStatistics::totalNanos).reversed());
    return List.copyOf(sorted);
  }

  /// Bytes of the larger buffer of one collective, -1 where the recorder did not say.
  public static long bytes(Collective collective) {
    long elements = Math.max(collective.inputElements(), collective.outputElements());
    int size = elementBytes(collective.dtype());
    return elements < 0 || size < 0 ? -1 : elements * size;
  }

  private static int elementBytes(String dtype) {
    return switch (dtype) {
      case "Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2" -> 1;
      case "Half", "BFloat16", "Short" -> 2;
      case "Float", "Int" -> 4;
      case "Double", "Long" -> 8;
      default -> -1;
    };
  }

  private CollectiveStatistics plus(CollectiveStatistics other) {
    long sum = bytes < 0 || other.bytes < 0 ? -1 : bytes + other.bytes;
    return new CollectiveStatistics(
        name, processGroup, groupSize, count + other.count, sum, totalNanos + other.totalNanos);
  }
}
