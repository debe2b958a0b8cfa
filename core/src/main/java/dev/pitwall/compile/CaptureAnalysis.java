package dev.pitwall.compile;

import dev.pitwall.compile.CaptureReport.LogSummary;
import dev.pitwall.compile.CaptureReport.MemoryPlan;
import dev.pitwall.compile.CaptureReport.Phase;
import dev.pitwall.trace.TraceIndex;
import dev.pitwall.trace.compilelog.CacheLookup;
import dev.pitwall.trace.compilelog.Compilation;
import dev.pitwall.trace.compilelog.CompileLog;
import dev.pitwall.trace.compilelog.CompilePhase;
import dev.pitwall.trace.compilelog.GeneratedGraph;
import dev.pitwall.trace.compilelog.GraphBreak;
import dev.pitwall.trace.compilelog.GuardFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Works out what the compiler did, from logs (one a rank), traces of the same job, or both.
public final class CaptureAnalysis {
  /// Recompiles of one frame after which Dynamo gives up (`recompile_limit`, 2.3 to 2.14).
  private static final int RECOMPILE_LIMIT = 8;

  private static final int PHASES_SHOWN = 20;

  private CaptureAnalysis() {}

  /// @param logs may be empty
  /// @param traces may be empty; kernels and times are of the first that has compiled code
  public static CaptureReport analyze(List<CompileLog> logs, List<TraceIndex> traces) {
    List<Compilation> all = logs.stream().flatMap(log -> log.compilations().stream()).toList();
    CompiledRun run =
        traces.stream().map(index -> TraceJoin.of(index, all)).findFirst().orElse(null);
    CaptureReport report =
        new CaptureReport(
            logs.stream().map(CaptureAnalysis::summary).toList(),
            frames(logs),
            breaks(all),
            recompiles(all),
            externCalls(all),
            fallbacks(all),
            cudaGraphSkips(all),
            cacheLookups(all),
            phases(logs),
            CompileTimeline.of(logs),
            guardMicros(all),
            memory(all),
            RankDivergence.between(logs),
            run,
            List.of());
    return report.withFindings(CaptureFindings.of(report, traces));
  }

  private static LogSummary summary(CompileLog log) {
    return new LogSummary(
        log.file(),
        log.rank(),
        log.torchVersion(),
        log.events(),
        log.bytes(),
        log.compiledFrames(),
        log.failures(),
        log.graphBreaks(),
        log.recompiles(),
        log.compilations().stream().mapToDouble(Compilation::compileMicros).sum() / 1e6,
        log.losses().entries().stream()
            .map(entry -> entry.code() + " x" + entry.count() + ": " + entry.text())
            .toList());
  }

  private static List<FrameSummary> frames(List<CompileLog> logs) {
    List<FrameSummary> frames = new ArrayList<>();
    for (CompileLog log : logs) {
      Map<String, List<Compilation>> byFunction = new LinkedHashMap<>();
      for (Compilation one : log.compilations()) {
        byFunction.computeIfAbsent(placeOf(one), unseen -> new ArrayList<>()).add(one);
      }
      byFunction.forEach((place, ones) -> frames.add(frame(log.rank(), place, ones)));
    }
    frames.sort(Comparator.comparingDouble(FrameSummary::seconds).reversed());
    return frames;
  }

  private static FrameSummary frame(int rank, String place, List<Compilation> ones) {
    Compilation last = ones.getLast();
    String failure = "";
    int failures = 0;
    int operators = 0;
    for (Compilation one : ones) {
      if (one.failed()) {
        failures++;
        failure = one.metrics().map(metrics -> metrics.failType()).orElse("");
      }
      operators = Math.max(operators, one.metrics().map(m -> m.graphOperators()).orElse(0));
    }
    int generated = 0;
    int extern = 0;
    for (Compilation one : ones) {
      int ofOne = one.graphs().stream().mapToInt(GeneratedGraph::generatedCalls).sum();
      if (ofOne >= generated) {
        generated = ofOne;
        extern = one.graphs().stream().mapToInt(GeneratedGraph::externCallCount).sum();
      }
    }
    return new FrameSummary(
        rank,
        last.function(),
        place,
        ones.size(),
        failures,
        failure,
        ones.stream().mapToInt(one -> one.graphBreaks().size()).sum(),
        ones.stream().mapToDouble(Compilation::compileMicros).sum() / 1e6,
        operators,
        generated,
        extern,
        last.metrics().map(metrics -> metrics.guards()).orElse(-1),
        last.metrics().map(metrics -> metrics.guardLatencyMicros()).orElse(-1.0));
  }

