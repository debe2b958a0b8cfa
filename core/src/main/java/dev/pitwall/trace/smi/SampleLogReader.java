package dev.pitwall.trace.smi;

import dev.pitwall.error.PitwallException;
import dev.pitwall.table.DataTable;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.DoubleColumn;
import dev.pitwall.trace.LongColumn;
import dev.pitwall.trace.LossLedger;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Reads a log of device samples, whichever of the four kinds it is. Columns that Pitwall knows
/// (`columns.csv`) get one name and unit for all tools, the others keep the tool's. A line that
/// does not fit is skipped and counted.
public final class SampleLogReader {
  private static final DateTimeFormatter QUERY_TIME =
      DateTimeFormatter.ofPattern(
          "[yyyy/MM/dd HH:mm:ss.SSS][yyyy/MM/dd"
              + " HH:mm:ss][yyyy-MM-dd'T'HH:mm:ss.SSSX][yyyy-MM-dd'T'HH:mm:ssX][yyyy-MM-dd"
              + " HH:mm:ss.SSS][yyyy-MM-dd HH:mm:ss]");
  private static final DateTimeFormatter DMON_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd HH:mm:ss");
  private static final long SECOND_NANOS = 1_000_000_000L;

  private record Quantity(String name, String unit) {}

  private record Series(int device, Quantity quantity) {}

  private final Map<String, Quantity> known = new TreeMap<>();
  private final Map<Series, Counter> counters =
      new TreeMap<>(
          java.util.Comparator.comparingInt(Series::device)
              .thenComparing(series -> series.quantity().name()));
  private final LossLedger losses = new LossLedger();
  private boolean hasClock;

  private SampleLogReader() {
    DataTable columns = DataTable.resource("/dev/pitwall/trace/smi/columns.csv");
    for (int row = 0; row < columns.rows(); row++) {
      known.put(
          columns.text(row, "column"),
          new Quantity(columns.text(row, "name"), columns.text(row, "unit")));
    }
  }

  /// @param bytes the whole file, in UTF-8 or UTF-16
  /// @throws PitwallException with exit code 3 where it is none of the four kinds
  public static SampleLog read(byte[] bytes, String fileName) {
    List<String> lines = new String(bytes, charset(bytes)).lines().toList();
    SampleLogReader reader = new SampleLogReader();
    String kind = reader.readLines(lines);
    if (reader.counters.isEmpty()) {
      throw PitwallException.unreadable(
          fileName
              + " holds no device samples Pitwall knows; it reads `nvidia-smi dmon`, `nvidia-smi"
              + " --query-gpu=... --format=csv`, DCGM field dumps and `rocm-smi --csv`.");
    }
    return new SampleLog(
        kind, List.copyOf(reader.counters.values()), reader.hasClock, reader.losses);
  }

