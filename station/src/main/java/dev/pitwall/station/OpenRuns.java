package dev.pitwall.station;

import dev.pitwall.error.MemoryShortage;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.trace.Trace;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleConsumer;

/// The runs that are open, in the order in which they were opened. A run is read in the background;
/// whoever asks for it waits until it is there, or gets the sentence that says why it is not.
public final class OpenRuns implements AutoCloseable {
  /// A run's place in the list while it may still be read.
  ///
  /// @param isPrediction whether it was simulated: shown with its run, never listed
  /// @param fractionRead how much of it is read while it still is, 0 to 1
  record Entry(
      String id,
      String title,
      boolean isPrediction,
      AtomicReference<Double> fractionRead,
      CompletableFuture<Run> run) {}

  /// Reads a run and tells meanwhile how far it is.
  @FunctionalInterface
  interface Reading {
    OpenedRun read(DoubleConsumer fractionRead);
  }

  private final RecentRuns recent;
  private final Map<String, Entry> entries = new LinkedHashMap<>();
  private int opened;

  OpenRuns(RecentRuns recent) {
    this.recent = recent;
  }

  RecentRuns recent() {
    return recent;
  }

  /// Opens a file or folder and remembers it among the recent ones.
  ///
  /// @return completes when the run is read, or exceptionally with a [PitwallException]
  public CompletableFuture<?> open(Path path) {
    return open(List.of(path)).thenAccept(run -> recent.add(path));
  }

  /// Opens several files as one run, a trace a rank.
  public CompletableFuture<?> open(List<Path> paths) {
    Path first = paths.getFirst().toAbsolutePath().normalize();
    Path name = first.getFileName();
    String title = name == null ? first.toString() : name.toString();
    return add(
            paths.size() == 1 ? title : title + " and " + (paths.size() - 1) + " more",
            fractionRead -> OpenedRun.read(paths, fractionRead))
        .run();
  }

  /// Opens traces that are already in memory.
  public CompletableFuture<?> open(String title, List<Trace> traces) {
    return add(title, unread -> OpenedRun.of(Path.of(title), traces)).run();
  }

  /// Opens what `reading` gives, in the background.
  Entry add(String title, Reading reading) {
    return add(title, false, reading);
  }

  /// Opens a simulated timeline in the place of the one before, and returns its id.
  synchronized String showPrediction(String title, Trace timeline) {
    entries.values().removeIf(Entry::isPrediction);
    return add(title, true, unread -> OpenedRun.of(Path.of("predicted"), List.of(timeline))).id();
  }

  private synchronized Entry add(String title, boolean isPrediction, Reading reading) {
    String id = "r" + ++opened;
    CompletableFuture<Run> run = new CompletableFuture<>();
    Entry entry = new Entry(id, title, isPrediction, new AtomicReference<>(0.0), run);
    entries.put(id, entry);
    Thread.ofPlatform()
        .daemon()
        .name("open " + id)
        .start(
            () -> {
              try {
                run.complete(new Run(id, title, reading.read(entry.fractionRead()::set)));
              } catch (RuntimeException | Error failure) {
                run.completeExceptionally(failure);
              }
            });
    return entry;
  }

  /// The runs that the user opened.
  synchronized List<Entry> entries() {
    return entries.values().stream().filter(entry -> !entry.isPrediction()).toList();
  }

  synchronized void forget(String id) {
    entries.remove(id);
  }

  /// The run that a request names by `?run=`, the first one where it names none.
  Run run(Request request) {
    String id = request.query().get("run");
    return id == null ? first() : run(id);
  }

  /// The run with this id.
  Run run(String id) {
    Entry entry;
    synchronized (this) {
      entry = entries.get(id);
    }
    if (entry == null) {
      throw new BadRequest(404, "no run " + id + " is open");
    }
    return await(entry);
  }

  private Run first() {
    List<Entry> opened = entries();
    if (opened.isEmpty()) {
      throw new BadRequest(404, "no run is open");
    }
    return await(opened.getFirst());
  }

  static Run await(Entry entry) {
    try {
      return entry.run().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof PitwallException known) {
        throw known;
      }
      if (MemoryShortage.isBehind(failed)) {
        throw MemoryShortage.of(entry.title(), failed);
      }
      if (failed.getCause() instanceof StackOverflowError) {
        throw PitwallException.unreadable(entry.title() + " is nested too deeply for Pitwall");
      }
      throw failed;
    }
  }

  @Override
  public synchronized void close() {
    for (Entry entry : entries.values()) {
      if (entry.run().isDone() && !entry.run().isCompletedExceptionally()) {
        entry.run().join().close();
      }
    }
  }
}
