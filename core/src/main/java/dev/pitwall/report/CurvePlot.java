package dev.pitwall.report;

import dev.pitwall.json.JsonWriter;
import dev.pitwall.observe.Series;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/// Curves over time as an SVG picture with axes; the value under the pointer is shown by the page's
/// script.
final class CurvePlot {
  private static final int WIDTH = 1000;
  private static final int HEIGHT = 220;
  private static final int LEFT = 64;
  private static final int RIGHT = WIDTH - 12;
  private static final int TOP = 12;
  private static final int BOTTOM = HEIGHT - 28;

  private CurvePlot() {}

  /// @param curves of the same slots
  /// @param colours a CSS colour for each
  /// @param describe writes a value with its unit
  /// @param title what the picture shows, for those who cannot see it
  static void write(
      Markup out,
      List<Series> curves,
      List<String> colours,
      DoubleFunction<String> describe,
      String title) {
    double highest = 0;
    for (Series curve : curves) {
      for (double value : curve.values()) {
        highest = Math.max(highest, value);
      }
    }
    double top = roundUp(highest);
    Series first = curves.getFirst();
    int slots = first.values().length;
    double slotMillis = slots > 1 ? (first.timeNanos()[1] - first.timeNanos()[0]) / 1e6 : 1;
    out.format(
        "<svg viewBox=\"0 0 %d %d\" role=\"img\" data-curve=\"%s\"><title>%s</title>",
        WIDTH, HEIGHT, data(curves, describe, slotMillis), title);
    for (int tick = 0; tick <= 4; tick++) {
      double y = BOTTOM - (BOTTOM - TOP) * tick / 4.0;
      out.format(
          "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", LEFT, RIGHT, y, y);
      out.format(
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          LEFT - 8, y + 4, describe.apply(top * tick / 4));
    }
    for (int tick = 0; tick <= 5; tick++) {
      double x = LEFT + (RIGHT - LEFT) * tick / 5.0;
      String anchor = tick == 0 ? "start" : tick == 5 ? "end" : "middle";
      out.format(
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>",
          x, HEIGHT - 8, anchor, Quantity.millis(slotMillis * slots * tick / 5));
    }
    for (int i = 0; i < curves.size(); i++) {
      String path = path(curves.get(i).values(), top);
      out.format(
          "<path class=\"area\" fill=\"%s\" d=\"%s L%d %d L%d %d Z\"/>",
          colours.get(i), path, RIGHT, BOTTOM, LEFT, BOTTOM);
      out.format("<path class=\"edge\" stroke=\"%s\" d=\"%s\"/>", colours.get(i), path);
    }
    out.format(
        "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
        LEFT, RIGHT, BOTTOM, BOTTOM);
    out.format(
        "<line class=\"cursor\" y1=\"%d\" y2=\"%d\" visibility=\"hidden\"/></svg>", TOP, BOTTOM);
    out.raw("<div class=\"readout\" aria-live=\"off\"></div>");
  }

  private static String path(double[] values, double top) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      double x = LEFT + (RIGHT - LEFT) * (double) i / Math.max(1, values.length - 1);
      double y = BOTTOM - (BOTTOM - TOP) * (top > 0 ? Math.max(0, values[i]) / top : 0);
      path.append(String.format(Locale.ROOT, "%s%.1f %.1f", i == 0 ? "M" : " L", x, y));
    }
    return path.toString();
  }

  /// What the script needs to tell the value under the pointer.
  private static String data(
      List<Series> curves, DoubleFunction<String> describe, double slotMillis) {
    JsonWriter json = new JsonWriter().object();
    json.key("width").value(WIDTH);
    json.key("left").value(LEFT);
    json.key("right").value(RIGHT);
    json.key("slotMillis").value(slotMillis);
    json.key("series").array();
    for (Series curve : curves) {
      json.object();
      json.key("name").value(curve.name());
      json.key("values").array();
      for (double value : curve.values()) {
        json.value(value);
      }
      json.end();
      json.key("texts").array();
      for (double value : curve.values()) {
        json.value(describe.apply(value));
      }
      json.end();
      json.end();
    }
    json.end();
    return json.end().toString().replaceAll("\\n\\s*", "");
  }

  /// The next of 1, 2, 2.5 and 5 times a power of ten.
  private static double roundUp(double value) {
    if (value <= 0) {
      return 1;
    }
    double power = Math.pow(10, Math.floor(Math.log10(value)));
    for (double step : new double[] {1, 2, 2.5, 4, 5, 8, 10}) {
      if (step * power >= value) {
        return step * power;
      }
    }
    return 10 * power;
  }
}
