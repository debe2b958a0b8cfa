package dev.pitwall.capture.loader;

import dev.pitwall.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Which settings to try, and for how long.
///
/// @param workers numbers of workers, rising
/// @param seconds bound for one setting
/// @param batches to time for one setting, if the time allows
public record LoaderTrials(List<Integer> workers, int seconds, int batches) {
  private static final int MOST_WORKERS = 64;

  public LoaderTrials {
    workers = List.copyOf(workers);
  }

  /// 0, 1, 2, 4 and so on: to the number of cores, but at least to 8, since workers that wait for
  /// storage need no core.
  public static List<Integer> workersFor(int cores) {
    List<Integer> workers = new ArrayList<>(List.of(0));
    for (int n = 1; n <= Math.clamp(cores, 8, MOST_WORKERS); n *= 2) {
      workers.add(n);
    }
    return workers;
  }

  /// The object that `stress.py` documents.
  public Json json() {
    Map<String, Json> members = new LinkedHashMap<>();
    members.put("workers", new Json.Array(workers.stream().map(LoaderTrials::number).toList()));
    members.put("pin", new Json.Array(List.of(new Json.Bool(false), new Json.Bool(true))));
    members.put("seconds", number(seconds));
    members.put("batches", number(batches));
    return new Json.Obj(members);
  }

  private static Json number(int value) {
    return new Json.Number(Integer.toString(value));
  }
}
