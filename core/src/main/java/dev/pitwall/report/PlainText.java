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
          "c10::",
          "std::");

  private static final Pattern LAMBDA =
      Pattern.compile("::\\{lambda\\([^}]{0,80}\\}|::operator\\(\\)\\(\\)|( const)+(?=[,>:])");

  /// Of kernels over lists of tensors only what they do tells them apart.
  private static final Pattern TENSOR_LIST =
      Pattern.compile("(FusedOptimizer)?TensorList(ScalarList)?Metadata<[^<>]{0,80}>, ?");

  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

  private static final Pattern FIGURE = Pattern.compile("\\S*\\d");

  private static final Pattern UNIT =
      Pattern.compile(
          "(%|ns|us|µs|ms|s|min|h|d|B|kB|MB|GB|TB|[KMGT]iB|x|T|M)[).,;:]*(/s)?[).,;:]*(\u001b\\[0m)?");

  private PlainText() {}

  /// The text with U+FFFD for control and bidirectional formatting characters, so that a name
  /// cannot move the cursor or colour the screen.
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
  public static String kernelName(String name) {
    String shorter = name.replaceFirst("^(idle before )?void ", "$1");
    for (String everywhere : EVERYWHERE) {
      shorter = shorter.replace(everywhere, "");
    }
    shorter = TENSOR_LIST.matcher(shorter).replaceAll("");
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

  /// The text in lines of at most `width` characters, broken at spaces, though not between a
  /// figure and its unit, and inside longer words. Colours take no room.
  public static List<String> wrapped(String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    int length = 0;
    for (String whole : words(text)) {
      String word = whole;
      while (word.length() > width && visibleLength(word) > width) {
        if (length > 0) {
          lines.add(line.toString());
          line.setLength(0);
          length = 0;
        }
        lines.add(word.substring(0, width));
        word = word.substring(width);
      }
      int room = visibleLength(word);
      if (length > 0 && length + 1 + room > width) {
        lines.add(line.toString());
        line.setLength(0);
        length = 0;
      }
      line.append(length == 0 ? "" : " ").append(word);
      length += (length == 0 ? 0 : 1) + room;
    }
    if (!line.isEmpty()) {
      lines.add(line.toString());
    }
    return lines;
  }

  /// The words, each figure in one with its unit.
  private static List<String> words(String text) {
    List<String> words = new ArrayList<>();
    for (String word : text.strip().split("\\s+")) {
      if (!words.isEmpty()
          && UNIT.matcher(word).matches()
          && FIGURE.matcher(words.getLast()).matches()) {
        words.set(words.size() - 1, words.getLast() + " " + word);
      } else {
        words.add(word);
      }
    }
    return words;
  }

  /// Characters that a terminal shows of the text: all but colours.
  static int visibleLength(String text) {
    return text.indexOf('\u001b') < 0
        ? text.length()
        : COLOUR.matcher(text).replaceAll("").length();
  }
}
