package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.report.Style;
import dev.pitwall.sql.QueryResult;
import dev.pitwall.sql.QueryTable;
import dev.pitwall.sql.TraceDatabase;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "sql",
    mixinStandardHelpOptions = true,
    description = {
      "Query a recording with SQL.",
      "SELECT over slices, operators, launches, steps, findings, evidence, counters, memory, tracks"
          + " and losses (docs/sql.md has every column)."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class SqlCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "PATH",
      description = "A trace, or a folder with one a rank.")
  private Path path;

  @Parameters(index = "1", paramLabel = "QUERY", description = "One SELECT statement.")
  private String query;

  @Option(
      names = "--rows",
      defaultValue = "10000",
      paramLabel = "N",
      description = "Print at most N rows (default: ${DEFAULT-VALUE}).")
  private int rows;

  @Option(
      names = "--timeout",
      defaultValue = "300",
      paramLabel = "SECONDS",
      description = "Stop the query after so many seconds (default: ${DEFAULT-VALUE}).")
  private int timeoutSeconds;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    if (timeoutSeconds < 1) {
      throw PitwallException.usage("--timeout takes a number of seconds, 1 or more");
    }
    if (rows < 1) {
      throw PitwallException.usage("--rows takes a number of rows, 1 or more");
    }
    OpenedRun run = OpenedRun.read(path);
    LeftOut.name(run.refused(), spec.commandLine().getErr());
    QueryResult result;
    try (TraceDatabase database = TraceDatabase.open(run.ranks(), () -> run.report().findings())) {
      result = database.query(query, rows, Duration.ofSeconds(timeoutSeconds));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      Terminal terminal = Terminal.attached();
      QueryTable.table(result)
          .lines(terminal.columnsOrEndless(), Style.of(terminal.coloured()))
          .forEach(out::println);
      out.flush();
    }
    if (result.cut()) {
      spec.commandLine()
          .getErr()
          .println("pitwall: only the first " + rows + " rows are shown; --rows N shows more");
    }
    json.write(QueryTable.json(result), out);
    return ExitCode.DONE.status();
  }
}
