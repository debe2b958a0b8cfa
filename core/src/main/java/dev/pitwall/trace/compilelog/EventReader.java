package dev.pitwall.trace.compilelog;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.LossLedger;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads the events of one log in order and hands each to the compilation it belongs to. Used once.
final class EventReader {
  private static final Set<String> CONTEXT_KEYS =
      Set.of(
          "rank",
          "frame_id",
          "frame_compile_id",
          "attempt",
          "compiled_autograd_id",
          "has_payload",
          "stack",
          "subgraph_name");

  /// Kinds whose payload is read; of the others only the checksum is.
  private static final Set<String> READ_PAYLOADS =
      Set.of(
          "artifact dynamo_graph_break_reason",
          "artifact recompile_reasons",
          "artifact inductor_provenance_tracking_kernel_stack_traces",
          "artifact fx_graph_cache_hit",
          "artifact fx_graph_cache_miss",
          "artifact fx_graph_cache_bypass",
          "artifact fx_graph_bundled_cache_hit",
          "artifact aotautograd_cache_hit",
          "artifact aotautograd_cache_miss",
          "artifact aotautograd_cache_bypass",
          "artifact dynamo_cache_bypass",
          "artifact torch_version",
          "chromium_event",
          "inductor_output_code",
          "aot_forward_graph",
          "aot_backward_graph",
          "dynamo_cpp_guards_str");

  private static final Set<String> KNOWN = known();
  private static final int HEADER_SCAN_BYTES = 600;
  private static final Pattern GUARD_LATENCY = Pattern.compile("Guard latency = ([\\d.]+) us");
  private static final Pattern CACHE_KEY = Pattern.compile("\"key\": ?\"([^\"]*)\"");
  private static final Pattern BYPASS_REASON =
      Pattern.compile("\"cache_bypass_reason\": ?\"((?:[^\"\\\\]|\\\\.)*)\"");

  private final String fileName;
  private final LossLedger losses = new LossLedger();
  private final Map<String, Integer> eventCounts = new HashMap<>();
  private final Map<String, Map<Integer, String>> interned = new HashMap<>();
  private final Map<String, CompilationBuilder> newest = new HashMap<>();
  private final List<CompilationBuilder> compilations = new ArrayList<>();
  private final PhaseStack phases = new PhaseStack();
  private final Payload payload = new Payload();
  private final TorchVersion version = new TorchVersion();

  private int rank;
  private int events;

  private @Nullable Json event;
  private String kind = "";
  private String expectedDigest = "";
  private int process;
  private long eventLine;
  private boolean payloadSeen;

  EventReader(String fileName, int rankOfName) {
    this.fileName = fileName;
    this.rank = rankOfName;
  }

  CompileLog read(InputStream in) throws IOException {
    LogLines lines = new LogLines(in);
    boolean skipPayload = true;
    while (lines.next()) {
      if (lines.start() == lines.end()) {
        continue;
      }
      if (lines.isPayload()) {
        if (skipPayload) {
          losses.record(
              "orphan-payload",
              "line " + lines.number() + ": a payload without its event was left out");
        } else {
          payload.addLine(lines.buffer(), lines.start() + 1, lines.end());
          payloadSeen = true;
        }
        continue;
      }
      finish(false);
      skipPayload = !begin(lines);
    }
    boolean cut = !lines.damage().isEmpty();
    finish(true);
    if (cut) {
      losses.record(
          "truncated", "line " + lines.number() + ": the file ends early (" + lines.damage() + ")");
    }
    if (phases.unmatched() > 0) {
      losses.record(
          "unpaired-phase",
          phases.unmatched(),
          "spans of the compiler's timeline that begin or end outside of the log");
    }
    return new CompileLog(
        fileName,
        rank,
        version.text(),
        lines.bytesRead(),
        events,
        compilations.stream().map(CompilationBuilder::build).toList(),
        phases.phases(),
        eventCounts,
        losses);
  }

