package dev.pitwall.trace.compilelog;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads `recompile_reasons`: a JSON list of texts, or one bare text where there is a single reason
/// (2.11 and later), each `0/1: guard  # comment`.
final class GuardText {
  private static final Pattern EARLIER =
      Pattern.compile("^\\s*(\\d+/\\d+):\\s*(.*)$", Pattern.DOTALL);

  private GuardText() {}

  static List<GuardFailure> parse(String payload) {
    List<String> texts = new ArrayList<>();
    try {
      Json json = Json.parse(payload);
      if (json instanceof Json.Array) {
        json.forEach(one -> texts.add(one.text("")));
      } else {
        texts.add(json.text(payload));
      }
    } catch (JsonSyntaxException bareText) {
      texts.add(payload);
    }
    List<GuardFailure> failures = new ArrayList<>();
    for (String text : texts) {
      if (!text.isBlank()) {
        failures.add(one(text));
      }
    }
    return failures;
  }

  private static GuardFailure one(String text) {
    Matcher earlier = EARLIER.matcher(text);
    boolean known = earlier.matches();
    String body = known ? earlier.group(2) : text;
    int stack = body.indexOf("\nUser stack trace:");
    String line = stack < 0 ? body : body.substring(0, stack);
    int comment = line.indexOf("# ");
    String guard = comment < 0 ? line : line.substring(0, comment);
    String origin = comment < 0 ? "" : line.substring(comment + 2);
    return new GuardFailure(known ? earlier.group(1) : "", guard.strip(), origin.strip());
  }
}
