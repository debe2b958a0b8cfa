package dev.pitwall.capture.loader;

import dev.pitwall.capture.RankRecording;
import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonWriter;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// How fast the loader is alone, against what the step takes, and the smallest setting that is
/// enough.
public final class LoaderReport {
  /// A setting is enough when its slowest block still beats the need by this factor: with an equal
  /// rate every hiccup would be waited for.
  static final double MARGIN = 1.05;

  private static final String LINE = "%8s %5s %12s %12s %10s %12s %10s  %s%n";

  private final RankRecording rank;
  private final List<Setting> settings;
  private final double neededBatchesPerSecond;

  /// One tried setting.
  ///
  /// @param slowestBatchesPerSecond of three blocks, warm
  /// @param coldSeconds from asking for an iterator to the first batch
  /// @param workerBytes resident bytes of one worker; NaN where unknown
  /// @param transferMillis to copy one batch to the device; NaN without one
  /// @param failure empty where it ran
  public record Setting(
      int workers,
      boolean pin,
      double batchesPerSecond,
      double slowestBatchesPerSecond,
      double coldSeconds,
      double workerBytes,
      double transferMillis,
      String failure) {}

  private LoaderReport(RankRecording rank, List<Setting> settings, double needed) {
    this.rank = rank;
    this.settings = settings;
    this.neededBatchesPerSecond = needed;
  }

  /// @throws PitwallException where no step was seen (2), the program did not get so far, or it has
  ///     no loader (3)
  public static LoaderReport of(List<RankRecording> ranks) {
    if (ranks.isEmpty()) {
      throw PitwallException.usage(
          "no training step was seen; name the function that is one step with --step.");
    }
    RankRecording rank = ranks.getFirst();
    if (rank.truth().isNull()) {
      throw PitwallException.unreadable(
          "the program ended after "
              + rank.steps().size()
              + " steps, before its step was measured; ask for fewer with --warmup and --measure.");
    }
    if (rank.loaderSettings().isEmpty()) {
      throw PitwallException.unreadable(
          "the loader was not run: "
              + (rank.faults().isEmpty() ? "the program was cut off" : rank.faults().getLast())
              + ".");
    }
    double stepMillis = rank.stepMillis() - rank.truth().get("loader_wait_ms").number(0);
    return new LoaderReport(
        rank,
        rank.loaderSettings().stream().map(LoaderReport::setting).toList(),
        rank.batchesPerStep() / (stepMillis / 1e3));
  }

  private static Setting setting(Json event) {
    double slowest = Double.POSITIVE_INFINITY;
    for (Json block : event.get("batches_per_s_blocks")) {
      slowest = Math.min(slowest, block.number(Double.NaN));
    }
    return new Setting(
        (int) event.get("workers").integer(0),
        event.get("pin").bool(false),
        event.get("batches_per_s").number(Double.NaN),
        slowest,
        event.get("cold_first_batch_s").number(Double.NaN),
        event.get("worker_bytes").number(Double.NaN),
        event.get("transfer_ms").number(Double.NaN),
        event.get("error").text(""));
  }

  public List<Setting> settings() {
    return settings;
  }

  /// Batches a second that the step would take if it never waited for one.
  public double neededBatchesPerSecond() {
    return neededBatchesPerSecond;
  }

  private boolean isEnough(Setting setting) {
    return setting.failure().isEmpty()
        && setting.slowestBatchesPerSecond() >= MARGIN * neededBatchesPerSecond;
  }

  /// The fewest workers whose measured rate is enough, pinned where that copies faster; null where
  /// no tried setting is enough.
  public @Nullable Setting recommended() {
    return settings.stream()
        .filter(this::isEnough)
        .min(
            Comparator.comparingInt(Setting::workers)
                .thenComparingDouble(
                    s -> Double.isNaN(s.transferMillis()) ? 0 : s.transferMillis()))
        .orElse(null);
  }

