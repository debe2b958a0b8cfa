package dev.pitwall.recorders.nsight;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/// Reads the SQLite export of an Nsight Systems report, whatever version wrote it. A report that
/// was not exported is refused with the command that exports it.
public final class NsightReader implements TraceReader {
  private static final byte[] SQLITE_MAGIC =
      "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

  @Override
  public boolean accepts(byte[] head, int length, Path file) {
    return isReport(file) || isSqlite(head, length);
  }

  @Override
  public Trace read(Path file) {
    if (isReport(file)) {
      throw PitwallException.unreadable(
          file
              + " is an Nsight Systems report that only its own tools can open; export it first:"
              + " nsys export --type sqlite "
              + file.getFileName());
    }
    try (ExportTables tables = new ExportTables(file)) {
      if (tables.find("StringIds").isEmpty()) {
        throw PitwallException.unreadable(
            file
                + " is a SQLite file but no Nsight Systems export (it has no table StringIds);"
                + " export the report with: nsys export --type sqlite REPORT.nsys-rep");
      }
      return new NsightExport(tables).trace();
    }
  }

  private static boolean isSqlite(byte[] head, int length) {
    return length >= SQLITE_MAGIC.length
        && Arrays.equals(head, 0, SQLITE_MAGIC.length, SQLITE_MAGIC, 0, SQLITE_MAGIC.length);
  }

  private static boolean isReport(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    return name.endsWith(".nsys-rep") || name.endsWith(".qdrep") || name.endsWith(".qdstrm");
  }
}
