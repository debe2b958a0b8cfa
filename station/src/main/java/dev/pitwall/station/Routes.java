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

  /// A handler and whether it computes for long.
  record Route(Handler handler, boolean isSlow) {}

  private final Map<String, Route> routes = new HashMap<>();

  Routes get(String path, Handler handler) {
    routes.put("GET " + path, new Route(handler, false));
    return this;
  }

  Routes post(String path, Handler handler) {
    routes.put("POST " + path, new Route(handler, false));
    return this;
  }

  /// A request that computes for long. It gets a thread of its own with low priority, so that tiles
  /// never wait for it: virtual threads are not preempted.
  Routes slow(String method, String path, Handler handler) {
    routes.put(method + " " + path, new Route(handler, true));
    return this;
  }

  @Nullable Route find(Request request) {
    return routes.get(request.method() + " " + request.path());
  }
}
