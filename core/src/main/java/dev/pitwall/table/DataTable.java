package dev.pitwall.table;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A table with a header line, read whole. Separated by commas (RFC 4180 quotes) or, where the
/// header holds a tab, by tabs. Empty lines and lines that start with `#` are skipped. Cells are
/// texts; a short row reads as empty cells.
public final class DataTable {
  private final Map<String, Integer> columnIndex = new HashMap<>();
  private final List<String> columns;
  private final List<List<String>> rows;

  private DataTable(List<List<String>> lines) {
    columns = lines.isEmpty() ? List.of() : List.copyOf(lines.getFirst());
    for (int i = 0; i < columns.size(); i++) {
      columnIndex.putIfAbsent(columns.get(i).strip(), i);
    }
    rows = lines.isEmpty() ? List.of() : List.copyOf(lines.subList(1, lines.size()));
  }

  public static DataTable parse(String text) {
    String body = text.startsWith("\uFEFF") ? text.substring(1) : text;
    int headerEnd = body.indexOf('\n');
    String header = headerEnd < 0 ? body : body.substring(0, headerEnd);
    return new DataTable(lines(body, header.indexOf('\t') >= 0 ? '\t' : ','));
  }

  public static DataTable read(Path file) throws IOException {
    return parse(Files.readString(file));
  }

  /// A data file that ships inside the jar, by its absolute resource name
  /// (`/dev/pitwall/hardware/gpus.csv`).
  public static DataTable resource(String name) {
    try (InputStream in = DataTable.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no data file " + name + " in the jar");
      }
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  public List<String> columns() {
    return columns;
  }

  public boolean has(String column) {
    return columnIndex.containsKey(column);
  }

  public int rows() {
    return rows.size();
  }

  /// The cell as text, stripped; empty where the row or the table lacks it.
  public String text(int row, String column) {
    Integer index = columnIndex.get(column);
    List<String> cells = rows.get(row);
    return index == null || index >= cells.size() ? "" : cells.get(index).strip();
  }

  /// The cell as a number, or `fallback` where it is empty or none.
  public double number(int row, String column, double fallback) {
    String cell = text(row, column);
    try {
      return cell.isEmpty() ? fallback : Double.parseDouble(cell);
    } catch (NumberFormatException notANumber) {
      return fallback;
    }
  }

  private static List<List<String>> lines(String text, char separator) {
    List<List<String>> lines = new ArrayList<>();
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i <= text.length(); i++) {
      char c = i < text.length() ? text.charAt(i) : '\n';
      if (quoted && i < text.length()) {
        if (c != '"') {
          cell.append(c);
        } else if (i + 1 < text.length() && text.charAt(i + 1) == '"') {
          cell.append('"');
          i++;
        } else {
          quoted = false;
        }
      } else if (c == '"' && separator == ',' && cell.isEmpty()) {
        quoted = true;
      } else if (c == separator) {
        cells.add(cell.toString());
        cell.setLength(0);
      } else if (c == '\n') {
        cells.add(cell.toString());
        cell.setLength(0);
        if (cells.size() > 1 || !cells.getFirst().isBlank()) {
          if (!cells.getFirst().startsWith("#")) {
            lines.add(List.copyOf(cells));
          }
        }
        cells.clear();
      } else if (c != '\r') {
        cell.append(c);
      }
    }
    return lines;
  }
}
