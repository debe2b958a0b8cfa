package dev.pitwall.cli;

import dev.pitwall.report.PlainText;
import dev.pitwall.report.section.SideRecordings;
import java.io.PrintWriter;
import java.util.List;

/// Says which files of a run could not be read and why, a line each.
final class LeftOut {
  private LeftOut() {}

  static void name(List<SideRecordings.Source> refused, PrintWriter err) {
    refused.stream()
        .flatMap(file -> file.warnings().stream())
        .forEach(why -> err.println("pitwall: left out: " + PlainText.printable(why.text())));
    err.flush();
  }
}
