package dev.pitwall.cli;

import dev.pitwall.report.TextPage;
import java.io.Console;
import java.io.PrintStream;

/// The terminal that the program was started from, if any: its width, whether it wants colour, and
/// a line of progress on standard error that leaves no trace.
///
/// @param interactive whether standard output is a terminal
/// @param knownColumns its width as the launcher or the user says; 0 where there is none
/// @param coloured whether colour is wanted: on a terminal, and `NO_COLOR` not set
record Terminal(boolean interactive, int knownColumns, boolean coloured) {
  private static final int DEFAULT_COLUMNS = 100;

  static Terminal attached() {
    Console console = System.console();
    boolean interactive = console != null && console.isTerminal();
    String noColour = System.getenv("NO_COLOR");
    return new Terminal(
        interactive,
        columnsFromLauncher(),
        interactive && (noColour == null || noColour.isEmpty()));
  }

  /// The width to write for; 100 where nothing says it.
  int columns() {
    return knownColumns > 0 ? knownColumns : DEFAULT_COLUMNS;
  }

  /// An empty page of the terminal's width.
  TextPage page() {
    return new TextPage(columns(), coloured);
  }

  /// The width to write for; without end where the reader may be another program.
  int columnsOrEndless() {
    return knownColumns > 0 ? knownColumns : Integer.MAX_VALUE;
  }

  /// Shows what is being done, in place of the line before.
  void progress(String doing) {
    if (interactive) {
      PrintStream error = System.err;
      String line = "pitwall: " + doing;
      error.print(
          "\r\u001b[2K" + line.substring(0, Math.min(line.length(), Math.max(1, columns() - 1))));
      error.flush();
    }
  }

  void clearProgress() {
    if (interactive) {
      System.err.print("\r\u001b[2K");
      System.err.flush();
    }
  }

  private static int columnsFromLauncher() {
    String columns = System.getenv("PITWALL_COLUMNS");
    if (columns == null) {
      columns = System.getenv("COLUMNS");
    }
    try {
      return columns == null ? 0 : Integer.parseInt(columns.strip());
    } catch (NumberFormatException notANumber) {
      return 0;
    }
  }
}
