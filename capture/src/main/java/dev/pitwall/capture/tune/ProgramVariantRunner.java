package dev.pitwall.capture.tune;

import dev.pitwall.capture.CaptureFolder;
import dev.pitwall.capture.ProgramRun;
import dev.pitwall.capture.RankRecording;
import dev.pitwall.capture.RecordingSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Starts the user's program anew for every run: `FOLDER/VARIANT/ROUND`. Each variant compiles into
/// a cache of its own, so its first run shows the cold compile time and later ones do not repeat
/// it.
public record ProgramVariantRunner(List<String> program, Path folder, RecordingSettings settings)
    implements VariantRunner {
  @Override
  public TuneRun run(TuneVariant variant, int round, long limitSeconds) {
    Path runFolder = folder.resolve(variant.slug()).resolve(Integer.toString(round));
    Path cache = folder.resolve("cache").resolve(variant.slug()).toAbsolutePath();
    RecordingSettings wanted =
        settings
            .withVariant(variant.change())
            .withProfiledSteps(round == 1 ? settings.profiledSteps() : 0);
    int status =
        new ProgramRun(
                program,
                runFolder,
                wanted,
                Map.of("TORCHINDUCTOR_CACHE_DIR", cache.toString()),
                ProgramRun.Output.LOG_FILE)
            .execute(limitSeconds);
    List<RankRecording> ranks = CaptureFolder.read(runFolder);
    @Nullable RankRecording first = ranks.isEmpty() ? null : ranks.getFirst();
    if (first != null && !first.truth().isNull()) {
      return new TuneRun(round, first, null, runFolder);
    }
    return new TuneRun(round, null, reason(status, first, runFolder, limitSeconds), runFolder);
  }

  private static String reason(
      int status, @Nullable RankRecording rank, Path runFolder, long limitSeconds) {
    if (status == 0 && rank == null) {
      return "no training step was seen";
    }
    if (status == 0) {
      return "the program ended after "
          + (rank == null ? 0 : rank.steps().size())
          + " steps, before the measurement was over";
    }
    if (status == 143 || status == 137) {
      return "not done within " + limitSeconds + " s";
    }
    String last = lastLine(runFolder.resolve(ProgramRun.LOG));
    return last.isEmpty() ? "ended with status " + status : last;
  }

  /// The last line that starts at the margin: Python's exception, not a line of its explanation.
  private static String lastLine(Path log) {
    try {
      String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
      return text.lines()
          .filter(line -> line.matches("[\\w.]+(Error|Exception|Unsupported|Interrupt|Exit)\\b.*"))
          .reduce("", (before, line) -> line);
    } catch (IOException noLog) {
      return "";
    }
  }
}
