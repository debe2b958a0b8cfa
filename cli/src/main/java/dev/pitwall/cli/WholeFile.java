package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Writes a document whole or not at all: the file appears only once it is complete, also when the
/// program is stopped in between.
final class WholeFile {
  /// As many as Linux follows (path_resolution(7)).
  private static final int MOST_LINKS = 40;

  private WholeFile() {}

  /// Refuses an output that is one of the inputs, or lies under its name inside an input folder.
  ///
  /// @param option the option that named the output
  static void refuseInput(@Nullable Path output, List<Path> inputs, String option) {
    if (output == null || !Files.exists(output)) {
      return;
    }
    for (Path input : inputs) {
      try {
        if (Files.exists(input) && Files.isSameFile(input, output)) {
          throw PitwallException.usage(
              option + " " + output + " would overwrite an input; name another file.");
        }
      } catch (IOException unreachable) {
        throw PitwallException.usage(option + " " + output + " cannot be compared with the input.");
      }
    }
  }

  /// Writes to a device or a pipe straight away, and to where a symbolic link leads.
  ///
  /// @param option the option that named the file, for the message where it cannot be written
  static void write(Path file, String document, String option) {
    try {
      Path target = followed(file.toAbsolutePath());
      if (Files.exists(target) && (!Files.isRegularFile(target) || isOfTheSystem(target))) {
        Files.writeString(target, document, StandardOpenOption.WRITE);
        return;
      }
      // Not a temporary file of the JDK's: those are private, and a report is made to be shared.
      Path unfinished = target.resolveSibling(".pitwall-" + UUID.randomUUID() + ".unfinished");
      try {
        Files.writeString(unfinished, document, StandardOpenOption.CREATE_NEW);
        Files.move(unfinished, target, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException failure) {
      throw new PitwallException(
          ExitCode.WRONG_USAGE,
          "cannot write "
              + file
              + " ("
              + reason(failure)
              + "); choose another file for "
              + option
              + ".",
          failure);
    }
  }

  /// Such as `/dev/stdout`, which may lead to a regular file that someone else holds open.
  private static boolean isOfTheSystem(Path target) {
    return target.startsWith("/dev") || target.startsWith("/proc");
  }

  private static Path followed(Path link) throws IOException {
    Path target = link;
    for (int links = 0; Files.isSymbolicLink(target); links++) {
      if (links == MOST_LINKS) {
        throw new FileSystemException(link.toString(), null, "its links lead in a circle");
      }
      Path next = target.resolveSibling(Files.readSymbolicLink(target));
      if (next.startsWith("/proc")) {
        // What a process holds open has no name that could be followed.
        return next;
      }
      target = next;
    }
    return target;
  }

  /// Why, without the path of the unfinished file.
  static String reason(IOException failure) {
    return switch (failure) {
      case NoSuchFileException missing -> "there is no such folder";
      case FileAlreadyExistsException file -> file.getFile() + " is a file";
      case AccessDeniedException denied -> "no permission";
      case FileSystemException other when other.getReason() != null -> other.getReason();
      default -> String.valueOf(failure.getMessage());
    };
  }
}
