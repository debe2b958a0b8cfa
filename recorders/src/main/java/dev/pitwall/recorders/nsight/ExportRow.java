package dev.pitwall.recorders.nsight;

import dev.pitwall.trace.Names;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The row being read: column `i` of those asked for. One object serves all rows of a table.
///
/// A value is never converted: a column that is absent, null or of another type than the one asked
/// for gives the fallback. The layout is "Record Format" of
/// <https://www.sqlite.org/fileformat2.html>.
final class ExportRow {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int ABSENT = -1;
  private static final int ROW_ID = -2;
  private static final int NULL = 0;
  private static final int DOUBLE = 7;
  private static final int FIRST_BLOB = 12;

  /// For each column asked for: its place in the record, [#ABSENT] or [#ROW_ID].
  private final int[] place;

  private final Charset charset;
  private final int stored;
  private final int[] types;
  private final int[] offsets;
  private byte[] bytes = new byte[0];
  private long rowId;

  /// @param placeOfColumn for each column asked for its place in the record, -1 where the table has
  ///     none, -2 for the row id
  ExportRow(int[] placeOfColumn, Charset charset) {
    place = placeOfColumn;
    this.charset = charset;
    stored = Math.max(0, Arrays.stream(placeOfColumn).max().orElse(-1) + 1);
    types = new int[stored];
    offsets = new int[stored];
  }

  /// Moves to the record that lies in `content` from `from` to `to`; false where it is damaged.
  boolean read(byte[] content, int from, int to, long id) {
    bytes = content;
    rowId = id;
    int header = content[from];
    int at = from + 1;
    if (header < 0) {
      long size = varint(content, from, to);
      at = from + varintLength(content, from, to);
      header = size > to - from ? -1 : (int) size;
    }
    int headerEnd = from + header;
    if (header < 1 || headerEnd > to) {
      return false;
    }
    int value = headerEnd;
    int column = 0;
    while (column < stored && at < headerEnd) {
      int type = content[at++];
      if (type < 0) {
        long wide = varint(content, at - 1, headerEnd);
        at += varintLength(content, at - 1, headerEnd) - 1;
        if (wide < 0 || wide > Integer.MAX_VALUE) {
          return false;
        }
        type = (int) wide;
      }
      types[column] = type;
      offsets[column] = value;
      value += length(type);
      if (value > to || value < headerEnd) {
        return false;
      }
      column++;
    }
    // A row older than its table's last columns ends early.
    Arrays.fill(types, column, stored, NULL);
    return true;
  }

  long integer(int column, long fallback) {
    int at = place[column];
    if (at < 0) {
      return at == ROW_ID ? rowId : fallback;
    }
    int offset = offsets[at];
    return switch (types[at]) {
      case 1 -> bytes[offset];
      case 2 -> (short) SHORT.get(bytes, offset);
      case 3 -> (short) SHORT.get(bytes, offset) << 8 | bytes[offset + 2] & 0xFF;
      case 4 -> (int) INT.get(bytes, offset);
      case 5 ->
          (long) (short) SHORT.get(bytes, offset) << 32
              | (int) INT.get(bytes, offset + 2) & 0xFFFF_FFFFL;
      case 6 -> (long) LONG.get(bytes, offset);
      case DOUBLE -> (long) Double.longBitsToDouble((long) LONG.get(bytes, offset));
      case 8 -> 0;
      case 9 -> 1;
      default -> fallback;
    };
  }

  double number(int column, double fallback) {
    int at = place[column];
    if (at >= 0 && types[at] == DOUBLE) {
      return Double.longBitsToDouble((long) LONG.get(bytes, offsets[at]));
    }
    return at == ROW_ID || at >= 0 && types[at] != NULL && types[at] < FIRST_BLOB
        ? integer(column, 0)
        : fallback;
  }

  /// The text, empty where there is none; a number is written out.
  String text(int column) {
    int at = place[column];
    if (at < 0 || types[at] == NULL) {
      return at == ROW_ID ? Long.toString(rowId) : "";
    }
    if (!isText(at)) {
      return types[at] < FIRST_BLOB ? Long.toString(integer(column, 0)) : "";
    }
    return new String(bytes, offsets[at], length(types[at]), charset);
  }

  /// The text's id in `names`, 0 where there is none.
  int name(int column, Names names) {
    return withText(column, names::intern, 0);
  }

  /// What is made of a text's UTF-8 bytes.
  interface TextReader {
    int read(byte[] utf8, int from, int length);
  }

  /// What `reader` makes of the text, without copying it; `absent` where there is none.
  int withText(int column, TextReader reader, int absent) {
    int at = place[column];
    if (at < 0 || !isText(at)) {
      return absent;
    }
    if (charset.equals(StandardCharsets.UTF_8)) {
      return reader.read(bytes, offsets[at], length(types[at]));
    }
    byte[] utf8 = text(column).getBytes(StandardCharsets.UTF_8);
    return reader.read(utf8, 0, utf8.length);
  }

  private boolean isText(int at) {
    return types[at] > FIRST_BLOB && (types[at] & 1) == 1;
  }

  private static int length(int type) {
    return switch (type) {
      case NULL, 8, 9, 10, 11 -> 0;
      case 1, 2, 3, 4 -> type;
      case 5 -> 6;
      case 6, DOUBLE -> 8;
      default -> (type - FIRST_BLOB) >>> 1;
    };
  }

  /// The number of seven bits a byte that begins at `at`: the ninth byte counts whole.
  static long varint(byte[] content, int at, int end) {
    long value = 0;
    for (int i = 0; i < 9 && at + i < end; i++) {
      byte next = content[at + i];
      if (i == 8) {
        return value << 8 | next & 0xFF;
      }
      value = value << 7 | next & 0x7F;
      if (next >= 0) {
        return value;
      }
    }
    return -1;
  }

  static int varintLength(byte[] content, int at, int end) {
    int length = 1;
    while (length < 9 && at + length < end && content[at + length - 1] < 0) {
      length++;
    }
    return length;
  }
}
