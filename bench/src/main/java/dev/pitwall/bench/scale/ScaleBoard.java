package dev.pitwall.bench.scale;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.hardware.CollectiveCosts;
import dev.pitwall.hardware.CollectiveKind;
import dev.pitwall.hardware.GpuSpec;
import dev.pitwall.hardware.GpuSpecs;
import dev.pitwall.hardware.Network;
import dev.pitwall.hardware.Precision;
import dev.pitwall.hardware.RankGroup;
import dev.pitwall.json.Json;
import dev.pitwall.pass.scale.DataParallelOptions;
import dev.pitwall.scale.Checkpointing;
import dev.pitwall.scale.Cluster;
import dev.pitwall.scale.MemoryModel;
import dev.pitwall.scale.ModelShape;
import dev.pitwall.scale.Recipe;
import dev.pitwall.scale.Sharding;
import dev.pitwall.scale.SimulatedStep;
import dev.pitwall.scale.SoftwareStack;
import dev.pitwall.scale.Strategy;
import dev.pitwall.scale.TracedStep;
import dev.pitwall.scale.table.DescribedRun;
import dev.pitwall.scale.table.RowPrediction;
import dev.pitwall.scale.table.TablePlanner;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Scores the scale gear. `main DATA [SPLIT]` prints the board for a folder laid out as the shared
/// data.
public final class ScaleBoard {
  private static final double GIB = 1L << 30;
  private static final Pattern PRINTED_MEMORY = Pattern.compile("^([0-9.]+)\\s*(GiB|GB|G|MiB)");

  /// Errors of one kind of prediction.
  ///
  /// @param bySource absolute relative errors of each source
  /// @param orderedPairs pairs predicted in the right order
  /// @param pairs pairs with an order
  public record Score(Map<String, List<Double>> bySource, int orderedPairs, int pairs) {
    public double median() {
      return median(errors());
    }

    List<Double> errors() {
      return bySource.values().stream().flatMap(List::stream).toList();
    }

    public double macroMean() {
      return bySource.values().stream()
          .mapToDouble(
              errors -> errors.stream().mapToDouble(Double::doubleValue).average().orElse(0))
          .average()
          .orElse(0);
    }

    public long count() {
      return bySource.values().stream().mapToLong(List::size).sum();
    }

    public double ordered() {
      return pairs == 0 ? 1 : (double) orderedPairs / pairs;
    }

