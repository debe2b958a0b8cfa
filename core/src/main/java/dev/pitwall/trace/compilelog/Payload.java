package dev.pitwall.trace.compilelog;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/// The payload of one event while its lines arrive: its digest always, its text where it is wanted.
final class Payload {
  private final MessageDigest digest;
  private byte[] kept = new byte[1 << 16];
  private int size;
  private boolean keep;
  private boolean first = true;

  Payload() {
    try {
      digest = MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /// Starts a new payload.
  void begin(boolean keepText) {
    digest.reset();
    size = 0;
    keep = keepText;
    first = true;
  }

  void addLine(byte[] bytes, int from, int to) {
    if (!first) {
      digest.update((byte) '\n');
    }
    digest.update(bytes, from, to - from);
    if (keep) {
      int more = to - from + 1;
      if (size + more > kept.length) {
        kept = Arrays.copyOf(kept, Math.max(kept.length * 2, size + more));
      }
      if (!first) {
        kept[size++] = '\n';
      }
      System.arraycopy(bytes, from, kept, size, to - from);
      size += to - from;
    }
    first = false;
  }

  boolean matches(String expectedHex) {
    return HexFormat.of().formatHex(digest.digest()).equalsIgnoreCase(expectedHex);
  }

  String text() {
    return new String(kept, 0, size, StandardCharsets.UTF_8);
  }
}
