package dev.pitwall.station;

import dev.pitwall.error.PitwallException;
import dev.pitwall.report.OpenedRun;
import dev.pitwall.report.Report;
import dev.pitwall.sql.TraceDatabase;
import dev.pitwall.station.tile.Timeline;
import dev.pitwall.study.Baseline;
import dev.pitwall.study.Change;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A run that is open: its traces, their index, the timeline's pyramid and, once asked for, its
/// report and database.
final class Run implements AutoCloseable {
  private final String id;
  private final String title;
  private final OpenedRun opened;
  private final List<TraceIndex> ranks;
  private final Timeline timeline;
  private final List<CounterSeries> counters = new ArrayList<>();
  private @Nullable TraceDatabase database;
  private @Nullable WhatIf study;

  Run(String id, String title, OpenedRun opened) {
    this.id = id;
    this.title = title;
    this.opened = opened;
    ranks = opened.ranks();
    timeline = new Timeline(opened.traces());
    for (int rank = 0; rank < ranks.size(); rank++) {
      counters.addAll(CounterSeries.of(ranks.get(rank), rank, timeline.baseNanos(rank)));
    }
    counters.addAll(SampledDevices.of(opened.samples(), timeline));
  }

  String id() {
    return id;
  }

  /// The file or folder name that the user opened.
  String title() {
    return title;
  }

  List<TraceIndex> ranks() {
    return ranks;
  }

  Timeline timeline() {
    return timeline;
  }

  /// What Pitwall says of the run; worked out when first asked for.
  Report report() {
    return opened.report();
  }

  /// The step of the run, for a comparison with another.
  Baseline baseline() {
    return opened.baseline();
  }

  /// The study of the job; its results are kept. Callers hold this run's lock.
  synchronized WhatIf study() {
    WhatIf known = study;
    if (known == null) {
      known = opened.sample().study();
      study = known;
    }
    return known;
  }

  /// The ids of the passes that apply.
  synchronized List<String> applicableFixes() {
    return study().applicability().stream()
        .filter(one -> one.obstacle().isEmpty())
        .map(one -> one.pass().id())
        .distinct()
        .toList();
  }

  /// The change as asked for; where it needs an argument and was given none, the one that gains
  /// most.
  synchronized Change bestChange(Change asked) {
    Change best = asked;
    double mostMillis = Double.NEGATIVE_INFINITY;
    if (asked.argument().isEmpty()) {
      for (String argument : study().candidates(asked.id())) {
        Change candidate = new Change(asked.id(), argument);
        double millis =
            study().alone(candidate).map(one -> one.gain().millis().value()).orElse(mostMillis);
        if (millis > mostMillis) {
          best = candidate;
          mostMillis = millis;
        }
      }
    }
    return best;
  }

  /// The rank number of a trace of the run, its place where the recorder did not say.
  int rankNumber(int rankIndex) {
    int recorded = ranks.get(rankIndex).trace().recording().rank();
    return recorded < 0 ? rankIndex : recorded;
  }

  List<CounterSeries> counters() {
    return counters;
  }

  synchronized TraceDatabase database() {
    if (database == null) {
      database = TraceDatabase.open(ranks, () -> opened.report().findings());
    }
    return database;
  }

  @Override
  public synchronized void close() {
    if (database != null) {
      database.close();
    }
  }

  /// The rank at an index given by the page.
  TraceIndex rank(long rankIndex) {
    if (rankIndex < 0 || rankIndex >= ranks.size()) {
      throw PitwallException.usage("the run has no rank number " + rankIndex);
    }
    return ranks.get((int) rankIndex);
  }
}
