package dev.pitwall.station;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.json.Json;
import dev.pitwall.report.PlanReport;
import dev.pitwall.report.TracePlanReport;
import dev.pitwall.report.compile.OccupancyTable;
import dev.pitwall.scale.Cluster;
import dev.pitwall.scale.ModelCatalogue;
import dev.pitwall.scale.PlanRequest;
import dev.pitwall.scale.Planner;
import dev.pitwall.scale.TracePlanner;
import dev.pitwall.scale.TracedStep;
import dev.pitwall.trace.Device;
import dev.pitwall.trace.KernelLaunch;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// What the compile and the scale gear answer to the page beside the report: a kernel's occupancy,
/// and plans for a cluster.
final class GearApi {
  private static final int SEQUENCE = 4096;

  private final OpenRuns runs;

  GearApi(OpenRuns runs) {
    this.runs = runs;
  }

  void addTo(Routes routes) {
    routes.get("/api/occupancy", this::occupancy).slow("POST", "/api/plan", this::plan);
  }

  /// `?run=&rank=&row=`: the occupancy of a kernel and of the same kernel at other block sizes.
  private Answer occupancy(Request request) {
    Run run = runs.run(request);
    Trace trace = run.rank(request.integer("rank")).trace();
    Slices slices = trace.slices();
    int row = (int) request.integer("row");
    int detail = row < 0 || row >= slices.size() ? Slices.NONE : slices.deviceWorkDetail(row);
    int launched = detail == Slices.NONE ? Slices.NONE : slices.deviceWork().launch(detail);
    List<Device> devices = trace.recording().devices();
    if (launched < 0 || devices.isEmpty()) {
      throw new BadRequest(404, "the recording does not give this slice's launch and device");
    }
    KernelLaunch launch = trace.kernelLaunches().get(launched);
    int number = trace.tracks().get(slices.track(row)).device();
    Device device =
        devices.stream().filter(one -> one.id() == number).findFirst().orElse(devices.getFirst());
    return Answer.json(
        200,
        new OccupancyTable(
                device.computeMajor() + "." + device.computeMinor(),
                launch.threadsPerBlock(),
                launch.registersPerThread(),
                Math.max(0, launch.sharedMemoryBytes()))
            .json());
  }

  /// `?run=` with `{"cluster": "8xH100/4nodes:ib400", "model": "llama-3.1-70b"}`: how the model, or
  /// without one the recorded job, would run there. Models are known names, never files.
  private Answer plan(Request request) throws IOException {
    Json body = request.json();
    Cluster cluster = Cluster.parse(body.get("cluster").text(""));
    String model = body.get("model").text("").strip();
    if (!model.isEmpty()) {
      PlanRequest asked =
          new PlanRequest(
              ModelCatalogue.known().require(model),
              cluster,
              SEQUENCE,
              PlanRequest.DEFAULT_BATCH_TOKENS,
              true,
              0);
      return Answer.json(200, PlanReport.json(Planner.plan(asked), false));
    }
    Run run = runs.run(request);
    TraceIndex index = run.rank(run.report().shownRank());
    Optional<Estimate> single =
        Optional.ofNullable(run.report().estimatedStep()).map(millis -> millis.times(1e-3));
    return Answer.json(
        200, TracePlanReport.json(TracePlanner.plan(TracedStep.of(index), cluster, single)));
  }
}
