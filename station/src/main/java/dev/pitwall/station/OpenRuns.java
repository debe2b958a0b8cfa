package dev.pitwall.station;

import dev.pitwall.error.PitwallException;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.trace.Trace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/// The runs that are open, in the order in which they were opened. A run is read in the background;
/// whoever asks for it waits until it is there, or gets the sentence that says why it is not.
public final class OpenRuns implements AutoCloseable {
  /// A run's place in the list while it may still be read.
  record Entry(String id, String title, CompletableFuture<Run> run) {}

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
    Path name = path.toAbsolutePath().normalize().getFileName();
    Entry entry = add(name == null ? path.toString() : name.toString(), () -> OpenedRun.read(path));
    return entry.run().thenAccept(run -> recent.add(path));
  }

  /// Opens traces that are already in memory.
  public CompletableFuture<?> open(String title, List<Trace> traces) {
    return add(title, () -> OpenedRun.of(Path.of(title), traces)).run();
  }

  /// Opens what `read` gives, in the background.
  synchronized Entry add(String title, Supplier<OpenedRun> read) {
    String id = "r" + ++opened;
    CompletableFuture<Run> run = new CompletableFuture<>();
    Entry entry = new Entry(id, title, run);
    entries.put(id, entry);
    Thread.ofPlatform()
        .daemon()
        .name("open " + id)
        .start(
            () -> {
              try {
                run.complete(new Run(id, title, read.get()));
              } catch (RuntimeException | OutOfMemoryError failure) {
                run.completeExceptionally(failure);
              }
            });
    return entry;
  }

  synchronized List<Entry> entries() {
    return new ArrayList<>(entries.values());
  }

  synchronized void forget(String id) {
    entries.remove(id);
  }

  /// The run that a request names by `?run=`, the first one where it names none.
  Run run(Request request) {
    String id = request.query().get("run");
    Entry entry;
    synchronized (this) {
      entry = id != null ? entries.get(id) : entries.values().stream().findFirst().orElse(null);
    }
    if (entry == null) {
      throw new BadRequest(404, id == null ? "no run is open" : "no run " + id + " is open");
    }
    return await(entry);
  }

  static Run await(Entry entry) {
    try {
      return entry.run().join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof PitwallException known) {
        throw known;
      }
      if (failed.getCause() instanceof OutOfMemoryError) {
        throw PitwallException.unreadable(
            entry.title()
                + " does not fit in memory; start pitwall with a larger heap, for"
                + " example JAVA_TOOL_OPTIONS=-Xmx12g");
      }
      throw failed;
    }
  }

  @Override
  public void close() {
    for (Entry entry : entries()) {
      if (entry.run().isDone() && !entry.run().isCompletedExceptionally()) {
        entry.run().join().close();
      }
    }
  }
}