  /// The table, the slow part and the recommendation.
  public String text() {
    StringBuilder out = new StringBuilder();
    Json truth = rank.truth();
    out.append(
        String.format(
            Locale.ROOT,
            "The step takes %.3f ms, of which it waits %.3f ms for data; it needs %.1f batches a"
                + " second.%n",
            rank.stepMillis(),
            truth.get("loader_wait_ms").number(0),
            neededBatchesPerSecond));
    Json loader = rank.loader();
    if (!loader.get("item_ms").isNull()) {
      out.append(
          String.format(
              Locale.ROOT,
              "%s: %.3f ms an item, %d items a batch, %.3f ms to collate one; now"
                  + " num_workers=%d%s.%n",
              loader.get("dataset").text("?"),
              loader.get("item_ms").number(0),
              loader.get("batch_size").integer(0),
              loader.get("collate_ms").number(0),
              loader.get("workers").integer(0),
              loader.get("pin").bool(false) ? ", pinned" : ""));
    }
    Json slowest = loader.get("slowest");
    if (!slowest.isNull()) {
      out.append(
          String.format(
              Locale.ROOT,
              "Most of an item goes into %s (%s:%d): %.0f %%.%n",
              slowest.get("function").text("?"),
              fileName(slowest.get("file").text("?")),
              slowest.get("line").integer(0),
              100 * slowest.get("share").number(0)));
    }
    out.append('\n')
        .append(
            String.format(
                LINE, "workers", "pin", "batches/s", "slowest", "first", "a worker", "copy", ""));
    settings.forEach(setting -> out.append(line(setting)));
    out.append('\n').append(recommendation());
    return out.toString();
  }

  private static String fileName(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private String line(Setting setting) {
    String pin = setting.pin() ? "yes" : "no";
    if (!setting.failure().isEmpty()) {
      return String.format(
          LINE, setting.workers(), pin, "-", "-", "-", "-", "-", "failed: " + setting.failure());
    }
    return String.format(
        LINE,
        setting.workers(),
        pin,
        number("%.1f", setting.batchesPerSecond()),
        number("%.1f", setting.slowestBatchesPerSecond()),
        number("%.2f s", setting.coldSeconds()),
        number("%.0f MiB", setting.workerBytes() / (1 << 20)),
        number("%.2f ms", setting.transferMillis()),
        setting.equals(recommended()) ? "<- enough" : isEnough(setting) ? "enough" : "");
  }

  private static String number(String format, double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
  }

  private String recommendation() {
    Setting enough = recommended();
    if (enough == null) {
      Setting fastest =
          settings.stream()
              .filter(s -> s.failure().isEmpty())
              .max(Comparator.comparingDouble(Setting::batchesPerSecond))
              .orElse(null);
      return fastest == null
          ? "No setting ran.\n"
          : String.format(
              Locale.ROOT,
              "No setting keeps up; num_workers=%d comes nearest with %.1f batches a second. Make"
                  + " an item cheaper, or prepare the data beforehand.%n",
              fastest.workers(),
              fastest.batchesPerSecond());
    }
    return String.format(
        Locale.ROOT,
        "Take num_workers=%d%s: %.1f batches a second at least, %.1f needed.%n",
        enough.workers(),
        enough.pin() ? ", pin_memory=True" : "",
        enough.slowestBatchesPerSecond(),
        neededBatchesPerSecond);
  }

  /// The schema `pitwall.loader/1`.
  public String json() {
    Setting enough = recommended();
    JsonWriter out =
        new JsonWriter()
            .object()
            .key("schema")
            .value("pitwall.loader/1")
            .key("step_ms")
            .value(rank.stepMillis())
            .key("loader_wait_ms")
            .value(rank.truth().get("loader_wait_ms"))
            .key("needed_batches_per_s")
            .value(neededBatchesPerSecond)
            .key("loader")
            .value(rank.loader())
            .key("settings")
            .array();
    for (Setting setting : settings) {
      out.object()
          .key("workers")
          .value(setting.workers())
          .key("pin")
          .value(setting.pin())
          .key("batches_per_s")
          .value(setting.batchesPerSecond())
          .key("slowest_batches_per_s")
          .value(setting.slowestBatchesPerSecond())
          .key("cold_first_batch_s")
          .value(setting.coldSeconds())
          .key("worker_bytes")
          .value(setting.workerBytes())
          .key("transfer_ms")
          .value(setting.transferMillis())
          .key("failure")
          .value(setting.failure())
          .end();
    }
    out.end().key("recommended_workers");
    if (enough == null) {
      out.value(Json.Null.NULL);
    } else {
      out.value(enough.workers()).key("recommended_pin").value(enough.pin());
    }
    return out.end() + "\n";
  }
}
