package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Names;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// Which name of the trace each string id of the export is; 0, the empty name, for an unknown id.
final class StringTable {
  /// Real exports number their strings from 0 without gaps; ids beyond this are looked up in a map.
  private static final int DENSE_IDS = 1 << 22;

  private final Names names;
  private int[] nameOfId = new int[1 << 10];
  private final Map<Long, Integer> nameOfFarId = new HashMap<>();

  StringTable(ExportTables tables, Names names) {
    this.names = names;
    tables.forEach("StringIds", row -> put(row.integer(0, -1), row.name(1, names)), "id", "value");
  }

  /// The id in the names of the trace.
  int name(long id) {
    if (id >= 0 && id < DENSE_IDS) {
      return id < nameOfId.length ? nameOfId[(int) id] : 0;
    }
    return nameOfFarId.getOrDefault(id, 0);
  }

  String text(long id) {
    return names.text(name(id));
  }

  private void put(long id, int name) {
    if (id < 0 || id >= DENSE_IDS) {
      nameOfFarId.put(id, name);
      return;
    }
    if (id >= nameOfId.length) {
      nameOfId = Arrays.copyOf(nameOfId, Math.max((int) id + 1, 2 * nameOfId.length));
    }
    nameOfId[(int) id] = name;
  }
}
