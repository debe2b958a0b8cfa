package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.station.Station;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = {
      "Open the web station: the timeline, the findings with switches that re-simulate, the"
          + " reports",
      "and a query box. With no PATH it shows recent runs and takes a dropped file."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ServeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      description = "Traces or folders, one run each; two are compared.")
  private List<Path> paths = new ArrayList<>();

  @Option(
      names = "--port",
      defaultValue = "0",
      description = "Port to listen on; 0 (default) takes any free one.")
  private int port;

  @Option(
      names = "--host",
      defaultValue = "127.0.0.1",
      paramLabel = "ADDRESS",
      description = "Address to listen on (default: ${DEFAULT-VALUE}, this machine only).")
  private String host;

  @Option(
      names = "--max-upload",
      defaultValue = "4096",
      paramLabel = "MIB",
      description = "Refuse dropped files larger than this (default: ${DEFAULT-VALUE} MiB).")
  private long maximumUploadMebibytes;

  @Override
  public Integer call() throws InterruptedException {
    for (Path path : paths) {
      if (!Files.exists(path)) {
        throw PitwallException.unreadable(path + " does not exist.");
      }
    }
    Station.Settings settings =
        new Station.Settings(host, port, maximumUploadMebibytes << 20, recentFile());
    try (Station station = Station.start(settings)) {
      spec.commandLine().getOut().println(station.address());
      spec.commandLine().getOut().flush();
      List<CompletableFuture<?>> opening = new ArrayList<>();
      for (Path path : paths) {
        opening.add(station.runs().open(path));
      }
      waitFor(opening);
      new CountDownLatch(1).await();
      return ExitCode.DONE.status();
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
      throw failed;
    }
  }

  private static Path recentFile() {
    String state = System.getenv("XDG_STATE_HOME");
    Path folder =
        state == null || state.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".local", "state")
            : Path.of(state);
    return folder.resolve("pitwall").resolve("recent");
  }
}
