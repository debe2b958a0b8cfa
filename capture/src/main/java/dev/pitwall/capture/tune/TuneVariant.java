package dev.pitwall.capture.tune;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// One way to run the program, unchanged in its source.
///
/// @param name as the table shows it
/// @param change the object that `variant.py` documents
/// @param code the lines that make it permanent; `%s` stands for the module that was compiled
public record TuneVariant(String name, Json change, String code) {
  /// The program as it is; every other variant is compared with it.
  public static final TuneVariant AS_WRITTEN =
      new TuneVariant("as written", object(Map.of("seed", number(0))), "");

  /// The program's own torch.compile switched off.
  public static final TuneVariant EAGER =
      new TuneVariant("eager", compile("eager"), "# call %s without torch.compile");

  /// The modes of torch.compile, cheapest to try first.
  public static final List<String> MODES =
      List.of("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs");

  /// One variant a mode.
  ///
  /// @throws PitwallException where torch.compile has no such mode (2)
  public static List<TuneVariant> compileModes(List<String> modes) {
    List<TuneVariant> variants = new ArrayList<>();
    for (String mode : modes) {
      if (!MODES.contains(mode)) {
        throw PitwallException.usage(
            "torch.compile has no mode "
                + mode
                + "; give some of "
                + String.join(", ", MODES)
                + ".");
      }
      variants.add(
          new TuneVariant(
              mode,
              compile(mode),
              mode.equals("default") ? "%s.compile()" : "%s.compile(mode=\"" + mode + "\")"));
    }
    return variants;
  }

  /// For a program whose shapes vary: one graph for all of them.
  public static TuneVariant dynamic() {
    return new TuneVariant(
        "default, dynamic",
        object(Map.of("compile", text("default"), "dynamic", new Json.Bool(true))),
        "%s.compile(dynamic=True)");
  }

  /// For a program whose graph breaks: the break as an error, with its reason.
  public static TuneVariant fullGraph() {
    return new TuneVariant(
        "default, fullgraph",
        object(Map.of("compile", text("default"), "fullgraph", new Json.Bool(true))),
        "%s.compile(fullgraph=True)");
  }

  /// The variants that findings of an analysis suggest, by their ids.
  public static List<TuneVariant> suggestedBy(Set<String> findings, int cores) {
    List<TuneVariant> variants = new ArrayList<>();
    if (findings.contains("tf32-off")) {
      variants.add(
          new TuneVariant(
              "tf32",
              object(Map.of("tf32", new Json.Bool(true))),
              "torch.backends.cuda.matmul.allow_tf32 = True\n"
                  + "torch.backends.cudnn.allow_tf32 = True"));
    }
    if (findings.contains("channels-first")) {
      variants.add(
          new TuneVariant(
              "channels-last",
              object(Map.of("channels_last", new Json.Bool(true))),
              "%s.to(memory_format=torch.channels_last)"));
    }
    if (findings.contains("optimizer-not-fused") || findings.contains("optimizer-for-loop")) {
      variants.add(
          new TuneVariant(
              "fused optimizer",
              object(Map.of("fused", new Json.Bool(true))),
              "# pass fused=True to the optimizer"));
    }
    if (findings.contains("input-bound")) {
      int workers = Math.clamp(cores, 2, 8);
      variants.add(
          new TuneVariant(
              workers + " loader workers",
              object(Map.of("workers", number(workers))),
              "# pass num_workers=" + workers + ", persistent_workers=True to the DataLoader"));
    }
    if (findings.contains("pageable-copy")) {
      variants.add(
          new TuneVariant(
              "pinned batches",
              object(Map.of("pin", new Json.Bool(true))),
              "# pass pin_memory=True to the DataLoader and non_blocking=True to the copies"));
    }
    return variants;
  }

  /// A name for a folder.
  String slug() {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
  }

  private static Json compile(String mode) {
    return object(Map.of("compile", text(mode)));
  }

  private static Json object(Map<String, Json> members) {
    return new Json.Obj(new LinkedHashMap<>(members));
  }

  private static Json text(String value) {
    return new Json.Text(value);
  }

  private static Json number(int value) {
    return new Json.Number(Integer.toString(value));
  }
}
