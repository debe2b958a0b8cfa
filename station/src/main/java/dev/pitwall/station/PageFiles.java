package dev.pitwall.station;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The files of the page, from the jar: only those named here, so no path can lead elsewhere.
final class PageFiles {
  private static final String PAGE = "/dev/pitwall/station/page/";
  private static final String WEBJARS = "/META-INF/resources/webjars/";

  /// Path in the address to place in the jar. The libraries' versions are those of the root POM.
  private static final Map<String, String> VENDOR =
      Map.of(
          "/vendor/preact.js", WEBJARS + "preact/10.27.2/dist/preact.module.js",
          "/vendor/uPlot.js", WEBJARS + "uplot/1.6.30/dist/uPlot.esm.js",
          "/vendor/uPlot.css", WEBJARS + "uplot/1.6.30/dist/uPlot.min.css");

  private PageFiles() {}

  /// The file at a path of the address, or null where the page has none of that name.
  static @Nullable Answer find(String path) {
    String name = path.equals("/") ? "index.html" : path.substring(1);
    String vendor = VENDOR.get(path);
    if (vendor == null && !name.matches("[a-z][a-z0-9-]*\\.(html|js|css|svg)")) {
      return null;
    }
    try (InputStream in =
        PageFiles.class.getResourceAsStream(vendor == null ? PAGE + name : vendor)) {
      return in == null
          ? null
          : new Answer(200, type(path.equals("/") ? name : path), in.readAllBytes(), Map.of());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String type(String name) {
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "html" -> "text/html; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      default -> "image/svg+xml";
    };
  }
}
