package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.sql.ParquetExport;
import dev.pitwall.sql.PerfettoExport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    description = {
      "Write a recording for other tools.",
      "The SQL views as Parquet files for pandas and Spark, or Trace Event JSON for Perfetto."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ExportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "PATH", description = "A trace, or a folder with one a rank.")
  private Path path;

  @Option(
      names = "--parquet",
      paramLabel = "DIR",
      description = "Write slices.parquet, launches.parquet, … into this folder.")
  private @Nullable Path parquet;

  @Option(
      names = "--perfetto",
      paramLabel = "FILE",
      description = "Write Trace Event JSON, compressed where the name ends in .gz.")
  private @Nullable Path perfetto;

  @Override
  public Integer call() {
    if (parquet == null && perfetto == null) {
      throw PitwallException.usage("say what to write: --parquet DIR, --perfetto FILE, or both");
    }
    OpenedRun run = OpenedRun.read(path);
    LeftOut.name(run.refused(), spec.commandLine().getErr());
    PrintWriter out = spec.commandLine().getOut();
    if (parquet != null) {
      ParquetExport.write(run.ranks(), run.report().findings(), parquet).forEach(out::println);
    }
    if (perfetto != null) {
      PerfettoExport.write(run.ranks(), perfetto);
      out.println(perfetto);
    }
    out.flush();
    return ExitCode.DONE.status();
  }
}
