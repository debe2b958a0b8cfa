package dev.pitwall.station;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.report.JsonReport;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.station.tile.TimelineTrack;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Steps;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceReaders;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// The runs: which are open, what is in one, those opened lately, and a file dropped on the page.
final class RunApi {
  private final OpenRuns runs;
  private final long maximumUploadBytes;

  RunApi(OpenRuns runs, long maximumUploadBytes) {
    this.runs = runs;
    this.maximumUploadBytes = maximumUploadBytes;
  }

  void addTo(Routes routes) {
    routes
        .get("/api/runs", this::runs)
        .get("/api/run", this::run)
        .slow("GET", "/api/report", this::report)
        .get("/api/recent", this::recent)
        .post("/api/recent", this::openRecent)
        .upload("/api/upload", this::upload);
  }

  /// The open runs with their state (`reading`, `ready` or `failed`) and how much of each is read.
  private Answer runs(Request request) {
    JsonWriter json = new JsonWriter().array();
    for (OpenRuns.Entry entry : runs.entries()) {
      json.object().key("id").value(entry.id()).key("title").value(entry.title());
      json.key("state")
          .value(
              !entry.run().isDone()
                  ? "reading"
                  : entry.run().isCompletedExceptionally() ? "failed" : "ready");
      json.key("fraction_read").value(entry.fractionRead().get()).end();
    }
    return Answer.json(json.end());
  }

  /// `?run=`: what the timeline needs before its first tile. Waits until the run is read.
  private Answer run(Request request) {
    Run run = runs.run(request);
    JsonWriter json =
        new JsonWriter()
            .object()
            .key("id")
            .value(run.id())
            .key("title")
            .value(run.title())
            .key("duration_ns")
            .value(run.timeline().durationNanos());
    json.key("aligned_by")
        .value(
            run.timeline().isByWallClock()
                ? "the ranks stand as their wall clocks say"
                : "the ranks begin together: not all of them recorded the wall clock");
    json.key("ranks").array();
    for (int rank = 0; rank < run.ranks().size(); rank++) {
      writeRank(json, run, rank);
    }
    json.end().key("tracks").array();
    for (TimelineTrack track : run.timeline().tracks()) {
      json.object()
          .key("id")
          .value(track.id())
          .key("rank")
          .value(track.rankIndex())
          .key("kind")
          .value(
              switch (track.track().kind()) {
                case CPU_THREAD -> "cpu";
                case STREAM -> "stream";
                case OTHER -> "other";
              })
          .key("label")
          .value(track.track().label())
          .key("lanes")
          .value(track.lanes())
          .key("slices")
          .value(track.slices())
          .key("busy_ns")
          .value(track.busyNanos())
          .end();
    }
    json.end().key("counters").array();
    for (CounterSeries series : run.counters()) {
      json.object();
      series.describe(json);
      json.end();
    }
    return Answer.json(json.end().end());
  }

  /// `?run=`: the report, schema `pitwall.report/1`.
  private Answer report(Request request) {
    return Answer.json(200, JsonReport.of(runs.run(request).report()));
  }

  private static void writeRank(JsonWriter json, Run run, int rank) {
    Trace trace = run.ranks().get(rank).trace();
    Steps steps = run.ranks().get(rank).steps();
    long base = run.timeline().baseNanos(rank);
    json.object()
        .key("rank")
        .value(run.rankNumber(rank))
        .key("base_ns")
        .value(base)
        .key("slices")
        .value(trace.slices().size())
        .key("step_source")
        .value(steps.source().name().toLowerCase(Locale.ROOT))
        .key("steps")
        .array();
    for (int step = 0; step < steps.count(); step++) {
      json.array()
          .value(steps.startNanos()[step] - base)
          .value(steps.endNanos()[step] - base)
          .end();
    }
    json.end().key("losses").array();
    for (LossLedger.Entry loss : trace.losses().entries()) {
      json.object()
          .key("code")
          .value(loss.code())
          .key("count")
          .value(loss.count())
          .key("text")
          .value(loss.text())
          .end();
    }
    json.end().end();
  }

