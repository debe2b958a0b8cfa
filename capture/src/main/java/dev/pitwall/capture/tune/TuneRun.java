package dev.pitwall.capture.tune;

import dev.pitwall.capture.RankRecording;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// One run of one variant.
///
/// @param round from 1; the first one compiles with an empty cache
/// @param recording the first rank's; null where the run failed
/// @param failure why there is no step time; null where there is one
/// @param folder what the run wrote
public record TuneRun(
    int round, @Nullable RankRecording recording, @Nullable String failure, Path folder) {}
