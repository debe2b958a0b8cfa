package dev.pitwall.error;

/// A failure the user can act on. The message is one sentence that says what failed, where, and
/// what to do; it is printed as it is, without a stack trace.
public final class PitwallException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ExitCode exitCode;

  public PitwallException(ExitCode exitCode, String sentence) {
    super(sentence);
    this.exitCode = exitCode;
  }

  public PitwallException(ExitCode exitCode, String sentence, Throwable cause) {
    super(sentence, cause);
    this.exitCode = exitCode;
  }

  /// A file that cannot be read at all: exit code 3.
  public static PitwallException unreadable(String sentence) {
    return new PitwallException(ExitCode.UNREADABLE_INPUT, sentence);
  }

  /// A request that makes no sense as given: exit code 2.
  public static PitwallException usage(String sentence) {
    return new PitwallException(ExitCode.WRONG_USAGE, sentence);
  }

  public ExitCode exitCode() {
    return exitCode;
  }
}
