package dev.pitwall.cli;

import dev.pitwall.error.MemoryShortage;
import dev.pitwall.error.PitwallException;
import dev.pitwall.station.Station;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/// The station as a command runs it: print the address, open the runs, stay until Ctrl-C.
final class StationSession {
  static final long DEFAULT_UPLOAD_MEBIBYTES = 4096;

  private StationSession() {}

  /// The settings of a command; the list of recent runs lies in the user's state folder.
  static Station.Settings settings(String host, int port, long maximumUploadMebibytes) {
    String state = System.getenv("XDG_STATE_HOME");
    Path folder =
        state == null || state.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".local", "state")
            : Path.of(state);
    return new Station.Settings(
        host, port, maximumUploadMebibytes << 20, folder.resolve("pitwall").resolve("recent"));
  }

  /// Serves until the process is stopped.
  ///
  /// @param runs the paths of each run
  /// @param opensBrowser whether to show the page in the user's browser, where there is one
  /// @throws PitwallException where a path cannot be read
  static void serve(
      Station.Settings settings, List<List<Path>> runs, PrintWriter out, boolean opensBrowser)
      throws InterruptedException {
    for (Path path : runs.stream().flatMap(List::stream).toList()) {
      if (!Files.exists(path)) {
        throw PitwallException.unreadable(path + " does not exist; check the path.");
      }
    }
    try (Station station = Station.start(settings)) {
      out.println(station.address());
      out.flush();
      List<CompletableFuture<?>> opening = new ArrayList<>();
      for (List<Path> paths : runs) {
        opening.add(
            paths.size() == 1 ? station.runs().open(paths.getFirst()) : station.runs().open(paths));
      }
      if (opensBrowser) {
        show(station.address());
      }
      waitFor(opening);
      new CountDownLatch(1).await();
    }
  }

  private static void waitFor(List<CompletableFuture<?>> opening) {
    try {
      CompletableFuture.allOf(opening.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException failed) {
      @Nullable Throwable cause = failed.getCause();
      if (cause instanceof PitwallException known) {
        throw known;
      }
      if (MemoryShortage.isBehind(failed)) {
        throw MemoryShortage.of("a run", failed);
      }
      throw failed;
    }
  }

  // Without a browser the printed address is all that is needed.
  private static void show(String address) {
    boolean isMac = System.getProperty("os.name", "").startsWith("Mac");
    try {
      new ProcessBuilder(isMac ? "open" : "xdg-open", address)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException noBrowser) {
      return;
    }
  }
}
