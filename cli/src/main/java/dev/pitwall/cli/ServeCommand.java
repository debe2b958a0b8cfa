package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = {
      "Open the web station in the browser.",
      "The timeline, the findings with switches that re-simulate, the reports and a query box."
          + " With no PATH it shows recent runs and takes a dropped file."
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
    StationSession.serve(
        StationSession.settings(host, port, maximumUploadMebibytes),
        paths.stream().map(List::of).toList(),
        spec.commandLine().getOut(),
        false);
    return ExitCode.DONE.status();
  }
}
