package dev.pitwall.capture;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads a folder that a recorded program wrote, also one that was killed: a line that is cut off
/// is the end of that rank's recording.
///
/// ```
/// rank0.steps.jsonl      every step as it happened, then what was made of it
/// rank0.trace.json.gz    the profiled window
/// rank0.memory.pickle    the allocator's snapshot, with --memory on a GPU
/// truth.jsonl            a line a rank: the true step, as in data/h200
/// torch_trace/           what torch.compile logged, where anything was compiled
/// dmon.txt               nvidia-smi's samples
/// ```
public final class CaptureFolder {
  private static final String STEPS = ".steps.jsonl";

  private CaptureFolder() {}

  /// The recordings, by rank; empty where no training step was seen.
  ///
  /// @throws PitwallException where the folder cannot be read (3)
  public static List<RankRecording> read(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      List<RankRecording> ranks = new ArrayList<>();
      for (Path file : files.filter(f -> f.getFileName().toString().endsWith(STEPS)).toList()) {
        String name = file.getFileName().toString();
        ranks.add(recording(name.substring(0, name.length() - STEPS.length()), file));
      }
      ranks.sort(
          java.util.Comparator.comparingInt((RankRecording rank) -> number(rank.name()))
              .thenComparing(RankRecording::name));
      return ranks;
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          "cannot read the capture " + folder + " (" + failure.getMessage() + ").");
    }
  }

  private static int number(String name) {
    String digits = name.replaceFirst("^rank(\\d{1,8}).*$", "$1");
    return digits.equals(name) ? Integer.MAX_VALUE : Integer.parseInt(digits);
  }

  private static RankRecording recording(String name, Path file) throws IOException {
    Json start = Json.Null.NULL;
    Json truth = Json.Null.NULL;
    Json loader = Json.Null.NULL;
    List<Json> settings = new ArrayList<>();
    List<RankRecording.Step> steps = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    @Nullable String marker = null;
    @Nullable String trace = null;
    @Nullable String ended = null;
    for (String line : new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n")) {
      Json event;
      try {
        event = Json.parse(line);
      } catch (JsonSyntaxException cutOff) {
        break;
      }
      switch (event.get("event").text("")) {
        case "start" -> start = event;
        case "marker" -> marker = event.get("text").textOrNull();
        case "steps" -> addSteps(event, steps);
        case "truth" -> truth = event;
        case "window" -> trace = event.get("trace").textOrNull();
        case "loader" -> loader = event;
        case "setting" -> settings.add(event);
        case "fault" -> faults.add(event.get("text").text(""));
        case "end" -> ended = event.get("reason").text("") + " in " + event.get("phase").text("");
        default -> {} // a later version's event
      }
    }
    return new RankRecording(
        name, start, marker, steps, truth, trace, loader, settings, faults, ended);
  }

  private static void addSteps(Json event, List<RankRecording.Step> steps) {
    Json walls = event.get("wall_ns");
    int first = (int) event.get("first").integer(0);
    Json memory = event.get("memory");
    int nextMemory = 0;
    for (int i = 0; i < walls.size(); i++) {
      long active = -1;
      long resident = -1;
      if (memory.get(nextMemory).get(0).integer(-1) == first + i) {
        active = memory.get(nextMemory).get(1).integer(-1);
        resident = memory.get(nextMemory).get(4).integer(-1);
        nextMemory++;
      }
      steps.add(
          new RankRecording.Step(
              event.get("phase").text(""),
              first + i,
              walls.get(i).integer(0),
              event.get("loader_wait_ns").get(i).integer(0),
              (int) event.get("batches").get(i).integer(0),
              active,
              resident));
    }
  }
}
