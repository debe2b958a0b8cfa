package dev.pitwall.trace.kineto;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceBuilder;
import dev.pitwall.trace.TraceInput;
import dev.pitwall.trace.TraceReader;
import dev.pitwall.trace.json.JsonScanner;
import dev.pitwall.trace.json.Keys;
import dev.pitwall.trace.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads `torch.profiler` traces of PyTorch 1.8 to 2.14 and other Chrome traces in one pass.
///
/// A trace is an object with metadata and the array `traceEvents`, in any order, or (until 2021)
/// the bare array. An event that cannot be read is left out and the reading goes on at the next.
public final class KinetoReader implements TraceReader {
  /// With fewer, whole microseconds may be chance.
  private static final int ENOUGH_SLICES = 10;

  private static final byte[] EVENTS_KEY = "\"traceEvents\"".getBytes(StandardCharsets.UTF_8);

  @Override
  public boolean accepts(byte[] head, int length, Path file) {
    for (int i = 0; i < length; i++) {
      if (head[i] > ' ') {
        return head[i] == '{' || head[i] == '[';
      }
    }
    return false;
  }

  @Override
  public Trace read(Path file) {
    try (TraceInput input = TraceInput.open(file)) {
      return new Reading(file, input).read();
    }
  }

  /// One file being read.
  private static final class Reading {
    private final Path file;
    private final TraceInput input;
    private final JsonScanner scanner;
    private final TraceBuilder builder = new TraceBuilder();
    private final LossLedger losses = builder.losses();
    private final Names names = builder.names();
    private final EventParser parser;
    private final EventWriter writer = new EventWriter(builder);
    private final TopLevel topLevel = new TopLevel(losses);
    private final Keys topKeys = new Keys(List.of("traceEvents"));
    private final VersionEvidence evidence = new VersionEvidence();
    private boolean sawEvents;
    private boolean baseBeforeEvents;

    Reading(Path file, TraceInput input) {
      this.file = file;
      this.input = input;
      scanner = new JsonScanner(input.stream(), file.toString());
      parser = new EventParser(scanner, names, losses);
    }

    Trace read() {
      if (scanner.peek() == '[') {
        readEvents();
      } else {
        readObject();
      }
      if (!sawEvents) {
        throw PitwallException.unreadable(
            file + " is JSON without `traceEvents`, so no torch.profiler trace.");
      }
      if (writer.readEvents() == 0 && (writer.events() > 0 || losses.count("damaged-event") > 0)) {
        throw PitwallException.unreadable(
            file + " is JSON, but nothing in it is a trace event (an object with a phase `ph`).");
      }
      writer.finish();
      recordRepairs();
      return builder.build(topLevel.recording(file, writer, torchVersion(), scanner.offset()));
    }

    private @Nullable String torchVersion() {
      evidence.sawNames(names);
      for (Key key :
          List.of(Key.RECORD_FUNCTION_ID, Key.EVENT_INDEX, Key.EVENT_INDEX_OLD, Key.FINISHED)) {
        if (parser.saw(key)) {
          evidence.saw(key.text());
        }
      }
      for (String feature : List.of("baseTimeNanoseconds", "trace_id")) {
        if (topLevel.has(feature)) {
          evidence.saw(feature);
        }
      }
      if (topLevel.has("baseTimeNanoseconds")) {
        evidence.saw("baseTimeNanoseconds " + (baseBeforeEvents ? "before" : "after") + " events");
      }
      if (builder.slices() >= ENOUGH_SLICES) {
        evidence.saw(writer.sawFractions() ? "fractions of microseconds" : "whole microseconds");
      }
      return evidence.range();
    }

    private void readObject() {
      scanner.advance();
      while (true) {
        try {
          int key;
          while ((key = scanner.nextKey(topKeys)) != JsonScanner.END) {
            if (key == Keys.UNKNOWN) {
              topLevel.value(scanner.tokenText(), scanner.text(TopLevel.LONGEST_VALUE));
            } else if (scanner.peek() == '[') {
              readEvents();
            } else {
              scanner.skip();
            }
          }
          return;
        } catch (MalformedJson damage) {
          if (damage.atEnd()) {
            recordCut();
            return;
          }
          losses.record(
              "damaged-metadata",
              "At byte "
                  + scanner.offset()
                  + " stands "
                  + damage.getMessage()
                  + " outside the events.");
          if (!scanner.skipBehind(EVENTS_KEY)) {
            return;
          }
          scanner.peek();
          scanner.advance();
          if (scanner.peek() == '[') {
            readEvents();
          }
        }
      }
    }

    private void readEvents() {
      sawEvents = true;
      baseBeforeEvents = topLevel.has("baseTimeNanoseconds");
      scanner.advance();
      while (true) {
        scanner.mark();
        try {
          if (!scanner.nextElement()) {
            return;
          }
          scanner.mark();
          Event event = parser.read();
          writer.write(event, scanner.offset());
        } catch (MalformedJson damage) {
          if (damage.atEnd()) {
            recordCut();
          } else {
            losses.record(
                "damaged-event",
                "At byte "
                    + scanner.offset()
                    + " stands "
                    + damage.getMessage()
                    + "; the event around it was left out.");
          }
          if (scanner.rewindToMark()) {
            scanner.advance();
          }
          if (!scanner.skipToNextElement()) {
            return;
          }
        }
      }
    }

    private void recordCut() {
      if (losses.count("truncated") == 0) {
        losses.record(
            "truncated",
            "The file ends at byte "
                + scanner.offset()
                + " before its end was written; the "
                + writer.events()
                + " whole events in it were read.");
      }
    }

    private void recordRepairs() {
      losses.record(
          "unescaped-quote",
          scanner.strayQuotes(),
          "Quotes inside names were not escaped; they were read as part of the name.");
      losses.record(
          "control-character",
          scanner.controlCharacters(),
          "Control characters stand raw inside texts; they were kept.");
      losses.record(
          "lone-backslash",
          scanner.loneBackslashes(),
          "Backslashes inside texts begin no escape; they were kept.");
      losses.record(
          "bad-utf8",
          names.undecodable(),
          "Names hold bytes that are no UTF-8; they show as \uFFFD.");
      String damage = input.damage();
      if (damage != null) {
        losses.record(
            "damaged-compression",
            "The compressed file is damaged (" + damage + "); what came before was read.");
      }
    }
  }
}
