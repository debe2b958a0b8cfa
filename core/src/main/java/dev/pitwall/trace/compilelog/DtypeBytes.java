package dev.pitwall.trace.compilelog;

/// Bytes of one element, for both spellings of the log: `bfloat16` and `bf16`.
final class DtypeBytes {
  private DtypeBytes() {}

  static int of(String dtype) {
    return switch (dtype) {
      case "float64", "f64", "int64", "i64", "complex64", "c64" -> 8;
      case "float32", "f32", "int32", "i32" -> 4;
      case "float16", "f16", "bfloat16", "bf16", "int16", "i16" -> 2;
      case "complex128", "c128" -> 16;
      default -> 1;
    };
  }
}
