package dev.pitwall.json;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A JSON value as an immutable tree. Objects keep the order of the text; of duplicate keys the
/// last wins.
///
/// Reading a member never fails: a missing member, or one of another type, is the fallback that the
/// caller names, so a reader of foreign files states its default where it asks.
public sealed interface Json extends Iterable<Json> {
  /// `null`, also what a missing member reads as.
  enum Null implements Json {
    NULL
  }

  record Bool(boolean value) implements Json {}

  /// A number as written; `text` keeps integers beyond double precision exact.
  record Number(String text) implements Json {}

  record Text(String value) implements Json {}

  record Array(List<Json> elements) implements Json {
    public Array {
      elements = List.copyOf(elements);
    }
  }

  record Obj(Map<String, Json> members) implements Json {
    public Obj {
      members = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }
  }

  /// Parses one JSON value. `NaN`, `Infinity` and `-Infinity` are read as numbers, as Python writes
  /// them.
  ///
  /// @throws JsonSyntaxException where the text is not JSON or nests deeper than 512
  static Json parse(String text) {
    return new JsonParser(text).parse();
  }

  /// The member of an object, or the element `NULL` where this is no object or has no such member.
  default Json get(String key) {
    if (this instanceof Obj object) {
      Json member = object.members().get(key);
      return member == null ? Null.NULL : member;
    }
    return Null.NULL;
  }

  /// The element of an array, or `NULL`.
  default Json get(int index) {
    return this instanceof Array array && index >= 0 && index < array.elements().size()
        ? array.elements().get(index)
        : Null.NULL;
  }

  default boolean isNull() {
    return this == Null.NULL;
  }

  /// Number of elements or members; 0 for a scalar.
  default int size() {
    return switch (this) {
      case Array array -> array.elements().size();
      case Obj object -> object.members().size();
      default -> 0;
    };
  }

  /// The text of a string, else null.
  default @Nullable String textOrNull() {
    return this instanceof Text text ? text.value() : null;
  }

  default String text(String fallback) {
    return this instanceof Text text ? text.value() : fallback;
  }

  default boolean bool(boolean fallback) {
    return this instanceof Bool bool ? bool.value() : fallback;
  }

  /// A number, or a text that holds one.
  default double number(double fallback) {
    String digits =
        switch (this) {
          case Number number -> number.text();
          case Text text -> text.value();
          default -> "";
        };
    try {
      return digits.isEmpty() ? fallback : Double.parseDouble(digits);
    } catch (NumberFormatException notANumber) {
      return fallback;
    }
  }

  /// An integer exact to 64 bits; a fraction is truncated.
  default long integer(long fallback) {
    if (this instanceof Number number) {
      try {
        return Long.parseLong(number.text());
      } catch (NumberFormatException notALong) {
        return (long) Double.parseDouble(number.text());
      }
    }
    if (this instanceof Text text) {
      try {
        return Long.parseLong(text.value().strip());
      } catch (NumberFormatException notALong) {
        return fallback;
      }
    }
    return fallback;
  }

  /// The elements of an array, or the values of an object; empty for a scalar.
  @Override
  default Iterator<Json> iterator() {
    return switch (this) {
      case Array array -> array.elements().iterator();
      case Obj object -> object.members().values().iterator();
      default -> java.util.Collections.emptyIterator();
    };
  }
}
