package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.PlainText;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The `pitwall` program: the list of its commands and how an error becomes one line and an exit
// code.
@Command(
    name = "pitwall",
    description = "The performance engineer's station for PyTorch training.",
    mixinStandardHelpOptions = true,
    version = "pitwall 0.1.0")
public final class Pitwall {
  private Pitwall() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  private static int run(String[] arguments) {
    CommandLine commandLine = commandLine();
    try {
      return commandLine.execute(arguments);
    } catch (StackOverflowError deep) {
      commandLine.getErr().println("pitwall: an input nests deeper than Pitwall follows it.");
      return ExitCode.UNREADABLE_INPUT.status();
    } catch (OutOfMemoryError full) {
      commandLine
          .getErr()
          .println(
              "pitwall: the memory is not enough for this input; give more with"
                  + " PITWALL_JAVA_OPTIONS=-Xmx16g, or a shorter recording.");
      return ExitCode.UNREADABLE_INPUT.status();
    }
  }

  /// The command line with every command registered.
  static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Pitwall());
    commandLine.addSubcommand(new AnalyzeCommand());
    commandLine.addSubcommand(new CaptureCommand());
    commandLine.addSubcommand(new TuneCommand());
    commandLine.addSubcommand(new LoaderCommand());
    commandLine.addSubcommand(new LedgerCommand());
    commandLine.addSubcommand(new CompileCommand());
    commandLine.addSubcommand(new LintCommand());
    commandLine.addSubcommand(new OccupancyCommand());
    commandLine.addSubcommand(new PlanCommand());
    commandLine.addSubcommand(new ServeCommand());
    commandLine.addSubcommand(new SqlCommand());
    commandLine.addSubcommand(new ExportCommand());
    commandLine.addSubcommand(new DiffCommand());
    commandLine.addSubcommand(new GateCommand());
    commandLine.addSubcommand(new WhatIfCommand());
    commandLine.setExecutionExceptionHandler(Pitwall::explain);
    return commandLine;
  }

  private static int explain(
      Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
    if (failure instanceof PitwallException known) {
      commandLine
          .getErr()
          .println("pitwall: " + PlainText.printable(String.valueOf(known.getMessage())));
      return known.exitCode().status();
    }
    commandLine
        .getErr()
        .println(
            "pitwall: this is a fault of Pitwall's own ("
                + failure
                + "). Please report it with the command you ran; PITWALL_DEBUG=1 prints the"
                + " stack.");
    if (System.getenv("PITWALL_DEBUG") != null) {
      failure.printStackTrace(commandLine.getErr());
    }
    return ExitCode.OUR_FAULT.status();
  }
}
