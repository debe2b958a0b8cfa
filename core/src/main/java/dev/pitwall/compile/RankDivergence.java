package dev.pitwall.compile;

import dev.pitwall.trace.compilelog.Compilation;
import dev.pitwall.trace.compilelog.CompileLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToIntFunction;

/// Where ranks of one job compiled differently: the others wait at the next collective for the one
/// that compiles more.
final class RankDivergence {
  private static final double LEAST_SECONDS_APART = 1;

  private RankDivergence() {}

  static List<String> between(List<CompileLog> logs) {
    List<String> sentences = new ArrayList<>();
    if (logs.size() < 2) {
      return sentences;
    }
    compare(logs, "compiled frames", CompileLog::compiledFrames, sentences);
    compare(logs, "recompiles", CompileLog::recompiles, sentences);
    compare(logs, "graph breaks", CompileLog::graphBreaks, sentences);
    compare(logs, "failed compilations", CompileLog::failures, sentences);
    CompileLog slowest = logs.getFirst();
    CompileLog fastest = logs.getFirst();
    for (CompileLog log : logs) {
      slowest = seconds(log) > seconds(slowest) ? log : slowest;
      fastest = seconds(log) < seconds(fastest) ? log : fastest;
    }
    if (seconds(slowest) - seconds(fastest) > LEAST_SECONDS_APART) {
      sentences.add(
          String.format(
              Locale.ROOT,
              "compile time: %.1f s on %s, %.1f s on %s; the others wait for the slowest",
              seconds(slowest),
              name(slowest),
              seconds(fastest),
              name(fastest)));
    }
    return sentences;
  }

  private static double seconds(CompileLog log) {
    return log.compilations().stream().mapToDouble(Compilation::compileMicros).sum() / 1e6;
  }

  private static void compare(
      List<CompileLog> logs, String what, ToIntFunction<CompileLog> count, List<String> into) {
    CompileLog least = logs.getFirst();
    CompileLog most = logs.getFirst();
    for (CompileLog log : logs) {
      least = count.applyAsInt(log) < count.applyAsInt(least) ? log : least;
      most = count.applyAsInt(log) > count.applyAsInt(most) ? log : most;
    }
    if (count.applyAsInt(least) != count.applyAsInt(most)) {
      into.add(
          String.format(
              Locale.ROOT,
              "%s: %d on %s, %d on %s",
              what,
              count.applyAsInt(most),
              name(most),
              count.applyAsInt(least),
              name(least)));
    }
  }

  private static String name(CompileLog log) {
    return log.rank() >= 0 ? "rank " + log.rank() : log.file();
  }
}
