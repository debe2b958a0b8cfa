package dev.pitwall.scale;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import dev.pitwall.hardware.Network;
import dev.pitwall.hardware.Precision;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// Searches the strategies of a request: all are measured for memory first, those that fit get the
/// closed-form step time, the finalists are simulated node by node.
public final class Planner {
  private static final int BEST = 5;
  private static final int FINALISTS = 12;

  /// Nine in ten published runs lie within this share of the closed form (docs/plan.md).
  private static final double SPREAD = 0.28;

  /// A choice changes only for a gain that is more than the model's noise between strategies.
  private static final double WORTH_CHANGING = 0.97;

  /// Splitting layers needs another program; half of published runs lie within 13 % of a prediction
  /// (docs/plan.md), so a smaller gain is none.
  private static final double WORTH_SPLITTING_LAYERS = 0.87;

  /// Simulations of graphs beyond this many layers times micro-batches add nothing the closed form
  /// lacks.
  private static final int MOST_SIMULATED_LAYERS = 400;

  private final PlanRequest request;

  private Planner(PlanRequest request) {
    this.request = request;
  }

  /// The plan for a request.
  public static Plan plan(PlanRequest request) {
    return new Planner(request).plan();
  }

  private record Candidate(Strategy strategy, StepTime time, MemoryEstimate memory, boolean fits) {
    double seconds() {
      return time.seconds();
    }
  }

  private Plan plan() {
    List<Strategy> strategies = new SearchSpace(request).all();
    List<Candidate> candidates = strategies.parallelStream().map(this::candidate).toList();
    List<Candidate> fitting = new ArrayList<>();
    Candidate least = null;
    for (Candidate candidate : candidates) {
      if (candidate.fits()) {
        fitting.add(candidate);
      } else if (least == null || needsLess(candidate, least)) {
        least = candidate;
      }
    }
    int outOfMemory = candidates.size() - fitting.size();
    fitting.sort(Comparator.comparingDouble(Candidate::seconds));
    List<Candidate> resident =
        fitting.stream().filter(candidate -> !candidate.strategy().offload().any()).toList();
    // Offload is for what does not fit otherwise; beside it the closed form cannot tell it apart.
    List<Candidate> ranked = resident.isEmpty() ? fitting : resident;
    List<PlannedStrategy> best = new ArrayList<>();
    for (Candidate candidate : differing(ranked)) {
      best.add(planned(candidate, true));
    }
    best.sort(Comparator.comparingDouble(planned -> planned.stepSeconds().value()));
    preferWholeLayers(best, ranked);
    Map<String, PlannedStrategy> families = new LinkedHashMap<>();
    for (Candidate candidate : ranked) {
      String family = family(candidate.strategy());
      if (!families.containsKey(family)) {
        families.put(family, planned(candidate, true));
      }
    }
    List<PlannedStrategy> ofFamilies = new ArrayList<>(families.values());
    ofFamilies.sort(Comparator.comparingDouble(planned -> planned.stepSeconds().value()));
    return new Plan(
        request,
        strategies.size(),
        outOfMemory,
        best.subList(0, Math.min(BEST, best.size())),
        ofFamilies,
        least == null ? null : planned(least, false),
        best.isEmpty() ? List.of() : sensitivity(ranked, best.getFirst().strategy()));
  }

  /// Puts the fastest strategy that keeps layers whole first where those that split them gain less
  /// than the model can tell.
  private void preferWholeLayers(List<PlannedStrategy> best, List<Candidate> ranked) {
    if (best.isEmpty() || best.getFirst().strategy().keepsLayersWhole()) {
      return;
    }
    ranked.stream()
        .filter(candidate -> candidate.strategy().keepsLayersWhole())
        .findFirst()
        .map(candidate -> planned(candidate, true))
        .filter(
            whole ->
                best.getFirst().stepSeconds().value()
                    > WORTH_SPLITTING_LAYERS * whole.stepSeconds().value())
        .ifPresent(
            whole -> {
              best.removeIf(planned -> planned.strategy().equals(whole.strategy()));
              best.addFirst(whole);
            });
  }

  private Candidate candidate(Strategy strategy) {
    Recipe recipe = request.recipe(strategy);
    MemoryEstimate memory =
        new MemoryModel(request.model(), request.cluster().gpu(), strategy, recipe).estimate();
    boolean fits = memory.fits() && !memory.isTight() && hostFits(strategy);
    StepTime time =
        fits ? new StepCosts(request.model(), request.cluster(), strategy, recipe).step() : NO_TIME;
    return new Candidate(strategy, time, memory, fits);
  }

