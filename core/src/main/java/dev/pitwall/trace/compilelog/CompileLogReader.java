package dev.pitwall.trace.compilelog;

import dev.pitwall.error.PitwallException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/// Reads `TORCH_TRACE` logs, plain or gzip, one file or a folder with a file a rank, as a stream:
/// one line and one payload are in memory at a time.
public final class CompileLogReader {
  private static final int HEAD_BYTES = 4096;
  private static final Pattern RANK_IN_NAME = Pattern.compile("rank[_-]?(\\d+)");

  private CompileLogReader() {}

  /// Whether the first bytes (after decompression) are of a structured log.
  public static boolean accepts(byte[] head, int length) {
    String text = new String(head, 0, length, java.nio.charset.StandardCharsets.ISO_8859_1);
    return LogHeader.find(text).isPresent();
  }

  /// Whether a file is a structured log, by its first bytes.
  public static boolean accepts(Path file) {
    try (InputStream in = open(file)) {
      byte[] head = in.readNBytes(HEAD_BYTES);
      return accepts(head, head.length);
    } catch (IOException unreadable) {
      return false;
    }
  }

  /// Reads every log of the paths; a folder stands for the files in it. Files of a folder that are
  /// no structured log are left out.
  ///
  /// @throws PitwallException (unreadable) where a path does not exist or a named file is no such
  /// log
  public static List<CompileLog> readAll(List<Path> paths) {
    List<CompileLog> logs = new ArrayList<>();
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        try (Stream<Path> files = Files.walk(path, 2)) {
          files
              .filter(Files::isRegularFile)
              .sorted()
              .filter(CompileLogReader::accepts)
              .forEach(file -> logs.add(read(file)));
        } catch (IOException failure) {
          throw PitwallException.unreadable(
              "cannot list " + path + " (" + failure.getMessage() + "); check its permissions.");
        }
      } else {
        logs.add(read(path));
      }
    }
    return logs;
  }

  /// Reads one log.
  ///
  /// @throws PitwallException (unreadable) where the file does not exist or holds no event
  public static CompileLog read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw PitwallException.unreadable(
          "there is no file " + file + "; give a TORCH_TRACE log or the folder that holds it.");
    }
    try (InputStream in = open(file)) {
      CompileLog log = new EventReader(file.toString(), rankOfName(file)).read(in);
      if (log.events() == 0) {
        throw PitwallException.unreadable(
            file
                + " holds no event of torch.compile's structured log; run the program with"
                + " TORCH_TRACE=FOLDER and give that folder.");
      }
      return log;
    } catch (IOException failure) {
      throw PitwallException.unreadable(
          "cannot read " + file + " (" + failure.getMessage() + "); check that it is whole.");
    }
  }

  private static int rankOfName(Path file) {
    Path name = file.getFileName();
    Matcher rank = RANK_IN_NAME.matcher(name == null ? "" : name.toString());
    return rank.find() ? Integer.parseInt(rank.group(1)) : -1;
  }

  private static InputStream open(Path file) throws IOException {
    BufferedInputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    raw.mark(2);
    int first = raw.read();
    int second = raw.read();
    raw.reset();
    return first == 0x1f && second == 0x8b ? new GZIPInputStream(raw, 1 << 16) : raw;
  }
}
