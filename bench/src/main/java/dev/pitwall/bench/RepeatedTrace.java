package dev.pitwall.bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/// A large trace made of a small real one: its events over and over, each copy later by the length
/// of the recording and with ids of its own, under a given number of `ProfilerStep` ranges or under
/// its own, numbered on. Names, shapes, proportions and layout of the text stay those of the real
/// file.
final class RepeatedTrace {
  /// A number that differs from copy to copy.
  private enum Slot {
    TIME("\"ts\": (\\d+\\.\\d{3})"),
    CORRELATION("\"correlation\": (\\d+)"),
    EXTERNAL_ID("\"External id\": (\\d+)"),
    EVENT_INDEX("\"Ev Idx\": (\\d+)"),
    STEP("\"name\": \"ProfilerStep#(\\d+)"),
    PYTHON_ID("\"Python (?:parent )?id\": (\\d+)"),
    FORWARD_BACKWARD_FLOW("\"id\": (\\d+)(?=.*\\s*\"cat\": \"fwdbwd\")"),
    LAUNCH_FLOW("\"id\": (\\d+)(?=.*\\s*\"cat\": \"ac2g\")");

    final Pattern pattern;

    Slot(String regex) {
      pattern = Pattern.compile(regex);
    }
  }

  private record Piece(byte[] text, Slot slot, long value) {}

  private static final String EVENTS_START = "\"traceEvents\": [\n";
  private static final String EVENTS_END = "\n  ],";
  private static final Pattern STEP = Pattern.compile("\"name\": \"ProfilerStep#");
  private static final Pattern ONCE =
      Pattern.compile("\"ph\": \"M\"|\"pid\": \"(?:Spans|Traces)?\"");
  private static final Pattern HOST_STEP =
      Pattern.compile(
          "\"user_annotation\", \"name\": \"ProfilerStep#\\d+\", (\"pid\": \\d+, \"tid\": \\d+)");

  private final String head;
  private final String tail;
  private final String once;
  private final String lane;
  private final List<Piece> pieces = new ArrayList<>();
  private final long[] lowest = new long[Slot.values().length];
  private final long[] highest = new long[Slot.values().length];
  private final int bytesOfCopy;

  /// A trace whose steps are laid over it.
  RepeatedTrace(Path gzippedTrace) throws IOException {
    this(gzippedTrace, false);
  }

