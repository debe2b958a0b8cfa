package dev.pitwall.station;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which handler answers which method and path.
final class Routes {
  /// Answers one request; it may throw [BadRequest] or a
  /// [dev.pitwall.error.PitwallException], which become the sentence in the answer.
  @FunctionalInterface
  interface Handler {
    Answer handle(Request request) throws IOException;
  }

  private final Map<String, Handler> handlers = new HashMap<>();

  Routes get(String path, Handler handler) {
    handlers.put("GET " + path, handler);
    return this;
  }

  Routes post(String path, Handler handler) {
    handlers.put("POST " + path, handler);
    return this;
  }

  @Nullable Handler find(Request request) {
    return handlers.get(request.method() + " " + request.path());
  }
}
