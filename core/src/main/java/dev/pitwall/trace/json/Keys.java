package dev.pitwall.trace.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/// The keys that a reader knows, found by their bytes. Writers put keys in the same order every
/// time, so the key that followed the last one before is tried first, with one comparison of words.
/// What follows differs with the kind of object; the reader says as soon as it knows ([#context]).
///
/// Not for use by several readers at once: it remembers what it saw.
public final class Keys {
  /// The index of a key that is not in the list.
  public static final int UNKNOWN = -1;

  /// Longer than any key's quoted text, in whole words.
  static final int ROOM = 64;

  private static final int CONTEXTS = 16;

  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final byte[][] names;
  private final byte[][] literals;
  private final int[] literalLengths;
  private final long[] lastWordMasks;
  private final int[] slots;
  private final int[] successors;
  private int last;
  private int context;

  public Keys(List<String> keys) {
    int count = keys.size();
    names = new byte[count][];
    literals = new byte[count][];
    literalLengths = new int[count];
    lastWordMasks = new long[count];
    slots = new int[4 * Integer.highestOneBit(count + 1)];
    Arrays.fill(slots, UNKNOWN);
    successors = new int[count * CONTEXTS];
    for (int key = 0; key < count; key++) {
      names[key] = keys.get(key).getBytes(StandardCharsets.UTF_8);
      byte[] literal = ("\"" + keys.get(key) + "\":").getBytes(StandardCharsets.UTF_8);
      literalLengths[key] = literal.length;
      literals[key] = Arrays.copyOf(literal, (literal.length + 7) / 8 * 8);
      lastWordMasks[key] = -1L >>> (8 * (literals[key].length - literal.length));
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

  /// The key whose quoted text and colon stand at `at`, if it is the one that followed last time.
  /// At least [#ROOM] bytes from there on can be read.
  int guess(byte[] bytes, int at) {
    int key = successors[last * CONTEXTS + context];
    byte[] literal = literals[key];
    int lastWord = literal.length - 8;
    for (int i = 0; i < lastWord; i += 8) {
      if ((long) WORD.get(bytes, at + i) != (long) WORD.get(literal, i)) {
        return UNKNOWN;
      }
    }
    if ((((long) WORD.get(bytes, at + lastWord) ^ (long) WORD.get(literal, lastWord))
            & lastWordMasks[key])
        != 0) {
      return UNKNOWN;
    }
    last = key;
    return key;
  }

  /// Length of a key's quoted text with its colon.
  int literalLength(int key) {
    return literalLengths[key];
  }

  /// The key with these bytes, or [#UNKNOWN].
  int find(byte[] bytes, int from, int length) {
    int slot = slot(bytes, from, length);
    while (slots[slot] != UNKNOWN) {
      int key = slots[slot];
      if (Arrays.equals(names[key], 0, names[key].length, bytes, from, from + length)) {
        successors[last * CONTEXTS + context] = key;
        last = key;
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
