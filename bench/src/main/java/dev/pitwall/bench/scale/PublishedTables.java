package dev.pitwall.bench.scale;

import dev.pitwall.table.DataTable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/// The tables of published runs in a folder, row by row, without the rows their authors' figures
/// disqualify.
final class PublishedTables {
  /// One row.
  record Row(DataTable table, int row) {
    String text(String column) {
      return table.text(row, column);
    }

    double number(String column) {
      return table.number(row, column, 0);
    }

    String source() {
      return text("row_id").replaceAll(":.*", "");
    }

    boolean isOutOfMemory() {
      return number("oom") > 0;
    }
  }

  private PublishedTables() {}

  /// The unflagged rows of a split, of tables with this column.
  static List<Row> rows(Path folder, String split, String column) {
    List<Row> rows = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(PublishedTables::isTable).sorted().toList()) {
        DataTable table = read(file);
        if (!table.has("row_id") || !table.has(column)) {
          continue;
        }
        for (int row = 0; row < table.rows(); row++) {
          if (table.text(row, "split").equals(split) && table.text(row, "suspicious").isEmpty()) {
            rows.add(new Row(table, row));
          }
        }
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return rows;
  }

  private static boolean isTable(Path file) {
    return file.toString().endsWith(".csv") || file.toString().endsWith(".csv.gz");
  }

  /// A table, also a packed one.
  static DataTable read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (file.toString().endsWith(".gz")) {
      bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
    }
    return DataTable.parse(new String(bytes, StandardCharsets.UTF_8));
  }
}
