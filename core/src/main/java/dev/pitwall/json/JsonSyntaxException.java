package dev.pitwall.json;

/// A text that is not JSON; the message says what was expected and at which character.
public final class JsonSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  JsonSyntaxException(String message) {
    super(message);
  }
}
