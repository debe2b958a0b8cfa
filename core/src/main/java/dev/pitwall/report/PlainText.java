package dev.pitwall.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Text out of a recording made safe for a terminal, and text broken into lines.
public final class PlainText {
  /// What says nothing in a kernel's name because it stands in so many.
  private static final List<String> EVERYWHERE =
      List.of(
          "(anonymous namespace)::",
          "at::native::",
          "(at::TensorIteratorBase&)",
          "torch::headeronly::",
          "c10::");

  private static final Pattern LAMBDA =
      Pattern.compile("::\\{lambda\\([^}]{0,80}\\}|::operator\\(\\)\\(\\)|( const)+(?=[,>:])");

  private PlainText() {}

  /// The text with U+FFFD for control and bidirectional formatting characters, so that a name
  // cannot move the cursor or colour the
  /// screen.
  public static String printable(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean bidirectional = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
      safe.append(Character.isISOControl(c) || bidirectional ? '\uFFFD' : c);
    }
    return safe.toString();
  }

  /// Kernel names without the parts that so many of them have: `void`, argument lists, namespaces,
  /// lambdas.
  static String kernelName(String name) {
    String shorter = name.replaceFirst("^(idle before )?void ", "$1");
    for (String everywhere : EVERYWHERE) {
      shorter = shorter.replace(everywhere, "");
    }
    shorter = LAMBDA.matcher(shorter).replaceAll("");
    int arguments = argumentList(shorter);
    return printable(arguments > 0 ? shorter.substring(0, arguments) : shorter);
  }

  /// Where the trailing argument list begins, or -1.
  private static int argumentList(String name) {
    if (!name.endsWith(")")) {
      return -1;
    }
    int depth = 0;
    for (int i = name.length() - 1; i >= 0; i--) {
      char c = name.charAt(i);
      depth += c == ')' ? 1 : c == '(' ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return -1;
  }

  /// The text in lines of at most `width` characters, broken at spaces and inside longer words.
  static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String whole : text.strip().split("\\s+")) {
      String word = whole;
      while (word.length() > width) {
        if (!line.isEmpty()) {
          lines.add(line.toString());
          line.setLength(0);
        }
        lines.add(word.substring(0, width));
        word = word.substring(width);
      }
      if (!line.isEmpty() && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    return lines;
  }
}
