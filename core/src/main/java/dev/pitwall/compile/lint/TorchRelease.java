package dev.pitwall.compile.lint;

import dev.pitwall.error.PitwallException;

/// A version of PyTorch, as far as rules ask: `2.13`.
public record TorchRelease(int major, int minor) {
  /// The newest version that the rules were tried on.
  public static final TorchRelease NEWEST = new TorchRelease(2, 14);

  /// @throws PitwallException (wrong usage) where the text is no version
  public static TorchRelease parse(String text) {
    String[] parts = text.strip().split("[.+]");
    try {
      return new TorchRelease(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException notAVersion) {
      throw PitwallException.usage("\"" + text + "\" is no version of PyTorch; write it as 2.13.");
    }
  }

  boolean isAtMost(TorchRelease other) {
    return major < other.major || major == other.major && minor <= other.minor;
  }
}
