package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import java.util.Locale;

/// How quantities are written for people: three figures that matter, and the unit.
public final class Quantity {
  private static final double SECONDS_FROM_MILLIS = 10_000;

  private Quantity() {}

  /// `0.66 ms`, `43.2 ms`, `804 ms`, `12.5 s`.
  public static String millis(double millis) {
    return Math.abs(millis) >= SECONDS_FROM_MILLIS
        ? number(millis / 1000) + " s"
        : number(millis) + " ms";
  }

  /// `43.2 ms (41.0 to 45.9, simulated)`, or in seconds like [#millis]; without the interval where
  /// there is none.
  public static String millis(Estimate millis) {
    return millis(millis.value())
        + (millis.low() == millis.high()
            ? " (" + basis(millis) + ")"
            : " (" + range(millis) + ", " + basis(millis) + ")");
  }

  /// `41.0 to 45.9`: the interval in the unit in which [#millis] writes the value.
  public static String range(Estimate millis) {
    double unit = Math.abs(millis.value()) >= SECONDS_FROM_MILLIS ? 1000 : 1;
    return number(millis.low() / unit) + " to " + number(millis.high() / unit);
  }

  private static String basis(Estimate estimate) {
    return estimate.basis().name().toLowerCase(Locale.ROOT);
  }

  /// `0.66`, `43.2`, `804`, `1,204`; zero is `0`.
  public static String number(double value) {
    double size = Math.abs(value);
    if (size < 0.005) {
      return "0";
    }
    String pattern = size < 9.995 ? "%.2f" : size < 99.95 ? "%.1f" : "%,.0f";
    return String.format(Locale.ROOT, pattern, value);
  }

  /// `4 %`, `0.4 %`; what would be shown as nothing is `0 %`.
  public static String percent(double fraction) {
    double percent = 100 * fraction;
    if (Math.abs(percent) < 0.05) {
      return "0 %";
    }
    return String.format(Locale.ROOT, Math.abs(percent) >= 9.95 ? "%.0f %%" : "%.1f %%", percent);
  }

  /// `512 B`, `3.0 MB`, `1.2 GB` in powers of ten.
  public static String bytes(double bytes) {
    String[] units = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    double value = bytes;
    while (Math.abs(value) >= 1000 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    return unit == 0
        ? String.format(Locale.ROOT, "%.0f B", value)
        : String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
  }

  /// `20,438`.
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /// `1 frame`, `3 frames`: a count and what is counted.
  public static String counted(long count, String one) {
    return count(count) + " " + (count == 1 ? one : one + "s");
  }
}
