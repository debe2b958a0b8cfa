package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.Slices;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/// NVTX ranges. Those that `torch.autograd.profiler.emit_nvtx` makes are operators and read as
/// such: `aten::mm, seq = 3, op_id = 4, sizes = [[8, 4], [4, 2]]`. Their texts all differ, so a
/// text is cut before it becomes a name.
final class RangeRows {
  private static final int PUSH_POP = 59;
  private static final int START_END = 60;
  private static final int NO_TEXT = -1;
  private static final byte[][] OPERATOR_PREFIXES = {utf8("aten::"), utf8("autograd::")};
  private static final byte[] SIZES = utf8("sizes = ");

  private final ExportTimeline timeline;
  private final Names names;
  private final Map<Integer, byte[]> registeredTexts = new HashMap<>();
  private int shapes;
  private boolean isOperator;

  private RangeRows(ExportTimeline timeline) {
    this.timeline = timeline;
    names = timeline.names();
  }

  static void read(ExportTables tables, ExportTimeline timeline) {
    RangeRows rows = new RangeRows(timeline);
    int annotation = timeline.names().intern("user_annotation");
    int operator = timeline.names().intern("cpu_op");
    tables.forEach(
        "NVTX_EVENTS",
        row -> {
          long type = row.integer(2, 0);
          long end = row.integer(1, -1);
          if ((type == PUSH_POP || type == START_END) && end >= 0) {
            int name = rows.name(row);
            timeline.slice(
                timeline.thread(row.integer(5, 0)),
                rows.isOperator ? Category.CPU_OP : Category.USER_ANNOTATION,
                rows.isOperator ? operator : annotation,
                name,
                row.integer(0, 0),
                end,
                Slices.NONE,
                rows.isOperator
                    ? timeline.builder.operators().add(rows.shapes, 0, 0, 0, -1, -1, -1, 0)
                    : Slices.NONE);
          }
        },
        "start",
        "end",
        "eventType",
        "text",
        "textId",
        "globalTid");
  }

  /// The range's name; whether it is an operator, and its shapes, are left in the fields. A text
  /// stands in the row or, where the program registered it, among the strings.
  private int name(ExportRow row) {
    int inRow = row.withText(3, this::take, NO_TEXT);
    if (inRow > 0) {
      return inRow;
    }
    int registered = timeline.strings.name(row.integer(4, -1));
    byte[] text = registeredTexts.computeIfAbsent(registered, id -> utf8(names.text(id)));
    return take(text, 0, text.length);
  }

  private int take(byte[] text, int from, int length) {
    isOperator =
        startsWith(text, from, length, OPERATOR_PREFIXES[0])
            || startsWith(text, from, length, OPERATOR_PREFIXES[1]);
    shapes = 0;
    if (!isOperator) {
      return names.intern(text, from, length);
    }
    int end = from + length;
    int comma = from;
    while (comma < end && text[comma] != ',') {
      comma++;
    }
    for (int at = comma; at + SIZES.length < end; at++) {
      if (text[at] == SIZES[0] && startsWith(text, at, end - at, SIZES)) {
        shapes = list(text, at + SIZES.length, end);
        break;
      }
    }
    return names.intern(text, from, comma - from);
  }

  /// The list `[...]` that begins at `from`, as a name; 0 where none does.
  private int list(byte[] text, int from, int end) {
    int close = end - 1;
    while (close > from && text[close] != ']') {
      close--;
    }
    return text[from] == '[' && close > from ? names.intern(text, from, close + 1 - from) : 0;
  }

  private static boolean startsWith(byte[] text, int from, int length, byte[] prefix) {
    return length >= prefix.length
        && Arrays.equals(text, from, from + prefix.length, prefix, 0, prefix.length);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
