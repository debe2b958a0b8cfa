package dev.pitwall.json;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Writes JSON text, two spaces an indent. Calls nest as the document does; a call out of place is
/// a programming error and throws [IllegalStateException].
///
/// ```
/// String text = new JsonWriter().object().key("a").value(1).end().toString();
/// ```
public final class JsonWriter {
  private final StringBuilder out = new StringBuilder();
  private final Deque<Character> open = new ArrayDeque<>();
  private boolean first = true;
  private boolean afterKey;

  public JsonWriter object() {
    return begin('{', '}');
  }

  public JsonWriter array() {
    return begin('[', ']');
  }

  /// Closes the innermost object or array.
  public JsonWriter end() {
    if (open.isEmpty()) {
      throw new IllegalStateException("nothing is open");
    }
    char close = open.pop();
    if (!first) {
      newLine();
    }
    out.append(close);
    first = false;
    return this;
  }

  public JsonWriter key(String name) {
    separate();
    quote(name);
    out.append(": ");
    afterKey = true;
    return this;
  }

  public JsonWriter value(@Nullable String text) {
    separate();
    if (text == null) {
      out.append("null");
    } else {
      quote(text);
    }
    return this;
  }

  public JsonWriter value(long number) {
    separate();
    out.append(number);
    return this;
  }

  public JsonWriter value(boolean truth) {
    separate();
    out.append(truth);
    return this;
  }

  /// A number with up to six digits after the point; what is not finite becomes `null`.
  public JsonWriter value(double number) {
    separate();
    if (!Double.isFinite(number)) {
      out.append("null");
    } else if (number == Math.rint(number) && Math.abs(number) < 1e15) {
      out.append((long) number);
    } else {
      String digits = String.format(Locale.ROOT, "%.6f", number);
      int end = digits.length();
      while (digits.charAt(end - 1) == '0') {
        end--;
      }
      out.append(digits, 0, digits.charAt(end - 1) == '.' ? end - 1 : end);
    }
    return this;
  }

  /// A tree.
  public JsonWriter value(Json tree) {
    switch (tree) {
      case Json.Null nothing -> value((String) null);
      case Json.Bool bool -> value(bool.value());
      case Json.Number number -> {
        separate();
        out.append(Double.isFinite(number.number(Double.NaN)) ? number.text() : "null");
      }
      case Json.Text text -> value(text.value());
      case Json.Array array -> {
        array();
        array.elements().forEach(this::value);
        end();
      }
      case Json.Obj object -> {
        object();
        object.members().forEach((key, member) -> key(key).value(member));
        end();
      }
    }
    return this;
  }

  /// The document; everything must be closed.
  @Override
  public String toString() {
    if (!open.isEmpty()) {
      throw new IllegalStateException(open.size() + " levels are still open");
    }
    return out.toString();
  }

  private JsonWriter begin(char opening, char closing) {
    separate();
    out.append(opening);
    open.push(closing);
    first = true;
    return this;
  }

  private void separate() {
    if (afterKey) {
      afterKey = false;
      return;
    }
    if (open.isEmpty()) {
      return;
    }
    if (!first) {
      out.append(',');
    }
    first = false;
    newLine();
  }

  private void newLine() {
    out.append('\n').append("  ".repeat(open.size()));
  }

  private void quote(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < 0x20
              || c == 0x2028
              || c == 0x2029
              || Character.isSurrogate(c) && !paired(text, i)) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private static boolean paired(String text, int i) {
    char c = text.charAt(i);
    return Character.isHighSurrogate(c)
        ? i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))
        : i > 0 && Character.isHighSurrogate(text.charAt(i - 1));
  }
}