  private Answer recent(Request request) {
    JsonWriter json = new JsonWriter().array();
    List<Path> paths = runs.recent().paths();
    for (int i = 0; i < paths.size(); i++) {
      Path path = paths.get(i);
      Path name = path.getFileName();
      Path folder = path.getParent();
      json.object()
          .key("number")
          .value(i)
          .key("name")
          .value(name == null ? path.toString() : name.toString())
          .key("folder")
          .value(folder == null ? "" : folder.toString())
          .end();
    }
    return Answer.json(json.end());
  }

  /// `{"number": 0, "path_name": "..."}` opens one of the recent runs again: a number in the list,
  /// never a path, and the name guards against a list that changed meanwhile.
  private Answer openRecent(Request request) throws IOException {
    var body = request.json();
    List<Path> paths = runs.recent().paths();
    int number = (int) body.get("number").integer(-1);
    if (number < 0
        || number >= paths.size()
        || !String.valueOf(paths.get(number).getFileName()).equals(body.get("name").text(""))) {
      throw new BadRequest(404, "this run is no longer in the list of recent ones");
    }
    Path path = paths.get(number);
    OpenRuns.Entry entry =
        runs.add(
            String.valueOf(path.getFileName()),
            fractionRead -> OpenedRun.read(List.of(path), fractionRead));
    runs.recent().add(path);
    return opened(entry);
  }

  /// `?name=`: the body is a recording. It is streamed to a private file, read, and deleted.
  private Answer upload(Request request) throws IOException {
    if (request.contentLength() > maximumUploadBytes) {
      throw new BadRequest(
          413,
          "a dropped file may have at most "
              + (maximumUploadBytes >> 20)
              + " MiB; open a larger one with pitwall serve PATH, which does not copy it");
    }
    String name = request.text("name", "dropped.json");
    Path title = fileName(name);
    Path folder = Files.createTempDirectory("pitwall-upload");
    Path file = folder.resolve("dropped" + suffix(name));
    try {
      receive(request.body(), file);
    } catch (IOException | RuntimeException failure) {
      delete(file, folder);
      throw failure;
    }
    OpenRuns.Entry entry =
        runs.add(
            title.toString(),
            unread -> {
              try {
                return OpenedRun.of(title, List.of(TraceReaders.read(file)));
              } catch (PitwallException unreadable) {
                throw new PitwallException(
                    unreadable.exitCode(),
                    String.valueOf(unreadable.getMessage())
                        .replace(file.toString(), title.toString()),
                    unreadable);
              } finally {
                delete(file, folder);
              }
            });
    return opened(entry);
  }

  /// The last part of the name of a dropped file, on whichever system it was dropped.
  private static Path fileName(String name) {
    try {
      return Path.of(name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1));
    } catch (InvalidPathException impossible) {
      throw new BadRequest(400, "the name of the dropped file holds characters that no file has");
    }
  }

  private void receive(InputStream body, Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      byte[] buffer = new byte[1 << 16];
      long received = 0;
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        received += read;
        if (received > maximumUploadBytes) {
          throw new BadRequest(
              413, "a dropped file may have at most " + (maximumUploadBytes >> 20) + " MiB");
        }
        out.write(buffer, 0, read);
      }
    }
  }

  // Waits for the reading, so that the page learns at once what is wrong with the file.
  private Answer opened(OpenRuns.Entry entry) {
    try {
      Run run = OpenRuns.await(entry);
      return Answer.json(new JsonWriter().object().key("id").value(run.id()).end());
    } catch (RuntimeException unreadable) {
      runs.forget(entry.id());
      throw unreadable;
    }
  }

  private static String suffix(String name) {
    int dot = name.indexOf('.', Math.max(0, name.length() - 16));
    String suffix = dot < 0 ? "" : name.substring(dot);
    return suffix.matches("(\\.[A-Za-z0-9]{1,8}){1,3}") ? suffix : ".json";
  }

  private static void delete(Path file, Path folder) {
    try {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    } catch (IOException leftForTheSystem) {
      file.toFile().deleteOnExit();
    }
  }
}
