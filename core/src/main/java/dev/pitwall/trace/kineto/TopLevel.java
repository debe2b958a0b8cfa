package dev.pitwall.trace.kineto;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import dev.pitwall.trace.Device;
import dev.pitwall.trace.LossLedger;
import dev.pitwall.trace.ProcessGroup;
import dev.pitwall.trace.Recording;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What stands beside the events: devices, the distributed job, options and versions.
final class TopLevel {
  /// Longer values are left out; user code can add any metadata.
  static final int LONGEST_VALUE = 1 << 20;

  private static final long YEAR_2001_NANOS = 978_307_200_000_000_000L;

  private final LossLedger losses;
  private final Map<String, String> values = new LinkedHashMap<>();
  private Json devices = Json.Null.NULL;
  private Json distributed = Json.Null.NULL;

  TopLevel(LossLedger losses) {
    this.losses = losses;
  }

  /// Takes a member of the top-level object, its value as written.
  void value(String key, String text) {
    switch (key) {
      case "deviceProperties" -> devices = parse(key, text);
      case "distributedInfo" -> distributed = parse(key, text);
      default -> values.put(key, text);
    }
  }

  private Json parse(String key, String text) {
    try {
      return Json.parse(text);
    } catch (JsonSyntaxException broken) {
      losses.record(
          "damaged-metadata",
          "`" + key + "` is not valid JSON (" + broken.getMessage() + "); it was left out.");
      return Json.Null.NULL;
    }
  }

  /// Whether a member has been read.
  boolean has(String key) {
    return values.containsKey(key);
  }

  /// What the file says of itself.
  ///
  /// @param torchVersion the version that the events tell, null where they do not
  Recording recording(Path file, EventWriter writer, @Nullable String torchVersion, long bytes) {
    long recordedRank = distributed.get("rank").integer(-1);
    int rank = (int) recordedRank;
    String rankSource = "";
    if (rank >= 0) {
      rankSource = "distributedInfo";
    } else {
      rank = RankInName.of(file);
      rankSource = rank >= 0 ? "file name" : "";
    }
    return new Recording(
        has("schemaVersion") || writer.sawKnownCategory() ? "kineto" : "chrome",
        rank,
        rankSource,
        (int) distributed.get("world_size").integer(-1),
        distributed.get("backend").text(""),
        statedVersion() == null ? torchVersion : statedVersion(),
        isOn("record_shapes") || writer.sawShapes(),
        isOn("with_stack") || writer.sawStacks(),
        isOn("profile_memory"),
        epochNanos(writer.window().startNanos()),
        writer.window().startNanos(),
        writer.window().endNanos(),
        writer.events(),
        bytes,
        deviceList(),
        processGroups(),
        Collections.unmodifiableMap(values));
  }

  /// The version where the program added it as metadata.
  private @Nullable String statedVersion() {
    for (String key : List.of("torch_version", "pytorch_version", "PyTorch version")) {
      String version = values.get(key);
      if (version != null && !version.isBlank()) {
        return version;
      }
    }
    return null;
  }

  private boolean isOn(String option) {
    return "1".equals(values.get(option)) || "true".equals(values.get(option));
  }

  /// Without a base, times count from 1970 if they are of this millennium, else from somewhere.
  private long epochNanos(long someTimeNanos) {
    String base = values.get("baseTimeNanoseconds");
    try {
      if (base == null) {
        return someTimeNanos > YEAR_2001_NANOS ? 0 : -1;
      }
      return Long.parseLong(base.strip());
    } catch (NumberFormatException noNumber) {
      losses.record(
          "damaged-metadata",
          "`baseTimeNanoseconds` is no number; times count from an unknown moment.");
      return -1;
    }
  }

  private List<Device> deviceList() {
    List<Device> list = new ArrayList<>();
    for (Json device : devices) {
      list.add(
          new Device(
              number(device, "id"),
              device.get("name").text(""),
              device.get("totalGlobalMem").integer(-1),
              number(device, "computeMajor"),
              number(device, "computeMinor"),
              number(device, "numSms"),
              number(device, "warpSize"),
              number(device, "maxThreadsPerMultiprocessor"),
              number(device, "regsPerMultiprocessor"),
              number(device, "sharedMemPerMultiprocessor"),
              number(device, "sharedMemPerBlockOptin")));
    }
    return list;
  }

  private List<ProcessGroup> processGroups() {
    List<ProcessGroup> groups = new ArrayList<>();
    for (Json group : distributed.get("pg_config")) {
      groups.add(
          new ProcessGroup(
              group.get("pg_name").text(""),
              group.get("pg_desc").text(""),
              group.get("backend_config").text(""),
              number(group, "pg_size"),
              ranksText(group.get("ranks"))));
    }
    return groups;
  }

  private static String ranksText(Json ranks) {
    if (!(ranks instanceof Json.Array array)) {
      return ranks.text("");
    }
    List<String> texts = new ArrayList<>();
    for (Json rank : array) {
      texts.add(Long.toString(rank.integer(-1)));
    }
    return "[" + String.join(", ", texts) + "]";
  }

  private static int number(Json object, String key) {
    long value = object.get(key).integer(-1);
    return value > Integer.MAX_VALUE || value < -1 ? -1 : (int) value;
  }
}
