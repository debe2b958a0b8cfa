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

  /// A handler, whether it computes for long, and whether it reads the body itself as it arrives.
  record Route(Handler handler, boolean isSlow, boolean isStreamed) {}

  private final Map<String, Route> routes = new HashMap<>();

  Routes get(String path, Handler handler) {
    routes.put("GET " + path, new Route(handler, false, false));
    return this;
  }

  Routes post(String path, Handler handler) {
    routes.put("POST " + path, new Route(handler, false, false));
    return this;
  }

  /// A request whose body is too large for memory: the handler reads it, and bounds it.
  Routes upload(String path, Handler handler) {
    routes.put("POST " + path, new Route(handler, false, true));
    return this;
  }

  /// A request that computes for long. It gets a thread of its own with low priority, so that tiles
  /// never wait for it: virtual threads are not preempted.
  Routes slow(String method, String path, Handler handler) {
    routes.put(method + " " + path, new Route(handler, true, false));
    return this;
  }

  @Nullable Route find(Request request) {
    return routes.get(request.method() + " " + request.path());
  }
}
