package dev.pitwall.study.ledger;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The judged predictions of this user on this machine, a file of JSON lines. A line that cannot be
/// read is passed over: the file may have been cut off.
public final class Ledger {
  /// Fewer judgements of a fix correct nothing.
  static final int ENOUGH = 3;

  private final Path file;
  private final List<LedgerEntry> entries;

  private Ledger(Path file, List<LedgerEntry> entries) {
    this.file = file;
    this.entries = entries;
  }

  /// The user's own: `ledger.jsonl` in the folder `PITWALL_HOME` names, else in `~/.pitwall`.
  public static Path usersOwn(@Nullable String pitwallHome, String userHome) {
    Path folder =
        pitwallHome == null || pitwallHome.isEmpty()
            ? Path.of(userHome, ".pitwall")
            : Path.of(pitwallHome);
    return folder.resolve("ledger.jsonl");
  }

  /// Reads a ledger; a file that does not exist is an empty one.
  ///
  /// @throws PitwallException where it exists and cannot be read (3)
  public static Ledger open(Path file) {
    List<LedgerEntry> entries = new ArrayList<>();
    if (Files.exists(file)) {
      try {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        text.lines()
            .forEach(
                line -> {
                  try {
                    entries.add(LedgerEntry.of(Json.parse(line)));
                  } catch (JsonSyntaxException cutOff) {
                    // one lost judgement
                  }
                });
      } catch (IOException failure) {
        throw PitwallException.unreadable(
            "cannot read the ledger " + file + " (" + failure.getMessage() + ").");
      }
    }
    return new Ledger(file, entries);
  }

  public Path file() {
    return file;
  }

  /// Every judgement, the oldest first.
  public List<LedgerEntry> entries() {
    return List.copyOf(entries);
  }

  /// Writes a judgement down, unless the same prediction was judged by the same run before.
  ///
  /// @throws PitwallException where the file cannot be written (2)
  public void record(LedgerEntry entry) {
    if (entries.stream().anyMatch(entry::sameQuestion)) {
      return;
    }
    try {
      Path folder = file.toAbsolutePath().getParent();
      if (folder != null) {
        Files.createDirectories(folder);
      }
      Files.writeString(
          file, entry.line() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException failure) {
      throw PitwallException.usage(
          "cannot write the ledger "
              + file
              + " ("
              + failure.getMessage()
              + "); set PITWALL_HOME to a folder of yours.");
    }
    entries.add(entry);
  }

  /// What the judgements say of each subject, by name.
  public List<LedgerScore> scores() {
    TreeMap<String, List<LedgerEntry>> bySubject = new TreeMap<>();
    for (LedgerEntry entry : entries) {
      bySubject.computeIfAbsent(entry.subject(), subject -> new ArrayList<>()).add(entry);
    }
    return bySubject.entrySet().stream()
        .map(subject -> LedgerScore.of(subject.getKey(), subject.getValue()))
        .toList();
  }

  /// By what to multiply a predicted gain of this fix on this kind of device: the median of what
  /// was measured over what was predicted; 1 with fewer than three judgements.
  public double correction(String subject, String gpu) {
    List<LedgerEntry> same =
        entries.stream().filter(e -> e.subject().equals(subject) && e.gpu().equals(gpu)).toList();
    return same.size() < ENOUGH ? 1 : LedgerScore.of(subject, same).medianRatio();
  }
}