  /// Of configurations that do not fit, the one to show: without offload, and the smallest.
  private static boolean needsLess(Candidate candidate, Candidate than) {
    boolean resident = !candidate.strategy().offload().any();
    boolean otherResident = !than.strategy().offload().any();
    return resident == otherResident
        ? candidate.memory().allocated() < than.memory().allocated()
        : resident;
  }

  /// The fastest candidates that differ in more than the number of pipeline chunks.
  private static List<Candidate> differing(List<Candidate> ranked) {
    Map<Strategy, Candidate> distinct = new LinkedHashMap<>();
    for (Candidate candidate : ranked) {
      if (distinct.size() == FINALISTS) {
        break;
      }
      distinct.putIfAbsent(candidate.strategy().withVirtualStages(1), candidate);
    }
    return List.copyOf(distinct.values());
  }

  private static final StepTime NO_TIME = new StepTime(0, 0, 0, 0, 0, 0, 0, 0);

  /// What is offloaded must fit the host: 16 bytes a parameter of the optimizer, 18 with parameters
  /// (DeepSpeed `stage3.py` estimator), over the node's GPUs. Drives are taken to be large enough.
  private boolean hostFits(Strategy strategy) {
    if (!strategy.offload().any() || strategy.offload().usesNvme()) {
      return true;
    }
    double bytes = strategy.offload().offloadsParameters() ? 18 : 16;
    double perNode = request.model().parameters() * bytes / request.cluster().nodes();
    return perNode <= request.cluster().host().memoryBytes();
  }

  private PlannedStrategy planned(Candidate candidate, boolean timed) {
    Strategy strategy = candidate.strategy();
    double seconds = candidate.seconds();
    double exposed = candidate.time().exposedCommunication();
    Optional<Simulated> simulation =
        timed && !strategy.offload().any()
            ? simulate(strategy, candidate.time())
            : Optional.empty();
    boolean simulated = simulation.isPresent();
    if (simulated) {
      seconds = simulation.get().seconds();
      exposed = simulation.get().exposedCommunicationSeconds();
    }
    double tokens =
        timed
            ? strategy.globalBatch() * (double) request.sequence() / seconds / strategy.gpus()
            : 0;
    double mfu =
        tokens
            * request.model().flopsPerToken(request.sequence(), false)
            / request.cluster().gpu().peakFlops(Precision.BF16);
    double cost = tokens > 0 ? request.pricePerGpuHour() / 3600 / tokens * 1e9 : 0;
    return new PlannedStrategy(
        family(strategy),
        strategy,
        new Estimate(
            seconds,
            seconds / (1 + SPREAD),
            seconds * (1 + SPREAD),
            simulated ? Basis.SIMULATED : Basis.MODELLED),
        candidate.time(),
        candidate.memory(),
        tokens,
        mfu,
        exposed,
        cost,
        simulated);
  }

  private record Simulated(double seconds, double exposedCommunicationSeconds) {}

  /// The step from graphs of two numbers of micro-batches: what one more adds, every further one
  /// adds.
  private Optional<Simulated> simulate(Strategy strategy, StepTime closedForm) {
    if (strategy.pipeline() > 1) {
      return Optional.of(pipelined(strategy, closedForm.exposedCommunication()));
    }
    int micros = Math.min(3, strategy.accumulation());
    if (request.model().allLayers() * micros > MOST_SIMULATED_LAYERS) {
      return Optional.empty();
    }
    SimulatedStep full = simulate(strategy, micros);
    double seconds = full.seconds();
    double exposed = full.exposedCommunicationSeconds();
    if (strategy.accumulation() > micros) {
      SimulatedStep shorter = simulate(strategy, micros - 1);
      int further = strategy.accumulation() - micros;
      seconds += further * (seconds - shorter.seconds());
      exposed += further * Math.max(0, exposed - shorter.exposedCommunicationSeconds());
    }
    return Optional.of(new Simulated(seconds, exposed));
  }

  private Simulated pipelined(Strategy strategy, double exposed) {
    int stages = strategy.pipeline();
    int micros = strategy.accumulation();
    double seconds =
        SimulatedPipeline.of(request, strategy, Math.min(micros, 3 * stages)).seconds();
    if (micros > 3 * stages) {
      double shorter = SimulatedPipeline.of(request, strategy, 2 * stages).seconds();
      seconds += (micros - 3.0 * stages) / stages * (seconds - shorter);
    }
    return new Simulated(seconds, exposed);
  }

  private SimulatedStep simulate(Strategy strategy, int micros) {
    return SimulatedStep.ofModel(
        request.model(),
        request.cluster(),
        strategy.withMicroBatch(strategy.microBatch(), micros),
        request.recipe(strategy));
  }

