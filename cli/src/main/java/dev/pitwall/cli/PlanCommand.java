package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import dev.pitwall.recorders.yaml.YamlTree;
import dev.pitwall.report.PlanPage;
import dev.pitwall.report.PlanReport;
import dev.pitwall.report.RunAnalysis;
import dev.pitwall.report.TracePlanReport;
import dev.pitwall.scale.Cluster;
import dev.pitwall.scale.ClusterDescription;
import dev.pitwall.scale.Emitter;
import dev.pitwall.scale.HuggingFaceConfig;
import dev.pitwall.scale.ModelCatalogue;
import dev.pitwall.scale.ModelShape;
import dev.pitwall.scale.Plan;
import dev.pitwall.scale.PlanRequest;
import dev.pitwall.scale.Planner;
import dev.pitwall.scale.TracePlan;
import dev.pitwall.scale.TracePlanner;
import dev.pitwall.scale.TracedStep;
import dev.pitwall.scale.table.RowPrediction;
import dev.pitwall.scale.table.TablePlanner;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.TraceReaders;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description = {
      "Say how to train a model on a cluster, how fast it would be and whether it fits.",
      "",
      "  pitwall plan --model llama-3.1-70b --cluster 8xH100/8nodes:ib400",
      "  pitwall plan --trace one_gpu.json.gz --cluster 8xH200",
      "  pitwall plan --table runs.csv --out predictions.csv"
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class PlanCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Subject subject;

  /// What is planned: one of the three.
  private static final class Subject {
    @Option(
        names = "--model",
        paramLabel = "NAME|FILE",
        description = "A known model, a Hugging Face config.json or a YAML file.")
    private @Nullable String model;

    @Option(
        names = "--trace",
        paramLabel = "FILE",
        description = "A torch.profiler trace of the job on one GPU: how would this job scale?")
    private @Nullable Path trace;

    @Option(
        names = "--table",
        paramLabel = "CSV",
        description = "A table of runs; every row is predicted.")
    private @Nullable Path table;
  }

  @Option(
      names = "--cluster",
      paramLabel = "SPEC|FILE",
      description = "Such as 8xH100:nvlink/4nodes:ib400, or a YAML file.")
  private @Nullable String cluster;

  @Option(
      names = "--seq",
      paramLabel = "TOKENS",
      description = "Tokens of one sequence (default 4096, or as many as the model has positions).")
  private @Nullable Integer askedSequence;

  @Option(
      names = "--global-batch-tokens",
      paramLabel = "TOKENS",
      description = "Tokens of one step over all GPUs, such as 4M (the default) or 524288.")
  private @Nullable String globalBatchTokens;

  @Option(
      names = "--compile",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Whether layers run under torch.compile (default ${DEFAULT-VALUE}).")
  private boolean compiled;

  @Option(
      names = "--price",
      defaultValue = "0",
      paramLabel = "PRICE",
      description = "Price of one GPU for an hour; adds the cost of a billion tokens.")
  private double pricePerGpuHour;

  @Option(names = "--explain", description = "Draw where the step of one rank goes.")
  private boolean explain;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write the plan as one HTML file that needs no network.")
  private @Nullable Path html;

  @Option(
      names = "--emit",
      paramLabel = "DIR",
      description = "Write what to paste: PyTorch code, ds_config.json, the launch line.")
  private @Nullable Path emit;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Where the predictions of --table go; standard output where left out.")
  private @Nullable Path out;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() throws IOException {
    if (subject.table != null) {
      return planTable(subject.table);
    }
    if (cluster == null) {
      throw PitwallException.usage("plan needs --cluster, such as --cluster 8xH100/4nodes:ib400.");
    }
    return subject.trace != null
        ? planTrace(subject.trace, readCluster(cluster))
        : planModel(readModel(String.valueOf(subject.model)), readCluster(cluster));
  }

  private int planModel(ModelShape model, Cluster where) throws IOException {
    int sequence = askedSequence == null ? usualSequence(model) : askedSequence;
    if (sequence < 1 || sequence > 100_000_000) {
      throw PitwallException.usage("--seq must be between 1 and 100000000 tokens.");
    }
    if (!(pricePerGpuHour >= 0 && Double.isFinite(pricePerGpuHour))) {
      throw PitwallException.usage("--price is dollars of a GPU hour, 0 or more.");
    }
    Terminal terminal = Terminal.attached();
    PlanRequest request =
        new PlanRequest(model, where, sequence, batchTokens(), compiled, pricePerGpuHour);
    terminal.progress("planning " + model.name());
    Plan plan = Planner.plan(request);
    terminal.clearProgress();
    List<Emitter.Emitted> files = List.of();
    if (emit != null && plan.anythingFits()) {
      files = Emitter.files(plan);
      prepare(emit, files);
    }
    PrintWriter standard = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      String asked = String.valueOf(subject.model);
      if (isAlias(asked, model)) {
        standard.println(asked + " is planned as " + model.name() + ", whose shape it has.");
      }
      positions(model, sequence).ifPresent(standard::println);
      standard.print(PlanReport.terminal(plan, terminal.columns(), terminal.coloured(), explain));
      standard.flush();
    }
    if (json.isAskedFor()) {
      json.write(PlanReport.json(plan, explain), standard);
    }
    if (html != null) {
      WholeFile.write(html, PlanPage.of(plan, explain), "--html");
    }
    if (emit != null) {
      PrintWriter said = json.takesStandardOutput() ? spec.commandLine().getErr() : standard;
      said.print(plan.anythingFits() ? emitted(emit, files) : NOTHING_EMITTED);
      said.flush();
    }
    return ExitCode.DONE.status();
  }

  private static int usualSequence(ModelShape model) {
    return model.positions() > 0 ? Math.min(model.positions(), USUAL_SEQUENCE) : USUAL_SEQUENCE;
  }

  /// What a model with learned positions means for the length of its sequences.
  private Optional<String> positions(ModelShape model, int sequence) {
    if (model.positions() == 0) {
      return Optional.empty();
    }
    String has =
        String.format(Locale.ROOT, "%s has %,d learned positions", model.name(), model.positions());
    if (sequence > model.positions()) {
      return Optional.of(
          String.format(Locale.ROOT, "%s: sequences of %,d need more of them.", has, sequence));
    }
    return askedSequence == null && model.positions() < USUAL_SEQUENCE
        ? Optional.of(has + ", so sequences are as long; --seq sets another length.")
        : Optional.empty();
  }

  private static final int USUAL_SEQUENCE = 4096;

  private static final String NOTHING_EMITTED = "Nothing fits, so --emit wrote nothing.\n";

  /// A name of the catalogue that is not the model's own, however it is spelled.
  private static boolean isAlias(String asked, ModelShape model) {
    return !Files.isRegularFile(Path.of(asked))
        && !ModelCatalogue.normalized(asked).equals(ModelCatalogue.normalized(model.name()));
  }

  private int planTrace(Path file, Cluster where) {
    if (emit != null || explain || html != null) {
      throw PitwallException.usage(
          "--emit, --explain and --html need a plan of a --model; with --trace they have nothing to"
              + " write.");
    }
    TraceIndex index = TraceIndex.of(TraceReaders.read(file), null);
    Optional<Estimate> single =
        RunAnalysis.estimatedStep(file, index).map(millis -> millis.times(1e-3));
    TracePlan plan = TracePlanner.plan(TracedStep.of(index), where, single);
    PrintWriter standard = spec.commandLine().getOut();
    Terminal terminal = Terminal.attached();
    if (!json.takesStandardOutput()) {
      standard.print(TracePlanReport.terminal(plan, terminal.columns(), terminal.coloured()));
      standard.flush();
    }
    if (json.isAskedFor()) {
      json.write(TracePlanReport.json(plan), standard);
    }
    return ExitCode.DONE.status();
  }

  private int planTable(Path file) throws IOException {
    DataTable table = readTable(file);
    if (!table.has("model") || table.rows() == 0) {
      throw PitwallException.unreadable(
          file
              + " is no table of runs: it needs a header line with at least 'model', 'gpu',"
              + " 'n_gpus' and 'seq_len', and a row for each run (docs/plan.md lists the"
              + " columns).");
    }
    List<RowPrediction> predictions = TablePlanner.predict(table);
    String csv = TablePlanner.csv(predictions);
    PrintWriter standard = spec.commandLine().getOut();
    if (out == null) {
      standard.print(csv);
    } else {
      WholeFile.write(out, csv, "--out");
      long judged = predictions.stream().filter(RowPrediction::judgesThroughput).count();
      standard.printf(
          Locale.ROOT,
          "%d rows: %d with a predicted throughput, %d not judged; written to %s%n",
          predictions.size(),
          judged,
          predictions.size() - judged,
          out);
    }
    standard.flush();
    return ExitCode.DONE.status();
  }

  private static DataTable readTable(Path file) {
    try {
      byte[] bytes = Files.readAllBytes(file);
      boolean packed = bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b;
      if (packed) {
        bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
      }
      return DataTable.parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          file + " cannot be read (" + failure.getMessage() + "); give a CSV file.");
    }
  }

  private long batchTokens() {
    if (globalBatchTokens == null) {
      return PlanRequest.DEFAULT_BATCH_TOKENS;
    }
    String text = globalBatchTokens.strip().toUpperCase(Locale.ROOT);
    long unit = text.endsWith("M") ? 1L << 20 : text.endsWith("K") ? 1L << 10 : 1;
    try {
      double number = Double.parseDouble(unit == 1 ? text : text.substring(0, text.length() - 1));
      if (number * unit >= 1 && number * unit < 1e12) {
        return Math.round(number * unit);
      }
    } catch (NumberFormatException notANumber) {
      // Falls through to the sentence below.
    }
    throw PitwallException.usage(
        "'" + globalBatchTokens + "' is no batch; write tokens like 4M or 524288.");
  }

  private ModelShape readModel(String nameOrFile) {
    Path file = Path.of(nameOrFile);
    if (!Files.isRegularFile(file)) {
      return ModelCatalogue.known().require(nameOrFile);
    }
    ModelShape model = HuggingFaceConfig.read(readTree(file), String.valueOf(file.getFileName()));
    if (model.hidden() % model.heads() != 0 && model.headDim() == model.hidden() / model.heads()) {
      spec.commandLine()
          .getErr()
          .println(
              "pitwall: the hidden size of "
                  + model.hidden()
                  + " is no multiple of "
                  + model.heads()
                  + " heads; planned with heads of "
                  + model.headDim()
                  + ".");
    }
    return model;
  }

  private static Cluster readCluster(String specOrFile) {
    return specOrFile.endsWith(".yaml")
            || specOrFile.endsWith(".yml")
            || specOrFile.endsWith(".json")
        ? ClusterDescription.read(readTree(Path.of(specOrFile)), specOrFile)
        : Cluster.parse(specOrFile);
  }

  private static Json readTree(Path file) {
    try {
      String text = Files.readString(file);
      return file.toString().endsWith(".json")
          ? Json.parse(text)
          : YamlTree.parse(text, file.toString());
    } catch (IOException failure) {
      throw PitwallException.unreadable(file + " cannot be read (" + failure.getMessage() + ").");
    } catch (JsonSyntaxException broken) {
      throw PitwallException.unreadable(
          file + " is no JSON (" + broken.getMessage() + "); give the model's config.json.");
    }
  }

  /// Makes the folder. Files in it that say something else are the user's: they stay.
  private static void prepare(Path folder, List<Emitter.Emitted> files) {
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      throw PitwallException.usage("--emit " + folder + " is a file; name a folder.");
    }
    List<String> others = new ArrayList<>();
    try {
      Files.createDirectories(folder);
      for (Emitter.Emitted file : files) {
        Path target = folder.resolve(file.name());
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)
            && !(Files.isRegularFile(target)
                && Arrays.equals(
                    Files.readAllBytes(target), file.content().getBytes(StandardCharsets.UTF_8)))) {
          others.add(file.name());
        }
      }
    } catch (IOException failure) {
      throw PitwallException.usage(
          "the folder "
              + folder
              + " cannot be made or read ("
              + WholeFile.reason(failure)
              + "); choose another one for --emit.");
    }
    if (!others.isEmpty()) {
      throw PitwallException.usage(
          "--emit "
              + folder
              + " would overwrite "
              + String.join(", ", others)
              + "; move them away, or name another folder.");
    }
  }

  /// Writes the files and says which they are.
  private static String emitted(Path folder, List<Emitter.Emitted> files) {
    StringBuilder said = new StringBuilder("\nWritten to " + folder + ":\n");
    for (Emitter.Emitted file : files) {
      Path target = folder.resolve(file.name());
      WholeFile.write(target, file.content(), "--emit");
      if (file.name().endsWith(".sh") && !target.toFile().setExecutable(true)) {
        said.append("  (").append(target).append(" cannot be made executable)\n");
      }
      said.append("  ")
          .append(file.name())
          .append(file.recommended() ? ", recommended: " : ", the best of its kind: ")
          .append(file.describes())
          .append('\n');
    }
    return said.toString();
  }
}
