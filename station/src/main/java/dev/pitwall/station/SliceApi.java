package dev.pitwall.station;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.station.tile.MarkKind;
import dev.pitwall.station.tile.TimelineTrack;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Collective;
import dev.pitwall.trace.ForwardBackwardLinks;
import dev.pitwall.trace.KernelLaunch;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceIndex;
import java.util.Locale;

/// What the page asks of slices: one in full, those that match a text, sums over a range, and the
/// rows of a view as a table.
final class SliceApi {
  private final OpenRuns runs;

  SliceApi(OpenRuns runs) {
    this.runs = runs;
  }

  void addTo(Routes routes) {
    routes
        .get("/api/slice", this::slice)
        .get("/api/slice-at", this::sliceAt)
        .get("/api/search", this::search)
        .get("/api/statistics", this::statistics)
        .get("/api/table", this::table);
  }

  /// `?run=&rank=&row=`: everything known of one slice.
  private Answer slice(Request request) {
    Run run = runs.run(request);
    int rank = (int) request.integer("rank");
    TraceIndex index = run.rank(rank);
    long row = request.integer("row");
    if (row < 0 || row >= index.trace().slices().size()) {
      throw new BadRequest(404, "the run has no slice " + row);
    }
    return Answer.json(new SliceDetail(run, rank, index, (int) row).write());
  }

  /// `?run=&track=&time=&name=`: the slice of a track that starts at a time, by preference one of
  /// this name, or `null` where none does: how evidence is found.
  private Answer sliceAt(Request request) {
    Run run = runs.run(request);
    TimelineTrack track = track(run, request);
    Trace trace = run.rank(track.rankIndex()).trace();
    long time = request.integer("time") + run.timeline().baseNanos(track.rankIndex());
    String name = request.text("name", "");
    int found = -1;
    for (int row = trace.firstRow(track.track().id());
        row < trace.endRow(track.track().id());
        row++) {
      long start = trace.slices().startNanos(row);
      if (start > time) {
        break;
      }
      if (start == time && (found < 0 || trace.name(row).equals(name))) {
        found = row;
      }
    }
    if (found < 0) {
      return Answer.json(200, "null");
    }
    return Answer.json(
        new SliceDetail(run, track.rankIndex(), run.rank(track.rankIndex()), found).write());
  }

  /// `?run=&q=`: slices whose name contains a text, whatever its case, in order of time.
  private Answer search(Request request) {
    Run run = runs.run(request);
    return Answer.json(new SliceSearch(run, request.text("q")).write());
  }

  /// `?run=&from=&to=&tracks=`: sums by name and by kind between two times.
  private Answer statistics(Request request) {
    Run run = runs.run(request);
    return Answer.json(
        new RangeStatistics(
                run, request.integer("from"), request.integer("to"), request.integers("tracks"))
            .write());
  }

  /// `?run=&track=&from=&to=&after=`: the slices of a track in a view, 200 from a row on: the twin
  /// of the canvas for screen readers.
  private Answer table(Request request) {
    Run run = runs.run(request);
    TimelineTrack track = track(run, request);
    Trace trace = run.rank(track.rankIndex()).trace();
    Slices slices = trace.slices();
    long base = run.timeline().baseNanos(track.rankIndex());
    long from = request.integer("from") + base;
    long to = request.integer("to") + base;
    long after = request.integer("after", -1);
    JsonWriter json = new JsonWriter().object().key("rows").array();
    int written = 0;
    int total = 0;
    for (int row = trace.firstRow(track.track().id());
        row < trace.endRow(track.track().id()) && slices.startNanos(row) <= to;
        row++) {
      if (slices.endNanos(row) >= from) {
        total++;
        if (row > after && written < 200) {
          written++;
          json.object()
              .key("row")
              .value(row)
              .key("name")
              .value(trace.name(row))
              .key("category")
              .value(lower(slices.category(row)))
              .key("start_ns")
              .value(slices.startNanos(row) - base)
              .key("dur_ns")
              .value(slices.durationNanos(row))
              .end();
        }
      }
    }
    return Answer.json(json.end().key("total").value(total).end());
  }

  private static TimelineTrack track(Run run, Request request) {
    long track = request.integer("track");
    if (track < 0 || track >= run.timeline().tracks().size()) {
      throw new BadRequest(404, "the run has no track " + track);
    }
    return run.timeline().tracks().get((int) track);
  }

  static String lower(Category category) {
    return category.name().toLowerCase(Locale.ROOT);
  }

  /// One slice with what launched it, what it launched, its operator, stack and arguments.
  private record SliceDetail(Run run, int rank, TraceIndex index, int row) {
    private static final int MAXIMUM_LAUNCHED = 50;

