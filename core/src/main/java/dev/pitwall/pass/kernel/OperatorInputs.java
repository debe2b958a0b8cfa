package dev.pitwall.pass.kernel;

import dev.pitwall.trace.Names;
import dev.pitwall.trace.Shapes;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.TraceIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The recorded inputs of operators: dimensions, strides and element types. Each distinct text is
/// parsed once. Not safe for concurrent use.
public final class OperatorInputs {
  private static final Shapes NO_SHAPES = new Shapes(List.of());

  private final Slices slices;
  private final Names names;
  private final Map<Integer, Shapes> shapesById = new HashMap<>();
  private final Map<Integer, List<String>> textsById = new HashMap<>();

  public OperatorInputs(TraceIndex index) {
    slices = index.trace().slices();
    names = index.trace().names();
  }

  /// Dimensions of the inputs; without inputs where the recorder did not keep them.
  public Shapes shapes(int operatorRow) {
    int detail = slices.operatorDetail(operatorRow);
    return detail == Slices.NONE ? NO_SHAPES : parsed(slices.operators().inputShapesId(detail));
  }

  /// Strides of the inputs, laid out as [#shapes].
  public Shapes strides(int operatorRow) {
    int detail = slices.operatorDetail(operatorRow);
    return detail == Slices.NONE ? NO_SHAPES : parsed(slices.operators().inputStridesId(detail));
  }

  /// Element types of the inputs as recorded: `float`, `c10::BFloat16`, `Scalar`, or empty.
  public List<String> types(int operatorRow) {
    int detail = slices.operatorDetail(operatorRow);
    return detail == Slices.NONE ? List.of() : texts(slices.operators().inputTypesId(detail));
  }

  /// Values of the inputs that are no tensors, as recorded: `[3, 3]`, `True`, or empty.
  public List<String> values(int operatorRow) {
    int detail = slices.operatorDetail(operatorRow);
    return detail == Slices.NONE ? List.of() : texts(slices.operators().concreteInputsId(detail));
  }

  /// The element type of an input, or an empty text.
  public String type(int operatorRow, int input) {
    List<String> types = types(operatorRow);
    return input < types.size() ? types.get(input) : "";
  }

  /// Bytes of one element of this type; 4 for a type we do not know.
  public static int bytesOf(String type) {
    return switch (type) {
      case "double", "long int", "long", "c10::complex<float>" -> 8;
      case "c10::BFloat16", "c10::Half", "short int", "short" -> 2;
      case "bool", "unsigned char", "signed char", "char" -> 1;
      default -> type.startsWith("c10::Float8") ? 1 : 4;
    };
  }

  /// Whether elements of this type are single precision floats.
  public static boolean isFloat32(String type) {
    return type.equals("float");
  }

  /// Whether elements of this type are 16-bit floats.
  public static boolean isFloat16(String type) {
    return type.equals("c10::BFloat16") || type.equals("c10::Half");
  }

  private Shapes parsed(int textId) {
    return textId == 0
        ? NO_SHAPES
        : shapesById.computeIfAbsent(textId, id -> Shapes.parse(names.text(id)));
  }

  private List<String> texts(int textId) {
    return textId == 0 ? List.of() : textsById.computeIfAbsent(textId, id -> split(names.text(id)));
  }

  /// Elements of a JSON array of texts; a nested array (values of a list of tensors) is one text.
  private static List<String> split(String json) {
    List<String> texts = new ArrayList<>();
    int depth = 0;
    int start = -1;
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (start >= 0) {
        if (c == '"') {
          if (depth == 1) {
            texts.add(json.substring(start, i));
          }
          start = -1;
        }
      } else if (c == '"') {
        start = i + 1;
      } else if (c == '[') {
        depth++;
      } else if (c == ']') {
        depth--;
        if (depth == 1) {
          texts.add("");
        }
      }
    }
    return List.copyOf(texts);
  }
}
