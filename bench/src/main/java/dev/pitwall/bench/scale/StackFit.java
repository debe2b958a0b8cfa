package dev.pitwall.bench.scale;

import static java.util.stream.Collectors.joining;

import dev.pitwall.scale.Recipe;
import dev.pitwall.scale.SoftwareStack;
import dev.pitwall.scale.StepCosts;
import dev.pitwall.scale.table.DescribedRun;
import dev.pitwall.scale.table.TablePlanner;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Fits the constants of `stacks.csv` to the rows of the split `calib`, and only those: for each
/// stack the mean absolute log error of the step, every source weighing the same, by coordinate
/// search from several starts. Distance from what one would expect of any stack costs a little, so
/// that a constant which no row tells stays where it was expected.
///
/// `main DATA FILE` writes `FILE`, whose framework patterns and recomputation it keeps; the command
/// is `bench/fit-stacks`.
public final class StackFit {
  /// What is expected of any stack, and how far a fit may go from it.
  private static final double[] EXPECTED = {0.8, 0.8, 0.45, 60, 300, 0, 0, 0.9, 0, 0.6};
  private static final double[] LOW = {0.6, 0.4, 0.3, 25, 0, 0, 0, 0, 0, 0.3};
  private static final double[] HIGH = {0.95, 0.95, 0.8, 200, 1500, 1500, 0.9, 1, 60, 1};
  private static final int HOST_LAYER = 4;

  /// Cost of a constant at the other end of its range, in log error.
  private static final double DISTANCE_COST = 0.01;

  private static final int STARTS = 8;
  private static final int ROUNDS = 30;

  /// Rows of the largest source that are looked at: one in so many.
  private static final int THINNING = 6;

  /// Errors beyond this say that a row is described wrongly, not how fast a stack is.
  private static final double MOST_LOG_ERROR = 0.7;

  /// Stacks that share the kernels of another: nothing of them is fitted but the host's time, and
  /// of the last not even that, since its rows are few.
  private static final Map<String, String> AS_ANOTHER =
      Map.of("huggingface", "pytorch-fsdp", "apex", "pytorch-fsdp");

  private static final Set<String> HOST_AS_ANOTHER = Set.of("apex");

  private record Measured(String source, DescribedRun run, double stepSeconds, double weight) {}

  /// A fitted stack and how well it describes its rows.
  record Fitted(SoftwareStack stack, String fittedOn) {}

  private StackFit() {}

  public static void main(String[] arguments) throws IOException {
    Path data = Path.of(arguments[0]);
    Path file = Path.of(arguments[1]);
    String csv = csv(data);
    Files.writeString(file, csv);
    System.out.print(csv);
  }

  /// The whole file, fitted anew.
  private static String csv(Path data) {
    Map<String, List<Measured>> rows = calibration(data);
    Map<String, Fitted> fitted = new HashMap<>();
    StringBuilder out =
        new StringBuilder(
            "# Constants of training software, fitted on rows of the split calib only by"
                + " bench/fit-stacks; see docs/plan.md.\n"
                + "stack,framework,matmul_share,low_precision_share,attention_share,"
                + "elementwise_bytes,host_layer_us,host_tensor_us,tensor_overlap,data_overlap,"
                + "step_ms,selective_recompute,expert_share,fitted_on\n");
    List<SoftwareStack> inDependence =
        SoftwareStack.all().stream()
            .sorted(Comparator.comparing(stack -> AS_ANOTHER.containsKey(stack.name())))
            .toList();
    inDependence.forEach(
        stack ->
            fitted.put(
                stack.name(), fit(stack, rows.getOrDefault(stack.name(), List.of()), fitted)));
    for (SoftwareStack stack : SoftwareStack.all()) {
      Fitted result = Objects.requireNonNull(fitted.get(stack.name()));
      out.append(stack.name()).append(',').append(SoftwareStack.frameworkPattern(stack.name()));
      double[] values = values(result.stack());
      for (int i = 0; i < values.length; i++) {
        if (i == values.length - 1) {
          out.append(',').append(result.stack().selectiveRecompute());
        }
        out.append(',').append(values[i]);
      }
      out.append(",\"").append(result.fittedOn()).append("\"\n");
    }
    return out.toString();
  }

  /// The stack of this name, fitted to its rows.
  static Fitted fit(Path data, String name) {
    return fit(
        SoftwareStack.named(name), calibration(data).getOrDefault(name, List.of()), Map.of());
  }

  private static Fitted fit(SoftwareStack stack, List<Measured> rows, Map<String, Fitted> done) {
    String like = AS_ANOTHER.get(stack.name());
    Fitted another = like == null ? null : done.get(like);
    double[] start = another == null ? EXPECTED : values(another.stack());
    boolean[] free = new boolean[start.length];
    Arrays.fill(free, another == null);
    free[HOST_LAYER] = !HOST_AS_ANOTHER.contains(stack.name());
    Problem problem = new Problem(stack, rows, start, free);
    double[] found = problem.solve();
    for (int i = 0; i < found.length; i++) {
      found[i] = rounded(found[i]);
    }
    String basis =
        String.format(
            Locale.ROOT,
            "%d rows (%s), mean log error %.3f",
            rows.size(),
            rows.stream().map(Measured::source).distinct().sorted().collect(joining(" ")),
            error(rows, stack(stack, found)));
    String shared =
        another == null
            ? ""
            : free[HOST_LAYER] ? "host time only, the rest as " + like + "; " : "as " + like + "; ";
    return new Fitted(stack(stack, found), shared + basis);
  }