  private static String placeOf(Compilation one) {
    return one.file() + ":" + one.firstLine() + (one.isResumption() ? " " + one.function() : "");
  }

  private static List<BreakSite> breaks(List<Compilation> all) {
    Map<String, List<GraphBreak>> bySite = new LinkedHashMap<>();
    Map<String, String> lostFrame = new HashMap<>();
    for (Compilation one : all) {
      for (GraphBreak each : one.graphBreaks()) {
        String site = each.file() + ":" + each.line() + " " + each.breakId() + each.reason();
        bySite.computeIfAbsent(site, unseen -> new ArrayList<>()).add(each);
        if (each.skipsFrame()) {
          lostFrame.put(site, one.function() + " (" + one.file() + ":" + one.firstLine() + ")");
        }
      }
    }
    List<BreakSite> sites = new ArrayList<>();
    bySite.forEach(
        (site, ones) -> {
          GraphBreak first = ones.getFirst();
          boolean skips = ones.stream().anyMatch(GraphBreak::skipsFrame);
          List<Compilation> resumed =
              all.stream()
                  .filter(
                      one ->
                          one.isResumption()
                              && one.file().equals(first.file())
                              && one.function().endsWith("_at_" + first.line()))
                  .toList();
          sites.add(
              new BreakSite(
                  first,
                  ones.size(),
                  skips,
                  lostFrame.getOrDefault(site, ""),
                  resumed.size(),
                  resumed.stream().mapToDouble(Compilation::compileMicros).sum() / 1e6,
                  guardMicros(resumed),
                  BreakAdvice.of(first.breakId(), first.reason())));
        });
    sites.sort(
        Comparator.comparing((BreakSite site) -> !site.skipsFrame())
            .thenComparing(Comparator.comparingInt(BreakSite::count).reversed()));
    return sites;
  }

  private static List<RecompileCause> recompiles(List<Compilation> all) {
    Map<String, List<Compilation>> byCause = new LinkedHashMap<>();
    for (Compilation one : all) {
      if (one.isRecompile() && !one.guardFailures().isEmpty()) {
        GuardFailure newest = one.guardFailures().getFirst();
        Varied varied = Varied.of(newest);
        String key =
            placeOf(one) + varied.kind() + varied.tensor() + varied.dimension() + nameOf(newest);
        byCause.computeIfAbsent(key, unseen -> new ArrayList<>()).add(one);
      }
    }
    List<RecompileCause> causes = new ArrayList<>();
    for (List<Compilation> ones : byCause.values()) {
      Compilation first = ones.getFirst();
      GuardFailure guard = first.guardFailures().getFirst();
      int largest =
          all.stream()
                  .filter(one -> one.process() == first.process())
                  .filter(one -> one.id().frame() == first.id().frame())
                  .filter(one -> placeOf(one).equals(placeOf(first)))
                  .mapToInt(one -> one.id().recompile())
                  .max()
                  .orElse(0)
              + 1;
      causes.add(
          new RecompileCause(
              first.function(),
              first.file() + ":" + first.firstLine(),
              guard.guard() + (guard.origin().isEmpty() ? "" : "  # " + guard.origin()),
              Varied.of(guard),
              ones.size(),
              ones.stream().mapToDouble(Compilation::compileMicros).sum() / 1e6,
              largest,
              largest > RECOMPILE_LIMIT));
    }
    causes.sort(Comparator.comparingDouble(RecompileCause::seconds).reversed());
    return causes;
  }

  private static String nameOf(GuardFailure failure) {
    int equals = failure.guard().indexOf(" ==");
    return equals < 0 ? "" : failure.guard().substring(0, equals);
  }

