package dev.pitwall.graph;

import dev.pitwall.trace.Names;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The texts of a graph's nodes: the names of the trace under their own ids, then those a builder
/// added. Sharing the trace's names keeps graph building free of text.
final class Labels {
  private final Names names;
  private final int namesSize;
  private final List<String> added = new ArrayList<>();
  private final Map<String, Integer> addedIds = new HashMap<>();

  Labels(Names names) {
    this.names = names;
    this.namesSize = names.size();
  }

  /// A copy that may grow without changing this one.
  Labels copy() {
    Labels copy = new Labels(names);
    copy.added.addAll(added);
    copy.addedIds.putAll(addedIds);
    return copy;
  }

  int id(String text) {
    int known = names.find(text);
    if (known >= 0 && known < namesSize) {
      return known;
    }
    return addedIds.computeIfAbsent(
        text,
        unseen -> {
          added.add(unseen);
          return namesSize + added.size() - 1;
        });
  }

  int find(String text) {
    int known = names.find(text);
    return known >= 0 && known < namesSize ? known : addedIds.getOrDefault(text, -1);
  }

  String text(int id) {
    return id < namesSize ? names.text(id) : added.get(id - namesSize);
  }
}
