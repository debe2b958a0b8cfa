package dev.pitwall.report.section;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.observe.memory.AllocatorReplay;
import dev.pitwall.observe.memory.AllocatorReplay.Change;
import dev.pitwall.observe.memory.MemoryGrowth;
import dev.pitwall.observe.memory.MemoryTimeline;
import dev.pitwall.report.section.Section.Table;
import dev.pitwall.trace.memory.AllocationHistory;
import dev.pitwall.trace.memory.MemorySnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What a memory snapshot says of each device: who holds the peak, whether it leaks, what the
/// allocator wastes and what other settings would hold.
public final class MemorySection {
  private static final int OWNERS = 12;
  private static final int FRAMES = 3;
  private static final double WASTE_WORTH_NAMING = 0.25;
  private static final String LINK =
      "https://docs.pytorch.org/docs/stable/notes/cuda.html#memory-management";

  private MemorySection() {}

  /// One section a device that has memory in use.
  public static List<Section> of(String path, MemorySnapshot snapshot) {
    List<Section> sections = new ArrayList<>();
    int devices =
        Math.max(
            snapshot.histories().size(),
            snapshot.segments().stream().mapToInt(segment -> segment.device() + 1).max().orElse(0));
    for (int device = 0; device < devices; device++) {
      boolean recorded =
          device < snapshot.histories().size() && snapshot.histories().get(device).size() > 0;
      if (snapshot.reservedBytes(device) > 0 || recorded) {
        sections.add(section(path, snapshot, device));
      }
    }
    return sections;
  }

  private static Section section(String path, MemorySnapshot snapshot, int device) {
    MemoryTimeline timeline = MemoryTimeline.of(snapshot, device);
    long peakReserved = 0;
    for (long bytes : timeline.reservedBytes()) {
      peakReserved = Math.max(peakReserved, bytes);
    }
    Optional<MemoryGrowth> growth = MemoryGrowth.of(snapshot, timeline);
    AllocatorReplay asRecorded = AllocatorReplay.of(snapshot, device, Change.NONE);
    AllocatorReplay expandable = AllocatorReplay.of(snapshot, device, Change.EXPANDABLE_SEGMENTS);
    AllocatorReplay keeping = AllocatorReplay.of(snapshot, device, Change.NO_EMPTY_CACHE);
    List<Finding> findings = new ArrayList<>();
    growth.filter(MemoryGrowth::leaks).map(MemorySection::leak).ifPresent(findings::add);
    fragmentation(timeline, peakReserved, expandable).ifPresent(findings::add);
    List<Table> tables = new ArrayList<>();
    tables.add(
        new Table(
            "Allocator",
            List.of("", "Active", "Reserved"),
            List.of(
                List.of(
                    "at the peak", gigabytes(timeline.peakActiveBytes()), gigabytes(peakReserved)),
                List.of(
                    "at the snapshot",
                    gigabytes(timeline.finalActiveBytes()),
                    gigabytes(snapshot.reservedBytes(device))))));
    tables.add(owners(snapshot, timeline));
    tables.add(
        new Table(
            "Reserved at most, by replaying the history through a model of the allocator",
            List.of("Setting", "Reserved"),
            List.of(
                List.of("as recorded", gigabytes(asRecorded.peakReservedBytes())),
                List.of("expandable_segments:True", gigabytes(expandable.peakReservedBytes())),
                List.of("without empty_cache()", gigabytes(keeping.peakReservedBytes())))));
    return new Section(
        "memory-snapshot",
        "Memory of device " + device + " (" + path + ")",
        sentence(snapshot, device, timeline, growth),
        tables,
        findings);
  }

  private static String sentence(
      MemorySnapshot snapshot, int device, MemoryTimeline timeline, Optional<MemoryGrowth> growth) {
    AllocationHistory history =
        device < snapshot.histories().size() ? snapshot.histories().get(device) : null;
    if (history == null || history.size() == 0) {
      return "The snapshot holds no history, so only its last moment is known: "
          + gigabytes(timeline.finalActiveBytes())
          + " active of "
          + gigabytes(snapshot.reservedBytes(device))
          + " reserved.";
    }
    String verdict =
        growth
            .map(
                g ->
                    g.leaks()
                        ? "it leaks " + megabytes(g.grownBytesPerStep()) + " a step"
                        : "it does not leak: active memory at the end of the optimizer's step"
                            + " stays")
            .orElse(
                "whether it leaks cannot be judged, as fewer than three optimizer steps are"
                    + " marked");
    return "Active memory peaks at "
        + gigabytes(timeline.peakActiveBytes())
        + " and "
        + gigabytes(snapshot.reservedBytes(device))
        + " is reserved at the end; "
        + verdict
        + ".";
  }

  private static Table owners(MemorySnapshot snapshot, MemoryTimeline timeline) {
    List<List<String>> rows = new ArrayList<>();
    for (MemoryTimeline.Owner owner : timeline.owners()) {
      if (rows.size() == OWNERS) {
        break;
      }
      String where =
          owner.stack() < 0
              ? "allocated before the history begins"
              : String.join(
                  " < ",
                  snapshot.stacks().get(owner.stack()).stream()
                      .filter(frame -> !frame.contains("/torch/"))
                      .limit(FRAMES)
                      .toList());
      rows.add(
          List.of(
              where.isEmpty() ? "inside PyTorch" : where,
              Integer.toString(owner.blocks()),
              gigabytes(owner.bytes())));
    }
    return new Table("Who holds the peak", List.of("Allocated at", "Blocks", "Held"), rows);
  }

  private static Finding leak(MemoryGrowth growth) {
    return new Finding(
        "memory-growth",
        Severity.HIGH,
        "Active memory at the end of the optimizer's step grows by "
            + megabytes(growth.grownBytesPerStep())
            + " in every step.",
        "Reserved memory may grow and rest; what tensors hold at the same point of the step must"
            + " not. Something keeps tensors of past steps alive, most often a list of losses that"
            + " still hold their graphs.",
        new Fix("Keep numbers, not tensors with graphs.", "losses.append(loss.detach())", LINK),
        noTime(),
        List.of());
  }

  private static Optional<Finding> fragmentation(
      MemoryTimeline timeline, long peakReserved, AllocatorReplay expandable) {
    long freed = peakReserved - expandable.peakReservedBytes();
    double waste = peakReserved == 0 ? 0 : 1 - (double) timeline.peakActiveBytes() / peakReserved;
    if (waste < WASTE_WORTH_NAMING || freed < 0.1 * peakReserved) {
      return Optional.empty();
    }
    return Optional.of(
        new Finding(
            "fragmentation",
            Severity.MEDIUM,
            String.format(
                Locale.ROOT,
                "%.0f %% of the reserved memory was never in use at once; expandable segments would"
                    + " reserve %s less.",
                100 * waste,
                gigabytes(freed)),
            "Blocks of many sizes leave gaps in segments that no later allocation fits into, so the"
                + " allocator asks the driver for more.",
            new Fix(
                "Let segments grow instead of adding new ones.",
                "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
                LINK),
            noTime(),
            List.of()));
  }

  /// A fix of memory saves no time by itself.
  private static Gain noTime() {
    return new Gain(Estimate.measured(0), 0);
  }

  static String gigabytes(long bytes) {
    return String.format(Locale.ROOT, "%.2f GB", bytes / 1e9);
  }

  private static String megabytes(long bytes) {
    return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
  }
}
