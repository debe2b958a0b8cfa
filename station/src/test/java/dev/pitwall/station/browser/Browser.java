package dev.pitwall.station.browser;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitwall.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// A headless Chromium with software rendering. Where none is installed, the test that asks for one
/// is skipped and says so.
public final class Browser implements AutoCloseable {
  private static final List<String> PLACES =
      List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");

  private final Process process;
  private final Path profile;
  private final HttpClient client = HttpClient.newHttpClient();
  private final DevTools tools;
  private final Map<String, Page> pages = new ConcurrentHashMap<>();

  private Browser(String program) throws IOException {
    profile = Files.createTempDirectory("pitwall-browser");
    process =
        new ProcessBuilder(
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--hide-scrollbars",
                "--enable-precise-memory-info",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    tools = new DevTools(client, address(), this::event);
    tools.send("Target.setDiscoverTargets", null, json -> json.key("discover").value(true));
  }

  /// Starts the browser, or skips the test.
  public static Browser start() {
    String program =
        PLACES.stream().filter(place -> Files.isExecutable(Path.of(place))).findFirst().orElse("");
    assumeTrue(!program.isEmpty(), "skipped: no Chromium is installed (apt-get install chromium)");
    try {
      return new Browser(program);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// Opens an address in a window of its own and waits until it is loaded.
  public Page open(String address, int width, int height, boolean dark) {
    String target =
        tools
            .send("Target.createTarget", null, json -> json.key("url").value("about:blank"))
            .get("targetId")
            .text("");
    String session =
        tools
            .send(
                "Target.attachToTarget",
                null,
                json -> json.key("targetId").value(target).key("flatten").value(true))
            .get("sessionId")
            .text("");
    Page page = new Page(tools, session, target);
    pages.put(session, page);
    page.prepare(width, height, dark);
    page.navigate(address);
    return page;
  }

  /// Resident memory of the renderer processes, in bytes; Linux only, 0 elsewhere.
  public long rendererBytes() {
    long bytes = 0;
    for (ProcessHandle child : process.descendants().toList()) {
      Path status = Path.of("/proc/" + child.pid() + "/status");
      Path command = Path.of("/proc/" + child.pid() + "/cmdline");
      try {
        if (Files.readString(command).contains("--type=renderer")) {
          for (String line : Files.readAllLines(status)) {
            if (line.startsWith("VmRSS:")) {
              bytes = Math.max(bytes, Long.parseLong(line.replaceAll("\\D", "")) * 1024);
            }
          }
        }
      } catch (IOException gone) {
        continue;
      }
    }
    return bytes;
  }

  private void event(Json message) {
    Page page = pages.get(message.get("sessionId").text(""));
    if (page != null) {
      page.event(message);
    }
  }

  private String address() throws IOException {
    BufferedReader errors =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8));
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      int at = line.indexOf("ws://");
      if (at >= 0) {
        Thread.ofVirtual().start(() -> errors.lines().forEach(unread -> {}));
        return line.substring(at).strip();
      }
    }
    throw new IOException("the browser did not start");
  }

  @Override
  public void close() {
    tools.close();
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    children.forEach(ProcessHandle::destroyForcibly);
    try (Stream<Path> files = Files.walk(profile)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException leftForTheSystem) {
      profile.toFile().deleteOnExit();
    }
  }
}
