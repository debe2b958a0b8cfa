package dev.pitwall.recorders.nsight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTablesTest {
  private static final String[] COLUMNS = {"id", "a", "b", "c", "d", "missing"};

  @TempDir Path folder;

  @Test
  void rowsReadFromPagesEqualThoseOfTheDatabaseEngine() throws SQLException {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 12; round++) {
      Path file = folder.resolve("t" + round + ".sqlite");
      int pageBytes = 512 << random.nextInt(8);
      String encoding = List.of("UTF-8", "UTF-16le", "UTF-16be").get(round % 3);
      write(file, random, pageBytes, encoding);
      List<String> expected = new ArrayList<>();
      try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT id, a, b, c, d FROM t ORDER BY id")) {
        while (rows.next()) {
          expected.add(engineRow(rows));
        }
      }
      List<String> actual = new ArrayList<>();
      try (ExportTables tables = new ExportTables(file)) {
        tables.forEach(
            "t",
            row ->
                actual.add(
                    row.integer(0, -9)
                        + "|"
                        + row.integer(1, -9)
                        + "|"
                        + row.number(2, -9)
                        + "|"
                        + row.text(3)
                        + "|"
                        + row.text(4).length()
                        + "|"
                        + row.integer(5, -9)),
            COLUMNS);
        assertThat(tables.damagedParts()).isEmpty();
      }
      assertThat(actual)
          .as("seed %d, pages of %d bytes, %s", seed, pageBytes, encoding)
          .isEqualTo(expected);
    }
  }

  @Test
  void whatIsLeftOfADamagedFileIsReadAndTheRestCounted() throws SQLException, IOException {
    Path file = folder.resolve("t.sqlite");
    write(file, new SplittableRandom(7), 1024, "UTF-8");
    byte[] whole = Files.readAllBytes(file);
    long rows = count(file);
    // The last third is blank, as where a disk was full when the export was written.
    byte[] half = whole.clone();
    Arrays.fill(half, whole.length * 2 / 3, whole.length, (byte) 0);
    Path cut = Files.write(folder.resolve("cut.sqlite"), half);
    try (ExportTables tables = new ExportTables(cut)) {
      assertThat(tables.count("t")).isBetween(1L, rows - 1);
      assertThat(tables.damagedParts()).containsKey("t");
    }
  }

  @Test
  void damagedPagesNeitherLoopNorEndInAFault() throws SQLException, IOException {
    Path file = folder.resolve("t.sqlite");
    write(file, new SplittableRandom(8), 512, "UTF-8");
    byte[] whole = Files.readAllBytes(file);
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 40; round++) {
      byte[] damaged = whole.clone();
      for (int flip = 0; flip < 200; flip++) {
        damaged[512 + random.nextInt(damaged.length - 512)] = (byte) random.nextInt();
      }
      Path broken = Files.write(folder.resolve("broken.sqlite"), damaged);
      try (ExportTables tables = new ExportTables(broken)) {
        long[] rows = {0};
        tables.forEach(
            "t",
            row -> {
              rows[0]++;
              row.text(3);
              row.integer(1, 0);
              row.number(2, 0);
            },
            COLUMNS);
        assertThat(rows[0]).as("seed %d", seed).isLessThan(1_000_000);
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).as("seed %d", seed).contains("broken.sqlite");
      }
    }
  }

  private static long count(Path file) {
    try (ExportTables tables = new ExportTables(file)) {
      return tables.count("t");
    }
  }

  private static String engineRow(ResultSet rows) throws SQLException {
    long a = rows.getLong("a");
    String integer = rows.wasNull() ? "-9" : Long.toString(a);
    double b = rows.getDouble("b");
    String number = rows.wasNull() ? "-9.0" : Double.toString(b);
    String c = rows.getString("c");
    String d = rows.getString("d");
    return rows.getLong("id")
        + "|"
        + integer
        + "|"
        + number
        + "|"
        + (c == null ? "" : c)
        + "|"
        + (d == null ? 0 : d.length())
        + "|-9";
  }

  private static void write(Path file, SplittableRandom random, int pageBytes, String encoding)
      throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA page_size = " + pageBytes);
      statement.execute("PRAGMA encoding = '" + encoding + "'");
      connection.setAutoCommit(false);
      statement.execute(
          "CREATE TABLE t (x GENERATED ALWAYS AS (a + 1), id INTEGER PRIMARY KEY, a INTEGER, b"
              + " REAL, c TEXT, d TEXT)");
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO t (id, a, b, c, d) VALUES (?, ?, ?, ?, ?)")) {
        int rows = 1 + random.nextInt(3_000);
        for (int i = 0; i < rows; i++) {
          insert.setLong(1, 3L * i - 1_000);
          insert.setObject(
              2, random.nextInt(8) == 0 ? null : random.nextLong() >> random.nextInt(64));
          insert.setObject(
              3, random.nextInt(8) == 0 ? null : Double.valueOf(random.nextInt(100) / 4.0));
          insert.setString(4, random.nextInt(8) == 0 ? null : "näme " + random.nextInt(100));
          insert.setString(5, "x".repeat(random.nextInt(50) == 0 ? random.nextInt(9_000) : 3));
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection.commit();
    }
  }
}
