package dev.pitwall.sql;

import static dev.pitwall.sql.TableBuilder.bigint;
import static dev.pitwall.sql.TableBuilder.integer;
import static dev.pitwall.sql.TableBuilder.real;
import static dev.pitwall.sql.TableBuilder.text;
import static org.duckdb.DuckDBColumnType.BIGINT;
import static org.duckdb.DuckDBColumnType.DOUBLE;
import static org.duckdb.DuckDBColumnType.INTEGER;
import static org.duckdb.DuckDBColumnType.VARCHAR;

import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.sql.ArrayTable.Cell;
import dev.pitwall.sql.ArrayTable.Part;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What the report on a run finds, and the evidence for it, as tables. The run is judged once, when
/// a query first asks.
final class FindingTables {
  private FindingTables() {}

  static List<ArrayTable> all(List<TraceIndex> ranks, Supplier<List<Finding>> findings) {
    Supplier<List<Finding>> found = once(findings);
    return List.of(findings(found), evidence(found, firstNanos(ranks)));
  }

  // Judging a run takes longer than most queries, and most queries do not ask for it.
  private static <T> Supplier<T> once(Supplier<T> source) {
    return new Supplier<>() {
      private @Nullable T value;

      @Override
      public synchronized T get() {
        T known = value;
        if (known == null) {
          known = source.get();
          value = known;
        }
        return known;
      }
    };
  }

  private static ArrayTable findings(Supplier<List<Finding>> source) {
    return new TableBuilder("raw_findings")
        .column("id", VARCHAR)
        .column("severity", VARCHAR)
        .column("title", VARCHAR)
        .column("why", VARCHAR)
        .column("fix", VARCHAR)
        .column("code", VARCHAR)
        .column("link", VARCHAR)
        .column("gain_ms", DOUBLE)
        .column("gain_low_ms", DOUBLE)
        .column("gain_high_ms", DOUBLE)
        .column("gain_fraction", DOUBLE)
        .column("basis", VARCHAR)
        .build(
            () -> {
              List<Finding> findings = source.get();
              return part(
                  findings.size(),
                  text(row -> findings.get(row).id()),
                  text(row -> findings.get(row).severity().name().toLowerCase(Locale.ROOT)),
                  text(row -> findings.get(row).title()),
                  text(row -> findings.get(row).why()),
                  text(row -> findings.get(row).fix().text()),
                  text(row -> findings.get(row).fix().code()),
                  text(row -> findings.get(row).fix().link()),
                  real(row -> findings.get(row).gain().millis().value()),
                  real(row -> findings.get(row).gain().millis().low()),
                  real(row -> findings.get(row).gain().millis().high()),
                  real(row -> findings.get(row).gain().fraction()),
                  text(row -> findings.get(row).gain().millis().basis().name()));
            });
  }

  /// By rank, as evidence names it, the start of its first slice: what times shown to people count
  /// from.
  private static Map<Integer, Long> firstNanos(List<TraceIndex> ranks) {
    Map<Integer, Long> first = new HashMap<>();
    for (TraceIndex index : ranks) {
      Slices slices = index.trace().slices();
      long start = slices.size() == 0 ? 0 : Long.MAX_VALUE;
      for (int row = 0; row < slices.size(); row++) {
        start = Math.min(start, slices.startNanos(row));
      }
      first.putIfAbsent(Math.max(0, index.trace().recording().rank()), start);
    }
    return first;
  }

  private static ArrayTable evidence(
      Supplier<List<Finding>> source, Map<Integer, Long> firstNanos) {
    record Line(String finding, Evidence evidence) {}
    return new TableBuilder("raw_evidence")
        .column("finding_id", VARCHAR)
        .column("rank", INTEGER)
        .column("track", VARCHAR)
        .column("name", VARCHAR)
        .column("start_ns", BIGINT)
        .column("dur_ns", BIGINT)
        .column("at_ms", DOUBLE)
        .build(
            () -> {
              List<Line> lines = new ArrayList<>();
              for (Finding finding : source.get()) {
                finding.evidence().forEach(evidence -> lines.add(new Line(finding.id(), evidence)));
              }
              return part(
                  lines.size(),
                  text(row -> lines.get(row).finding()),
                  integer(row -> lines.get(row).evidence().rank()),
                  text(row -> lines.get(row).evidence().track()),
                  text(row -> lines.get(row).evidence().name()),
                  (vector, at, row) -> vector.setLong(at, lines.get(row).evidence().startNanos()),
                  bigint(row -> lines.get(row).evidence().durationNanos()),
                  real(row -> millisInto(lines.get(row).evidence(), firstNanos)));
            });
  }

  private static double millisInto(Evidence evidence, Map<Integer, Long> firstNanos) {
    long first = firstNanos.getOrDefault(Math.max(0, evidence.rank()), 0L);
    return (evidence.startNanos() - first) / 1e6;
  }

  private static List<Part> part(int rows, Cell... cells) {
    return List.of(new Part(rows, List.of(cells)));
  }
}
