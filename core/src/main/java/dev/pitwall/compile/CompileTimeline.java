package dev.pitwall.compile;

import dev.pitwall.trace.compilelog.Compilation;
import dev.pitwall.trace.compilelog.CompileLog;
import dev.pitwall.trace.compilelog.CompilePhase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// When the compiler worked and at what: one row for each of its outermost spans, in order of
/// start.
///
/// ```
/// forward            0.0 s  DDDDAAAAAIIIIIIKKK···················
/// forward, backward  8.1 s  ···················AAAAIIIIKKKK······
/// ```
///
/// @param rank of the log it comes from, -1 where unknown
/// @param rows empty for logs of PyTorch 2.3 and 2.4, which have no spans
public record CompileTimeline(int rank, List<Row> rows) {
  /// What a part of the compiler is busy with.
  public enum Part {
    /// Dynamo traces the user's code and builds guards.
    TRACING('D'),
    /// AOTAutograd traces forward and backward, and cuts between them.
    AUTOGRAD('A'),
    /// Inductor lowers, schedules and fuses.
    INDUCTOR('I'),
    /// Code of kernels is written, compiled and tried out.
    KERNELS('K');

    private final char letter;

    Part(char letter) {
      this.letter = letter;
    }

    /// How a timeline draws it.
    public char letter() {
      return letter;
    }

    /// By the compiler's own names of its spans (`torch/_dynamo/utils.py`, `dynamo_timed`, 2.5 to
    /// 2.14).
    static Part of(String phase) {
      if (phase.contains("codegen") && !phase.equals("fx_codegen_and_compile")
          || phase.startsWith("async_compile")
          || phase.startsWith("PyCodeCache")
          || phase.startsWith("CachingAutotuner")
          || phase.startsWith("PythonWrapperCodegen")
          || phase.startsWith("Triton")
          || phase.startsWith("compile_file")) {
        return KERNELS;
      }
      if (phase.startsWith("aot_")
          || phase.startsWith("create_aot_dispatcher")
          || phase.startsWith("min_cut")
          || phase.startsWith("backend_compile")
          || phase.contains("joint_graph")) {
        return AUTOGRAD;
      }
      if (phase.startsWith("dynamo")
          || phase.startsWith("entire_frame_compile")
          || phase.startsWith("compile_attempt")
          || phase.startsWith("bytecode_tracing")
          || phase.startsWith("build_guards")
          || phase.startsWith("gc")) {
        return TRACING;
      }
      return INDUCTOR;
    }
  }

  /// One outermost span of the compiler.
  ///
  /// @param function what is compiled, with `, backward` for its backward
  /// @param startSeconds since the first span of the log
  /// @param secondsOfPart without what is inside, by part
  /// @param spans the parts in order, each with start and end in seconds since the first span
  public record Row(
      String function,
      String compileId,
      double startSeconds,
      double seconds,
      Map<Part, Double> secondsOfPart,
      List<Span> spans) {
    public Row {
      spans = List.copyOf(spans);
    }

    /// The row drawn: a letter for the part that works in each slot, `·` where none does.
    public String drawn(int slots, double wholeSeconds) {
      char[] text = new char[slots];
      java.util.Arrays.fill(text, '·');
      for (int slot = 0; slot < slots; slot++) {
        double from = wholeSeconds * slot / slots;
        double to = wholeSeconds * (slot + 1) / slots;
        double most = 0;
        for (Part part : Part.values()) {
          double covered = 0;
          for (Span span : spans) {
            if (span.part() == part) {
              covered +=
                  Math.max(
                      0, Math.min(to, span.endSeconds()) - Math.max(from, span.startSeconds()));
            }
          }
          if (covered > most) {
            most = covered;
            text[slot] = part.letter();
          }
        }
      }
      return new String(text);
    }
  }

  /// A stretch in which one part works and nothing inside of it does.
  public record Span(Part part, double startSeconds, double endSeconds) {}

  public CompileTimeline {
    rows = List.copyOf(rows);
  }

  /// Seconds from the first span's start to the last one's end.
  public double seconds() {
    return rows.stream().mapToDouble(row -> row.startSeconds() + row.seconds()).max().orElse(0);
  }

