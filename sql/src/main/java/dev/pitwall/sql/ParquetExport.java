package dev.pitwall.sql;

import dev.pitwall.error.PitwallException;
import dev.pitwall.finding.Finding;
import dev.pitwall.trace.TraceIndex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// Writes the views as Parquet files (zstd) for pandas, Spark and DuckDB.
public final class ParquetExport {
  /// The views that are exported, one file each.
  public static final List<String> VIEWS =
      List.of(
          "tracks",
          "slices",
          "operators",
          "launches",
          "steps",
          "findings",
          "evidence",
          "counters",
          "memory",
          "losses");

  private ParquetExport() {}

  /// Writes `VIEW.parquet` for every view into a folder, which is made if it is not there, and
  /// gives the files back. A file appears under its name only when it is complete.
  ///
  /// @throws PitwallException (exit code 2) where the folder cannot be written
  public static List<Path> write(List<TraceIndex> ranks, List<Finding> findings, Path folder) {
    List<Path> written = new ArrayList<>();
    try (TraceDatabase database = TraceDatabase.open(ranks, () -> findings, true);
        Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      Files.createDirectories(folder);
      for (String view : VIEWS) {
        Path target = folder.resolve(view + ".parquet");
        Path partial = folder.resolve("." + view + ".parquet.part");
        try {
          statement.execute(
              "COPY (SELECT * FROM "
                  + view
                  + ") TO '"
                  + partial.toAbsolutePath().toString().replace("'", "''")
                  + "' (FORMAT parquet, COMPRESSION zstd)");
          Files.move(
              partial, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } finally {
          Files.deleteIfExists(partial);
        }
        written.add(target);
      }
      return written;
    } catch (IOException | SQLException failure) {
      throw PitwallException.usage(
          "cannot write Parquet files into " + folder + ": " + failure.getMessage());
    }
  }
}
