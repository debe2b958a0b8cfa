package dev.pitwall.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Recursive descent over one text.
final class JsonParser {
  private static final int MAXIMUM_DEPTH = 512;

  private final String text;
  private int at;
  private int depth;

  JsonParser(String text) {
    this.text = text;
  }

  Json parse() {
    Json value = value();
    skipBlanks();
    if (at < text.length()) {
      throw fault("the end");
    }
    return value;
  }

  private Json value() {
    skipBlanks();
    if (at >= text.length()) {
      throw fault("a value");
    }
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> new Json.Text(string());
      case 't' -> word("true", new Json.Bool(true));
      case 'f' -> word("false", new Json.Bool(false));
      case 'n' -> word("null", Json.Null.NULL);
      default -> number();
    };
  }

  private Json object() {
    enter();
    Map<String, Json> members = new LinkedHashMap<>();
    if (!accept('}')) {
      do {
        skipBlanks();
        if (at >= text.length() || text.charAt(at) != '"') {
          throw fault("a key in quotes");
        }
        String key = string();
        expect(':');
        members.put(key, value());
      } while (accept(','));
      expect('}');
    }
    depth--;
    return new Json.Obj(members);
  }

  private Json array() {
    enter();
    List<Json> elements = new ArrayList<>();
    if (!accept(']')) {
      do {
        elements.add(value());
      } while (accept(','));
      expect(']');
    }
    depth--;
    return new Json.Array(elements);
  }

  private void enter() {
    at++;
    if (++depth > MAXIMUM_DEPTH) {
      throw fault("less than " + MAXIMUM_DEPTH + " levels of nesting");
    }
  }

  private String string() {
    int start = ++at;
    int end = start;
    while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\') {
      end++;
    }
    if (end < text.length() && text.charAt(end) == '"') {
      at = end + 1;
      return text.substring(start, end);
    }
    StringBuilder built = new StringBuilder(text.substring(start, Math.min(end, text.length())));
    at = end;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return built.toString();
      }
      built.append(c == '\\' ? escaped() : c);
    }
    throw fault("a closing quote");
  }

  private char escaped() {
    if (at >= text.length()) {
      throw fault("a character after the backslash");
    }
    char c = text.charAt(at++);
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> unicode();
      default -> c;
    };
  }

  private char unicode() {
    if (at + 4 > text.length()) {
      throw fault("four hexadecimal digits");
    }
    try {
      char c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
      at += 4;
      return c;
    } catch (NumberFormatException notHex) {
      throw fault("four hexadecimal digits");
    }
  }

  private Json word(String word, Json value) {
    if (!text.startsWith(word, at)) {
      throw fault("a value");
    }
    at += word.length();
    return value;
  }

  private Json number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eEINafinty".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(start, at);
    try {
      if (!digits.isEmpty()) {
        Double.parseDouble(digits);
        return new Json.Number(digits);
      }
    } catch (NumberFormatException notANumber) {
      at = start;
    }
    throw fault("a value");
  }

  private boolean accept(char c) {
    skipBlanks();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (!accept(c)) {
      throw fault("'" + c + "'");
    }
  }

  private void skipBlanks() {
    while (at < text.length() && " \t\r\n\uFEFF".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private JsonSyntaxException fault(String expected) {
    return new JsonSyntaxException("expected " + expected + " at character " + at);
  }
}
