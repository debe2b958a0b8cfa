package dev.pitwall.station;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitwall.SharedData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page's modules hold their types, and nothing in them can turn a name into markup.
class PageSourcesTest {
  private static final Path PAGE =
      SharedData.repositoryRoot().resolve("station/src/main/resources/dev/pitwall/station/page");
  private static final String WEBJARS = "/META-INF/resources/webjars/";
  private static final List<String> PREACT_TYPES = List.of("index.d.ts", "jsx.d.ts", "dom.d.ts");

  @TempDir Path folder;

  private static List<Path> modules() throws IOException {
    try (Stream<Path> files = Files.list(PAGE)) {
      return files.filter(file -> file.toString().endsWith(".js")).sorted().toList();
    }
  }

  @Test
  void nothingWritesMarkup() throws IOException {
    for (Path module : modules()) {
      assertThat(Files.readString(module))
          .as(module.getFileName().toString())
          .doesNotContain("innerHTML")
          .doesNotContain("outerHTML")
          .doesNotContain("insertAdjacentHTML")
          .doesNotContain("document.write")
          .doesNotContain("eval(")
          .doesNotContain("https://");
    }
  }

  @Test
  void thePageFetchesAllOfItsModulesAtOnce() throws IOException {
    String index = Files.readString(PAGE.resolve("index.html"));
    for (Path module : modules()) {
      assertThat(index).contains("\"/" + module.getFileName() + "\"");
    }
  }

  @Test
  void theTypesInTheCommentsHold() throws Exception {
    assumeTrue(hasNode(), "skipped: no node on this machine to run the type checker with");
    Path vendor = Files.createDirectories(folder.resolve("page/vendor"));
    for (Path module : modules()) {
      Files.copy(module, folder.resolve("page").resolve(module.getFileName()));
    }
    for (String file : PREACT_TYPES) {
      copy("preact/10.27.2/src/" + file, vendor.resolve(file));
    }
    copy("preact/10.27.2/src/index.d.ts", vendor.resolve("preact.d.ts"));
    copy("uplot/1.6.30/dist/uPlot.d.ts", vendor.resolve("uPlot.d.ts"));
    Path compiler = folder.resolve("typescript");
    for (String file : List.of("tsc.js", "_tsc.js")) {
      copy("typescript/5.9.3/lib/" + file, compiler.resolve(file));
    }
    for (String library : libraries()) {
      copy("typescript/5.9.3/lib/" + library, compiler.resolve(library));
    }
    Files.writeString(
        folder.resolve("jsconfig.json"),
        """
        { "compilerOptions": { "checkJs": true, "allowJs": true, "noEmit": true, "strict": true,
            "target": "ES2022", "module": "ES2022", "moduleResolution": "bundler",
            "lib": ["ES2022", "DOM", "DOM.Iterable"], "skipLibCheck": true, "types": [] },
          "include": ["page/*.js"] }
        """);
    Path output = folder.resolve("output.txt");
    Process process =
        new ProcessBuilder(
                "node",
                compiler.resolve("tsc.js").toString(),
                "-p",
                folder.resolve("jsconfig.json").toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();

    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(Files.readString(output)).isEmpty();
    assertThat(process.exitValue()).isZero();
  }

  private static boolean hasNode() {
    try {
      return new ProcessBuilder("node", "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException none) {
      return false;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  // The libraries of the standard that lib.es2022.d.ts and lib.dom.d.ts refer to.
  private static List<String> libraries() throws IOException {
    TreeSet<String> found = new TreeSet<>();
    ArrayDeque<String> open =
        new ArrayDeque<>(
            List.of("es2022", "dom", "dom.iterable", "decorators", "decorators.legacy"));
    while (!open.isEmpty()) {
      String file = "lib." + open.poll() + ".d.ts";
      if (found.add(file)) {
        Matcher references =
            Pattern.compile("reference lib=\"([^\"]+)\"")
                .matcher(text("typescript/5.9.3/lib/" + file));
        while (references.find()) {
          open.add(references.group(1));
        }
      }
    }
    return List.copyOf(found);
  }

  private static void copy(String resource, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Files.writeString(target, text(resource));
  }

  private static String text(String resource) throws IOException {
    try (InputStream in = PageSourcesTest.class.getResourceAsStream(WEBJARS + resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not on the test class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
