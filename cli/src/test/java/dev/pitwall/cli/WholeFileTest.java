package dev.pitwall.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
  @TempDir Path folder;

  @Test
  void aPipeIsWrittenIntoAndStaysAPipe() throws Exception {
    Path pipe = folder.resolve("pipe");
    make("mkfifo", pipe.toString());
    CompletableFuture<String> read =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return new String(Files.newInputStream(pipe).readAllBytes());
              } catch (IOException failure) {
                throw new IllegalStateException(failure);
              }
            });
    WholeFile.write(pipe, "document", "--json");
    assertThat(read.get()).isEqualTo("document");
    assertThat(Files.isRegularFile(pipe)).isFalse();
  }

  @Test
  void aDeviceStaysADeviceAndAFullOneIsSaid() throws Exception {
    Path nothing = folder.resolve("nothing");
    Path full = folder.resolve("full");
    make("mknod", nothing.toString(), "c", "1", "3");
    make("mknod", full.toString(), "c", "1", "7");
    assumeTrue(Files.isWritable(nothing));
    WholeFile.write(nothing, "document", "--json");
    assertThat(Files.readAttributes(nothing, "isOther").get("isOther")).isEqualTo(true);
    refused(full, "(No space left on device)");
    assertThat(Files.readAttributes(full, "isOther").get("isOther")).isEqualTo(true);
  }

  @Test
  void aLinkIsFollowedAlsoWhereItsFileIsNotThereYet() throws IOException {
    Path target = Files.createDirectory(folder.resolve("kept")).resolve("report.json");
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("kept/report.json"));
    WholeFile.write(link, "one", "--json");
    WholeFile.write(link, "two", "--json");
    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(target).hasContent("two");
    Path circle = Files.createSymbolicLink(folder.resolve("circle"), Path.of("circle"));
    refused(circle, "in a circle");
  }

  @Test
  void aRefusalNamesThePathThatTheUserGave() {
    refused(folder.resolve("missing/report.json"), "there is no such folder");
    refused(folder, "director");
    assertThat(folder).isDirectory();
  }

  private static void refused(Path file, String reason) {
    assertThatThrownBy(() -> WholeFile.write(file, "document", "--json"))
        .isInstanceOfSatisfying(
            PitwallException.class,
            refused -> {
              assertThat(refused.exitCode()).isEqualTo(ExitCode.WRONG_USAGE);
              assertThat(refused.getMessage())
                  .startsWith("cannot write " + file + " (")
                  .contains(reason)
                  .doesNotContain("unfinished");
            });
  }

  /// Skips the test where the system has no such program, or does not let the user run it.
  private static void make(String... command) throws Exception {
    int status;
    try {
      status = new ProcessBuilder(command).start().waitFor();
    } catch (IOException missing) {
      status = -1;
    }
    assumeTrue(status == 0, command[0] + " does not work here");
  }
}
