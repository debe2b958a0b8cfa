package dev.pitwall.trace.json;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;

/// Numbers from their written digits, exact, without a double between.
final class DecimalText {
  static final long ABSENT = Long.MIN_VALUE;

  /// A number with less room than this in the window is not taken but read as a token.
  private static final int LONGEST_FAST_NUMBER = 32;

  /// Digits that always fit a long.
  private static final int SAFE_DIGITS = 18;

  /// Longer than any number that fits a long, with room for a fraction.
  private static final int LONGEST_NUMBER = 64;

  private DecimalText() {}

  /// Takes the digits at the window's position if they are a plain integer that ends there; else
  /// [#ABSENT], and the position stays.
  static long takeInteger(ByteWindow window) {
    int at = window.position;
    if (window.limit - at <= LONGEST_FAST_NUMBER) {
      return ABSENT;
    }
    byte[] bytes = window.bytes;
    int last = at + SAFE_DIGITS;
    long value = 0;
    int digit;
    while (at < last && (digit = bytes[at] - '0') >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at++;
    }
    if (!endsBareWord(bytes[at])) {
      return ABSENT;
    }
    window.position = at;
    return value;
  }

  /// As [#takeInteger], for microseconds of up to three decimals, which come out as nanoseconds.
  static long takeNanosOfMicros(ByteWindow window) {
    int at = window.position;
    if (window.limit - at <= LONGEST_FAST_NUMBER) {
      return ABSENT;
    }
    byte[] bytes = window.bytes;
    int last = at + SAFE_DIGITS - 3;
    long value = 0;
    int digit;
    while (at < last && (digit = bytes[at] - '0') >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at++;
    }
    int missing = 3;
    if (bytes[at] == '.') {
      at++;
      while (missing > 0 && (digit = bytes[at] - '0') >= 0 && digit <= 9) {
        value = value * 10 + digit;
        at++;
        missing--;
      }
    }
    if (!endsBareWord(bytes[at])) {
      return ABSENT;
    }
    window.position = at;
    for (; missing > 0; missing--) {
      value *= 10;
    }
    return value;
  }

  /// Whether a number or other bare word ends before this byte.
  static boolean endsBareWord(byte b) {
    return b == ',' || b == '}' || b == ']' || (b <= ' ' && b >= 0);
  }

  /// An integer. From 2^63 on it is read as unsigned (addresses); a fraction is cut; `0x` is
  /// hexadecimal.
  static long integer(byte[] bytes, int from, int length) {
    boolean negative = length > 0 && bytes[from] == '-';
    int start = negative ? 1 : 0;
    int digits = length - start;
    if (digits <= 0 || digits > SAFE_DIGITS) {
      return digits <= 0 ? ABSENT : unusual(bytes, from, length, 0);
    }
    long value = 0;
    for (int i = from + start; i < from + length; i++) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        return unusual(bytes, from, length, 0);
      }
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  /// Microseconds as nanoseconds, to the nearest.
  static long nanosOfMicros(byte[] bytes, int from, int length) {
    boolean negative = length > 0 && bytes[from] == '-';
    int at = from + (negative ? 1 : 0);
    int end = from + length;
    long value = 0;
    int wholeDigits = 0;
    int digit;
    while (at < end && (digit = bytes[at] - '0') >= 0 && digit <= 9) {
      value = value * 10 + digit;
      wholeDigits++;
      at++;
    }
    if (wholeDigits == 0 || wholeDigits > SAFE_DIGITS - 3) {
      return unusual(bytes, from, length, 3);
    }
    int fractionDigits = 0;
    if (at < end && bytes[at] == '.') {
      at++;
      while (at < end && fractionDigits < 3 && (digit = bytes[at] - '0') >= 0 && digit <= 9) {
        value = value * 10 + digit;
        fractionDigits++;
        at++;
      }
    }
    if (at < end) {
      return unusual(bytes, from, length, 3);
    }
    for (; fractionDigits < 3; fractionDigits++) {
      value *= 10;
    }
    return negative ? -value : value;
  }

  /// Anything that the fast paths leave: exponents, long fractions, hexadecimal, 19 digits and
  /// more.
  private static long unusual(byte[] bytes, int from, int length, int decimalShift) {
    if (length == 0 || length > LONGEST_NUMBER) {
      return ABSENT;
    }
    String text = new String(bytes, from, length, StandardCharsets.ISO_8859_1).strip();
    try {
      if (text.startsWith("0x") || text.startsWith("0X")) {
        return Long.parseUnsignedLong(text.substring(2), 16);
      }
      BigDecimal value = new BigDecimal(text);
      if (Math.abs((long) value.precision() - value.scale()) > LONGEST_NUMBER
          || Math.abs((long) value.scale()) > 400) {
        return value.signum() == 0 || value.precision() < value.scale() ? 0 : ABSENT;
      }
      RoundingMode rounding = decimalShift == 0 ? RoundingMode.DOWN : RoundingMode.HALF_UP;
      java.math.BigInteger whole =
          value.movePointRight(decimalShift).setScale(0, rounding).unscaledValue();
      boolean unsigned = decimalShift == 0 && whole.signum() > 0;
      return whole.bitLength() > (unsigned ? 64 : 63) ? ABSENT : whole.longValue();
    } catch (NumberFormatException noNumber) {
      return ABSENT;
    }
  }
}
