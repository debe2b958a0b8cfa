package dev.pitwall.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Interned strings: every distinct text of a trace once, addressed by a dense id from 0. Id 0 is
// the
/// empty text. Grows while a reader runs and is only read afterwards.
public final class Names {
  private final List<String> texts = new ArrayList<>();
  private final Map<String, Integer> ids = new HashMap<>();

  public Names() {
    intern("");
  }

  /// The id of `text`, new if it was not seen before.
  public int intern(String text) {
    Integer known = ids.get(text);
    if (known != null) {
      return known;
    }
    int id = texts.size();
    texts.add(text);
    ids.put(text, id);
    return id;
  }

  /// The id of `text`, or -1 where the trace does not have it.
  public int find(String text) {
    Integer known = ids.get(text);
    return known == null ? -1 : known;
  }

  public String text(int id) {
    return texts.get(id);
  }

  public int size() {
    return texts.size();
  }
}
