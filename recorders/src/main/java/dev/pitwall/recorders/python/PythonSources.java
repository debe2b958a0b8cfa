package dev.pitwall.recorders.python;

import dev.pitwall.error.PitwallException;
import dev.pitwall.trace.python.SourceFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Reads the Python files of a project.
public final class PythonSources {
  /// Folders that hold other people's code.
  private static final Set<String> FOREIGN =
      Set.of("site-packages", "node_modules", "__pycache__", "venv", ".venv", ".git", "build");

  private static final long LARGEST_BYTES = 4 << 20;

  private PythonSources() {}

  /// @param paths `.py` files, or folders of them
  /// @throws PitwallException (unreadable) where there is nothing to read
  public static List<SourceFile> read(List<Path> paths) {
    return read(paths, leftOut -> {});
  }

  /// @param paths `.py` files, or folders of them
  /// @param leftOut takes a sentence for each file of a folder that cannot be read, and for each
  /// that is too large
  /// @throws PitwallException (unreadable) where there is nothing to read
  public static List<SourceFile> read(List<Path> paths, Consumer<String> leftOut) {
    List<SourceFile> files = new ArrayList<>();
    for (Path path : paths) {
      for (Path file : filesOf(path)) {
        try {
          if (Files.size(file) > LARGEST_BYTES) {
            leftOut.accept(file + " is larger than 4 MiB and was left out.");
          } else {
            String text = SourceText.decode(Files.readAllBytes(file));
            files.add(PythonParser.parse(file.toString(), text));
          }
        } catch (IOException unreadable) {
          if (file.equals(path)) {
            throw PitwallException.unreadable(
                "cannot read " + file + " (" + unreadable.getMessage() + ").");
          }
          leftOut.accept(
              file + " cannot be read (" + unreadable.getMessage() + ") and was left out.");
        }
      }
    }
    if (files.isEmpty()) {
      throw PitwallException.unreadable("there is no Python file in " + paths + ".");
    }
    return files;
  }

  private static List<Path> filesOf(Path path) {
    if (!Files.isDirectory(path)) {
      if (!Files.exists(path)) {
        throw PitwallException.unreadable("there is no file " + path + ".");
      }
      return List.of(path);
    }
    try (Stream<Path> inside = Files.walk(path)) {
      return inside
          .filter(file -> file.toString().endsWith(".py") && Files.isRegularFile(file))
          .filter(file -> !isForeign(path.relativize(file)))
          .sorted()
          .toList();
    } catch (IOException | UncheckedIOException failure) {
      throw PitwallException.unreadable("cannot list " + path + " (" + failure.getMessage() + ").");
    }
  }

  private static boolean isForeign(Path relative) {
    for (Path part : relative) {
      if (FOREIGN.contains(part.toString())) {
        return true;
      }
    }
    return false;
  }
}
