package dev.pitwall.station;

import com.sun.net.httpserver.HttpExchange;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// What a browser asked for: the path and query decoded, the body not yet read unless [#read] did.
/// A `HEAD` is a `GET` here; only the server knows that its body is not sent.
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
    String method = exchange.getRequestMethod();
    return new Request(
        method.equals("HEAD") ? "GET" : method,
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

  /// The same request with its body in memory, so that nobody waits for the sender any more.
  ///
  /// @param deadline after which the sender is given up
  /// @param threads for the thread that waits; it ends when the connection is closed
  /// @throws BadRequest (413 or 408) where the body is longer than 1 MiB or does not arrive in time
  Request read(Duration deadline, ExecutorService threads) throws IOException {
    if (contentLength() > MAXIMUM_JSON_BYTES) {
      throw tooLong();
    }
    Future<byte[]> arriving = threads.submit(() -> body.readNBytes(MAXIMUM_JSON_BYTES + 1));
    try {
      byte[] bytes = arriving.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
      if (bytes.length > MAXIMUM_JSON_BYTES) {
        throw tooLong();
      }
      return new Request(method, path, query, headers, new ByteArrayInputStream(bytes));
    } catch (TimeoutException stalled) {
      throw new BadRequest(
          408, "the request's body did not arrive within " + deadline.toSeconds() + " s");
    } catch (ExecutionException failed) {
      throw new IOException("the request's body could not be read", failed.getCause());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new BadRequest(503, "the station is shutting down");
    }
  }

  /// The same request, whose body is given up where the sender is silent for longer than this.
  Request arrivingWithin(Duration silence, ExecutorService threads) {
    return new Request(method, path, query, headers, new ArrivingBody(body, silence, threads));
  }

  private static BadRequest tooLong() {
    return new BadRequest(413, "the request's body is longer than 1 MiB");
  }

  /// The body as JSON.
  Json json() throws IOException {
    try {
      return Json.parse(new String(body.readAllBytes(), StandardCharsets.UTF_8));
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