  /// Reads an event's own line. False where it is none, so that a payload behind it has no owner.
  private boolean begin(LogLines lines) {
    int scanEnd = Math.min(lines.end(), lines.start() + HEADER_SCAN_BYTES);
    LogHeader header = LogHeader.find(lines.text(lines.start(), scanEnd) + " ").orElse(null);
    if (header == null) {
      losses.record(
          "no-event",
          "line " + lines.number() + ": not a line of the structured log; it was left out");
      return false;
    }
    Json parsed;
    String text = lines.text(lines.start(), lines.end());
    try {
      parsed = Json.parse(text.substring(header.jsonStart()));
    } catch (JsonSyntaxException | IndexOutOfBoundsException damaged) {
      losses.record(
          "damaged-event",
          "line " + lines.number() + ": the event is not whole JSON; it was left out");
      return false;
    }
    if (!(parsed instanceof Json.Obj object)) {
      return false;
    }
    String key = "";
    for (String member : object.members().keySet()) {
      if (!CONTEXT_KEYS.contains(member)) {
        key = member;
        break;
      }
    }
    event = parsed;
    kind = key.equals("artifact") ? "artifact " + parsed.get(key).get("name").text("") : key;
    process = header.process();
    eventLine = lines.number();
    expectedDigest = parsed.get("has_payload").text("");
    payloadSeen = false;
    payload.begin(READ_PAYLOADS.contains(kind));
    return true;
  }

  private void finish(boolean atEnd) {
    Json finished = event;
    if (finished == null) {
      return;
    }
    event = null;
    if (!expectedDigest.isEmpty() && !payload.matches(expectedDigest)) {
      losses.record(
          atEnd ? "truncated" : "damaged-payload",
          "line "
              + eventLine
              + ": the payload of "
              + kind
              + (payloadSeen ? " does not match its checksum" : " is missing"));
    }
    events++;
    eventCounts.merge(kind, 1, Integer::sum);
    if (!isKnown(kind)) {
      losses.record("unknown-event", "line " + eventLine + ": " + kind + " is not understood");
    }
    rank = (int) finished.get("rank").integer(rank);
    try {
      dispatch(finished);
    } catch (JsonSyntaxException damaged) {
      losses.record(
          "unreadable-payload", "line " + eventLine + ": the payload of " + kind + " is not JSON");
    }
  }

  private void dispatch(Json whole) {
    Json fields = whole.get(kind);
    switch (kind) {
      case "str" -> intern(fields);
      case "chromium_event" -> phases.accept(Json.parse(payload.text()));
      case "artifact torch_version" ->
          version.exact(Json.parse(payload.text()).get("pytorch_version").text(""));
      case "dynamo_start" -> start(whole).started(stack(fields.get("stack")));
      default -> {
        version.saw(kind, fields);
        CompileId id = id(whole);
        boolean identified = id.frame() >= 0 || id.compiledAutograd() >= 0;
        if (identified || kind.equals("compilation_metrics") || READ_PAYLOADS.contains(kind)) {
          dispatchTo(compilation(identified ? id : CompileId.NONE), whole, fields);
        }
      }
    }
  }

  private void dispatchTo(CompilationBuilder compilation, Json whole, Json fields) {
    int attempt = (int) Math.max(0, whole.get("attempt").integer(0));
    compilation.attempt(attempt);
    switch (kind) {
      case "artifact dynamo_graph_break_reason" ->
          compilation.graphBreak(BreakText.parse(payload.text(), attempt));
      case "artifact recompile_reasons" ->
          compilation.guardsFailed(GuardText.parse(payload.text()));
      case "artifact inductor_provenance_tracking_kernel_stack_traces" -> {
        if (payloadSeen) {
          compilation.kernelStacks(Json.parse(payload.text()));
        }
      }
      case "aot_joint_graph" -> compilation.hasJointGraph();
      case "aot_forward_graph" -> compilation.forwardGraph(payload.text());
      case "aot_backward_graph" -> compilation.backwardGraph(payload.text());
      case "inductor_output_code" ->
          compilation.outputCode(
              payload.text(), fields.get("file_path").text(fields.get("filename").text("")));
      case "dynamo_cpp_guards_str" -> {
        Matcher latency = GUARD_LATENCY.matcher(payload.text());
        if (latency.find()) {
          compilation.guardLatency(Double.parseDouble(latency.group(1)));
        }
      }
      case "compilation_metrics" -> compilation.metrics(fields);
      case "bwd_compilation_metrics" -> compilation.backwardMetrics(fields);
      case "aot_autograd_backward_compilation_metrics" -> {
        double seconds = fields.get("elapsed_time").number(0);
        compilation.backwardMetrics(
            Json.parse("{\"entire_frame_compile_time_s\": " + Math.max(0, seconds) + "}"));
      }
      case "compilation_metrics_runtime", "bwd_compilation_metrics_runtime" ->
          compilation.runtimeMetrics(fields);
      default -> {
        if (kind.startsWith("artifact ") && kind.contains("_cache_")) {
          cacheLookup(compilation, kind.substring("artifact ".length()));
        }
      }
    }
  }