  /// Three significant digits.
  private static double rounded(double value) {
    return new BigDecimal(value).round(new MathContext(3)).doubleValue();
  }

  private static Map<String, List<Measured>> calibration(Path data) {
    Map<String, Integer> ofSource = new HashMap<>();
    Map<String, List<Measured>> rows = new TreeMap<>();
    List<PublishedTables.Row> kept = new ArrayList<>();
    int seen = 0;
    for (PublishedTables.Row row :
        PublishedTables.rows(data.resolve("tables"), "calib", "framework")) {
      if (!row.source().equals("vtrain_single") || seen++ % THINNING == 0) {
        kept.add(row);
        ofSource.merge(row.source(), 1, Integer::sum);
      }
    }
    for (PublishedTables.Row row : kept) {
      DescribedRun run = TablePlanner.describe(row.table(), row.row());
      double tokens = row.number("tokens_per_s_per_gpu");
      double samples = row.number("samples_per_s");
      if (run == null || (tokens == 0 && samples == 0)) {
        continue;
      }
      double batch = run.strategy().globalBatch();
      double seconds =
          tokens > 0
              ? batch * run.recipe().sequence() / run.strategy().gpus() / tokens
              : batch / samples;
      rows.computeIfAbsent(run.recipe().stack().name(), stack -> new ArrayList<>())
          .add(
              new Measured(
                  row.source(), run, seconds, 1.0 / ofSource.getOrDefault(row.source(), 1)));
    }
    return rows;
  }

  private record Problem(
      SoftwareStack stack, List<Measured> rows, double[] expected, boolean[] free) {
    double[] solve() {
      SplittableRandom random = new SplittableRandom(7);
      double[] best = expected;
      double least = Double.MAX_VALUE;
      for (int attempt = 0; attempt < STARTS; attempt++) {
        double[] from = expected.clone();
        for (int i = 0; attempt > 0 && i < from.length; i++) {
          if (free[i] && random.nextBoolean()) {
            from[i] = LOW[i] + (HIGH[i] - LOW[i]) * random.nextDouble();
          }
        }
        double[] found = descend(from);
        double cost = cost(found);
        if (cost < least) {
          least = cost;
          best = found;
        }
      }
      return best.clone();
    }

    private double[] descend(double[] from) {
      double[] at = from;
      double least = cost(at);
      double[] step = new double[at.length];
      for (int i = 0; i < step.length; i++) {
        step[i] = (HIGH[i] - LOW[i]) * 0.2;
      }
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < step.length; i++) {
          if (!free[i]) {
            continue;
          }
          double[] better = null;
          for (int sign = -1; sign <= 1 && better == null; sign += 2) {
            double[] tried = at.clone();
            tried[i] = Math.clamp(at[i] + sign * step[i], LOW[i], HIGH[i]);
            double cost = cost(tried);
            if (cost < least - 1e-6) {
              least = cost;
              better = tried;
            }
          }
          at = better == null ? at : better;
          step[i] *= better == null ? 0.6 : 1.3;
        }
      }
      return at;
    }

    private double cost(double[] values) {
      double distance = 0;
      for (int i = 0; i < values.length; i++) {
        double share = (values[i] - expected[i]) / (HIGH[i] - LOW[i]);
        distance += share * share;
      }
      return error(rows, StackFit.stack(stack, values)) + DISTANCE_COST * distance;
    }
  }

  private static double error(List<Measured> rows, SoftwareStack stack) {
    double sum = 0;
    double weights = 0;
    for (Measured row : rows) {
      Recipe recipe = row.run().recipe();
      Recipe changed =
          new Recipe(
              recipe.sequence(),
              recipe.matmul(),
              recipe.states(),
              recipe.tuning(),
              recipe.compiled(),
              recipe.fusedAttention(),
              recipe.chunkedLoss(),
              stack);
      double seconds =
          new StepCosts(row.run().model(), row.run().cluster(), row.run().strategy(), changed)
              .step()
              .seconds();
      sum +=
          row.weight() * Math.min(MOST_LOG_ERROR, Math.abs(Math.log(seconds / row.stepSeconds())));
      weights += row.weight();
    }
    return rows.isEmpty() ? 0 : sum / weights;
  }

  private static double[] values(SoftwareStack stack) {
    return new double[] {
      stack.matmulShare(),
      stack.lowPrecisionShare(),
      stack.attentionShare(),
      stack.elementwiseBytes(),
      stack.hostLayerMicros(),
      stack.hostTensorMicros(),
      stack.tensorOverlap(),
      stack.dataOverlap(),
      stack.stepMillis(),
      stack.expertShare()
    };
  }

  private static SoftwareStack stack(SoftwareStack as, double[] x) {
    return new SoftwareStack(
        as.name(),
        x[0],
        x[1],
        x[2],
        x[3],
        x[4],
        x[5],
        x[6],
        x[7],
        x[8],
        as.selectiveRecompute(),
        x[9]);
  }
}
