package dev.pitwall.trace.kineto;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.SharedData;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.Track;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/// The same files read by a library that accepts only valid JSON and shares no code with ours:
/// every slice must come out with the same lane, category, name, time, duration, correlation and
/// external id.
class JacksonOracleTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "h200/gpt2/base_stack.trace.json.gz",
        "h200/gpt2_compile/reduce_overhead.trace.json.gz",
        "h200/memory/w8_fsdp2_d1024_L12.trace.json.gz",
        "h200/multi/s_ddp.rank1.trace.json.gz",
        "h200/resnet/compile_reduce_overhead.trace.json.gz"
      })
  void everySliceIsTheSame(String path) throws IOException {
    Path file = SharedData.require(path);
    assertThat(ours(file)).containsExactlyElementsOf(theirs(file));
  }

  private static List<String> ours(Path file) {
    Trace trace = TraceFiles.read(file).getFirst();
    Slices slices = trace.slices();
    List<String> rows = new ArrayList<>();
    for (int row = 0; row < slices.size(); row++) {
      Track track = trace.tracks().get(slices.track(row));
      int operator = slices.operatorDetail(row);
      rows.add(
          String.join(
              "|",
              track.process(),
              track.thread(),
              trace.names().text(slices.categoryNameId(row)),
              trace.name(row),
              Long.toString(slices.startNanos(row)),
              Long.toString(slices.durationNanos(row)),
              Integer.toString(slices.correlation(row)),
              Integer.toString(slices.externalId(row)),
              operator < 0
                  ? ""
                  : withoutSpaces(trace.names().text(slices.operators().inputShapesId(operator)))));
    }
    rows.sort(null);
    return rows;
  }

  private static List<String> theirs(Path file) throws IOException {
    List<String> rows = new ArrayList<>();
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file));
        JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), in)) {
      while (!"traceEvents".equals(parser.currentName())) {
        parser.nextToken();
      }
      parser.nextToken();
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        Map<String, String> event = object(parser);
        boolean isSlice =
            event.getOrDefault("ph", "").equals("X")
                && !event.getOrDefault("cat", "").equals("Trace");
        if (isSlice) {
          rows.add(
              String.join(
                  "|",
                  event.getOrDefault("pid", ""),
                  event.getOrDefault("tid", ""),
                  event.getOrDefault("cat", ""),
                  event.getOrDefault("name", ""),
                  nanos(event.getOrDefault("ts", "")),
                  nanos(event.getOrDefault("dur", "")),
                  event.getOrDefault("args/correlation", "-1"),
                  event.getOrDefault("args/External id", "-1"),
                  event.getOrDefault("args/Input Dims", "")));
        }
      }
    }
    rows.sort(null);
    return rows;
  }

  private static Map<String, String> object(JsonParser parser) {
    Map<String, String> members = new HashMap<>();
    String prefix = "";
    while (true) {
      JsonToken token = parser.nextToken();
      if (token == JsonToken.END_OBJECT) {
        if (prefix.isEmpty()) {
          return members;
        }
        prefix = "";
        continue;
      }
      String name = parser.currentName();
      token = parser.nextToken();
      if (token == JsonToken.START_OBJECT && name.equals("args")) {
        prefix = "args/";
      } else {
        members.put(prefix + name, value(parser));
      }
    }
  }

  private static String value(JsonParser parser) {
    if (!parser.currentToken().isStructStart()) {
      return parser.getString();
    }
    StringBuilder text = new StringBuilder();
    int depth = 0;
    do {
      JsonToken token = parser.currentToken();
      if (token.isStructStart()) {
        comma(text);
        text.append(token.asString());
        depth++;
      } else if (token.isStructEnd()) {
        text.append(token.asString());
        depth--;
      } else if (token != JsonToken.PROPERTY_NAME) {
        comma(text);
        text.append(parser.getString());
      }
      if (depth > 0) {
        parser.nextToken();
      }
    } while (depth > 0);
    return text.toString();
  }

  private static void comma(StringBuilder text) {
    if (!text.isEmpty() && text.charAt(text.length() - 1) != '[') {
      text.append(',');
    }
  }

  private static String withoutSpaces(String text) {
    return text.replace(" ", "");
  }

  private static String nanos(String micros) {
    return new BigDecimal(micros)
        .movePointRight(3)
        .setScale(0, RoundingMode.HALF_UP)
        .toPlainString();
  }
}
