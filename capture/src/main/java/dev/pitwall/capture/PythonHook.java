package dev.pitwall.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The Python part, unpacked into a folder of its own so that any `python` the program starts finds
/// it on `PYTHONPATH`: a launcher of several ranks, and its children.
public final class PythonHook implements AutoCloseable {
  /// Every file of `src/main/python`.
  static final List<String> FILES =
      List.of(
          "hook/sitecustomize.py",
          "pitwall/__init__.py",
          "pitwall/attach.py",
          "pitwall/device.py",
          "pitwall/marker.py",
          "pitwall/recorder.py",
          "pitwall/session.py",
          "pitwall/settings.py",
          "pitwall/stress.py",
          "pitwall/variant.py",
          "pitwall/waits.py",
          "pitwall/window.py");

  private final Path folder;

  private PythonHook(Path folder) {
    this.folder = folder;
  }

  /// Unpacks into a new folder; closing deletes it.
  public static PythonHook unpack(Path folder) throws IOException {
    for (String file : FILES) {
      Path target = folder.resolve(file);
      Files.createDirectories(target.getParent());
      try (InputStream in = PythonHook.class.getResourceAsStream("python/" + file)) {
        if (in == null) {
          throw new IllegalStateException("the jar lacks python/" + file);
        }
        Files.write(target, in.readAllBytes());
      }
    }
    return new PythonHook(folder);
  }

  /// The value of `PYTHONPATH` that starts the hook and keeps what the user had there.
  public String pythonPath(@Nullable String usersOwn) {
    String ours = folder.resolve("hook") + ":" + folder;
    return usersOwn == null || usersOwn.isEmpty() ? ours : ours + ":" + usersOwn;
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