  private static Map<String, Integer> externCalls(List<Compilation> all) {
    Map<String, Integer> calls = new TreeMap<>();
    for (Compilation one : all) {
      for (GeneratedGraph graph : one.graphs()) {
        graph.externCalls().forEach((name, count) -> calls.merge(name, count, Integer::sum));
      }
    }
    return calls;
  }

  /// Library calls that stand for no matrix product, convolution or attention: Inductor had no
  /// lowering, or its conditions were not met.
  private static Map<String, Integer> fallbacks(List<Compilation> all) {
    Map<String, Integer> fallbacks = new TreeMap<>(externCalls(all));
    fallbacks
        .keySet()
        .removeIf(
            name ->
                name.startsWith("extern_kernels.")
                    || name.contains("convolution")
                    || name.contains("scaled_dot_product")
                    || name.contains("_scaled_mm")
                    || name.contains("c10d"));
    return fallbacks;
  }

  private static Map<String, Integer> cudaGraphSkips(List<Compilation> all) {
    Map<String, Integer> skips = new TreeMap<>();
    for (Compilation one : all) {
      one.metrics()
          .filter(metrics -> !metrics.cudaGraphSkipReason().isEmpty())
          .ifPresent(metrics -> skips.merge(metrics.cudaGraphSkipReason(), 1, Integer::sum));
    }
    return skips;
  }

  private static Map<String, Integer> cacheLookups(List<Compilation> all) {
    Map<String, Integer> lookups = new TreeMap<>();
    for (Compilation one : all) {
      for (CacheLookup lookup : one.cacheLookups()) {
        String reason = lookup.reason().isEmpty() ? "" : " (" + lookup.reason() + ")";
        lookups.merge(
            lookup.cache()
                + " "
                + lookup.outcome().name().toLowerCase(java.util.Locale.ROOT)
                + reason,
            1,
            Integer::sum);
      }
    }
    return lookups;
  }

  private static List<Phase> phases(List<CompileLog> logs) {
    Map<String, double[]> byName = new HashMap<>();
    for (CompileLog log : logs) {
      for (CompilePhase phase : log.phases()) {
        double[] sum = byName.computeIfAbsent(phase.name(), unseen -> new double[2]);
        sum[0] += phase.exclusiveMicros() / 1e6;
        sum[1]++;
      }
    }
    List<Phase> phases = new ArrayList<>();
    byName.forEach((name, sum) -> phases.add(new Phase(name, sum[0], (int) sum[1])));
    phases.sort(Comparator.comparingDouble(Phase::seconds).reversed());
    return phases.subList(0, Math.min(PHASES_SHOWN, phases.size()));
  }

  private static double guardMicros(List<Compilation> all) {
    return all.stream()
        .filter(Compilation::isCompiled)
        .mapToDouble(one -> Math.max(0, one.metrics().map(m -> m.guardLatencyMicros()).orElse(0.0)))
        .sum();
  }

  private static MemoryPlan memory(List<Compilation> all) {
    MemoryPlan largest = MemoryPlan.NONE;
    for (Compilation one : all) {
      if (one.partition().isEmpty() && one.graphs().isEmpty()) {
        continue;
      }
      long saved = one.partition().map(partition -> partition.savedBytes()).orElse(0L);
      if (!largest.function().isEmpty() && saved <= largest.savedBytes()) {
        continue;
      }
      Map<String, Integer> recomputed = new TreeMap<>();
      one.partition()
          .ifPresent(
              partition ->
                  partition.recomputed().forEach(name -> recomputed.merge(name, 1, Integer::sum)));
      largest =
          new MemoryPlan(
              one.function() + " (" + one.file() + ":" + one.firstLine() + ")",
              one.partition().map(partition -> partition.savedTensors()).orElse(0),
              saved,
              recomputed,
              one.graphs().stream().mapToInt(graph -> graph.buffers().allocations()).sum(),
              one.graphs().stream().mapToLong(graph -> graph.buffers().allocatedBytes()).sum(),
              one.graphs().stream().mapToInt(graph -> graph.buffers().reuses()).sum(),
              one.graphs().stream().mapToLong(graph -> graph.buffers().reusedBytes()).sum());
    }
    return largest;
  }
}
