package dev.pitwall.compile;

import static java.util.Objects.requireNonNull;

import dev.pitwall.table.DataTable;
import dev.pitwall.trace.compilelog.GuardFailure;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What varied when a guard failed, read from the guard's text of any version.
///
/// @param kind what sort of thing
/// @param text in words: `dimension 1 of i: 576, then 832`
/// @param tensor the tensor, empty where it is none
/// @param dimension the dimension, -1 where it is none
public record Varied(Kind kind, String text, String tensor, int dimension) {
  /// What sort of thing varied; each has its advice in `recompile_advice.csv`.
  public enum Kind {
    TENSOR_SIZE,
    TENSOR_STRIDE,
    TENSOR_DTYPE,
    TENSOR_RANK,
    REQUIRES_GRAD,
    INTEGER_VALUE,
    FLOAT_VALUE,
    GLOBAL_VALUE,
    LENGTH,
    OBJECT_IDENTITY,
    MODULE_MODE,
    GRAD_MODE,
    COMPILER_HEURISTIC,
    SYMBOLIC,
    OTHER
  }

  /// What the table says of a kind.
  public record Advice(String what, String why, String fix, String code) {}

  private static final Map<Kind, Advice> ADVICE = load();

  private static final Pattern MISMATCH =
      Pattern.compile(
          "tensor '(.+?)' (size|stride) mismatch at index (\\d+)\\. expected ([-\\w]+),"
              + " actual ([-\\w]+)");
  private static final Pattern OTHER_MISMATCH = Pattern.compile("tensor '(.+?)' (.+? mismatch.*)");
  private static final Pattern SYMBOL_OF =
      Pattern.compile("([\\w.'\\[\\]]+)\\.(?:size|stride)\\(\\)\\[(\\d+)\\]");
  private static final Pattern EQUALS = Pattern.compile("^(.+?) == (.+)$");

  /// Reads one guard.
  public static Varied of(GuardFailure failure) {
    String guard = failure.guard();
    Matcher mismatch = MISMATCH.matcher(guard);
    if (mismatch.find()) {
      String tensor = plainName(mismatch.group(1));
      int dimension = Integer.parseInt(mismatch.group(3));
      boolean size = mismatch.group(2).equals("size");
      return new Varied(
          size ? Kind.TENSOR_SIZE : Kind.TENSOR_STRIDE,
          (size ? "dimension " : "stride of dimension ")
              + dimension
              + " of "
              + tensor
              + ": "
              + mismatch.group(4)
              + ", then "
              + mismatch.group(5),
          tensor,
          dimension);
    }
    Matcher other = OTHER_MISMATCH.matcher(guard);
    if (other.find()) {
      String tensor = plainName(other.group(1));
      return new Varied(mismatchKind(other.group(2)), tensor + ": " + other.group(2), tensor, -1);
    }
    Matcher symbol = SYMBOL_OF.matcher(guard);
    if (symbol.find()) {
      boolean own = failure.origin().contains("_inductor/");
      String tensor = plainName(symbol.group(1));
      int dimension = Integer.parseInt(symbol.group(2));
      return new Varied(
          own ? Kind.COMPILER_HEURISTIC : Kind.SYMBOLIC,
          "dimension "
              + dimension
              + " of "
              + tensor
              + " no longer meets "
              + guard
              + (own ? " " + failure.origin() : ""),
          tensor,
          dimension);
    }
    return scalar(guard, failure.origin());
  }

  private static Kind mismatchKind(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.contains("dtype")) {
      return Kind.TENSOR_DTYPE;
    }
    if (lower.contains("rank") || lower.contains("ndim")) {
      return Kind.TENSOR_RANK;
    }
    return lower.contains("requires_grad") ? Kind.REQUIRES_GRAD : Kind.OTHER;
  }

  private static Varied scalar(String guard, String origin) {
    if (guard.contains("___check_global_state") || guard.contains("grad_mode")) {
      return new Varied(Kind.GRAD_MODE, guard, "", -1);
    }
    if (guard.contains("training")) {
      return new Varied(Kind.MODULE_MODE, guard, "", -1);
    }
    if (guard.startsWith("len(")) {
      return new Varied(Kind.LENGTH, "the length in " + guard, "", -1);
    }
    if (guard.contains("___check_obj_id") || guard.contains("___check_type_id")) {
      return new Varied(Kind.OBJECT_IDENTITY, guard, "", -1);
    }
    Matcher equals = EQUALS.matcher(guard);
    if (!equals.matches()) {
      return new Varied(Kind.OTHER, guard, "", -1);
    }
    String name = plainName(equals.group(1).strip());
    String value = equals.group(2).strip();
    String text =
        name.startsWith("___stack") && !origin.isEmpty()
            ? "a value computed in: " + firstComment(origin) + " (was " + value + ")"
            : name + " (was " + value + ")";
    if (equals.group(1).strip().startsWith("G[")) {
      return new Varied(Kind.GLOBAL_VALUE, "the global " + text, "", -1);
    }
    if (value.matches("-?\\d+")) {
      return new Varied(Kind.INTEGER_VALUE, text, "", -1);
    }
    return new Varied(
        value.matches("-?[\\d.]+(e[-+]?\\d+)?") ? Kind.FLOAT_VALUE : Kind.OTHER, text, "", -1);
  }

  private static String firstComment(String origin) {
    int next = origin.indexOf("  # ");
    return (next < 0 ? origin : origin.substring(0, next)).strip();
  }

  /// `L['x']` and `x` are the same thing in different versions.
  private static String plainName(String source) {
    return source.replaceAll("^[LG]\\['([^']+)'\\]", "$1");
  }

  /// What to do about it; the names of this case are in the code.
  public Advice advice() {
    Advice general =
        requireNonNull(ADVICE.get(ADVICE.containsKey(kind) ? kind : Kind.OTHER), "advice");
    String code =
        general
            .code()
            .replace("{tensor}", tensor.isEmpty() ? "x" : tensor)
            .replace("{dimension}", dimension < 0 ? "0" : Integer.toString(dimension));
    return new Advice(general.what(), general.why(), general.fix(), code);
  }

  private static Map<Kind, Advice> load() {
    DataTable table = DataTable.resource("/dev/pitwall/compile/recompile_advice.csv");
    Map<Kind, Advice> advice = new EnumMap<>(Kind.class);
    for (int row = 0; row < table.rows(); row++) {
      advice.put(
          Kind.valueOf(table.text(row, "kind")),
          new Advice(
              table.text(row, "what"),
              table.text(row, "why"),
              table.text(row, "fix"),
              table.text(row, "code")));
    }
    return advice;
  }
}
