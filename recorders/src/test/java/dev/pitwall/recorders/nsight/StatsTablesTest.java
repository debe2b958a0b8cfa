package dev.pitwall.recorders.nsight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pitwall.SharedData;
import dev.pitwall.observe.summary.SummaryTable;
import dev.pitwall.observe.summary.SummaryTable.Kind;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The tables of `nsys stats` against SQL over the same public exports, by that tool's definitions.
class StatsTablesTest {
  private static final Pattern API_VERSION = Pattern.compile("(_ptsz|_ptds)?_v\\d+(_ptsz|_ptds)?$");
  private static final Pattern OPERATOR_DETAILS = Pattern.compile("^((aten|autograd)::[^,]*),.*$");

  @Test
  void kernelsEqualSql() throws IOException, SQLException {
    int compared = 0;
    for (Path file : exports()) {
      compared +=
          compare(
              file,
              Kind.CUDA_GPU_KERN_SUM,
              "SELECT s.value, k.end - k.start FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s"
                  + " ON s.id = k.demangledName");
    }
    assertThat(compared).isPositive();
  }

  @Test
  void apiCallsEqualSql() throws IOException, SQLException {
    int compared = 0;
    for (Path file : exports()) {
      compared +=
          compare(
              file,
              Kind.CUDA_API_SUM,
              "SELECT s.value, r.end - r.start FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s"
                  + " ON s.id = r.nameId");
    }
    assertThat(compared).isPositive();
  }

  @Test
  void copiesAndSetsEqualSql() throws IOException, SQLException {
    int compared = 0;
    for (Path file : exports()) {
      // The report's name is the kind of the copy; here the kinds of memory stand behind it.
      Map<String, List<Long>> expected =
          query(
              file,
              "SELECT CASE copyKind WHEN 1 THEN 'HtoD' WHEN 2 THEN 'DtoH' WHEN 8 THEN 'DtoD' WHEN"
                  + " 9 THEN 'HtoH' WHEN 10 THEN 'PtoP' ELSE copyKind END, end - start FROM"
                  + " CUPTI_ACTIVITY_KIND_MEMCPY");
      query(file, "SELECT 'Memset', end - start FROM CUPTI_ACTIVITY_KIND_MEMSET")
          .forEach(expected::put);
      Map<String, long[]> actual = new TreeMap<>();
      for (SummaryTable.Row row : table(file, Kind.CUDA_GPU_MEM_TIME_SUM)) {
        String kind = row.name().startsWith("Memset") ? "Memset" : row.name().split(" ")[1];
        long[] sums = actual.computeIfAbsent(kind, unseen -> new long[2]);
        sums[0] += row.totalNanos();
        sums[1] += row.instances();
      }
      assertThat(actual.keySet()).as("%s", file).isEqualTo(expected.keySet());
      for (Map.Entry<String, List<Long>> one : expected.entrySet()) {
        assertThat(actual.get(one.getKey()))
            .as("%s %s", file, one.getKey())
            .containsExactly(
                one.getValue().stream().mapToLong(Long::longValue).sum(), one.getValue().size());
        compared++;
      }
    }
    assertThat(compared).isPositive();
  }

  @Test
  void rangesEqualSql() throws IOException, SQLException {
    int compared = 0;
    for (Path file : exports()) {
      compared +=
          compare(
              file,
              Kind.NVTX_SUM,
              "SELECT coalesce(n.text, s.value, ''), n.end - n.start FROM NVTX_EVENTS n LEFT JOIN"
                  + " StringIds s ON s.id = n.textId WHERE n.eventType IN (59, 60) AND n.end IS"
                  + " NOT NULL");
    }
    assertThat(compared).isPositive();
  }

  /// Compares every row and column; returns how many rows.
  private static int compare(Path file, Kind kind, String sql) throws SQLException {
    Map<String, List<Long>> expected = query(file, sql);
    List<SummaryTable.Row> rows = table(file, kind);
    assertThat(rows.stream().map(SummaryTable.Row::name))
        .as("%s %s", file, kind)
        .containsExactlyInAnyOrderElementsOf(expected.keySet());
    double all = expected.values().stream().flatMap(List::stream).mapToLong(Long::longValue).sum();
    for (SummaryTable.Row row : rows) {
      long[] nanos =
          expected.getOrDefault(row.name(), List.of()).stream()
              .mapToLong(Long::longValue)
              .sorted()
              .toArray();
      long total = Arrays.stream(nanos).sum();
      double mean = (double) total / nanos.length;
      double squares = Arrays.stream(nanos).mapToDouble(n -> (n - mean) * (n - mean)).sum();
      assertThat(row.totalNanos()).as("%s %s", file, row.name()).isEqualTo(total);
      assertThat(row.instances()).isEqualTo(nanos.length);
      assertThat(row.share()).isCloseTo(all == 0 ? 0 : total / all, within(1e-12));
      assertThat(row.averageNanos()).isCloseTo(mean, within(1e-6 * mean + 1e-9));
      assertThat(row.medianNanos())
          .isEqualTo((nanos[(nanos.length - 1) / 2] + nanos[nanos.length / 2]) / 2.0);
      assertThat(row.leastNanos()).isEqualTo(nanos[0]);
      assertThat(row.mostNanos()).isEqualTo(nanos[nanos.length - 1]);
      double deviation = nanos.length == 1 ? 0 : Math.sqrt(squares / (nanos.length - 1));
      assertThat(row.standardDeviationNanos())
          .isCloseTo(deviation, within(1e-6 * deviation + 1e-9));
    }
    return rows.size();
  }

  private static List<SummaryTable.Row> table(Path file, Kind kind) {
    Trace trace = TraceFiles.read(file).getFirst();
    return SummaryTable.of(trace, kind).rows();
  }

  /// Durations by name: that of `cuda_api_sum` without the version, an operator's without its
  /// sizes, as Pitwall names them. Empty where the export lacks the table.
  private static Map<String, List<Long>> query(Path file, String sql) throws SQLException {
    Map<String, List<Long>> durations = new TreeMap<>();
    try (Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + file.toUri() + "?mode=ro&immutable=1");
        Statement statement = connection.createStatement()) {
      try (ResultSet rows = statement.executeQuery(sql)) {
        while (rows.next()) {
          String name = rows.getString(1);
          name =
              sql.contains("_RUNTIME")
                  ? API_VERSION.matcher(name).replaceFirst("")
                  : OPERATOR_DETAILS.matcher(name).replaceFirst("$1");
          durations.computeIfAbsent(name, unseen -> new ArrayList<>()).add(rows.getLong(2));
        }
      } catch (SQLException noSuchTable) {
        return durations;
      }
    }
    return durations;
  }

  private static List<Path> exports() throws IOException {
    try (Stream<Path> all = Files.walk(SharedData.require("corpus/nsys"))) {
      return all.filter(file -> file.toString().endsWith(".sqlite")).sorted().toList();
    }
  }
}
