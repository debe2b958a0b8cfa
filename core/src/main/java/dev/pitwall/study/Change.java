package dev.pitwall.study;

import dev.pitwall.error.PitwallException;

/// A change to try: the id of a pass and its argument, as written on the command line.
///
/// @param argument empty where there is none
public record Change(String id, String argument) {
  /// Reads `ID` or `ID=ARG`.
  public static Change parse(String text) {
    int equals = text.indexOf('=');
    String id = equals < 0 ? text : text.substring(0, equals);
    if (id.isBlank()) {
      throw PitwallException.usage(
          "--fix needs the id of a fix, such as host-sync, got '" + text + "'");
    }
    return new Change(id.strip(), equals < 0 ? "" : text.substring(equals + 1).strip());
  }

  /// As written: `batch=8`.
  @Override
  public String toString() {
    return argument.isEmpty() ? id : id + "=" + argument;
  }
}
