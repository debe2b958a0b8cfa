package dev.pitwall.observe.ranks;

/// A rank that keeps the others waiting.
///
/// @param rank who
/// @param waitedNanosPerStep time the other ranks wait for it in collectives, per step
/// @param worstStep the step in which it costs most
/// @param cause why it is late
public record Straggler(int rank, long waitedNanosPerStep, int worstStep, Cause cause) {
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
