package dev.pitwall.error;

/// How a command ended, as the shell sees it (DESIGN "Exit codes").
public enum ExitCode {
  DONE(0),
  GATE_FAILED(1),
  WRONG_USAGE(2),
  UNREADABLE_INPUT(3),
  MISSING_PROGRAM(4),
  OUR_FAULT(70);

  private final int status;

  ExitCode(int status) {
    this.status = status;
  }

  /// The process status, 0 to 255.
  public int status() {
    return status;
  }
}
