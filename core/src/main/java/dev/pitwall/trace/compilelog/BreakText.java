package dev.pitwall.trace.compilelog;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the prose of a graph break and of a Python stack: `Reason:` of 2.3 to 2.6, `Graph Break
/// Reason:` with explanation, hints and a link to the registry since.
final class BreakText {
  private static final Pattern PLACE = Pattern.compile("Graph break in user code at (.+):(\\d+)");
  private static final Pattern BREAK_ID = Pattern.compile("/gb/gb(\\d+)\\.html");
  private static final Pattern FRAME =
      Pattern.compile("\\s*File \"([^\"]+)\", line (\\d+), in (.+)");
  private static final Pattern INFERRED_TYPE = Pattern.compile("(\\w[\\w.]*Error|Unsupported): ?");
  private static final String SKIPPED = "Skipping the function and falling back to eager";

  private BreakText() {}

  static GraphBreak parse(String payload, int attempt) {
    Matcher place = PLACE.matcher(payload);
    boolean placed = place.find();
    int reasonAt = payload.indexOf("Reason:");
    int stackAt = payload.indexOf("User code traceback:");
    String body =
        payload.substring(
            reasonAt < 0 ? 0 : reasonAt + "Reason:".length(),
            stackAt < 0 || stackAt < reasonAt ? payload.length() : stackAt);
    int second = body.indexOf("*** While handling this graph break");
    String own = second < 0 ? body : body.substring(0, second);
    List<String> hints = new ArrayList<>();
    StringBuilder explanation = new StringBuilder();
    String context = "";
    String reason = "";
    StringBuilder open = null;
    for (String line : own.split("\n")) {
      String text = line.strip();
      if (text.startsWith("Explanation:")) {
        explanation.append(text.substring("Explanation:".length()).strip());
        open = explanation;
      } else if (text.startsWith("Hint:")) {
        hints.add(text.substring("Hint:".length()).strip());
        open = null;
      } else if (text.startsWith("Developer debug context:")) {
        context = text.substring("Developer debug context:".length()).strip();
        open = null;
      } else if (text.startsWith("For more details") || text.isEmpty()) {
        open = text.isEmpty() ? open : null;
      } else if (open != null) {
        open.append(' ').append(text);
      } else if (hints.isEmpty() && !text.startsWith("File \"")) {
        // The last line before the explanation names the kind; wrappers stand before it.
        reason = explanation.isEmpty() ? text : reason;
      }
    }
    reason = INFERRED_TYPE.matcher(reason).replaceFirst("");
    Matcher id = BREAK_ID.matcher(own);
    List<SourceLine> stack =
        stackAt < 0 ? List.of() : userFrames(stack(tracebackBody(payload, stackAt)));
    return new GraphBreak(
        reason,
        id.find() ? "GB" + id.group(1) : "",
        explanation.toString(),
        hints,
        context,
        placed ? place.group(1) : "",
        placed ? Integer.parseInt(place.group(2)) : 0,
        stack,
        payload.contains(SKIPPED),
        attempt);
  }

  private static String tracebackBody(String payload, int stackAt) {
    int end = payload.indexOf("\nTraceback (most recent call last)", stackAt);
    return payload.substring(stackAt, end < 0 ? payload.length() : end);
  }

  /// The frames of a Python traceback, outermost first.
  static List<SourceLine> stack(String text) {
    List<SourceLine> frames = new ArrayList<>();
    String[] lines = text.split("\n");
    for (int i = 0; i < lines.length; i++) {
      Matcher frame = FRAME.matcher(lines[i]);
      if (frame.matches()) {
        String code =
            i + 1 < lines.length && !FRAME.matcher(lines[i + 1]).matches()
                ? lines[i + 1].strip()
                : "";
        frames.add(
            new SourceLine(
                frame.group(1), Integer.parseInt(frame.group(2)), frame.group(3).strip(), code));
      }
    }
    return frames;
  }

  /// The frames that are not PyTorch's own.
  static List<SourceLine> userFrames(List<SourceLine> stack) {
    return stack.stream().filter(frame -> !frame.isLibrary()).toList();
  }

  /// The last user frame of a traceback, for failures.
  static Optional<SourceLine> innermostUserFrame(String traceback) {
    List<SourceLine> frames = userFrames(stack(traceback));
    return frames.isEmpty() ? Optional.empty() : Optional.of(frames.getLast());
  }
}
