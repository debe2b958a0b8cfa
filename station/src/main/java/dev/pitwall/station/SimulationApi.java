package dev.pitwall.station;

import dev.pitwall.graph.EdgeKind;
import dev.pitwall.graph.ExecutionGraph;
import dev.pitwall.graph.TraceGraph;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.report.comparison.ComparisonJson;
import dev.pitwall.report.comparison.ReportDifference;
import dev.pitwall.simulate.CriticalPath;
import dev.pitwall.simulate.SteadyState;
import dev.pitwall.simulate.WindowReplay;
import dev.pitwall.study.Change;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.RunComparison;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// What is simulated at the page's wish: fixes, the critical path, and what changed between two
/// runs.
final class SimulationApi {
  private static final int MAXIMUM_FIXES = 32;

  private final OpenRuns runs;

  SimulationApi(OpenRuns runs) {
    this.runs = runs;
  }

  void addTo(Routes routes) {
    routes
        .slow("GET", "/api/whatif", this::applicable)
        .slow("POST", "/api/whatif", this::whatIf)
        .slow("GET", "/api/critical-path", this::criticalPath)
        .slow("GET", "/api/difference", this::difference);
  }

  /// `?run=`: the ids of the fixes that apply to the run.
  private Answer applicable(Request request) {
    JsonWriter json = new JsonWriter().array();
    runs.run(request).applicableFixes().forEach(json::value);
    return Answer.json(json.end());
  }

  /// `?run=` with `{"fixes": ["host-sync", "batch=8"]}`: the step with these fixes, and a run that
  /// holds its predicted timeline. Times are milliseconds.
  private Answer whatIf(Request request) throws IOException {
    Run run = runs.run(request);
    Json fixes = request.json().get("fixes");
    if (fixes.size() > MAXIMUM_FIXES) {
      throw new BadRequest(400, "at most " + MAXIMUM_FIXES + " fixes at once");
    }
    List<Change> changes = new ArrayList<>();
    for (Json fix : fixes) {
      changes.add(run.bestChange(Change.parse(fix.text(""))));
    }
    Prediction prediction;
    ExecutionGraph changed;
    synchronized (run) {
      prediction = run.study().predict(changes);
      changed = run.study().graphAfter(changes);
    }
    Trace timeline = SimulatedTrace.of(SteadyState.of(changed).replay());
    String id = runs.showPrediction(run.title() + ", predicted", timeline);
    JsonWriter json =
        new JsonWriter()
            .object()
            .key("baseline")
            .value(prediction.before().value())
            .key("predicted")
            .value(prediction.after().value())
            .key("low")
            .value(prediction.after().low())
            .key("high")
            .value(prediction.after().high())
            .key("basis")
            .value(prediction.after().basis().name())
            .key("run")
            .value(id)
            .key("notes")
            .array();
    for (Prediction.NotApplicable left : prediction.notApplicable()) {
      json.value(left.change() + " does not apply: " + left.why());
    }
    return Answer.json(json.end().end());
  }

  /// `?run=`: the slices on the critical path of the shown rank's recorded steps, in order of time,
  /// and the time the path waits by reason.
  private Answer criticalPath(Request request) {
    Run run = runs.run(request);
    int rank = run.report().shownRank();
    TraceIndex index = run.rank(rank);
    TraceGraph traced = TraceGraph.of(index);
    CriticalPath path = CriticalPath.of(WindowReplay.of(traced).replay());
    long offset = traced.windowStartNanos() - run.timeline().baseNanos(rank);
    Map<EdgeKind, Long> waits = new EnumMap<>(EdgeKind.class);
    JsonWriter json = new JsonWriter().object().key("nodes").array();
    for (CriticalPath.Piece piece : path.pieces()) {
      if (piece.waitsFor() != null) {
        waits.merge(piece.waitsFor(), piece.nanos(), Long::sum);
        continue;
      }
      int row = traced.graph().traceRow(piece.node());
      if (row >= 0) {
        json.object()
            .key("rank")
            .value(rank)
            .key("row")
            .value(row)
            .key("track")
            .value(run.timeline().trackOf(rank, row))
            .key("lane")
            .value(run.timeline().laneOf(rank, row))
            .key("name")
            .value(traced.graph().label(piece.node()))
            .key("start_ns")
            .value(piece.startNanos() + offset)
            .key("dur_ns")
            .value(piece.nanos())
            .end();
      }
    }
    json.end().key("waits").array();
    waits.forEach(
        (kind, nanos) ->
            json.object()
                .key("name")
                .value(kind.name().toLowerCase(Locale.ROOT).replace('_', ' '))
                .key("ms")
                .value(nanos / 1e6)
                .end());
    return Answer.json(json.end().end());
  }

  /// `?before=&after=`: what changed between two runs, by cause (`pitwall.diff/1`).
  private Answer difference(Request request) {
    Run before = runs.run(request.text("before"));
    Run after = runs.run(request.text("after"));
    return Answer.json(
        200,
        ComparisonJson.of(
            RunComparison.of(before.baseline(), after.baseline()),
            ReportDifference.between(before.report(), after.report())));
  }
}
