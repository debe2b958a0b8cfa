package dev.pitwall.report.section;

import dev.pitwall.observe.ranks.Activity;
import dev.pitwall.observe.ranks.JobPath;
import dev.pitwall.observe.ranks.LateRank;
import dev.pitwall.observe.ranks.RankComparison;
import dev.pitwall.observe.ranks.Straggler;
import dev.pitwall.report.section.Section.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// The critical path across ranks as tables: which rank held the job for what, over all steps and
/// step by step.
final class JobPathTables {
  private static final int ROWS = 12;

  private JobPathTables() {}

  /// No table where the ranks share no collective or no step.
  static List<Table> of(RankComparison comparison) {
    List<JobPath.Step> steps = comparison.path().steps();
    return steps.isEmpty() ? List.of() : List.of(byRank(steps), byStep(steps, comparison.latest()));
  }

  private static Table byRank(List<JobPath.Step> steps) {
    Map<Integer, double[]> spent = new TreeMap<>();
    double[] all = new double[Activity.values().length];
    for (JobPath.Step step : steps) {
      for (JobPath.Share share : step.shares()) {
        double millis = share.nanos() / 1e6 / steps.size();
        spent
                .computeIfAbsent(share.rank(), unseen -> new double[all.length])[
                share.activity().ordinal()] +=
            millis;
        all[share.activity().ordinal()] += millis;
      }
    }
    List<Map.Entry<Integer, double[]>> ranks = new ArrayList<>(spent.entrySet());
    ranks.sort(Comparator.comparingDouble(entry -> -sum(entry.getValue())));
    List<List<String>> rows = new ArrayList<>();
    double[] others = new double[all.length];
    for (int i = 0; i < ranks.size(); i++) {
      double[] own = ranks.get(i).getValue();
      if (i < ROWS) {
        rows.add(row("rank " + ranks.get(i).getKey(), own, sum(all)));
      } else {
        for (int activity = 0; activity < all.length; activity++) {
          others[activity] += own[activity];
        }
      }
    }
    if (ranks.size() > ROWS) {
      rows.add(row((ranks.size() - ROWS) + " others", others, sum(all)));
    }
    rows.add(row("the job", all, sum(all)));
    List<String> header = new ArrayList<>(List.of("Critical path, ms a step", "all", "share"));
    for (Activity activity : Activity.values()) {
      header.add(activity.label());
    }
    return withoutEmptyColumns(new Table("What the job waits for, by rank", header, rows));
  }

  private static Table withoutEmptyColumns(Table table) {
    int[] filled =
        IntStream.range(0, table.header().size())
            .filter(column -> table.rows().stream().anyMatch(row -> !row.get(column).isEmpty()))
            .toArray();
    return new Table(
        table.title(),
        Arrays.stream(filled).mapToObj(table.header()::get).toList(),
        table.rows().stream()
            .map(row -> Arrays.stream(filled).mapToObj(row::get).toList())
            .toList());
  }

  private static List<String> row(String name, double[] millis, double job) {
    List<String> row = new ArrayList<>();
    row.add(name);
    row.add(millis(sum(millis)));
    row.add(String.format(Locale.ROOT, "%.0f %%", job > 0 ? 100 * sum(millis) / job : 0));
    for (double part : millis) {
      row.add(Math.abs(part) < 0.0005 ? "" : millis(part));
    }
    return row;
  }

  private static Table byStep(List<JobPath.Step> steps, List<LateRank> latest) {
    Map<Integer, LateRank> late = new HashMap<>();
    latest.forEach(one -> late.put(one.step(), one));
    List<JobPath.Step> shown =
        steps.stream()
            .sorted(Comparator.comparingLong(step -> -step.nanos()))
            .limit(ROWS)
            .sorted(Comparator.comparingInt(JobPath.Step::step))
            .toList();
    List<List<String>> rows = new ArrayList<>();
    for (JobPath.Step step : shown) {
      int holder = step.holder();
      JobPath.Share largest =
          step.shares().stream()
              .filter(share -> share.rank() == holder)
              .filter(share -> share.activity() != Activity.COMMUNICATION)
              .max(Comparator.comparingDouble(JobPath.Share::nanos))
              .orElse(step.shares().getFirst());
      List<String> row =
          new ArrayList<>(
              List.of(
                  "step " + step.step(),
                  millis(step.nanos() / 1e6),
                  "rank " + holder,
                  millis(step.nanosOn(holder) / 1e6),
                  largest.activity().label() + " " + millis(largest.nanos() / 1e6),
                  millis(step.nanosOf(Activity.COMMUNICATION) / 1e6)));
      LateRank last = late.get(step.step());
      if (last == null || last.waitedNanos() <= 0) {
        row.addAll(List.of("", "", ""));
      } else {
        row.addAll(
            List.of(
                "rank " + last.rank(),
                millis(last.waitedNanos() / 1e6),
                Straggler.shortText(last.cause())));
      }
      rows.add(row);
    }
    return new Table(
        shown.size() < steps.size()
            ? "Who held the job, the " + ROWS + " longest of " + steps.size() + " steps"
            : "Who held the job, step by step",
        List.of(
            "Step",
            "ms",
            "held by",
            "for ms",
            "most of it",
            "collectives",
            "last to come",
            "cost ms",
            "cause"),
        rows);
  }

  private static double sum(double[] parts) {
    double sum = 0;
    for (double part : parts) {
      sum += part;
    }
    return sum;
  }

  private static String millis(double millis) {
    return String.format(Locale.ROOT, Math.abs(millis) < 10 ? "%.2f" : "%.1f", millis);
  }
}