    /// The smallest value that this share of the values does not exceed.
    static double quantile(List<Double> values, double share) {
      double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      return sorted.length == 0 ? 0 : sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    static double median(List<Double> values) {
      double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
      int middle = sorted.length / 2;
      return sorted.length == 0
          ? 0
          : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
  }

  /// Throughputs inside the predicted interval.
  public record Coverage(int rows, int inside) {}

  /// Published out-of-memory rows and those called so.
  public record OutOfMemory(int rows, int called) {}

  private ScaleBoard() {}

  public static void main(String[] arguments) {
    Path data = Path.of(arguments.length > 0 ? arguments[0] : "../shared/data");
    String split = arguments.length > 1 ? arguments[1] : "dev";
    StringBuilder out = new StringBuilder();
    Map<String, Integer> notJudged = new TreeMap<>();
    print(out, "throughput of published runs, " + split, throughput(data, split, notJudged));
    notJudged.forEach(
        (reason, rows) ->
            out.append("    not judged: ").append(rows).append(" x ").append(reason).append('\n'));
    Coverage coverage = coverage(data, split);
    out.append("  inside the predicted interval: ")
        .append(coverage.inside())
        .append(" of ")
        .append(coverage.rows())
        .append('\n');
    print(out, "memory of published runs, " + split, memory(data, split));
    OutOfMemory called = outOfMemory(data, split);
    out.append("  out of memory: ")
        .append(called.called())
        .append(" of ")
        .append(called.rows())
        .append(" called\n");
    print(out, "peak memory, h200/memory", measuredMemory(data));
    print(out, "steps on two GPUs from one GPU's trace, h200/multi", twoGpus(data));
    print(out, "recorded pipeline steps from the medians of their parts", pipelines(data));
    print(out, "collectives of 1 MiB and more, " + split, collectives(data, split));
    System.out.print(out);
  }

  private static void print(StringBuilder out, String title, Score score) {
    out.append(
        String.format(
            Locale.ROOT,
            "%s: n %d, median error %.1f %%, p90 %.1f %%, macro mean %.1f %%, order right in %.1f"
                + " %% of %d pairs%n",
            title,
            score.count(),
            100 * score.median(),
            100 * Score.quantile(score.errors(), 0.9),
            100 * score.macroMean(),
            100 * score.ordered(),
            score.pairs()));
    score
        .bySource()
        .forEach(
            (source, errors) ->
                out.append(
                    String.format(
                        Locale.ROOT,
                        "    %-60s n %4d, median %5.1f %%, p90 %5.1f %%, mean %5.1f %%%n",
                        source,
                        errors.size(),
                        100 * Score.median(errors),
                        100 * Score.quantile(errors, 0.9),
                        100
                            * errors.stream()
                                .mapToDouble(Double::doubleValue)
                                .average()
                                .orElse(0))));
  }

  private record Judged(String group, double predicted, double actual) {}

  /// Throughput: tokens a second a GPU, else samples a second, else steps a second.
  public static Score throughput(Path data, String split, Map<String, Integer> notJudged) {
    Map<String, List<Double>> errors = new TreeMap<>();
    Map<String, List<Judged>> groups = new HashMap<>();
    for (PublishedTables.Row row :
        PublishedTables.rows(data.resolve("tables"), split, "framework")) {
      double tokens = row.number("tokens_per_s_per_gpu");
      double samples = row.number("samples_per_s");
      double step = row.number("step_time_s");
      if (tokens == 0 && samples == 0 && step == 0) {
        notJudged.merge(row.source() + ": the row prints no throughput", 1, Integer::sum);
        continue;
      }
      RowPrediction prediction = TablePlanner.predict(row.table(), row.row());
      if (prediction.tokensPerSecondPerGpu() == null) {
        notJudged.merge(row.source() + ": " + prediction.notJudged(), 1, Integer::sum);
        continue;
      }
      double predicted =
          tokens > 0
              ? prediction.tokensPerSecondPerGpu().value()
              : samples > 0 ? prediction.samplesPerSecond() : 1 / prediction.stepSeconds();
      double actual = tokens > 0 ? tokens : samples > 0 ? samples : 1 / step;
      errors
          .computeIfAbsent(row.source(), source -> new ArrayList<>())
          .add(Math.abs(predicted / actual - 1));
      DescribedRun run = TablePlanner.describe(row.table(), row.row());
      if (run != null) {
        groups
            .computeIfAbsent(
                row.source() + "|" + run.model() + "|" + run.strategy().gpus(),
                group -> new ArrayList<>())
            .add(new Judged(row.source(), predicted, actual));
      }
    }
    int pairs = 0;
    int ordered = 0;
    for (List<Judged> group : groups.values()) {
      for (int i = 0; i < group.size(); i++) {
        for (int j = i + 1; j < group.size(); j++) {
          Judged a = group.get(i);
          Judged b = group.get(j);
          if (a.actual() != b.actual()) {
            pairs++;
            ordered +=
                a.predicted() != b.predicted()
                        && a.actual() > b.actual() == a.predicted() > b.predicted()
                    ? 1
                    : 0;
          }
        }
      }
    }
    return new Score(errors, ordered, pairs);
  }

  /// Rows with tokens a second whose value lies in the interval predicted for it.
  public static Coverage coverage(Path data, String split) {
    int rows = 0;
    int inside = 0;
    for (PublishedTables.Row row :
        PublishedTables.rows(data.resolve("tables"), split, "framework")) {
      double actual = row.number("tokens_per_s_per_gpu");
      Estimate predicted = TablePlanner.predict(row.table(), row.row()).tokensPerSecondPerGpu();
      if (actual > 0 && predicted != null) {
        rows++;
        inside += actual >= predicted.low() && actual <= predicted.high() ? 1 : 0;
      }
    }
    return new Coverage(rows, inside);
  }

  /// Peak memory of the rows that print one.
  public static Score memory(Path data, String split) {
    Map<String, List<Double>> errors = new TreeMap<>();
    for (PublishedTables.Row row :
        PublishedTables.rows(data.resolve("tables"), split, "framework")) {
      double actual = printedGib(row);
      RowPrediction prediction = TablePlanner.predict(row.table(), row.row());
      if (actual > 0 && !row.isOutOfMemory() && prediction.memory() != null) {
        errors
            .computeIfAbsent(row.source(), source -> new ArrayList<>())
            .add(Math.abs(prediction.peakMemoryBytes() / GIB / actual - 1));
      }
    }
    return new Score(errors, 0, 0);
  }

  private static double printedGib(PublishedTables.Row row) {
    double gib = row.number("peak_memory_gib");
    String printed = row.text("peak_memory_raw");
    Matcher number = PRINTED_MEMORY.matcher(printed);
    if (gib > 0 || !number.find() || printed.contains("+") || printed.contains("activations")) {
      return gib;
    }
    double value = Double.parseDouble(number.group(1));
    double size =
        switch (number.group(2)) {
          case "GB" -> value / 1.0737;
          case "MiB" -> value / 1024;
          default -> value;
        };
    return printed.contains("total") ? size / Math.max(1, row.number("n_gpus")) : size;
  }

  /// Rows that ran out of memory and have a predicted memory, and those predicted not to fit.
  public static OutOfMemory outOfMemory(Path data, String split) {
    int rows = 0;
    int called = 0;
    for (PublishedTables.Row row :
        PublishedTables.rows(data.resolve("tables"), split, "framework")) {
      if (row.isOutOfMemory()) {
        RowPrediction prediction = TablePlanner.predict(row.table(), row.row());
        if (prediction.memory() != null) {
          rows++;
          called += prediction.memory().fits() && !prediction.memory().isTight() ? 0 : 1;
        }
      }
    }
    return new OutOfMemory(rows, called);
  }

  /// Peak allocated bytes of the cases under a fake process group of eight.
  public static Score measuredMemory(Path data) {
    Map<String, List<Double>> errors = new TreeMap<>();
    for (Json truth : lines(data.resolve("h200/memory/truth.jsonl"))) {
      Strategy strategy = strategyOf(truth);
      double predicted =
          new MemoryModel(shapeOf(truth), h200(), strategy, recipeOf(truth, strategy))
              .estimate()
              .allocated();
      errors.put(
          truth.get("variant").text(""),
          List.of(Math.abs(predicted / truth.get("peak_alloc_bytes").number(1) - 1)));
    }
    return new Score(errors, 0, 0);
  }

  /// Steps of the variants on two GPUs, predicted from the trace of one.
  public static Score twoGpus(Path data) {
    Path multi = data.resolve("h200/multi");
    Map<String, TracedStep> traces = new HashMap<>();
    Map<String, List<Double>> errors = new TreeMap<>();
    Map<String, List<double[]>> sets = new HashMap<>();
    Network network = Cluster.of(h200(), 2, 1, 1e9).network();
    Cluster cluster = Cluster.of(h200(), 2, 1, 1e9).withNetwork(network);
    for (Json truth : lines(multi.resolve("truth.jsonl"))) {
      String variant = truth.get("variant").text("");
      String set = variant.substring(0, 1);
      // A rank that sleeps is no strategy.
      if (variant.contains("single") || variant.contains("straggler")) {
        continue;
      }
      TracedStep traced =
          traces.computeIfAbsent(
              set,
              name ->
                  TracedStep.of(
                      TraceIndex.of(
                          TraceReaders.read(multi.resolve(name + "_single.rank0.trace.json.gz")),
                          null)));
      Strategy strategy = strategyOf(truth).withMicroBatch(1, accumulation(truth));
      double cap = truth.get("bucket_cap_mb").number(25);
      SimulatedStep.Knobs knobs =
          SimulatedStep.Knobs.DEFAULT.with(DataParallelOptions.DEFAULT.withBucketCapMib(cap));
      if (strategy.sharding() == Sharding.FSDP1) {
        knobs = knobs.withHalfPrecisionReduction();
      }
      double predicted = SimulatedStep.ofTrace(traced, cluster, strategy, knobs).seconds() * 1e3;
      double actual = truth.get("step_ms").number(1);
      errors.put(variant, List.of(Math.abs(predicted / actual - 1)));
      sets.computeIfAbsent(set, name -> new ArrayList<>()).add(new double[] {predicted, actual});
    }
    int pairs = 0;
    int ordered = 0;
    for (List<double[]> set : sets.values()) {
      for (int i = 0; i < set.size(); i++) {
        for (int j = i + 1; j < set.size(); j++) {
          pairs++;
          ordered += set.get(i)[1] > set.get(j)[1] == set.get(i)[0] > set.get(j)[0] ? 1 : 0;
        }
      }
    }
    return new Score(errors, ordered, pairs);
  }

  private static int accumulation(Json truth) {
    return (int) truth.get("accum").integer(1);
  }

  private static GpuSpec h200() {
    return GpuSpecs.known().find("H200").orElseThrow();
  }

  private static ModelShape shapeOf(Json truth) {
    int width = (int) truth.get("d").integer(1);
    int heads = (int) truth.get("h").integer(1);
    return new ModelShape(
        "measured",
        (int) truth.get("L").integer(1),
        0,
        width,
        heads,
        (int) truth.get("kv").integer(1),
        width / heads,
        (int) truth.get("ffn").integer(1),
        true,
        32_000,
        false,
        (int) truth.get("T").integer(1),
        ModelShape.Experts.NONE,
        0);
  }

  private static Strategy strategyOf(Json truth) {
    String name = truth.get("strategy").text("");
    Sharding sharding =
        name.startsWith("fsdp2")
            ? Sharding.FSDP2
            : name.startsWith("fsdp1")
                ? Sharding.FSDP1
                : name.equals("zero1") ? Sharding.ZERO1 : Sharding.DDP;
    boolean checkpointed = name.contains("ckpt") || truth.get("ckpt").bool(false);
    return Strategy.data(
            sharding, (int) truth.get("world").integer(2), (int) truth.get("bs").integer(1))
        .with(checkpointed ? Checkpointing.FULL : Checkpointing.NONE)
        .withReshard(!name.contains("noreshard"));
  }

  private static Recipe recipeOf(Json truth, Strategy strategy) {
    return new Recipe(
        (int) truth.get("T").integer(1),
        Precision.BF16,
        strategy.sharding().shardsParameters()
            ? Recipe.StateBytes.FSDP_MIXED
            : Recipe.StateBytes.AUTOCAST,
        Recipe.Tuning.FULL,
        false,
        true,
        false,
        SoftwareStack.pytorch());
  }

  private static List<Json> lines(Path file) {
    try {
      return Files.readAllLines(file).stream()
          .filter(line -> !line.isBlank())
          .map(Json::parse)
          .toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// Steps of recorded pipelines.
  public static Score pipelines(Path data) {
    return new Score(
        RecordedPipelines.errors(data.resolve("tables/pp_schedule_primus.csv.gz")), 0, 0);
  }

  /// Times of collectives of at least 1 MiB in the sweeps of a split.
  public static Score collectives(Path data, String split) {
    Map<String, List<Double>> errors = new TreeMap<>();
    for (PublishedTables.Row row :
        PublishedTables.rows(data.resolve("tables"), split, "busbw_GBps")) {
      Optional<CollectiveKind> kind =
          Arrays.stream(CollectiveKind.values())
              .filter(each -> each.text().equals(row.text("collective").replace('_', '-')))
              .findFirst();
      Optional<GpuSpec> gpu = GpuSpecs.known().find(row.text("gpu"));
      double bytes = row.number("size_bytes");
      double micros = row.number("time_us");
      int ranks = (int) row.number("n_ranks");
      if (kind.isEmpty() || gpu.isEmpty() || bytes < 1 << 20 || micros <= 0 || ranks < 2) {
        continue;
      }
      int nodes = Math.max(1, (int) row.number("nodes"));
      int perNode = Math.max(1, ranks / nodes);
      double predicted =
          CollectiveCosts.fitted()
              .seconds(
                  kind.get(),
                  bytes,
                  new RankGroup(ranks, perNode, 1),
                  SweepNetwork.of(
                      gpu.get(), perNode, nodes, row.text("intra_link"), row.text("inter_link")));
      errors
          .computeIfAbsent(
              row.text("collective")
                  + " "
                  + row.text("gpu")
                  + " x"
                  + ranks
                  + " "
                  + row.text("inter_link"),
              sweep -> new ArrayList<>())
          .add(Math.abs(predicted * 1e6 / micros - 1));
    }
    return new Score(errors, 0, 0);
  }
}