  /// @param ownSteps whether the steps of the real file are repeated with its events
  RepeatedTrace(Path gzippedTrace, boolean ownSteps) throws IOException {
    String text;
    try (InputStream in = new GZIPInputStream(Files.newInputStream(gzippedTrace))) {
      text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    int start = text.indexOf(EVENTS_START) + EVENTS_START.length();
    int end = text.lastIndexOf(EVENTS_END);
    head = text.substring(0, start);
    tail = text.substring(end);
    StringBuilder onceEvents = new StringBuilder();
    StringBuilder repeated = new StringBuilder();
    for (String event : text.substring(start, end).split("(?<=\n  \\}),\n")) {
      if (ONCE.matcher(event).find()) {
        onceEvents.append(event).append(",\n");
      } else if (ownSteps || !STEP.matcher(event).find()) {
        repeated.append(event).append(",\n");
      }
    }
    once = onceEvents.toString();
    Matcher step = HOST_STEP.matcher(text);
    lane = step.find() ? step.group(1) : "\"pid\": 1, \"tid\": 1";
    bytesOfCopy = repeated.length();
    cutIntoPieces(repeated.toString());
  }

  private void cutIntoPieces(String text) {
    Arrays.fill(lowest, Long.MAX_VALUE);
    record Found(int start, int end, Slot slot, long value) {}
    List<Found> found = new ArrayList<>();
    for (Slot slot : Slot.values()) {
      Matcher matcher = slot.pattern.matcher(text);
      while (matcher.find()) {
        long value = Long.parseLong(matcher.group(1).replace(".", ""));
        found.add(new Found(matcher.start(1), matcher.end(1), slot, value));
        lowest[slot.ordinal()] = Math.min(lowest[slot.ordinal()], value);
        highest[slot.ordinal()] = Math.max(highest[slot.ordinal()], value);
      }
    }
    found.sort((left, right) -> Integer.compare(left.start(), right.start()));
    int at = 0;
    for (Found number : found) {
      pieces.add(
          new Piece(
              text.substring(at, number.start()).getBytes(StandardCharsets.UTF_8),
              number.slot(),
              number.value()));
      at = number.end();
    }
    pieces.add(new Piece(text.substring(at).getBytes(StandardCharsets.UTF_8), Slot.TIME, -1));
  }

  /// Writes at least `bytes` bytes with `steps` steps of equal length.
  void write(OutputStream target, long bytes, int steps) throws IOException {
    int copies = (int) Math.max(steps, (bytes + bytesOfCopy - 1) / bytesOfCopy);
    long lengthNanos = nanosOfCopy();
    OutputStream out = new BufferedOutputStream(target, 1 << 20);
    out.write(head.getBytes(StandardCharsets.UTF_8));
    for (int step = 0; step < steps; step++) {
      long from = lowest[Slot.TIME.ordinal()] + lengthNanos * ((long) copies * step / steps);
      long to = lowest[Slot.TIME.ordinal()] + lengthNanos * ((long) copies * (step + 1) / steps);
      out.write(stepRange(step, from, to - from - 1_000).getBytes(StandardCharsets.UTF_8));
    }
    writeCopies(out, copies, lengthNanos);
    out.flush();
  }

  /// All before the events.
  String head() {
    return head;
  }

  /// How far apart copies must at least be.
  long nanosOfCopy() {
    return highest[Slot.TIME.ordinal()] - lowest[Slot.TIME.ordinal()] + 1_000_000;
  }

  /// Writes the events so many times, each later by a length, and all that comes behind them.
  void writeCopies(OutputStream out, int copies, long lengthNanos) throws IOException {
    for (int copy = 0; copy < copies; copy++) {
      for (Piece piece : pieces) {
        out.write(piece.text());
        if (piece.value() >= 0) {
          writeNumber(out, piece, copy, lengthNanos);
        }
      }
    }
    String last = once.substring(0, once.length() - 2);
    out.write(last.getBytes(StandardCharsets.UTF_8));
    out.write(tail.getBytes(StandardCharsets.UTF_8));
  }

  private String stepRange(int step, long startNanos, long durationNanos) {
    return """
      {
        "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d", %s,
        "ts": %d.%03d, "dur": %d.%03d,
        "args": {
          "External id": %d,"Record function id": 0, "Ev Idx": %d
        }
      },
    """
        .formatted(
            step + 10,
            lane,
            startNanos / 1000,
            startNanos % 1000,
            durationNanos / 1000,
            durationNanos % 1000,
            1_900_000_000 + step,
            step);
  }

  private void writeNumber(OutputStream out, Piece piece, int copy, long lengthNanos)
      throws IOException {
    Slot slot = piece.slot();
    if (slot == Slot.TIME) {
      long nanos = piece.value() + copy * lengthNanos;
      writeDecimal(out, nanos / 1000);
      out.write('.');
      int fraction = (int) (nanos % 1000);
      out.write('0' + fraction / 100);
      out.write('0' + fraction / 10 % 10);
      out.write('0' + fraction % 10);
    } else {
      Slot range = slot == Slot.LAUNCH_FLOW ? Slot.CORRELATION : slot;
      writeDecimal(
          out, piece.value() + copy * (highest[range.ordinal()] - lowest[range.ordinal()] + 1));
    }
  }

  private static void writeDecimal(OutputStream out, long value) throws IOException {
    out.write(Long.toString(value).getBytes(StandardCharsets.ISO_8859_1));
  }
}
