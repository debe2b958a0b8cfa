package dev.pitwall.trace.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// The keys that a reader knows, found by their bytes. Writers put keys in the same order every
/// time with the same white space between, so what stood between the last value and the next one
/// before (comma, spaces, key, colon) is tried first, with a comparison of words. What follows
/// differs with the kind of object; the reader says as soon as it knows ([#context]).
///
/// Not for use by several readers at once: it remembers what it saw.
public final class Keys {
  /// The index of a key that is not in the list.
  public static final int UNKNOWN = -1;

  /// What [#guess] returns where something else stands than last time.
  static final int NO_GUESS = -3;

  /// The longest text between two values that is remembered, in whole words.
  static final int ROOM = 64;

  private static final int CONTEXTS = 16;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final byte[][] names;
  private final int[] slots;

  /// By what came before: the text up to the next value, and the key in it.
  private final byte[] between;
  private final byte[] betweenLength;
  private final byte[] follower;

  private int last;
  private int guessedLength;
  private int context;

  public Keys(List<String> keys) {
    int count = keys.size();
    names = new byte[count][];
    slots = new int[4 * Integer.highestOneBit(count + 1)];
    Arrays.fill(slots, UNKNOWN);
    int states = (count + 1) * CONTEXTS;
    between = new byte[states * ROOM];
    betweenLength = new byte[states];
    follower = new byte[states];
    for (int key = 0; key < count; key++) {
      names[key] = keys.get(key).getBytes(StandardCharsets.UTF_8);
      int slot = slot(names[key], 0, names[key].length);
      while (slots[slot] != UNKNOWN) {
        slot = (slot + 1) % slots.length;
      }
      slots[slot] = key;
    }
  }

  /// Says what kind of object the next keys are in; any number, of which the lowest four bits
  /// count.
  public void context(int kind) {
    context = kind & (CONTEXTS - 1);
  }

  /// The key, or [JsonScanner#END], of the text at `at` if it is the text that stood between these
  /// values last time; else [#NO_GUESS]. At least [#ROOM] bytes from there on can be read.
  int guess(byte[] bytes, int at) {
    int state = last * CONTEXTS + context;
    int length = betweenLength[state];
    if (length == 0) {
      return NO_GUESS;
    }
    int start = state * ROOM;
    int done = 0;
    for (; done + 8 < length; done += 8) {
      if ((long) WORD.get(bytes, at + done) != (long) WORD.get(between, start + done)) {
        return NO_GUESS;
      }
    }
    long difference = (long) WORD.get(bytes, at + done) ^ (long) WORD.get(between, start + done);
    if (difference << (8 * (8 - (length - done))) != 0) {
      return NO_GUESS;
    }
    int key = follower[state];
    guessedLength = length;
    last = key < 0 ? names.length : key;
    return key;
  }

  /// Length of the text that the last [#guess] found.
  int guessedLength() {
    return guessedLength;
  }

  /// Remembers the text between the value before and the next one, which holds this key or is the
  /// end of an object.
  void learn(int key, byte[] bytes, int from, int length) {
    int state = last * CONTEXTS + context;
    if (length <= ROOM) {
      System.arraycopy(bytes, from, between, state * ROOM, length);
      betweenLength[state] = (byte) length;
      follower[state] = (byte) key;
    }
    last = key < 0 ? names.length : key;
  }

  /// The key with these bytes, or [#UNKNOWN].
  int find(byte[] bytes, int from, int length) {
    int slot = slot(bytes, from, length);
    while (slots[slot] != UNKNOWN) {
      int key = slots[slot];
      if (Arrays.equals(names[key], 0, names[key].length, bytes, from, from + length)) {
        return key;
      }
      slot = (slot + 1) % slots.length;
    }
    return UNKNOWN;
  }

  private int slot(byte[] bytes, int from, int length) {
    long code = length;
    for (int i = 0; i < length; i++) {
      code = code * 31 + bytes[from + i];
    }
    return (int) ((code * GOLDEN) >>> 40) & (slots.length - 1);
  }
}
