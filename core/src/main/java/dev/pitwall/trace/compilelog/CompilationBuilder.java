package dev.pitwall.trace.compilelog;

import dev.pitwall.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Collects the events of one compilation as they arrive.
final class CompilationBuilder {
  private final CompileId id;
  private final int startOrder;
  private final int process;
  private final List<GraphBreak> graphBreaks = new ArrayList<>();
  private final List<GuardFailure> guardFailures = new ArrayList<>();
  private final List<GeneratedGraph> graphs = new ArrayList<>();
  private final List<CacheLookup> cacheLookups = new ArrayList<>();
  private List<SourceLine> stack = List.of();
  private String function = "";
  private String file = "";
  private int firstLine;
  private int attempts = 1;
  private boolean recompile;
  private boolean started;
  private boolean hasJointGraph;
  private double backwardMicros = -1;
  private double runtimeMicros = -1;
  private double guardLatencyMicros = -1;
  private @Nullable Json metrics;
  private @Nullable GraphText forward;
  private @Nullable GraphText backward;

  CompilationBuilder(CompileId id, int startOrder, int process) {
    this.id = id;
    this.startOrder = startOrder;
    this.process = process;
  }

  /// Whether the metrics that end a compilation have been seen, so that a new start is a new one.
  boolean isEnded() {
    return metrics != null;
  }

  /// Whether its start has been seen; the reasons of a recompile come before it.
  boolean isStarted() {
    return started;
  }

  void started(List<SourceLine> wholeStack) {
    started = true;
    stack = BreakText.userFrames(wholeStack);
    if (!wholeStack.isEmpty()) {
      SourceLine self = wholeStack.getLast();
      function = self.function();
      file = self.file();
      firstLine = self.line();
    }
  }

  void attempt(int attempt) {
    attempts = Math.max(attempts, attempt + 1);
  }

  void graphBreak(GraphBreak reason) {
    graphBreaks.add(reason);
  }

  void guardsFailed(List<GuardFailure> failures) {
    recompile = true;
    guardFailures.addAll(failures);
  }

  void hasJointGraph() {
    hasJointGraph = true;
  }

  void forwardGraph(String text) {
    forward = GraphText.parse(text);
  }

  void backwardGraph(String text) {
    backward = GraphText.parse(text);
  }

  void outputCode(String code, String outputFile) {
    boolean hasForward =
        graphs.stream().anyMatch(graph -> graph.role() == GeneratedGraph.Role.FORWARD);
    graphs.add(OutputCode.parse(code, outputFile, hasJointGraph, hasForward));
  }

  /// The links from kernels to the user's lines, of the newest graph that has these kernels.
  void kernelStacks(Json linesOfKernel) {
    for (int i = graphs.size() - 1; i >= 0; i--) {
      GeneratedGraph graph = graphs.get(i);
      List<GeneratedKernel> linked = new ArrayList<>();
      boolean any = false;
      for (GeneratedKernel kernel : graph.kernels()) {
        List<String> lines = KernelStacks.userLines(linesOfKernel, kernel.name());
        any |= !lines.isEmpty();
        linked.add(
            lines.isEmpty()
                ? kernel
                : new GeneratedKernel(
                    kernel.name(),
                    kernel.kind(),
                    kernel.operators(),
                    kernel.sourceNodes(),
                    kernel.calls(),
                    lines));
      }
      if (any) {
        graphs.set(i, graph.withKernels(linked));
        return;
      }
    }
  }

  void cacheLookup(CacheLookup lookup) {
    cacheLookups.add(lookup);
    if (lookup.cache().equals("fx_graph_cache")) {
      for (int i = graphs.size() - 1; i >= 0; i--) {
        if (graphs.get(i).cacheKey().isEmpty()) {
          graphs.set(i, graphs.get(i).withCacheKey(lookup.key()));
          return;
        }
      }
    }
  }

  void guardLatency(double micros) {
    guardLatencyMicros = micros;
  }

  void metrics(Json fields) {
    metrics = fields;
    if (function.isEmpty()) {
      function = fields.get("co_name").text("");
      file = fields.get("co_filename").text("");
      firstLine = (int) fields.get("co_firstlineno").integer(0);
    }
  }

  void backwardMetrics(Json fields) {
    backwardMicros = Math.max(backwardMicros, 0) + Math.max(0, durationMicros(fields));
  }

  void runtimeMetrics(Json fields) {
    runtimeMicros = Math.max(runtimeMicros, 0) + Math.max(0, durationMicros(fields));
  }

  private static double durationMicros(Json fields) {
    double micros = fields.get("duration_us").number(-1);
    if (micros >= 0) {
      return micros;
    }
    double seconds =
        fields
            .get("entire_frame_compile_time_s")
            .number(fields.get("inductor_compile_time_s").number(-1));
    return seconds < 0 ? -1 : seconds * 1e6;
  }

  Compilation build() {
    return new Compilation(
        id,
        startOrder,
        process,
        function,
        file,
        firstLine,
        stack,
        attempts,
        graphBreaks,
        guardFailures,
        recompile,
        graphs,
        cacheLookups,
        metrics == null ? Optional.empty() : Optional.of(readMetrics(metrics)),
        forward == null || backward == null
            ? Optional.empty()
            : Optional.of(GraphText.partition(forward, backward)));
  }

  private CompileMetrics readMetrics(Json fields) {
    double latency = fields.get("guard_latency_us").number(guardLatencyMicros);
    double startSeconds = fields.get("start_time").number(-1);
    long startMicros = fields.get("start_time_us").integer(-1);
    return new CompileMetrics(
        fields.get("fail_type").text(""),
        fields.get("fail_reason").text(""),
        fields.get("fail_user_frame_filename").text(""),
        (int) fields.get("fail_user_frame_lineno").integer(-1),
        fields.get("has_guarded_code").bool(fields.get("fail_type").textOrNull() == null),
        (int) fields.get("graph_op_count").integer(-1),
        (int) fields.get("graph_node_count").integer(-1),
        (int) fields.get("graph_input_count").integer(-1),
        (int) fields.get("guard_count").integer(-1),
        durationMicros(fields),
        backwardMicros,
        runtimeMicros,
        latency,
        startMicros >= 0 || startSeconds < 0 ? startMicros : (long) (startSeconds * 1e6),
        fields.get("cudagraph_skip_reason").text(""),
        texts(fields.get("restart_reasons")),
        texts(fields.get("non_compliant_ops")));
  }

  private static List<String> texts(Json list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.text("")));
    return texts;
  }
}