  private String readLines(List<String> lines) {
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      String lower = line.toLowerCase(Locale.ROOT);
      if (line.startsWith("#")
          && Arrays.asList(lower.substring(1).strip().split("\\s+", -1)).contains("gpu")) {
        readDmon(lines.subList(i, lines.size()));
        return "dmon";
      }
      if (lower.startsWith("gpuid,timestampus,field")) {
        readDcgm(lines.subList(i + 1, lines.size()));
        return "dcgm";
      }
      boolean table = lower.contains(",");
      if (table && lower.startsWith("device,")) {
        readTable(splitRow(lower), lines.subList(i + 1, lines.size()), "device");
        return "rocm-smi";
      }
      if (table
          && (lower.contains("timestamp")
              || lower.contains("utilization.gpu")
              || lower.contains("power.draw"))) {
        readTable(splitRow(lower), lines.subList(i + 1, lines.size()), "index");
        return "query";
      }
      if (i > 20) {
        break;
      }
    }
    return "";
  }

  private void readDmon(List<String> lines) {
    List<String> columns = List.of();
    long sample = -1;
    int firstDevice = Integer.MIN_VALUE;
    for (String raw : lines) {
      String line = raw.strip();
      if (line.startsWith("#")) {
        List<String> header =
            Arrays.asList(line.substring(1).strip().toLowerCase(Locale.ROOT).split("\\s+", -1));
        if (header.contains("gpu")) {
          columns = header;
        }
        continue;
      }
      String[] cells = line.split("\\s+", -1);
      int gpu = columns.indexOf("gpu");
      if (line.isEmpty()) {
        continue;
      }
      if (cells.length != columns.size() || !cells[gpu].chars().allMatch(Character::isDigit)) {
        losses.record(
            "sample-line",
            "A line has " + cells.length + " cells where the header has " + columns.size() + ".");
        continue;
      }
      int device = Integer.parseInt(cells[gpu]);
      firstDevice = firstDevice == Integer.MIN_VALUE ? device : firstDevice;
      sample += device == firstDevice ? 1 : 0;
      int date = columns.indexOf("date");
      int time = columns.indexOf("time");
      long nanos =
          date >= 0 && time >= 0
              ? epochNanos(cells[date] + " " + cells[time], DMON_TIME)
              : sample * SECOND_NANOS;
      hasClock |= date >= 0;
      for (int column = 0; column < cells.length; column++) {
        if (column != gpu && column != date && column != time) {
          add(device, columns.get(column), "", nanos, cells[column]);
        }
      }
    }
  }

  private void readDcgm(List<String> lines) {
    hasClock = true;
    for (String line : lines) {
      List<String> cells = splitRow(line.strip());
      if (cells.size() != 4 || !isInteger(cells.get(0)) || !isInteger(cells.get(1))) {
        losses.record("sample-line", "A line has no device, time, field and value.");
        continue;
      }
      add(
          Integer.parseInt(cells.get(0)),
          cells.get(2).toLowerCase(Locale.ROOT),
          "",
          Long.parseLong(cells.get(1)) * 1000,
          cells.get(3));
    }
  }

  private void readTable(List<String> header, List<String> lines, String deviceColumn) {
    int time = header.indexOf("timestamp");
    int device = header.indexOf(deviceColumn);
    if (device < 0) {
      device = Math.max(header.indexOf("gpu_index"), header.indexOf("gpu"));
    }
    hasClock |= time >= 0;
    long sample = 0;
    for (String line : lines) {
      List<String> cells = splitRow(line.strip());
      if (cells.size() != header.size()) {
        losses.record(
            "sample-line",
            "A line has " + cells.size() + " cells where the header has " + header.size() + ".");
        continue;
      }
      String digits = device < 0 ? "0" : cells.get(device).replaceAll("\\D", "");
      int index = digits.isEmpty() || digits.length() > 4 ? 0 : Integer.parseInt(digits);
      long nanos = time >= 0 ? epochNanos(cells.get(time), QUERY_TIME) : sample * SECOND_NANOS;
      sample++;
      if (nanos < 0) {
        continue;
      }
      for (int column = 0; column < cells.size(); column++) {
        if (column != time && column != device) {
          String[] named = header.get(column).split(" \\[", 2);
          String whole = known.containsKey(header.get(column)) ? header.get(column) : named[0];
          add(
              index,
              whole,
              named.length > 1 ? named[1].replace("]", "") : "",
              nanos,
              cells.get(column));
        }
      }
    }
  }

  private void add(int device, String column, String unit, long nanos, String cell) {
    String number = cell.strip().split(" ", 2)[0].replace("%", "");
    double value;
    try {
      value = Double.parseDouble(number);
    } catch (NumberFormatException notANumber) {
      return;
    }
    if (nanos < 0) {
      return;
    }
    Quantity quantity = known.getOrDefault(column, new Quantity(column, unit));
    Counter counter =
        counters.computeIfAbsent(
            new Series(device, quantity),
            series ->
                new Counter(
                    quantity.name(),
                    quantity.unit(),
                    device,
                    new LongColumn(),
                    new DoubleColumn()));
    int last = counter.timeNanos().size() - 1;
    if (last >= 0 && counter.timeNanos().get(last) > nanos) {
      losses.record("sample-order", "A sample is older than the one before it and is skipped.");
      return;
    }
    counter.timeNanos().add(nanos);
    counter.values().add(value);
  }

  private long epochNanos(String text, DateTimeFormatter format) {
    try {
      LocalDateTime time = LocalDateTime.parse(text, format);
      return time.toEpochSecond(ZoneOffset.UTC) * SECOND_NANOS + time.getNano();
    } catch (DateTimeParseException noTime) {
      losses.record(
          "sample-time",
          "'" + (text.length() > 40 ? text.substring(0, 40) : text) + "' is no time.");
      return -1;
    }
  }

  private static boolean isInteger(String text) {
    return !text.isEmpty() && text.length() < 18 && text.chars().allMatch(Character::isDigit);
  }

  private static List<String> splitRow(String line) {
    List<String> cells = new ArrayList<>();
    for (String cell : line.split(",", -1)) {
      cells.add(cell.strip());
    }
    return cells;
  }

  private static Charset charset(byte[] bytes) {
    if (bytes.length >= 2 && (bytes[0] & 0xFF) == 0xFF && (bytes[1] & 0xFF) == 0xFE) {
      return StandardCharsets.UTF_16LE;
    }
    if (bytes.length >= 2 && (bytes[0] & 0xFF) == 0xFE && (bytes[1] & 0xFF) == 0xFF) {
      return StandardCharsets.UTF_16BE;
    }
    return StandardCharsets.UTF_8;
  }
}