  private void cacheLookup(CompilationBuilder compilation, String name) {
    CacheLookup.Outcome outcome;
    if (name.endsWith("_cache_hit")) {
      outcome = CacheLookup.Outcome.HIT;
    } else if (name.endsWith("_cache_miss")) {
      outcome = CacheLookup.Outcome.MISS;
    } else if (name.endsWith("_cache_bypass")) {
      outcome = CacheLookup.Outcome.BYPASS;
    } else {
      return;
    }
    String text = payload.text();
    Matcher key = CACHE_KEY.matcher(text);
    int reasonAt = text.indexOf("\"cache_bypass_reason\"");
    Matcher reason = BYPASS_REASON.matcher(reasonAt < 0 ? "" : text.substring(reasonAt));
    compilation.cacheLookup(
        new CacheLookup(
            name.substring(0, name.lastIndexOf('_')),
            outcome,
            key.find() ? key.group(1) : "",
            reason.find() ? reason.group(1) : ""));
  }

  private void intern(Json pair) {
    String text = pair.get(0).text("");
    int id = (int) pair.get(1).integer(-1);
    names(Integer.toString(process)).put(id, text);
    names("").put(id, text);
  }

  private Map<Integer, String> names(String owner) {
    return interned.computeIfAbsent(owner, unseen -> new HashMap<>());
  }

  private List<SourceLine> stack(Json frames) {
    Map<Integer, String> own = names(Integer.toString(process));
    List<SourceLine> stack = new ArrayList<>();
    for (Json frame : frames) {
      int id = (int) frame.get("filename").integer(-1);
      String file = own.getOrDefault(id, names("").getOrDefault(id, ""));
      stack.add(
          new SourceLine(
              frame.get("uninterned_filename").text(file),
              (int) frame.get("line").integer(0),
              frame.get("name").text(""),
              frame.get("loc").text("")));
    }
    return stack;
  }

  private CompilationBuilder start(Json whole) {
    CompileId id = id(whole);
    CompilationBuilder running = newest.get(key(id));
    if (running == null || running.isEnded() || running.isStarted() && id.attempt() <= 0) {
      return open(id);
    }
    return running;
  }

  private CompilationBuilder compilation(CompileId id) {
    CompilationBuilder running = newest.get(key(id));
    return running == null ? open(id) : running;
  }

  private CompilationBuilder open(CompileId id) {
    CompilationBuilder opened = new CompilationBuilder(id, compilations.size(), process);
    compilations.add(opened);
    newest.put(key(id), opened);
    return opened;
  }

  private String key(CompileId id) {
    return process + " " + id;
  }

  private static CompileId id(Json whole) {
    return new CompileId(
        (int) whole.get("compiled_autograd_id").integer(-1),
        (int) whole.get("frame_id").integer(-1),
        (int) whole.get("frame_compile_id").integer(-1),
        (int) whole.get("attempt").integer(0));
  }

  private static boolean isKnown(String kind) {
    return KNOWN.contains(kind) || kind.endsWith("_BYTECODE");
  }

  private static Set<String> known() {
    DataTable table = DataTable.resource("/dev/pitwall/trace/compilelog/known_events.csv");
    Set<String> known = new HashSet<>();
    for (int row = 0; row < table.rows(); row++) {
      String name = table.text(row, "name");
      known.add(table.text(row, "kind").equals("artifact") ? "artifact " + name : name);
    }
    return known;
  }
}
