package dev.pitwall.station;

import dev.pitwall.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// What goes back to the browser.
record Answer(int status, String type, byte[] body, Map<String, String> headers) {
  static Answer json(JsonWriter written) {
    return json(200, written.toString());
  }

  static Answer json(int status, String text) {
    return new Answer(status, "application/json", text.getBytes(StandardCharsets.UTF_8), Map.of());
  }

  static Answer bytes(byte[] body) {
    return new Answer(200, "application/octet-stream", body, Map.of());
  }

  /// One sentence for the user, as every refusal is written.
  static Answer error(int status, String sentence) {
    return json(status, new JsonWriter().object().key("error").value(sentence).end().toString());
  }
}
