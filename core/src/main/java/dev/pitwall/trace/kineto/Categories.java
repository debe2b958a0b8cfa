package dev.pitwall.trace.kineto;

import dev.pitwall.table.DataTable;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Names;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// The recorder's category words and what they mean (`categories.csv`), looked up by the id of the
/// word so that no text is compared for an event.
final class Categories {
  /// What a word means.
  ///
  /// @param category ours
  /// @param onDevice whether its slices lie on a lane of a device rather than of the host
  private record Meaning(Category category, boolean onDevice) {}

  private static final Map<String, Meaning> MEANINGS = load();
  private static final Meaning UNKNOWN = new Meaning(Category.OTHER, false);
  private static final byte NOT_LOOKED_UP = -1;

  private final Names names;
  private byte[] categoryOfId = new byte[256];
  private boolean[] deviceOfId = new boolean[256];

  Categories(Names names) {
    this.names = names;
    Arrays.fill(categoryOfId, NOT_LOOKED_UP);
  }

  Category of(int wordId) {
    lookUp(wordId);
    return Category.of(categoryOfId[wordId]);
  }

  boolean onDevice(int wordId) {
    lookUp(wordId);
    return deviceOfId[wordId];
  }

  private void lookUp(int wordId) {
    if (wordId >= categoryOfId.length) {
      int before = categoryOfId.length;
      int after = Math.max(2 * before, wordId + 1);
      categoryOfId = Arrays.copyOf(categoryOfId, after);
      deviceOfId = Arrays.copyOf(deviceOfId, after);
      Arrays.fill(categoryOfId, before, after, NOT_LOOKED_UP);
    }
    if (categoryOfId[wordId] == NOT_LOOKED_UP) {
      Meaning meaning = MEANINGS.getOrDefault(names.text(wordId), UNKNOWN);
      categoryOfId[wordId] = (byte) meaning.category().ordinal();
      deviceOfId[wordId] = meaning.onDevice();
    }
  }

  private static Map<String, Meaning> load() {
    DataTable table = DataTable.resource("/dev/pitwall/trace/kineto/categories.csv");
    Map<String, Meaning> meanings = new HashMap<>();
    for (int row = 0; row < table.rows(); row++) {
      meanings.put(
          table.text(row, "name"),
          new Meaning(
              Category.valueOf(table.text(row, "category")),
              table.text(row, "lane").equals("device")));
    }
    return meanings;
  }
}
