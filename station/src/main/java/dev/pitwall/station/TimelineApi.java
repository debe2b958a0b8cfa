package dev.pitwall.station;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.station.tile.Timeline;
import dev.pitwall.trace.Names;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/// What the canvas asks for: tiles, the names in them, and counters.
final class TimelineApi {
  private static final int MAXIMUM_TILES = 4096;
  private static final int MAXIMUM_NAMES = 4096;
  private static final int MINIMUM_BITS = 3;
  private static final int MAXIMUM_BITS = 40;

  private final OpenRuns runs;

  TimelineApi(OpenRuns runs) {
    this.runs = runs;
  }

  void addTo(Routes routes) {
    routes
        .get("/api/tiles", this::tiles)
        .get("/api/names", this::names)
        .get("/api/counters", this::counters);
  }

  /// `?run=&bits=&from=&to=&tracks=1,2,3`: the tiles `from` to `to` (inclusive) of some tracks at
  /// `2^bits` nanoseconds a bucket. Little endian: the number of sections, then each as its tile
  /// index (int32) and the tile as [dev.pitwall.station.tile.Timeline#tile] gives it.
  private Answer tiles(Request request) {
    Run run = runs.run(request);
    int bits = (int) request.integer("bits");
    long from = request.integer("from");
    long to = request.integer("to");
    int[] tracks = request.integers("tracks");
    if (bits < MINIMUM_BITS
        || bits > MAXIMUM_BITS
        || from < 0
        || to < from
        || to > Integer.MAX_VALUE
        || (to - from + 1) * tracks.length > MAXIMUM_TILES) {
      throw new BadRequest(400, "these tiles do not exist");
    }
    List<ByteBuffer> sections = new ArrayList<>();
    int size = 4;
    for (int track : tracks) {
      if (track < 0 || track >= run.timeline().tracks().size()) {
        throw new BadRequest(400, "the run has no track " + track);
      }
      for (long index = from; index <= to; index++) {
        ByteBuffer tile = run.timeline().tile(track, bits, index);
        sections.add(tile);
        size += 4 + tile.remaining();
      }
    }
    ByteBuffer body = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    body.putInt(sections.size());
    int section = 0;
    for (int track = 0; track < tracks.length; track++) {
      for (long index = from; index <= to; index++) {
        body.putInt((int) index).put(sections.get(section++));
      }
    }
    return Answer.bytes(body.array());
  }

  /// `?run=&rank=&ids=1,2,3`: the texts of name ids, in the same order.
  private Answer names(Request request) {
    Run run = runs.run(request);
    Names names = run.rank(request.integer("rank")).trace().names();
    int[] ids = request.integers("ids");
    if (ids.length > MAXIMUM_NAMES) {
      throw new BadRequest(400, "at most " + MAXIMUM_NAMES + " names at once");
    }
    JsonWriter json = new JsonWriter().array();
    for (int id : ids) {
      json.value(id < 0 || id >= names.size() ? "" : names.text(id));
    }
    return Answer.json(json.end());
  }

  /// `?run=&from=&to=&slots=`: every counter between two times, as the least and the largest value
  /// of each slot that has one.
  private Answer counters(Request request) {
    Run run = runs.run(request);
    Timeline timeline = run.timeline();
    long from = request.integer("from", 0);
    long to = request.integer("to", timeline.durationNanos());
    int slots = (int) Math.clamp(request.integer("slots", 1000), 16, 4000);
    JsonWriter json = new JsonWriter().array();
    for (CounterSeries series : run.counters()) {
      json.object();
      series.describe(json);
      series.write(json, from, to, slots);
      json.end();
    }
    return Answer.json(json.end());
  }
}
