package dev.pitwall.capture;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// What the Python part is to do; it documents each field (`settings.py`).
///
/// @param warmupSteps steps before anything is measured, at least 1
/// @param unprofiledSteps steps whose true time is measured, in three blocks
/// @param profiledSteps steps of the profiled window; 0 for no window
/// @param stepFunction `function` or `module:Class.method` that is one step; null to find the step
/// @param stopAfterwards end the program once everything is recorded
/// @param variant what a tuned run changes, else `NULL`
/// @param stress what a loader run tries, else `NULL`
public record RecordingSettings(
    int warmupSteps,
    int unprofiledSteps,
    int profiledSteps,
    boolean memory,
    boolean stacks,
    boolean nsys,
    @Nullable String stepFunction,
    boolean stopAfterwards,
    Json variant,
    Json stress) {

  /// Warm-up and unprofiled steps as asked, nothing else.
  public static RecordingSettings unprofiled(int warmupSteps, int unprofiledSteps) {
    return new RecordingSettings(
        warmupSteps,
        unprofiledSteps,
        0,
        false,
        false,
        false,
        null,
        true,
        Json.Null.NULL,
        Json.Null.NULL);
  }

  public RecordingSettings withVariant(Json newVariant) {
    return new RecordingSettings(
        warmupSteps,
        unprofiledSteps,
        profiledSteps,
        memory,
        stacks,
        nsys,
        stepFunction,
        stopAfterwards,
        newVariant,
        stress);
  }

  public RecordingSettings withStress(Json newStress) {
    return new RecordingSettings(
        warmupSteps,
        unprofiledSteps,
        profiledSteps,
        memory,
        stacks,
        nsys,
        stepFunction,
        stopAfterwards,
        variant,
        newStress);
  }

  public RecordingSettings withProfiledSteps(int steps) {
    return new RecordingSettings(
        warmupSteps,
        unprofiledSteps,
        steps,
        memory,
        stacks,
        nsys,
        stepFunction,
        stopAfterwards,
        variant,
        stress);
  }

  public RecordingSettings withStepFunction(@Nullable String function) {
    return new RecordingSettings(
        warmupSteps,
        unprofiledSteps,
        profiledSteps,
        memory,
        stacks,
        nsys,
        function,
        stopAfterwards,
        variant,
        stress);
  }

  /// The text of the environment variable `PITWALL_SETTINGS`.
  String json(Path folder) {
    return new JsonWriter()
        .object()
        .key("folder")
        .value(folder.toAbsolutePath().toString())
        .key("warmup")
        .value(warmupSteps)
        .key("measure")
        .value(unprofiledSteps)
        .key("steps")
        .value(profiledSteps)
        .key("memory")
        .value(memory)
        .key("stacks")
        .value(stacks)
        .key("nsys")
        .value(nsys)
        .key("step")
        .value(stepFunction)
        .key("stop")
        .value(stopAfterwards)
        .key("variant")
        .value(variant)
        .key("stress")
        .value(stress)
        .end()
        .toString();
  }
}
