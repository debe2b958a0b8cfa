package dev.pitwall.station;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/// The runs opened lately, newest first, kept as one path a line. A list that cannot be read or
/// written is an empty list: it is a convenience, never a reason to fail.
final class RecentRuns {
  private static final int KEPT = 12;

  private final Path file;

  RecentRuns(Path file) {
    this.file = file;
  }

  /// The paths that still exist.
  synchronized List<Path> paths() {
    try {
      List<Path> paths = new ArrayList<>();
      for (String line : Files.readAllLines(file)) {
        Path path = Path.of(line);
        if (Files.exists(path)) {
          paths.add(path);
        }
      }
      return paths;
    } catch (IOException | InvalidPathException unreadable) {
      return List.of();
    }
  }

  synchronized void add(Path opened) {
    Path absolute = opened.toAbsolutePath().normalize();
    List<Path> paths = new ArrayList<>(paths());
    paths.remove(absolute);
    paths.addFirst(absolute);
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Path partial = Files.createTempFile(file.toAbsolutePath().getParent(), ".recent", ".part");
      Files.write(partial, paths.stream().limit(KEPT).map(Path::toString).toList());
      Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException notKept) {
      return;
    }
  }
}
