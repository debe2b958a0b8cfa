package dev.pitwall.trace.compilelog;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The part of an event's line before its JSON: `V1129 14:33:59.540000 866 torch/_dynamo/x.py:276]
/// `. A log shipper may have put text before it.
///
/// @param process id of the process that wrote the event
/// @param jsonStart where the JSON begins in the line
record LogHeader(int process, int jsonStart) {
  private static final Pattern PATTERN =
      Pattern.compile(
          "[VIWEC]\\d{4} \\d{2}:\\d{2}:\\d{2}\\.\\d{6} +(\\d+) +[^:\\n]+:\\d+\\] (?=\\{)");

  /// The header in this text, which is a line or its beginning.
  static Optional<LogHeader> find(String text) {
    Matcher header = PATTERN.matcher(text);
    if (!header.find()) {
      return Optional.empty();
    }
    int process;
    try {
      process = Integer.parseInt(header.group(1));
    } catch (NumberFormatException tooLarge) {
      process = -1;
    }
    return Optional.of(new LogHeader(process, header.end()));
  }
}
