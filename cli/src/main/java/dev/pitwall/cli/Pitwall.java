package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.MemoryShortage;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.PlainText;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The `pitwall` program: the list of its commands and how an error becomes one line and an exit
/// code.
@Command(
    name = "pitwall",
    description = "The performance engineer's station for PyTorch training.",
    mixinStandardHelpOptions = true,
    version = "pitwall 0.1.0")
public final class Pitwall {
  private static final Map<String, Supplier<Callable<Integer>>> COMMANDS = new LinkedHashMap<>();

  static {
    COMMANDS.put("analyze", AnalyzeCommand::new);
    COMMANDS.put("capture", CaptureCommand::new);
    COMMANDS.put("tune", TuneCommand::new);
    COMMANDS.put("loader", LoaderCommand::new);
    COMMANDS.put("ledger", LedgerCommand::new);
    COMMANDS.put("compile", CompileCommand::new);
    COMMANDS.put("lint", LintCommand::new);
    COMMANDS.put("occupancy", OccupancyCommand::new);
    COMMANDS.put("plan", PlanCommand::new);
    COMMANDS.put("serve", ServeCommand::new);
    COMMANDS.put("sql", SqlCommand::new);
    COMMANDS.put("export", ExportCommand::new);
    COMMANDS.put("diff", DiffCommand::new);
    COMMANDS.put("gate", GateCommand::new);
    COMMANDS.put("whatif", WhatIfCommand::new);
  }

  private Pitwall() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  private static int run(String[] arguments) {
    // Describing a command costs about 10 ms, so only the one that is asked for is registered.
    String asked = arguments.length == 0 ? "" : arguments[0];
    CommandLine commandLine =
        COMMANDS.containsKey(asked) ? commandLine(Set.of(asked)) : commandLine();
    try {
      return commandLine.execute(arguments);
    } catch (StackOverflowError deep) {
      commandLine.getErr().println("pitwall: an input nests deeper than Pitwall follows it.");
      return ExitCode.UNREADABLE_INPUT.status();
    } catch (OutOfMemoryError full) {
      return explain(MemoryShortage.of("this input", full), commandLine);
    } catch (ExceptionInInitializerError | UnsatisfiedLinkError unusable) {
      Throwable cause = unusable.getCause() == null ? unusable : unusable.getCause();
      commandLine
          .getErr()
          .println(
              "pitwall: a library it needs cannot be loaded ("
                  + cause
                  + "); libraries are unpacked into "
                  + System.getProperty("java.io.tmpdir")
                  + ", which must be writable and allow programs.");
      return ExitCode.MISSING_PROGRAM.status();
    } catch (NoClassDefFoundError incomplete) {
      commandLine
          .getErr()
          .println(
              "pitwall: this installation is not complete ("
                  + incomplete
                  + "); remove cli/target and run ./pitwall again, which builds it anew.");
      return ExitCode.OUR_FAULT.status();
    }
  }

  /// The command line with every command registered.
  static CommandLine commandLine() {
    return commandLine(COMMANDS.keySet());
  }

  private static CommandLine commandLine(Set<String> names) {
    CommandLine commandLine = new CommandLine(new Pitwall());
    COMMANDS.forEach(
        (name, command) -> {
          if (names.contains(name)) {
            commandLine.addSubcommand(name, command.get());
          }
        });
    commandLine.setExecutionExceptionHandler(Pitwall::explain);
    commandLine.setParameterExceptionHandler(Pitwall::explainUsage);
    return commandLine;
  }

  /// As picocli does, with only the closest command as a suggestion.
  private static int explainUsage(CommandLine.ParameterException wrong, String[] arguments) {
    CommandLine asked = wrong.getCommandLine();
    PrintWriter err = asked.getErr();
    err.println(wrong.getMessage());
    List<String> suggestions =
        wrong instanceof CommandLine.UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    if (suggestions.isEmpty()) {
      asked.usage(err);
    } else {
      err.println("Did you mean: " + suggestions.getFirst() + "?");
    }
    return ExitCode.WRONG_USAGE.status();
  }

  private static int explain(
      Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
    if (failure instanceof PitwallException known) {
      return explain(known, commandLine);
    }
    if (MemoryShortage.isBehind(failure)) {
      return explain(MemoryShortage.of("this input", failure), commandLine);
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

  private static int explain(PitwallException known, CommandLine commandLine) {
    commandLine
        .getErr()
        .println("pitwall: " + PlainText.printable(String.valueOf(known.getMessage())));
    return known.exitCode().status();
  }
}