  /// The name people give this way of training.
  static String family(Strategy strategy) {
    if (strategy.offload().any()) {
      return strategy.sharding().text() + " + offload";
    }
    if (strategy.pipeline() > 1) {
      return strategy.tensor() > 1 ? "TP x PP x DP" : "PP x DP";
    }
    String name =
        strategy.isHybrid()
            ? "HSDP"
            : strategy.sharding() == Sharding.FSDP2 ? "FSDP" : strategy.sharding().text();
    if (strategy.tensor() > 1) {
      name = strategy.sharding() == Sharding.NONE ? "TP" : "TP x " + name;
    }
    return name;
  }

  private List<String> sensitivity(List<Candidate> fitting, Strategy now) {
    List<Candidate> kept = new ArrayList<>(fitting.subList(0, Math.min(300, fitting.size())));
    Map<String, Candidate> families = new LinkedHashMap<>();
    for (Candidate candidate : fitting) {
      families.putIfAbsent(family(candidate.strategy()), candidate);
    }
    kept.addAll(families.values());
    double seconds =
        fitting.stream()
            .filter(candidate -> candidate.strategy().equals(now))
            .findFirst()
            .orElse(fitting.getFirst())
            .seconds();
    List<String> sentences = new ArrayList<>();
    Network network = request.cluster().network();
    if (request.cluster().nodes() > 1) {
      sentences.add(
          underNetwork(
              "a network between nodes half as fast",
              network.withFabricTimes(0.5),
              kept,
              now,
              seconds));
      sentences.add(
          underNetwork(
              "a network between nodes twice as fast",
              network.withFabricTimes(2),
              kept,
              now,
              seconds));
    }
    if (request.cluster().gpusPerNode() > 1) {
      sentences.add(
          underNetwork(
              "links inside the node half as fast",
              network.withScaleUpTimes(0.5),
              kept,
              now,
              seconds));
    }
    sentences.add(
        underRequest(
            "half the global batch",
            request.withBatchTokens(request.globalBatchTokens() / 2),
            now));
    sentences.add(
        underRequest("sequences twice as long", request.withSequence(request.sequence() * 2), now));
    return sentences;
  }

  private String underNetwork(
      String change, Network network, List<Candidate> kept, Strategy now, double seconds) {
    PlanRequest changed = request.withCluster(request.cluster().withNetwork(network));
    Strategy winner = now;
    double best = Double.MAX_VALUE;
    double own = seconds;
    for (Candidate candidate : kept) {
      Strategy strategy = candidate.strategy();
      double time =
          new StepCosts(changed.model(), changed.cluster(), strategy, changed.recipe(strategy))
              .step()
              .seconds();
      if (time < best) {
        best = time;
        winner = strategy;
      }
      if (strategy.equals(now)) {
        own = time;
      }
    }
    long percent = Math.round(100 * (own / seconds - 1));
    String effect =
        percent == 0
            ? "the step stays as it is"
            : String.format(Locale.ROOT, "the step changes by %+d %%", percent);
    return best > worthChanging(now, winner) * own
        ? "With " + change + " " + effect + "; the choice stays."
        : "With " + change + " " + effect + " and the choice becomes " + winner.describe() + ".";
  }

  private static double worthChanging(Strategy now, Strategy other) {
    return now.keepsLayersWhole() && !other.keepsLayersWhole()
        ? WORTH_SPLITTING_LAYERS
        : WORTH_CHANGING;
  }

  private String underRequest(String change, PlanRequest changed, Strategy now) {
    Candidate winner = null;
    Candidate alike = null;
    for (Strategy strategy : new SearchSpace(changed).all()) {
      if (strategy.offload().any() && !now.offload().any()) {
        continue;
      }
      boolean same = family(strategy).equals(family(now));
      Recipe recipe = changed.recipe(strategy);
      StepTime time = new StepCosts(changed.model(), changed.cluster(), strategy, recipe).step();
      boolean wins = winner == null || time.seconds() < winner.seconds();
      boolean winsAlike = same && (alike == null || time.seconds() < alike.seconds());
      if (!wins && !winsAlike) {
        continue;
      }
      MemoryEstimate memory =
          new MemoryModel(changed.model(), changed.cluster().gpu(), strategy, recipe).estimate();
      if (memory.fits() && !memory.isTight()) {
        Candidate candidate = new Candidate(strategy, time, memory, true);
        winner = wins ? candidate : winner;
        alike = winsAlike ? candidate : alike;
      }
    }
    if (winner == null) {
      return "With " + change + " nothing fits.";
    }
    if (alike != null
        && winner.seconds() > worthChanging(now, winner.strategy()) * alike.seconds()) {
      winner = alike;
    }
    String family = family(winner.strategy());
    return family.equals(family(now))
        ? "With " + change + " the choice stays, as " + winner.strategy().describe() + "."
        : "With " + change + " the choice becomes " + winner.strategy().describe() + ".";
  }
}
