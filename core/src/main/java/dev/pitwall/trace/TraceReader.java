package dev.pitwall.trace;

import java.io.IOException;
import java.nio.file.Path;

/// Reads one format into a [Trace]. A reader is stateless; it reads a damaged file as far as it
/// goes and enters the rest in the trace's ledger. A file it cannot read at all ends in a
/// [dev.pitwall.error.PitwallException] with exit code 3.
public interface TraceReader {
  /// Whether the first bytes (after decompression) are of this format. `head` holds up to 4,096
  /// bytes.
  boolean accepts(byte[] head, int length, Path file);

  /// Reads the whole file.
  Trace read(Path file) throws IOException;
}
