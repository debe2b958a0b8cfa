package dev.pitwall.trace.json;

import java.util.Arrays;

/// Guesses the next text from what stood before it. A training loop does the same thing again and
/// again, so the text that followed this context last time is mostly the one that follows now, and
/// comparing bytes with a guess costs a tenth of finding their end and hashing them.
///
/// A wrong guess costs one comparison and changes nothing else.
public final class Recall {
  private static final int SLOTS = 1 << 14;
  private static final int UNKNOWN = Integer.MIN_VALUE;

  private final int[] guesses = new int[SLOTS];
  private int slot;

  public Recall() {
    Arrays.fill(guesses, UNKNOWN);
  }

  /// Sets the context of the next value: what it is (`kind`) and what stood before it.
  public void context(int kind, int before, int beforeThat) {
    int code = (kind * 31 + before) * 0x9E3779B9 + beforeThat;
    slot = (code * 0x85EBCA6B) >>> 18;
  }

  /// The id that followed this context last time, if it was a text between quotes; else negative.
  int text() {
    return guesses[slot];
  }

  /// The id that followed this context last time, if it was an object or array; else negative.
  int nested() {
    int guess = guesses[slot];
    return guess == UNKNOWN ? UNKNOWN : ~guess;
  }

  void learnText(int id) {
    guesses[slot] = id;
  }

  void learnNested(int id) {
    guesses[slot] = ~id;
  }
}
