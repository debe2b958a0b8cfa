package dev.pitwall.observe.flight;

import dev.pitwall.trace.flight.FlightDump;
import dev.pitwall.trace.flight.FlightDump.Entry;
import dev.pitwall.trace.flight.FlightDump.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The state of a job in which ranks wait for each other, from the flight recorders of its ranks.
///
/// Operations are matched across ranks by process group and sequence number. A rank *misses* an
/// operation when others of its group enqueued it, it is newer than everything that rank enqueued
/// in the group, and it has not completed. The *first cause* is found by following the waits: a
/// rank that waits is not to blame; the one that others wait for and that itself waits for nobody
/// is.
///
/// @param mismatches operations that ranks of a group called differently
/// @param waits operations that some ranks wait in and others never entered, oldest first
/// @param withoutDump ranks that belong to a group but left no dump
/// @param causes ranks where the hang began; empty where none can be told
public record Hang(
    List<Mismatch> mismatches, List<Wait> waits, List<Integer> withoutDump, List<Integer> causes) {
  public Hang {
    mismatches = List.copyOf(mismatches);
    waits = List.copyOf(waits);
    withoutDump = List.copyOf(withoutDump);
    causes = List.copyOf(causes);
  }

  /// One operation that not all ranks called alike.
  public record Mismatch(Key operation, Kind kind, Map<Integer, String> byRank) {}

  /// In what the ranks differ.
  public enum Kind {
    OPERATION,
    SIZE,
    DTYPE
  }

  /// Ranks that wait in an operation, and those of the group that never called it.
  public record Wait(
      Key operation, String name, long sinceNanos, List<Integer> waiting, List<Integer> missing) {}

  /// Process group and sequence number.
  public record Key(String group, String groupDescription, boolean pointToPoint, long sequence) {
    /// How the operation is written: `all_reduce #3460 of TENSOR_PARALLEL (63)`.
    public String label(String operation) {
      String bare = operation.startsWith("nccl:") ? operation.substring(5) : operation;
      return bare
          + " #"
          + sequence
          + " of "
          + (groupDescription.isEmpty() ? "group " + group : groupDescription + " (" + group + ")");
    }
  }

  public static Hang of(Collection<FlightDump> dumps) {
    Map<Integer, FlightDump> byRank = new TreeMap<>();
    dumps.forEach(dump -> byRank.put(dump.rank(), dump));
    Map<Key, Map<Integer, Entry>> operations = match(byRank);
    Set<Integer> everyRank = new TreeSet<>(byRank.keySet());
    byRank.values().forEach(dump -> dump.members().values().forEach(everyRank::addAll));
    List<Mismatch> mismatches = new ArrayList<>();
    List<Wait> waits = new ArrayList<>();
    operations.forEach(
        (key, entries) -> {
          if (!key.pointToPoint()) {
            mismatch(key, entries).forEach(mismatches::add);
          }
          waitIn(key, entries, byRank, everyRank).forEach(waits::add);
        });
    waits.sort(Comparator.comparingLong(Wait::sinceNanos));
    List<Integer> withoutDump =
        everyRank.stream().filter(rank -> !byRank.containsKey(rank)).toList();
    return new Hang(mismatches, waits, withoutDump, causes(waits, mismatches, byRank.keySet()));
  }

  /// Whether any rank waits or called something else than its peers.
  public boolean found() {
    return !waits.isEmpty() || !mismatches.isEmpty();
  }

  /// The verdict in one sentence.
  public String sentence() {
    if (!mismatches.isEmpty()) {
      Mismatch first = mismatches.getFirst();
      return "Ranks called different things in "
          + first
              .operation()
              .label(
                  first.kind() == Kind.OPERATION
                      ? "collective"
                      : first.byRank().values().iterator().next())
          + ": "
          + first.byRank().entrySet().stream()
              .collect(
                  Collectors.groupingBy(
                      Map.Entry::getValue,
                      TreeMap::new,
                      Collectors.mapping(Map.Entry::getKey, Collectors.toList())))
              .entrySet()
              .stream()
              .map(group -> rankList(group.getValue()) + " " + group.getKey())
              .collect(Collectors.joining("; "))
          + ".";
    }
    if (waits.isEmpty()) {
      return "No rank waits for another: every collective in the dumps was entered by all ranks of"
          + " its group.";
    }
    if (causes.isEmpty()) {
      Wait first = waits.getFirst();
      return "Ranks wait for each other in a circle, first in "
          + first.operation().label(first.name())
          + ".";
    }
    Set<Integer> causing = new HashSet<>(causes);
    Wait first =
        waits.stream()
            .filter(wait -> wait.missing().stream().anyMatch(causing::contains))
            .max(Comparator.comparingInt(wait -> wait.waiting().size()))
            .orElse(waits.getFirst());
    String how = withoutDump.containsAll(causes) ? " (no dump: it died or cannot run Python)" : "";
    return "The hang began at "
        + rankList(causes)
        + how
        + ": "
        + rankList(first.waiting())
        + (first.waiting().size() == 1 ? " waits" : " wait")
        + " in "
        + first.operation().label(first.name())
        + ", which "
        + (causes.size() == 1 ? "it" : "they")
        + " never entered.";
  }

  /// `rank 3`, or `ranks 0-2, 5`.
  public static String rankList(List<Integer> ranks) {
    List<Integer> sorted = ranks.stream().sorted().toList();
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < sorted.size(); ) {
      int j = i;
      while (j + 1 < sorted.size() && sorted.get(j + 1) == sorted.get(j) + 1) {
        j++;
      }
      parts.add(
          i == j ? "" + sorted.get(i) : sorted.get(i) + (j == i + 1 ? ", " : "-") + sorted.get(j));
      i = j + 1;
    }
    return (sorted.size() == 1 ? "rank " : "ranks ") + String.join(", ", parts);
  }

  private static Map<Key, Map<Integer, Entry>> match(Map<Integer, FlightDump> byRank) {
    Map<Key, Map<Integer, Entry>> operations =
        new TreeMap<>(
            Comparator.comparing(Key::group)
                .thenComparing(Key::pointToPoint)
                .thenComparingLong(Key::sequence)
                .thenComparing(Key::groupDescription));
    byRank.forEach(
        (rank, dump) -> {
          for (Entry entry : dump.entries()) {
            operations
                .computeIfAbsent(
                    new Key(
                        entry.group(),
                        entry.groupDescription(),
                        entry.pointToPoint(),
                        entry.sequence()),
                    unseen -> new TreeMap<>())
                .put(rank, entry);
          }
        });
    return operations;
  }

  private static List<Mismatch> mismatch(Key key, Map<Integer, Entry> entries) {
    Map<Integer, String> operations = new TreeMap<>();
    Map<Integer, String> sizes = new TreeMap<>();
    Map<Integer, String> dtypes = new TreeMap<>();
    entries.forEach(
        (rank, entry) -> {
          operations.put(rank, entry.operation());
          dtypes.put(rank, entry.operation() + " of " + entry.dtypes());
          if (sameSizeOnAllRanks(entry.operation())) {
            sizes.put(rank, entry.operation() + " of " + entry.inputSizes());
          }
        });
    if (new HashSet<>(operations.values()).size() > 1) {
      return List.of(new Mismatch(key, Kind.OPERATION, operations));
    }
    if (new HashSet<>(sizes.values()).size() > 1) {
      return List.of(new Mismatch(key, Kind.SIZE, sizes));
    }
    if (new HashSet<>(dtypes.values()).size() > 1) {
      return List.of(new Mismatch(key, Kind.DTYPE, dtypes));
    }
    return List.of();
  }

  /// Scatter, gather and all-to-all may differ by rank; these may not.
  private static boolean sameSizeOnAllRanks(String operation) {
    return operation.endsWith("all_reduce")
        || operation.endsWith("broadcast")
        || operation.endsWith("_all_gather_base")
        || operation.endsWith("_reduce_scatter_base")
        || operation.endsWith("reduce");
  }

  private static List<Wait> waitIn(
      Key key,
      Map<Integer, Entry> entries,
      Map<Integer, FlightDump> byRank,
      Set<Integer> everyRank) {
    if (key.pointToPoint()
        || entries.values().stream().anyMatch(e -> e.state() == State.COMPLETED)) {
      return List.of();
    }
    List<Integer> members =
        entries.keySet().stream()
            .map(
                rank ->
                    Objects.requireNonNull(byRank.get(rank))
                        .members()
                        .getOrDefault(key.group(), List.of()))
            .filter(ranks -> !ranks.isEmpty())
            .findFirst()
            .orElse(List.copyOf(everyRank));
    List<Integer> missing =
        members.stream()
            .filter(
                rank ->
                    !entries.containsKey(rank) && newest(byRank.get(rank), key) < key.sequence())
            .toList();
    if (missing.isEmpty()) {
      return List.of();
    }
    long since = entries.values().stream().mapToLong(Entry::createdNanos).min().orElse(-1);
    return List.of(
        new Wait(
            key,
            entries.values().iterator().next().operation(),
            since,
            List.copyOf(entries.keySet()),
            missing));
  }

  private static long newest(@org.jspecify.annotations.Nullable FlightDump dump, Key key) {
    return dump == null
        ? Long.MIN_VALUE
        : dump.entries().stream()
            .filter(entry -> entry.group().equals(key.group()) && !entry.pointToPoint())
            .mapToLong(Entry::sequence)
            .max()
            .orElse(Long.MIN_VALUE);
  }

  /// Ranks that are waited for and wait for nobody. A rank without a dump waits for nobody we know
  /// of.
  private static List<Integer> causes(
      List<Wait> waits, List<Mismatch> mismatches, Set<Integer> dumped) {
    Set<Integer> missed = new TreeSet<>();
    Set<Integer> waiting = new HashSet<>();
    for (Wait wait : waits) {
      missed.addAll(wait.missing());
      waiting.addAll(wait.waiting());
    }
    List<Integer> silent = missed.stream().filter(rank -> !dumped.contains(rank)).toList();
    return silent.isEmpty()
        ? missed.stream().filter(rank -> !waiting.contains(rank)).toList()
        : silent;
  }
}
