package dev.pitwall.report.section;

import dev.pitwall.report.section.Section.Table;
import dev.pitwall.scale.communication.GroupTraffic;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// What the collectives of each process group reach.
public final class CommunicationSection {
  private static final int ROWS = 12;

  private CommunicationSection() {}

  /// @param groups most exposed first, at least one
  public static Section of(List<GroupTraffic> groups) {
    List<List<String>> rows = new ArrayList<>();
    List<String> advice = new ArrayList<>();
    for (GroupTraffic group : groups.subList(0, Math.min(ROWS, groups.size()))) {
      rows.add(
          List.of(
              group.group().isEmpty() || group.group().equals("default_pg")
                  ? group.kind().text()
                  : group.kind().text() + ", " + group.group(),
              Integer.toString(group.ranks()),
              figure("%.0f", group.countPerStep()),
              figure("%.1f MiB", group.medianBytes() / (double) (1 << 20)),
              figure("%.1f ms", group.exposedMillisPerStep()),
              group.isOfOneRank() ? "-" : figure("%.1f ms", group.waitingMillisPerStep()),
              group.isOfOneRank() ? "-" : figure("%.0f GB/s", group.busBandwidth() / 1e9),
              group.isOfOneRank() || group.bestBusBandwidth() == 0
                  ? "-"
                  : figure("%.0f %%", 100 * group.busBandwidth() / group.bestBusBandwidth()),
              figure("%.0f", group.smallPerStep())));
      if (!group.advice().isEmpty()) {
        advice.add(group.advice());
      }
    }
    GroupTraffic worst = groups.getFirst();
    String sentence =
        String.format(
                Locale.ROOT,
                "The %s of %d ranks is exposed for %.1f ms of a step; ",
                worst.kind().text(),
                worst.ranks(),
                worst.exposedMillisPerStep())
            + (worst.isOfOneRank()
                ? "how much of it is waiting for the last rank, and what bandwidth it reaches,"
                    + " needs the other ranks' recordings."
                : String.format(
                    Locale.ROOT,
                    "of its whole time, hidden or exposed, %.1f ms is waiting for the last rank.",
                    worst.waitingMillisPerStep()))
            + (advice.isEmpty() ? "" : " " + advice.getFirst());
    return new Section(
        "communication-groups",
        "Process groups",
        sentence,
        List.of(
            new Table(
                "Collectives by process group, of one step",
                List.of(
                    "Collective",
                    "Ranks",
                    "Count",
                    "Median",
                    "Exposed",
                    "Waiting",
                    "Bus",
                    "Of best",
                    "Small"),
                rows)),
        List.of());
  }

  private static String figure(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