  /// The timeline of the log whose compiler worked longest.
  static CompileTimeline of(List<CompileLog> logs) {
    CompileTimeline longest = new CompileTimeline(-1, List.of());
    double most = 0;
    for (CompileLog log : logs) {
      CompileTimeline one = of(log);
      double worked = one.rows().stream().mapToDouble(Row::seconds).sum();
      if (worked > most) {
        most = worked;
        longest = one;
      }
    }
    return longest;
  }

  private static CompileTimeline of(CompileLog log) {
    List<CompilePhase> phases = log.phases();
    if (phases.isEmpty()) {
      return new CompileTimeline(log.rank(), List.of());
    }
    double first = phases.getFirst().startMicros();
    List<Row> rows = new ArrayList<>();
    for (int at = 0; at < phases.size(); at++) {
      CompilePhase outer = phases.get(at);
      if (outer.depth() > 0) {
        continue;
      }
      double end = outer.startMicros() + outer.durationMicros();
      List<CompilePhase> inside = new ArrayList<>();
      for (int inner = at;
          inner < phases.size() && phases.get(inner).startMicros() <= end;
          inner++) {
        inside.add(phases.get(inner));
      }
      Map<Part, Double> seconds = new EnumMap<>(Part.class);
      for (CompilePhase phase : inside) {
        seconds.merge(Part.of(phase.name()), phase.exclusiveMicros() / 1e6, Double::sum);
      }
      rows.add(
          new Row(
              functionOf(outer, log),
              outer.compileId(),
              (outer.startMicros() - first) / 1e6,
              outer.durationMicros() / 1e6,
              seconds,
              spans(inside, first)));
    }
    return new CompileTimeline(log.rank(), rows);
  }

  /// The deepest span at each moment, from spans in order of start.
  private static List<Span> spans(List<CompilePhase> phases, double first) {
    List<Double> cuts = new ArrayList<>();
    for (CompilePhase phase : phases) {
      cuts.add(phase.startMicros());
      cuts.add(phase.startMicros() + phase.durationMicros());
    }
    List<Double> moments = cuts.stream().distinct().sorted().toList();
    List<Span> spans = new ArrayList<>();
    List<CompilePhase> open = new ArrayList<>();
    int next = 0;
    for (int at = 0; at + 1 < moments.size(); at++) {
      double from = moments.get(at);
      open.removeIf(phase -> phase.startMicros() + phase.durationMicros() <= from);
      while (next < phases.size() && phases.get(next).startMicros() <= from) {
        open.add(phases.get(next));
        next++;
      }
      open.removeIf(phase -> phase.startMicros() + phase.durationMicros() <= from);
      CompilePhase deepest =
          open.stream().max(Comparator.comparingInt(CompilePhase::depth)).orElse(null);
      if (deepest != null) {
        add(
            spans,
            Part.of(deepest.name()),
            (from - first) / 1e6,
            (moments.get(at + 1) - first) / 1e6);
      }
    }
    return spans;
  }

  private static void add(List<Span> spans, Part part, double from, double to) {
    Span last = spans.isEmpty() ? null : spans.getLast();
    if (last != null && last.part() == part && last.endSeconds() == from) {
      spans.set(spans.size() - 1, new Span(part, last.startSeconds(), to));
    } else {
      spans.add(new Span(part, from, to));
    }
  }

  /// The function of the last compilation of this id that had begun by then; ids count from 0 again
  /// after a reset of the compiler.
  private static String functionOf(CompilePhase outer, CompileLog log) {
    String function = outer.compileId().isEmpty() ? outer.name() : outer.compileId();
    double latest = -1;
    for (Compilation one : log.compilations()) {
      double start = one.metrics().map(metrics -> (double) metrics.startMicros()).orElse(0.0);
      if (one.id().toString().equals(outer.compileId())
          && start <= outer.startMicros() + outer.durationMicros()
          && start > latest) {
        latest = start;
        function = one.function();
      }
    }
    return outer.name().contains("backward") ? function + ", backward" : function;
  }
}
