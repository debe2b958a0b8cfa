package dev.pitwall.station.browser;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The WebSocket to a browser: commands with an answer each, and events.
final class DevTools implements AutoCloseable {
  private final Map<Integer, CompletableFuture<Json>> waiting = new ConcurrentHashMap<>();
  private final AtomicInteger lastId = new AtomicInteger();
  private final Consumer<Json> events;
  private final WebSocket socket;

  DevTools(HttpClient client, String address, Consumer<Json> events) {
    this.events = events;
    socket = client.newWebSocketBuilder().buildAsync(URI.create(address), new Listener()).join();
  }

  /// Sends a command and waits for its result.
  ///
  /// @param parameters writes the members of `params`
  Json send(String method, @Nullable String session, Consumer<JsonWriter> parameters) {
    int id = lastId.incrementAndGet();
    JsonWriter json = new JsonWriter().object().key("id").value(id).key("method").value(method);
    if (session != null) {
      json.key("sessionId").value(session);
    }
    json.key("params").object();
    parameters.accept(json);
    json.end().end();
    CompletableFuture<Json> answer = new CompletableFuture<>();
    waiting.put(id, answer);
    synchronized (this) {
      socket.sendText(json.toString(), true).join();
    }
    Json message = answer.orTimeout(60, TimeUnit.SECONDS).join();
    if (!message.get("error").isNull()) {
      throw new AssertionError(method + ": " + message.get("error").get("message").text(""));
    }
    return message.get("result");
  }

  @Override
  public void close() {
    socket.abort();
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(
        WebSocket webSocket, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        Json message = Json.parse(text.toString());
        text.setLength(0);
        CompletableFuture<Json> answer = waiting.remove((int) message.get("id").integer(-1));
        if (answer != null) {
          answer.complete(message);
        } else {
          events.accept(message);
        }
      }
      webSocket.request(1);
      return null;
    }
  }
}
