package dev.pitwall.trace;

import java.io.IOException;
import java.io.InputStream;

/// One way of compressing a file. Those that need a library are found as services
/// (`META-INF/services/dev.pitwall.trace.Compression`).
public interface Compression {
  /// Its name for sentences, such as `zstd`.
  String name();

  /// Whether the first bytes of a file are of this compression; `length` of them are valid.
  boolean accepts(byte[] head, int length);

  /// The decompressed bytes. A damaged or cut file ends in an [IOException] after the last good
  /// byte.
  InputStream decompress(InputStream compressed) throws IOException;
}
