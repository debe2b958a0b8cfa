package dev.pitwall.trace;

import dev.pitwall.error.PitwallException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Interned strings: every distinct text of a trace once, addressed by a dense id from 0. Id 0 is
/// the empty text. Grows while a reader runs and is only read afterwards.
///
/// The texts lie as UTF-8 one behind the other in one pool, so a reader interns straight from its
/// window and a `String` is made only for the texts that somebody asks for. Bytes that are no UTF-8
/// are kept and shown as U+FFFD.
public final class Names {
  private static final VarHandle WORD =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /// Multiplier of the 64-bit Fibonacci hash: 2^64 divided by the golden ratio.
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /// A trace with more distinct text than this was not written by a profiler.
  private static final int LARGEST_POOL = 1 << 30;

  private byte[] pool = new byte[1 << 16];
  private int poolSize;
  private int[] start = new int[1 << 10];
  private int[] hash = new int[1 << 10];
  private @Nullable String[] texts = new @Nullable String[1 << 10];
  private int size;
  private int[] slots = new int[1 << 12];

  public Names() {
    intern("");
  }

  /// The id of `text`, new if it was not seen before.
  public int intern(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return intern(utf8, 0, utf8.length);
  }

  /// The id of the text with these UTF-8 bytes, new if it was not seen before.
  public int intern(byte[] bytes, int from, int length) {
    int code = hash(bytes, from, length);
    int slot = slot(code, bytes, from, length);
    return slots[slot] != 0 ? slots[slot] - 1 : add(slot, code, bytes, from, length);
  }

  /// The id of `text`, or -1 where the trace does not have it.
  public int find(String text) {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    return slots[slot(hash(utf8, 0, utf8.length), utf8, 0, utf8.length)] - 1;
  }

  public String text(int id) {
    String known = texts[id];
    if (known != null) {
      return known;
    }
    String text = new String(pool, start[id], start[id + 1] - start[id], StandardCharsets.UTF_8);
    texts[id] = text;
    return text;
  }

  /// Length of a text in bytes of UTF-8.
  public int length(int id) {
    return start[id + 1] - start[id];
  }

  /// Whether the bytes from `at` on begin with this text.
  public boolean standsAt(int id, byte[] bytes, int at) {
    int length = start[id + 1] - start[id];
    return Arrays.equals(pool, start[id], start[id + 1], bytes, at, at + length);
  }

  public int size() {
    return size;
  }

  /// Number of texts whose bytes are no UTF-8.
  public int undecodable() {
    int count = 0;
    for (int id = 0; id < size; id++) {
      if (hasHighByte(id) && text(id).indexOf('\uFFFD') >= 0) {
        byte[] again = text(id).getBytes(StandardCharsets.UTF_8);
        count += Arrays.equals(again, 0, again.length, pool, start[id], start[id + 1]) ? 0 : 1;
      }
    }
    return count;
  }

  private boolean hasHighByte(int id) {
    for (int at = start[id]; at < start[id + 1]; at++) {
      if (pool[at] < 0) {
        return true;
      }
    }
    return false;
  }

  private int slot(int code, byte[] bytes, int from, int length) {
    int mask = slots.length - 1;
    int slot = code & mask;
    while (slots[slot] != 0) {
      int id = slots[slot] - 1;
      if (hash[id] == code
          && Arrays.equals(pool, start[id], start[id + 1], bytes, from, from + length)) {
        return slot;
      }
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int add(int slot, int code, byte[] bytes, int from, int length) {
    if (length > LARGEST_POOL - poolSize) {
      throw PitwallException.unreadable(
          "The trace holds more than 1 GiB of distinct names; record it without shapes and"
              + " stacks.");
    }
    if (poolSize + length > pool.length) {
      pool = Arrays.copyOf(pool, Math.max(2 * pool.length, poolSize + length));
    }
    if (size + 1 == start.length) {
      start = Arrays.copyOf(start, 2 * start.length);
      hash = Arrays.copyOf(hash, 2 * hash.length);
      texts = Arrays.copyOf(texts, 2 * texts.length);
    }
    System.arraycopy(bytes, from, pool, poolSize, length);
    poolSize += length;
    int id = size++;
    hash[id] = code;
    start[id + 1] = poolSize;
    slots[slot] = id + 1;
    if (size * 2 > slots.length) {
      growSlots();
    }
    return id;
  }

  private void growSlots() {
    slots = new int[2 * slots.length];
    int mask = slots.length - 1;
    for (int id = 0; id < size; id++) {
      int slot = hash[id] & mask;
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = id + 1;
    }
  }

  /// Eight bytes at a time; the last word overlaps the one before, so that no byte is read alone.
  /// Names often differ in their last letters only, the highest bits of the last word; they are
  /// folded onto the lowest before the multiplication, which carries upwards, so that the slot
  /// depends on them too.
  private static int hash(byte[] bytes, int from, int length) {
    long code = length;
    if (length < 8) {
      for (int i = 0; i < length; i++) {
        code = (code << 8) ^ bytes[from + i];
      }
    } else {
      int last = from + length - 8;
      for (int at = from; at < last; at += 8) {
        code = (Long.rotateLeft(code, 29) ^ (long) WORD.get(bytes, at)) * GOLDEN;
      }
      code = Long.rotateLeft(code, 29) ^ (long) WORD.get(bytes, last);
    }
    return (int) ((code ^ (code >>> 32)) * GOLDEN >>> 32);
  }
}
