package dev.pitwall.error;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The heap did not suffice: no fault of the input or of Pitwall's, so the user gets the limit and
/// what helps, however deep the analysis was when it happened.
public final class MemoryShortage {
  private static final long BYTES_A_MIB = 1L << 20;
  private static final long MIB_A_GIB = 1L << 10;

  private MemoryShortage() {}

  /// Whether a failure is a heap that ran out, itself or what caused it (another thread's work).
  public static boolean isBehind(@Nullable Throwable failure) {
    Throwable at = failure;
    while (at != null) {
      if (at instanceof OutOfMemoryError) {
        return true;
      }
      at = at.getCause() == at ? null : at.getCause();
    }
    return false;
  }

  /// The failure as the user sees it: exit code 3.
  ///
  /// @param subject what did not fit: a file, or `this input`
  public static PitwallException of(String subject, Throwable failure) {
    return new PitwallException(ExitCode.UNREADABLE_INPUT, sentence(subject), failure);
  }

  private static String sentence(String subject) {
    long limitMib = Runtime.getRuntime().maxMemory() / BYTES_A_MIB;
    return String.format(
        Locale.ROOT,
        "%s needs more than the %,d MiB of memory that Pitwall may use (a quarter of the machine's"
            + " by default): allow more with PITWALL_JAVA_OPTIONS=-Xmx%dg, take a machine with more"
            + " memory, or cut the recording to fewer steps.",
        subject,
        limitMib,
        Math.ceilDiv(2 * limitMib, MIB_A_GIB));
  }
}
