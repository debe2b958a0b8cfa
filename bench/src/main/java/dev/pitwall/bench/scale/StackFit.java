package dev.pitwall.bench.scale;

import dev.pitwall.scale.Recipe;
import dev.pitwall.scale.SoftwareStack;
import dev.pitwall.scale.StepCosts;
import dev.pitwall.scale.table.DescribedRun;
import dev.pitwall.scale.table.TablePlanner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Fits the constants of `stacks.csv` to the rows of the split `calib`, and only those: for each
// stack
/// the mean absolute log error of the step, every source weighing the same, by coordinate search
// from
/// several starts. `main DATA` prints one line a stack.
///
/// Two stacks are not taken from here: `huggingface` has host times from runs of 512 tokens, which
/// nothing but the host can explain, and otherwise the constants of `pytorch-fsdp`, as `apex` has.
public final class StackFit {
  private static final double[] LOW = {0.66, 0.4, 0.3, 25, 0, 0, 0, 0, 0, 0, 0.3};
  private static final double[] HIGH = {0.9, 0.95, 0.8, 200, 1500, 1500, 0.9, 1, 60, 0.6, 1};
  private static final int STARTS = 8;
  private static final int ROUNDS = 30;

  /// Rows of the largest source that are looked at: one in so many.
  private static final int THINNING = 6;

  /// Errors beyond this say that a row is described wrongly, not how fast a stack is.
  private static final double MOST_LOG_ERROR = 0.7;

  private record Measured(DescribedRun run, double stepSeconds, double weight) {}

  private StackFit() {}

  public static void main(String[] arguments) {
    Path data = Path.of(arguments.length > 0 ? arguments[0] : "../shared/data");
    StringBuilder out = new StringBuilder();
    calibration(data)
        .forEach(
            (stack, rows) -> {
              double[] before = values(SoftwareStack.named(stack));
              double[] after = fit(stack, rows);
              out.append(
                  String.format(
                      Locale.ROOT,
                      "%s: %d rows, mean log error %.3f before, %.3f after: %s%n",
                      stack,
                      rows.size(),
                      error(rows, stack(stack, before)),
                      error(rows, stack(stack, after)),
                      Arrays.toString(after)));
            });
    System.out.print(out);
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
          .add(new Measured(run, seconds, 1.0 / ofSource.getOrDefault(row.source(), 1)));
    }
    return rows;
  }

  private static double[] fit(String stack, List<Measured> rows) {
    SplittableRandom random = new SplittableRandom(7);
    double[] start = clamped(values(SoftwareStack.named(stack)));
    double[] best = start;
    double least = Double.MAX_VALUE;
    for (int attempt = 0; attempt < STARTS; attempt++) {
      double[] from = start.clone();
      for (int i = 0; attempt > 0 && i < from.length; i++) {
        if (random.nextBoolean()) {
          from[i] = LOW[i] + (HIGH[i] - LOW[i]) * random.nextDouble();
        }
      }
      double[] found = descend(stack, rows, from);
      double error = error(rows, stack(stack, found));
      // A new start must win clearly: flat directions should stay where they were.
      if (error < least - 0.002) {
        least = error;
        best = found;
      }
    }
    return best;
  }

  private static double[] descend(String stack, List<Measured> rows, double[] from) {
    double[] at = from;
    double least = error(rows, stack(stack, at));
    double[] step = new double[at.length];
    for (int i = 0; i < step.length; i++) {
      step[i] = (HIGH[i] - LOW[i]) * 0.2;
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < step.length; i++) {
        double[] better = null;
        for (int sign = -1; sign <= 1 && better == null; sign += 2) {
          double[] tried = at.clone();
          tried[i] = Math.clamp(at[i] + sign * step[i], LOW[i], HIGH[i]);
          double error = error(rows, stack(stack, tried));
          if (error < least - 1e-6) {
            least = error;
            better = tried;
          }
        }
        at = better == null ? at : better;
        step[i] *= better == null ? 0.6 : 1.3;
      }
    }
    return at;
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
    return sum / weights;
  }

  private static double[] clamped(double[] values) {
    double[] inside = values.clone();
    for (int i = 0; i < inside.length; i++) {
      inside[i] = Math.clamp(inside[i], LOW[i], HIGH[i]);
    }
    return inside;
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
      stack.selectiveRecompute(),
      stack.expertShare()
    };
  }

  private static SoftwareStack stack(String name, double[] x) {
    return new SoftwareStack(
        name, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10]);
  }
}
