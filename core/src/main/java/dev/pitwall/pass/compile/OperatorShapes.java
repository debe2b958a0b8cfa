package dev.pitwall.pass.compile;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonSyntaxException;
import dev.pitwall.trace.OperatorDetails;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Tensors and literal arguments of an operator, from the recorder's texts, parsed once each.
final class OperatorShapes {
  private static final Json.Array EMPTY = new Json.Array(List.of());

  private final Trace trace;
  private final Map<Integer, Shapes> shapes = new HashMap<>();
  private final Map<Integer, Json> lists = new HashMap<>();

  OperatorShapes(Trace trace) {
    this.trace = trace;
  }

  /// The inputs of an operator in order; a list of tensors stands as its elements one after the
  /// other, and what is no tensor as [TensorShape#NONE].
  List<TensorShape> inputs(int row) {
    int detail = trace.slices().operatorDetail(row);
    if (detail == Slices.NONE) {
      return List.of();
    }
    OperatorDetails operators = trace.slices().operators();
    Shapes dimensions =
        shapes.computeIfAbsent(
            operators.inputShapesId(detail), id -> Shapes.parse(trace.names().text(id)));
    Json types = list(operators.inputTypesId(detail));
    List<TensorShape> inputs = new ArrayList<>();
    for (int at = 0; at < dimensions.size(); at++) {
      String type = types.get(at).text("");
      List<long[]> tensors = dimensions.inputs().get(at);
      int itemBytes = itemBytes(type);
      if (type.equals("TensorList") || tensors.size() > 1) {
        // The recorder gives no type for lists; neighbours of a list have the same one.
        tensors.forEach(tensor -> inputs.add(new TensorShape(tensor, 0)));
      } else {
        inputs.add(
            itemBytes == 0
                ? TensorShape.NONE
                : new TensorShape(tensors.isEmpty() ? new long[0] : tensors.getFirst(), itemBytes));
      }
    }
    return inputs;
  }

  /// A literal argument as the recorder wrote it, such as `[768]`, `1` or `True`; empty for a
  /// tensor.
  String literal(int row, int at) {
    int detail = trace.slices().operatorDetail(row);
    return detail == Slices.NONE
        ? ""
        : list(trace.slices().operators().concreteInputsId(detail)).get(at).text("");
  }

  /// Integers of a literal list.
  long[] integers(int row, int at) {
    String[] words = literal(row, at).replaceAll("[\\[\\]\\s]", "").split(",");
    List<Long> numbers = new ArrayList<>();
    for (String word : words) {
      if (word.matches("-?\\d+")) {
        numbers.add(Long.parseLong(word));
      }
    }
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }

  private Json list(int nameId) {
    return lists.computeIfAbsent(
        nameId,
        id -> {
          String text = trace.names().text(id);
          try {
            return text.isEmpty() ? EMPTY : Json.parse(text);
          } catch (JsonSyntaxException damaged) {
            return EMPTY;
          }
        });
  }

  /// Bytes of one element by the recorder's word, 0 where it is no tensor.
  static int itemBytes(String type) {
    return switch (type) {
      case "float", "int", "c10::complex<c10::Half>" -> 4;
      case "double", "long int", "long", "int64_t", "c10::complex<float>" -> 8;
      case "c10::BFloat16", "c10::Half", "short", "short int" -> 2;
      case "bool", "unsigned char", "signed char", "char" -> 1;
      case "c10::complex<double>" -> 16;
      default -> type.startsWith("c10::Float8") ? 1 : 0;
    };
  }

  /// Bytes of one element by the number of a `ScalarType`, 0 where unknown.
  static int itemBytesOfScalarType(String number) {
    return switch (number) {
      case "0", "1", "11" -> 1;
      case "2", "5", "15" -> 2;
      case "3", "6" -> 4;
      case "4", "7", "9" -> 8;
      default -> 0;
    };
  }
}
