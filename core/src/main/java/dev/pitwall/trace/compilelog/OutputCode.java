package dev.pitwall.trace.compilelog;

import dev.pitwall.trace.compilelog.GeneratedGraph.BufferPlan;
import dev.pitwall.trace.compilelog.GeneratedGraph.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the Python program that Inductor writes for a graph, line by line: kernel definitions,
/// what they stand for, their calls, library calls and buffers. Nothing is executed.
final class OutputCode {
  private static final Pattern DEFINITION =
      Pattern.compile("^(\\w+) = async_compile\\.(?:triton|cpp|cpp_pybinding)\\(");
  private static final Pattern CALL = Pattern.compile("^\\s+(\\w+)(?:\\.run)?\\(");
  private static final Pattern EXTERN =
      Pattern.compile("(?:extern_kernels\\.\\w+|torch\\.ops\\.[\\w.]+|aten\\.[\\w.]+)\\(");
  private static final Pattern EMPTY =
      Pattern.compile(
          "(\\w+) = empty_strided_\\w+\\(\\(([^)]*)\\), \\(([^)]*)\\), torch\\.(\\w+)\\)");
  private static final Pattern SOURCE =
      Pattern.compile("Source Nodes: \\[([^\\]]*)\\](?:, Original ATen: \\[([^\\]]*)\\])?");
  private static final Pattern REUSE =
      Pattern.compile("^\\s+(\\w+) = (?:reinterpret_tensor\\()?(\\w+)[,;)].*# reuse");

  private OutputCode() {}

  static GeneratedGraph parse(String code, String file, boolean hasJointGraph, boolean hasForward) {
    Role role = hasJointGraph ? (hasForward ? Role.BACKWARD : Role.FORWARD) : Role.INFERENCE;
    Map<String, String[]> definitions = new LinkedHashMap<>();
    Map<String, Integer> calls = new HashMap<>();
    Map<String, Integer> extern = new LinkedHashMap<>();
    Map<String, Long> sizeOfBuffer = new HashMap<>();
    int allocations = 0;
    long allocatedBytes = 0;
    int reuses = 0;
    long reusedBytes = 0;
    String nodes = "";
    String operators = "";
    boolean inCall = false;
    int from = 0;
    while (from < code.length()) {
      int to = code.indexOf('\n', from);
      to = to < 0 ? code.length() : to;
      String line = code.substring(from, to);
      from = to + 1;
      if (line.startsWith("# AOT ID:")) {
        role =
            line.contains("_backward")
                ? Role.BACKWARD
                : line.contains("_forward") ? Role.FORWARD : Role.INFERENCE;
      } else if (line.contains("Source Nodes: [")) {
        Matcher source = SOURCE.matcher(line);
        if (source.find()) {
          nodes = source.group(1);
          operators = source.group(2) == null ? "" : source.group(2);
        }
      } else if (line.startsWith("def call(")
          || line.startsWith("    def call(")
          || line.startsWith("def partition_")) {
        inCall = true;
      } else if (!inCall) {
        Matcher definition = DEFINITION.matcher(line);
        if (line.contains(" = async_compile.") && definition.find()) {
          definitions.put(definition.group(1), new String[] {nodes, operators});
        }
      } else if (line.startsWith("runner = ")
          || line.startsWith("def ")
          || line.startsWith("    def ")) {
        inCall = false;
      } else {
        Matcher empty = EMPTY.matcher(line);
        if (line.contains("empty_strided_") && empty.find()) {
          long bytes = bytes(empty.group(2), empty.group(4));
          allocations++;
          allocatedBytes += Math.max(0, bytes);
          sizeOfBuffer.put(empty.group(1), bytes);
          continue;
        }
        Matcher reuse = REUSE.matcher(line);
        if (line.endsWith("# reuse") && reuse.find()) {
          long bytes = sizeOfBuffer.getOrDefault(reuse.group(2), -1L);
          reuses++;
          reusedBytes += Math.max(0, bytes);
          sizeOfBuffer.put(reuse.group(1), bytes);
          continue;
        }
        Matcher call = CALL.matcher(line);
        if (call.find() && definitions.containsKey(call.group(1))) {
          calls.merge(call.group(1), 1, Integer::sum);
          continue;
        }
        int remark = line.indexOf('#');
        Matcher library = EXTERN.matcher(remark < 0 ? line : line.substring(0, remark));
        if (library.find()) {
          String name = library.group();
          extern.merge(name.substring(0, name.length() - 1), 1, Integer::sum);
        }
      }
    }
    List<GeneratedKernel> kernels = new ArrayList<>();
    definitions.forEach(
        (name, source) ->
            kernels.add(
                new GeneratedKernel(
                    name,
                    GeneratedKernel.Kind.ofName(name),
                    list(source[1]),
                    list(source[0]),
                    calls.getOrDefault(name, 0),
                    List.of())));
    return new GeneratedGraph(
        role,
        file,
        "",
        kernels,
        extern,
        new BufferPlan(allocations, allocatedBytes, reuses, reusedBytes));
  }

  private static List<String> list(String commaSeparated) {
    return commaSeparated.isBlank()
        ? List.of()
        : Arrays.stream(commaSeparated.split(",")).map(String::strip).toList();
  }

  /// Bytes of a contiguous tensor of these sizes, -1 where a size is symbolic.
  private static long bytes(String sizes, String dtype) {
    long elements = 1;
    for (String size : sizes.split(",")) {
      if (!size.isBlank()) {
        try {
          elements = Math.multiplyExact(elements, Long.parseLong(size.strip()));
        } catch (NumberFormatException | ArithmeticException unknown) {
          return -1;
        }
      }
    }
    return elements * DtypeBytes.of(dtype);
  }
}
