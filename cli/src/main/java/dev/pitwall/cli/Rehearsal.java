package dev.pitwall.cli;

import dev.pitwall.station.Station;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the launcher runs once to record which classes and which methods a start needs: a report in
/// the terminal, and the station's page with everything that it asks for before its first picture.
final class Rehearsal {
  private static final Pattern FILE_OF_PAGE = Pattern.compile("(?:href|src)=\"(/[^\"]+)\"");

  /// Views are zoomed at once, so the tiles of every level are rehearsed; the codes of real views.
  private static final int REPETITIONS = 20;

  private Rehearsal() {}

  /// @param sample one trace
  public static void main(String[] sample) throws IOException {
    Pitwall.commandLine().execute("analyze", sample[0]);
    Path recent = Files.createTempFile("pitwall-rehearsal", "");
    try (Station station = Station.start(new Station.Settings("127.0.0.1", 0, 1 << 20, recent))) {
      station.runs().open(List.of(Path.of(sample[0]))).join();
      String token = station.address().substring(station.address().indexOf('?') + 1);
      URI root = URI.create(station.address()).resolve("/");
      Matcher files = FILE_OF_PAGE.matcher(get(root.resolve("?" + token)));
      while (files.find()) {
        get(root.resolve(files.group(1) + "?" + token));
      }
      for (int i = 0; i < REPETITIONS; i++) {
        for (String request :
            List.of(
                "runs?",
                "recent?",
                "run?",
                "tiles?bits=17&from=0&to=3&tracks=0,1,2&",
                "names?rank=0&ids=1,2,3,4,5&",
                "counters?slots=1600&")) {
          get(root.resolve("/api/" + request + token));
        }
      }
    } finally {
      Files.deleteIfExists(recent);
    }
  }

  private static String get(URI address) throws IOException {
    try (InputStream in = address.toURL().openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
