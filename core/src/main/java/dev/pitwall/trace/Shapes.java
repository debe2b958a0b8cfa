package dev.pitwall.trace;

import java.util.ArrayList;
import java.util.List;

/// The shapes of an operator's inputs, from the recorder's text such as `[[16, 768], [], [[4],
/// [4]]]`.
///
/// @param inputs for each input its tensors' dimensions: one entry for a tensor (empty dimensions
///     for a scalar or for what is no tensor), several for a list of tensors
public record Shapes(List<List<long[]>> inputs) {
  private static final long[] SCALAR = {};

  public Shapes {
    inputs = List.copyOf(inputs);
  }

  /// Parses the text; an empty or broken text has no inputs beyond those read so far.
  public static Shapes parse(String text) {
    List<List<long[]>> inputs = new ArrayList<>();
    List<long[]> tensors = new ArrayList<>();
    List<Long> dimensions = new ArrayList<>();
    int depth = 0;
    long number = -1;
    boolean negative = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= '0' && c <= '9') {
        number = Math.max(number, 0) * 10 + (c - '0');
        continue;
      }
      if (number >= 0) {
        dimensions.add(negative ? -number : number);
        number = -1;
      }
      negative = c == '-';
      if (c == '[') {
        depth++;
      } else if (c == ']') {
        if (depth == 3 || (depth == 2 && tensors.isEmpty())) {
          tensors.add(
              dimensions.isEmpty()
                  ? SCALAR
                  : dimensions.stream().mapToLong(Long::longValue).toArray());
          dimensions.clear();
        }
        if (depth == 2) {
          inputs.add(List.copyOf(tensors));
          tensors.clear();
        }
        depth--;
      }
    }
    return new Shapes(inputs);
  }

  public int size() {
    return inputs.size();
  }

  /// Dimensions of an input that is one tensor; empty for a scalar, a list, or an input that is not
  /// there.
  public long[] tensor(int input) {
    return input < inputs.size() && inputs.get(input).size() == 1
        ? inputs.get(input).getFirst()
        : SCALAR;
  }

  /// Elements of these dimensions: their product, 1 for a scalar.
  public static long elements(long[] dimensions) {
    long product = 1;
    for (long dimension : dimensions) {
      product *= dimension;
    }
    return product;
  }
}
