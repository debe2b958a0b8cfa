package dev.pitwall.observe;

/// The gravest thing that the reader of a recording must know before any figure of it.
public enum Doubt {
  /// Timestamps cannot be real.
  TIMES,
  /// The device's times and the host's come from two clocks that nobody aligned.
  CLOCKS,
  /// No launch was recorded, so no device work belongs to a step.
  LAUNCHES,
  /// Launches have no device work: the recorder lost it.
  LOST_WORK,
  NONE
}
