package dev.pitwall.observe.ranks;

/// A rank that keeps the others waiting.
///
/// @param rank who
/// @param waitedNanosPerStep time the other ranks wait for it in collectives, per step
/// @param worstStep the step in which it costs most
/// @param cause why it is late
/// @param ownNanosPerStep what the cause takes longer on this rank than on its peers, in the step
///     in which that is least: a rank that is late for a reason of its own is so in every step. For
///     a host only what a recorder does not make longer counts, since hosts differ in what
///     recording costs them.
public record Straggler(
    int rank, long waitedNanosPerStep, int worstStep, Cause cause, long ownNanosPerStep) {
  /// Ranks of a job without a fault differ by less than this share of a step.
  private static final double NOISE = 0.05;

  /// Whether the rank has time of its own beyond noise in every step.
  ///
  /// @param stepMillis the step as recorded
  public boolean isByItsOwnTime(double stepMillis) {
    return ownNanosPerStep / 1e6 >= NOISE * stepMillis;
  }

  /// What the late rank does longer than its peers.
  public enum Cause {
    /// Its kernels take longer: more work, or a slower device.
    DEVICE,
    /// It waits longer for its next batch.
    INPUT,
    /// It copies or sets memory for longer.
    COPY,
    /// Its host enqueues work later: something else in its Python, or a busier CPU.
    HOST
  }

  /// The cause in a word or two.
  public static String shortText(Cause cause) {
    return switch (cause) {
      case DEVICE -> "slower kernels";
      case INPUT -> "input";
      case COPY -> "copies";
      case HOST -> "host";
    };
  }

  /// The cause as the end of a sentence.
  public String causeText() {
    return switch (cause) {
      case DEVICE -> "its kernels take longer than the other ranks'";
      case INPUT -> "it waits longer for its next batch than the other ranks";
      case COPY -> "it copies memory for longer than the other ranks";
      case HOST ->
          "its host enqueues work later than the other ranks', with kernels as fast as theirs";
    };
  }
}
