package dev.pitwall.report.section;

import dev.pitwall.observe.BusyShare;
import dev.pitwall.report.section.Section.Table;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.join.ClockAlignment;
import dev.pitwall.trace.join.SampleClock;
import dev.pitwall.trace.smi.SampleLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// How a second recording was put on the clock of a trace, how well that worked, and what its
/// counters say in the trace's window.
public final class JoinSection {
  private static final List<String> COUNTER_HEADER =
      List.of("Counter", "Mean", "Least", "Most", "Samples");

  private JoinSection() {}

  /// @param path of the export that was joined
  /// @param joined the trace with what the export added
  public static Section ofExport(String path, ClockAlignment clock, Trace joined) {
    String sentence =
        String.format(
            Locale.ROOT,
            "%,d of %,d kernels are in both recordings; put on the trace's clock, half of them"
                + " start within %s of where the trace has them and 95 %% within %s%s",
            clock.matchedKernels(),
            clock.comparedKernels(),
            time(clock.medianErrorNanos()),
            time(clock.largeErrorNanos()),
            clock.stepIsCertain()
                ? "."
                : "; which of its steps is which cannot be told, so it is put on the likeliest.");
    return new Section(
        "joined-export",
        "Joined with Nsight Systems (" + path + ")",
        sentence,
        List.of(
            new Table(
                "Clocks",
                List.of("Quantity", "Value"),
                List.of(
                    List.of("Export's clock ahead by", seconds(clock.offsetNanos())),
                    List.of(
                        "Export's clock faster by",
                        String.format(Locale.ROOT, "%.2f ppm", clock.drift() * 1e6)),
                    List.of("Error, median", time(clock.medianErrorNanos())),
                    List.of("Error, 95 %", time(clock.largeErrorNanos())))),
            new Table("Counters in the trace's window", COUNTER_HEADER, rows(joined.counters()))),
        List.of());
  }

  /// @param kind of the log that was joined
  /// @param samples its counters in the trace's window, on the trace's clock
  public static Section ofSamples(
      String kind, SampleClock clock, Trace trace, List<Counter> samples) {
    int device = BusyShare.busiestDevice(trace);
    long from = trace.recording().windowStartNanos();
    long to = trace.recording().windowEndNanos();
    double busy = 100 * BusyShare.of(trace, device, from, to);
    double sampled =
        samples.stream()
            .filter(counter -> counter.device() == device)
            .filter(counter -> counter.name().equals(SampleLog.SM_UTILIZATION))
            .mapToDouble(JoinSection::most)
            .findFirst()
            .orElse(-1);
    String agreement =
        sampled < 0
            ? String.format(Locale.ROOT, "the trace has GPU %d busy for %.0f %%", device, busy)
            : String.format(
                Locale.ROOT,
                "the trace has GPU %d busy for %.0f %% of its %s, the log for %.0f %% of its"
                    + " busiest sample",
                device,
                busy,
                time(to - from),
                sampled);
    String zone =
        clock.zoneNanos() == 0
            ? ""
            : String.format(
                Locale.ROOT, " in a zone %+.1f h from UTC", clock.zoneNanos() / 3_600e9);
    return new Section(
        "joined-samples",
        "Joined with device samples, " + kind,
        String.format(
            Locale.ROOT,
            "By wall time%s, to within %s: %s.",
            zone,
            time(clock.errorNanos()),
            agreement),
        List.of(
            new Table(
                "Samples of the trace's window",
                COUNTER_HEADER,
                rows(
                    samples.stream()
                        .filter(counter -> counter.device() == device)
                        .filter(counter -> !counter.unit().isEmpty())
                        .toList()))),
        List.of());
  }

  private static List<List<String>> rows(List<Counter> counters) {
    List<List<String>> rows = new ArrayList<>();
    for (Counter counter : counters) {
      int size = counter.values().size();
      if (size == 0) {
        continue;
      }
      double sum = 0;
      double least = Double.POSITIVE_INFINITY;
      for (int i = 0; i < size; i++) {
        sum += counter.values().get(i);
        least = Math.min(least, counter.values().get(i));
      }
      rows.add(
          List.of(
              counter.name() + (counter.device() < 0 ? "" : " (GPU " + counter.device() + ")"),
              amount(sum / size, counter),
              amount(least, counter),
              amount(most(counter), counter),
              String.format(Locale.ROOT, "%,d", size)));
    }
    return rows;
  }

  private static double most(Counter counter) {
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < counter.values().size(); i++) {
      most = Math.max(most, counter.values().get(i));
    }
    return most;
  }

  private static String amount(double value, Counter counter) {
    String unit = counter.name().contains(counter.unit()) ? "" : counter.unit();
    return String.format(Locale.ROOT, "%,.1f %s", value, unit).strip();
  }

  private static String time(double nanos) {
    return nanos < 1e6
        ? String.format(Locale.ROOT, "%.1f us", nanos / 1e3)
        : nanos < 1e9
            ? String.format(Locale.ROOT, "%.1f ms", nanos / 1e6)
            : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.6f s", nanos / 1e9);
  }
}
