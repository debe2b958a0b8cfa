package dev.pitwall.station;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// The slices of a run whose name contains a text, whatever its case: their number, and the first
/// of them in order of time.
final class SliceSearch {
  private static final int MAXIMUM_HITS = 5000;

  private record Hit(int rank, int row, long startNanos) {}

  private final Run run;
  private final List<Hit> hits = new ArrayList<>();
  private int total;

  SliceSearch(Run run, String text) {
    this.run = run;
    if (text.isBlank()) {
      return;
    }
    for (int rank = 0; rank < run.ranks().size(); rank++) {
      search(rank, text.strip().toLowerCase(Locale.ROOT));
    }
    hits.sort(Comparator.comparingLong(Hit::startNanos));
  }

  private void search(int rank, String lowerCaseText) {
    Trace trace = run.ranks().get(rank).trace();
    BitSet wanted = idsWith(trace.names(), lowerCaseText);
    if (wanted.isEmpty()) {
      return;
    }
    Slices slices = trace.slices();
    long base = run.timeline().baseNanos(rank);
    for (int row = 0; row < slices.size(); row++) {
      if (wanted.get(slices.nameId(row))) {
        total++;
        if (hits.size() < MAXIMUM_HITS) {
          hits.add(new Hit(rank, row, slices.startNanos(row) - base));
        }
      }
    }
  }

  private static BitSet idsWith(Names names, String lowerCaseText) {
    BitSet ids = new BitSet();
    for (int id = 1; id < names.size(); id++) {
      if (names.text(id).toLowerCase(Locale.ROOT).contains(lowerCaseText)) {
        ids.set(id);
      }
    }
    return ids;
  }

  /// `total`, and the hits as columns: `rank`, `row`, `track`, `start_ns`, `dur_ns`.
  JsonWriter write() {
    JsonWriter json = new JsonWriter().object().key("total").value(total);
    json.key("hits").array();
    for (Hit hit : hits) {
      json.array()
          .value(hit.rank())
          .value(hit.row())
          .value(run.timeline().trackOf(hit.rank(), hit.row()))
          .value(hit.startNanos())
          .value(run.ranks().get(hit.rank()).trace().slices().durationNanos(hit.row()))
          .end();
    }
    return json.end().end();
  }
}
