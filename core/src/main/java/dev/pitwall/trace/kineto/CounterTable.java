package dev.pitwall.trace.kineto;

import dev.pitwall.trace.Counter;
import dev.pitwall.trace.DoubleColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.Names;
import dev.pitwall.trace.TraceBuilder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// Collects counter events (`"ph": "C"`): one series for each process, name and argument.
final class CounterTable {
  private record Key(long process, int nameId, int argumentId) {}

  private record Series(LongColumn timeNanos, DoubleColumn values) {}

  /// `Read(MB/s)` counts megabytes a second.
  private static final Pattern UNIT = Pattern.compile("\\(([^()]+)\\)$");

  private static final Pattern DEVICE = Pattern.compile("(?:GPU|NPU|XPU) (\\d{1,4})\\b");

  private final Map<Key, Series> series = new LinkedHashMap<>();

  void add(long process, int nameId, int argumentId, long timeNanos, double value) {
    Series known =
        series.computeIfAbsent(
            new Key(process, nameId, argumentId),
            unseen -> new Series(new LongColumn(), new DoubleColumn()));
    known.timeNanos().add(timeNanos);
    known.values().add(value);
  }

  void writeTo(TraceBuilder builder) {
    series.forEach((key, samples) -> builder.addCounter(counter(key, samples, builder.names())));
  }

  private static Counter counter(Key key, Series samples, Names names) {
    String name = names.text(key.nameId());
    String argument = names.text(key.argumentId());
    Matcher unit = UNIT.matcher(argument);
    Matcher device = DEVICE.matcher(EventParser.laneText(key.process(), names));
    boolean saysNothingNew = argument.equals("value") || name.contains(argument);
    int[] order =
        IntStream.range(0, samples.timeNanos().size())
            .boxed()
            .sorted(
                (left, right) ->
                    Long.compare(samples.timeNanos().get(left), samples.timeNanos().get(right)))
            .mapToInt(Integer::intValue)
            .toArray();
    return new Counter(
        saysNothingNew ? name : name + " " + argument,
        unit.find() ? unit.group(1) : "",
        device.find() ? Integer.parseInt(device.group(1)) : -1,
        samples.timeNanos().reordered(order),
        samples.values().reordered(order));
  }
}
