package dev.pitwall.trace.flight;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import dev.pitwall.trace.flight.FlightDump.Entry;
import dev.pitwall.trace.flight.FlightDump.State;
import dev.pitwall.trace.pickle.PickleReader;
import dev.pitwall.trace.pickle.Pickled;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads one dump, a pickle (format 2.0 to 2.10) or its JSON form.
public final class FlightDumpReader {
  private static final Pattern LAST_NUMBER = Pattern.compile("(\\d+)(?!.*\\d)");
  private static final int DEEPEST_LEVEL = 8;

  private FlightDumpReader() {}

  /// @param bytes the whole file
  /// @param fileName the file's name, whose last number is the rank
  /// @throws PitwallException with exit code 3 where this is no flight recorder dump
  public static FlightDump read(byte[] bytes, String fileName) throws IOException {
    Json top = tree(bytes, fileName);
    if (top.get("version").isNull()
        || (top.get("entries").isNull() && top.get("pg_config").isNull())) {
      throw PitwallException.unreadable(
          fileName
              + " is no NCCL flight recorder dump (it has no 'version' with 'entries'); PyTorch"
              + " writes one per rank where TORCH_NCCL_DEBUG_INFO_TEMP_FILE points.");
    }
    Map<String, List<Integer>> members = new LinkedHashMap<>();
    if (top.get("pg_config") instanceof Json.Obj groups) {
      groups.members().forEach((name, group) -> members.put(name, ranks(group.get("ranks"))));
    }
    List<Entry> entries = new ArrayList<>();
    for (Json entry : top.get("entries")) {
      entries.add(entry(entry));
    }
    Matcher number = LAST_NUMBER.matcher(fileName);
    int rank = number.find() && number.group().length() < 8 ? Integer.parseInt(number.group()) : -1;
    return new FlightDump(rank, top.get("version").text(""), members, entries);
  }

  private static Json tree(byte[] bytes, String fileName) throws IOException {
    int first = 0;
    while (first < bytes.length && Character.isWhitespace(bytes[first])) {
      first++;
    }
    if (first < bytes.length && bytes[first] == '{') {
      try {
        return Json.parse(new String(bytes, java.nio.charset.StandardCharsets.UTF_8));
      } catch (JsonSyntaxException broken) {
        throw PitwallException.unreadable(
            fileName + " is broken JSON: " + broken.getMessage() + ".");
      }
    }
    return json(PickleReader.read(new ByteArrayInputStream(bytes), fileName), 0);
  }

  /// The same value as JSON; deeper levels than a dump has are cut, so a pickle that contains
  /// itself ends.
  private static Json json(Pickled value, int depth) {
    if (depth > DEEPEST_LEVEL) {
      return Json.Null.NULL;
    }
    return switch (value) {
      case Pickled.None none -> Json.Null.NULL;
      case Pickled.Bool truth -> new Json.Bool(truth.value());
      case Pickled.Int number -> new Json.Number(Long.toString(number.value()));
      case Pickled.Real number -> new Json.Number(Double.toString(number.value()));
      case Pickled.Text text -> new Json.Text(text.value());
      case Pickled.Sequence list -> {
        List<Json> elements = new ArrayList<>();
        list.forEach(element -> elements.add(json(element, depth + 1)));
        yield new Json.Array(elements);
      }
      case Pickled.Dictionary dictionary -> {
        Map<String, Json> members = new LinkedHashMap<>();
        for (String key : dictionary.keys()) {
          members.put(key, json(dictionary.get(key), depth + 1));
        }
        yield new Json.Obj(members);
      }
    };
  }

  private static Entry entry(Json entry) {
    boolean pointToPoint = entry.get("is_p2p").bool(false);
    long collective = entry.get("collective_seq_id").integer(entry.get("seq_id").integer(-1));
    List<String> frames = new ArrayList<>();
    for (Json frame : entry.get("frames")) {
      frames.add(
          frame.get("name").text("?")
              + " ("
              + frame.get("filename").text("?")
              + ":"
              + frame.get("line").integer(0)
              + ")");
    }
    Json group = entry.get("process_group");
    return new Entry(
        group.get(0).text(group.get(0).isNull() ? "" : Long.toString(group.get(0).integer(-1))),
        group.get(1).text(""),
        pointToPoint ? entry.get("p2p_seq_id").integer(collective) : collective,
        pointToPoint,
        entry.get("profiling_name").text(""),
        sizes(entry.get("input_sizes")),
        sizes(entry.get("output_sizes")),
        sizes(entry.get("input_dtypes")),
        switch (entry.get("state").text("")) {
          case "completed" -> State.COMPLETED;
          case "started" -> State.STARTED;
          default -> State.SCHEDULED;
        },
        entry.get("time_created_ns").integer(-1),
        entry.get("timeout_ms").integer(-1),
        frames);
  }

  /// A nested list in Python's notation.
  private static String sizes(Json value) {
    return switch (value) {
      case Json.Array array -> {
        List<String> parts = new ArrayList<>();
        array.forEach(element -> parts.add(sizes(element)));
        yield "[" + String.join(", ", parts) + "]";
      }
      case Json.Number number -> number.text();
      case Json.Text text -> text.value();
      default -> "";
    };
  }

  private static List<Integer> ranks(Json value) {
    List<Integer> ranks = new ArrayList<>();
    if (value instanceof Json.Array array) {
      array.forEach(element -> ranks.add((int) element.integer(-1)));
      return ranks;
    }
    for (String part : value.text("").toLowerCase(Locale.ROOT).split("[^0-9]+", -1)) {
      if (!part.isEmpty() && part.length() < 9) {
        ranks.add(Integer.parseInt(part));
      }
    }
    return ranks;
  }
}
