package dev.pitwall.report;

import java.util.Locale;

/// How quantities are written for people: three figures that matter, and the unit.
final class Quantity {
  private Quantity() {}

  /// `0.66 ms`, `43.2 ms`, `804 ms`, `12.5 s`.
  static String millis(double millis) {
    return Math.abs(millis) >= 10_000 ? number(millis / 1000) + " s" : number(millis) + " ms";
  }

  /// `0.66`, `43.2`, `804`, `1,204`; zero is `0`.
  static String number(double value) {
    double size = Math.abs(value);
    if (size < 0.005) {
      return "0";
    }
    String pattern = size < 9.995 ? "%.2f" : size < 99.95 ? "%.1f" : "%,.0f";
    return String.format(Locale.ROOT, pattern, value);
  }

  /// `4 %`, `0.4 %`; nothing is `0 %`.
  static String percent(double fraction) {
    double percent = 100 * fraction;
    return String.format(
        Locale.ROOT, percent == 0 || Math.abs(percent) >= 9.95 ? "%.0f %%" : "%.1f %%", percent);
  }

  /// `512 B`, `3.0 MB`, `1.2 GB` in powers of ten.
  static String bytes(double bytes) {
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
  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }
}
