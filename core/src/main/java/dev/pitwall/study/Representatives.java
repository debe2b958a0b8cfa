package dev.pitwall.study;

import java.util.List;
import java.util.stream.IntStream;

/// The ranks that stand for a job wherever a step is estimated or a change simulated. Ranks of a
/// job do the same work, so two tell what sixty-four would: the one that all wait for, and a usual
/// one, which shows what of the first is its own.
///
/// @param slowest place of the rank whose step is longest without its waits for others
/// @param typical place of the rank in the middle; of two ranks, the other one
public record Representatives(int slowest, int typical) {
  /// @param ownMillis by place, the step of a rank without what it waits in collectives; where two
  ///     are equal, the first counts as slower
  /// @param whole by place, whether the recording holds whole steps and the device's work; where
  ///     some do, the others stand for nothing
  public static Representatives of(double[] ownMillis, boolean[] whole) {
    boolean all = IntStream.range(0, whole.length).noneMatch(place -> whole[place]);
    List<Integer> slowestFirst =
        IntStream.range(0, ownMillis.length)
            .filter(place -> all || whole[place])
            .boxed()
            .sorted((a, b) -> Double.compare(ownMillis[b], ownMillis[a]))
            .toList();
    return new Representatives(slowestFirst.getFirst(), slowestFirst.get(slowestFirst.size() / 2));
  }

  /// Their places, each once, the slowest first.
  public List<Integer> places() {
    return slowest == typical ? List.of(slowest) : List.of(slowest, typical);
  }
}
