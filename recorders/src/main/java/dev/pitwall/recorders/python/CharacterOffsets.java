package dev.pitwall.recorders.python;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// From offsets in the UTF-8 form of a text, which tree-sitter counts in, to those of its
/// characters.
final class CharacterOffsets {
  /// By byte; empty where every character is one byte.
  private final int[] characterOfByte;

  private CharacterOffsets(int[] characterOfByte) {
    this.characterOfByte = characterOfByte;
  }

  static CharacterOffsets of(String text) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes == text.length()) {
      return new CharacterOffsets(new int[0]);
    }
    int[] characterOfByte = new int[bytes + 1];
    int at = 0;
    for (int character = 0; character < text.length(); ) {
      int point = text.codePointAt(character);
      int length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      Arrays.fill(characterOfByte, at, Math.min(at + length, bytes), character);
      at += length;
      character += Character.charCount(point);
    }
    characterOfByte[bytes] = text.length();
    return new CharacterOffsets(characterOfByte);
  }

  int at(int byteOffset) {
    return characterOfByte.length == 0 ? byteOffset : characterOfByte[byteOffset];
  }
}