    JsonWriter write() {
      JsonWriter json = new JsonWriter();
      json.object();
      reference(json, row);
      Trace trace = index.trace();
      Slices slices = trace.slices();
      json.key("category")
          .value(lower(slices.category(row)))
          .key("self_ns")
          .value(index.calls().selfNanos(row))
          .key("step")
          .value(index.stepOf(row));
      links(json);
      arguments(json);
      json.key("stack").array();
      for (int at = stackTop(); at != Slices.NONE; at = index.calls().parent(at)) {
        json.object();
        reference(json, at);
        json.end();
      }
      return json.end().end();
    }

    private int stackTop() {
      Slices slices = index.trace().slices();
      int call = slices.category(row).isDeviceWork() ? index.launches().launchOf(row) : row;
      return call == Slices.NONE || call != row ? call : index.calls().parent(row);
    }

    private void links(JsonWriter json) {
      Slices slices = index.trace().slices();
      if (slices.category(row).isDeviceWork()) {
        int call = index.launches().launchOf(row);
        json.key("orphan").value(call == Slices.NONE);
        member(json, "launch", call);
      }
      member(json, "operator", index.operatorOf(row));
      if (slices.category(row).isApiCall()) {
        json.key("launched").array();
        int written = 0;
        for (int device = index.launches().firstDeviceRow(row);
            device != Slices.NONE && written < MAXIMUM_LAUNCHED;
            device = index.launches().nextDeviceRow(device)) {
          json.object();
          reference(json, device);
          json.end();
          written++;
        }
        json.end();
      }
      ForwardBackwardLinks pairs = index.trace().forwardBackwardLinks();
      for (int link = 0; link < pairs.size(); link++) {
        if (pairs.forwardRow(link) == row) {
          member(json, "backward", pairs.backwardRow(link));
          break;
        }
        if (pairs.backwardRow(link) == row) {
          member(json, "forward", pairs.forwardRow(link));
          break;
        }
      }
    }

    private void member(JsonWriter json, String key, int target) {
      if (target != Slices.NONE && target != row) {
        json.key(key).object();
        reference(json, target);
        json.end();
      }
    }

    private void reference(JsonWriter json, int target) {
      Slices slices = index.trace().slices();
      MarkKind kind = run.timeline().kind(rank, target);
      json.key("rank")
          .value(rank)
          .key("row")
          .value(target)
          .key("track")
          .value(run.timeline().trackOf(rank, target))
          .key("lane")
          .value(run.timeline().laneOf(rank, target))
          .key("kind")
          .value(kind.ordinal())
          .key("name")
          .value(index.trace().name(target))
          .key("start_ns")
          .value(slices.startNanos(target) - run.timeline().baseNanos(rank))
          .key("dur_ns")
          .value(slices.durationNanos(target));
    }

    private void arguments(JsonWriter json) {
      Trace trace = index.trace();
      Slices slices = trace.slices();
      json.key("arguments").object();
      int operator = index.operatorOf(row);
      int detail = operator == Slices.NONE ? Slices.NONE : slices.operatorDetail(operator);
      if (slices.operatorDetail(row) != Slices.NONE) {
        detail = slices.operatorDetail(row);
      }
      if (detail != Slices.NONE) {
        text(json, "input shapes", slices.operators().inputShapesId(detail));
        text(json, "input types", slices.operators().inputTypesId(detail));
        text(json, "input strides", slices.operators().inputStridesId(detail));
        text(json, "concrete inputs", slices.operators().concreteInputsId(detail));
        text(json, "recorded with it", slices.operators().extraId(detail));
      }
      int work = slices.deviceWorkDetail(row);
      if (work != Slices.NONE) {
        deviceWork(json, trace, work);
      }
      if (slices.correlation(row) != Slices.NONE) {
        json.key("correlation").value(slices.correlation(row));
      }
      json.end();
    }

    private static void deviceWork(JsonWriter json, Trace trace, int work) {
      Slices slices = trace.slices();
      if (slices.deviceWork().launch(work) >= 0) {
        KernelLaunch launch = trace.kernelLaunches().get(slices.deviceWork().launch(work));
        json.key("grid")
            .value(launch.gridX() + " x " + launch.gridY() + " x " + launch.gridZ())
            .key("block")
            .value(launch.blockX() + " x " + launch.blockY() + " x " + launch.blockZ())
            .key("registers a thread")
            .value(launch.registersPerThread())
            .key("shared memory")
            .value(launch.sharedMemoryBytes() + " bytes");
      }
      if (slices.deviceWork().bytes(work) >= 0) {
        json.key("bytes").value(slices.deviceWork().bytes(work));
      }
      if (slices.deviceWork().collective(work) >= 0) {
        Collective collective = trace.collectives().get(slices.deviceWork().collective(work));
        json.key("collective")
            .value(collective.name())
            .key("elements in")
            .value(collective.inputElements())
            .key("elements out")
            .value(collective.outputElements())
            .key("type")
            .value(collective.dtype())
            .key("process group")
            .value(collective.processGroupDescription() + " " + collective.ranks());
      }
    }

    private void text(JsonWriter json, String key, int nameId) {
      if (nameId > 0) {
        json.key(key).value(index.trace().names().text(nameId));
      }
    }
  }
}
