package dev.pitwall.station;

import com.sun.net.httpserver.HttpExchange;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a browser asked for: the path and query decoded, the body not yet read.
record Request(
    String method,
    String path,
    Map<String, String> query,
    Map<String, String> headers,
    InputStream body) {
  private static final int MAXIMUM_JSON_BYTES = 1 << 20;

  static Request of(HttpExchange exchange) {
    Map<String, String> headers = new LinkedHashMap<>();
    exchange
        .getRequestHeaders()
        .forEach(
            (name, values) ->
                headers.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
    return new Request(
        exchange.getRequestMethod(),
        exchange.getRequestURI().getPath(),
        parse(exchange.getRequestURI().getRawQuery()),
        headers,
        exchange.getRequestBody());
  }

  @Nullable String header(String lowerCaseName) {
    return headers.get(lowerCaseName);
  }

  /// A query parameter that must be there.
  String text(String name) {
    String value = query.get(name);
    if (value == null) {
      throw new BadRequest(400, "the request lacks ?" + name + "=");
    }
    return value;
  }

  String text(String name, String fallback) {
    return query.getOrDefault(name, fallback);
  }

  long integer(String name) {
    return integer(text(name), name);
  }

  long integer(String name, long fallback) {
    String value = query.get(name);
    return value == null ? fallback : integer(value, name);
  }

  /// A list of numbers separated by commas; an empty text is an empty list.
  int[] integers(String name) {
    String value = text(name);
    if (value.isEmpty()) {
      return new int[0];
    }
    String[] parts = value.split(",");
    int[] numbers = new int[parts.length];
    for (int i = 0; i < parts.length; i++) {
      numbers[i] = (int) integer(parts[i], name);
    }
    return numbers;
  }

  /// The claimed length of the body, -1 where the request does not say.
  long contentLength() {
    String claimed = headers.get("content-length");
    return claimed == null ? -1 : integer(claimed, "Content-Length");
  }

  /// The body as JSON, at most 1 MiB.
  Json json() throws IOException {
    byte[] bytes = body.readNBytes(MAXIMUM_JSON_BYTES + 1);
    if (bytes.length > MAXIMUM_JSON_BYTES) {
      throw new BadRequest(413, "the request's body is longer than 1 MiB");
    }
    try {
      return Json.parse(new String(bytes, StandardCharsets.UTF_8));
    } catch (JsonSyntaxException notJson) {
      throw new BadRequest(400, "the request's body is not JSON: " + notJson.getMessage());
    }
  }

  private static long integer(String value, String name) {
    try {
      return Long.parseLong(value);
    } catch (NumberFormatException notANumber) {
      throw new BadRequest(400, name + " must be a whole number");
    }
  }

  private static Map<String, String> parse(@Nullable String rawQuery) {
    Map<String, String> query = new LinkedHashMap<>();
    if (rawQuery != null) {
      for (String pair : rawQuery.split("&")) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
          query.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
        }
      }
    }
    return query;
  }

  private static String decode(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException malformed) {
      throw new BadRequest(400, "the request's query is not well formed");
    }
  }
}
