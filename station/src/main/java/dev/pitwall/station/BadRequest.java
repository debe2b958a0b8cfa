package dev.pitwall.station;

/// A request that is refused with an HTTP status and one sentence.
final class BadRequest extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  BadRequest(int status, String sentence) {
    super(sentence);
    this.status = status;
  }

  int status() {
    return status;
  }
}
