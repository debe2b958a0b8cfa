package dev.pitwall.report.section;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Finding;
import dev.pitwall.finding.Fix;
import dev.pitwall.finding.Gain;
import dev.pitwall.finding.Severity;
import dev.pitwall.report.section.Section.Table;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.smi.SampleLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// What samples of the devices say: how busy, how hot, how fast their clocks, and whether they were
/// held back. Only samples in which a device was busy count, since a log often runs longer than the
/// job.
public final class SamplesSection {
  private static final double BUSY_PERCENT = 50;
  private static final double THROTTLED_SHARE = 0.05;
  private static final List<String> QUANTITIES =
      List.of(
          SampleLog.SM_UTILIZATION,
          SampleLog.MEMORY_UTILIZATION,
          SampleLog.SM_CLOCK,
          SampleLog.POWER,
          SampleLog.TEMPERATURE,
          SampleLog.MEMORY_USED,
          SampleLog.PCIE_RECEIVE,
          SampleLog.PCIE_TRANSMIT);

  private SamplesSection() {}

  public static Section of(String path, SampleLog log) {
    List<List<String>> rows = new ArrayList<>();
    List<Finding> findings = new ArrayList<>();
    for (int device : log.devices()) {
      boolean[] busy = busySamples(log, device);
      for (String quantity : QUANTITIES) {
        log.counter(quantity, device).ifPresent(counter -> rows.add(row(device, counter, busy)));
      }
      for (String violation : List.of(SampleLog.THERMAL_VIOLATION, SampleLog.POWER_VIOLATION)) {
        log.counter(violation, device)
            .ifPresent(counter -> throttled(device, counter, busy).ifPresent(findings::add));
      }
    }
    String sentence =
        findings.isEmpty()
            ? "The devices were not held back by heat or power while busy, as far as was sampled."
            : findings.getFirst().title();
    return new Section(
        "device-samples",
        "Device samples, " + log.kind() + " (" + path + ")",
        sentence,
        List.of(
            new Table(
                "While a device was at least half busy",
                List.of("Quantity", "Median", "Least", "Most", "Samples"),
                rows)),
        findings);
  }

  private static boolean[] busySamples(SampleLog log, int device) {
    return log.counter(SampleLog.SM_UTILIZATION, device)
        .map(
            counter -> {
              boolean[] busy = new boolean[counter.values().size()];
              for (int i = 0; i < busy.length; i++) {
                busy[i] = counter.values().get(i) >= BUSY_PERCENT;
              }
              return busy;
            })
        .orElse(new boolean[0]);
  }

  private static double[] whileBusy(Counter counter, boolean[] busy) {
    double[] values = new double[counter.values().size()];
    int count = 0;
    for (int i = 0; i < values.length; i++) {
      if (busy.length != values.length || busy[i]) {
        values[count++] = counter.values().get(i);
      }
    }
    double[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return sorted;
  }

  private static List<String> row(int device, Counter counter, boolean[] busy) {
    double[] sorted = whileBusy(counter, busy);
    String name = "GPU " + device + " " + counter.name().replace('-', ' ');
    if (sorted.length == 0) {
      return List.of(name, "never busy", "", "", "0");
    }
    return List.of(
        name,
        amount(sorted[sorted.length / 2], counter.unit()),
        amount(sorted[0], counter.unit()),
        amount(sorted[sorted.length - 1], counter.unit()),
        Integer.toString(sorted.length));
  }

  private static java.util.Optional<Finding> throttled(
      int device, Counter counter, boolean[] busy) {
    double[] sorted = whileBusy(counter, busy);
    long held = Arrays.stream(sorted).filter(value -> value > 0).count();
    if (sorted.length == 0 || held < THROTTLED_SHARE * sorted.length) {
      return java.util.Optional.empty();
    }
    String reason = counter.name().equals(SampleLog.THERMAL_VIOLATION) ? "heat" : "its power limit";
    return java.util.Optional.of(
        new Finding(
            "clock-throttled",
            Severity.MEDIUM,
            String.format(
                Locale.ROOT,
                "GPU %d was held back by %s in %d of %d busy samples.",
                device,
                reason,
                held,
                sorted.length),
            "A device that is too hot or at its power limit lowers its clocks, and every kernel"
                + " takes longer by the same share.",
            new Fix(
                "Check cooling and the power limit; compare the SM clock with its maximum.",
                "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER",
                "https://docs.nvidia.com/deploy/nvidia-smi/index.html"),
            new Gain(Estimate.measured(0), 0),
            List.of()));
  }

  private static String amount(double value, String unit) {
    return String.format(
            Locale.ROOT,
            value < 10 && value != Math.rint(value) ? "%.1f %s" : "%,.0f %s",
            value,
            unit)
        .strip();
  }
}
