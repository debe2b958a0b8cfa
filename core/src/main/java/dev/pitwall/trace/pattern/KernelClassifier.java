package dev.pitwall.trace.pattern;

import dev.pitwall.table.DataTable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Tells from a kernel's name what it computes and in which precision. The patterns are data
/// (`kernel_classes.csv`, `matmul_precisions.csv`, each with its source); the first one found in
/// the name decides.
///
/// Names are classified once per distinct name ([KernelNames] caches by name id), so the cost does
/// not grow with the number of kernels.
public final class KernelClassifier {
  /// Longer names are matched on their beginning only: template arguments repeat, and a hostile
  /// name must not cost time.
  private static final int MATCHED_CHARACTERS = 600;

  private record ClassPattern(Pattern pattern, KernelClass kernelClass) {}

  private record PrecisionPattern(Pattern pattern, MatmulPrecision precision) {}

  private static final List<ClassPattern> CLASSES = readClasses();
  private static final List<PrecisionPattern> PRECISIONS = readPrecisions();

  private KernelClassifier() {}

  /// The class of the kernel with this name; [KernelClass#OTHER] where no pattern is found.
  public static KernelClass classOf(String kernelName) {
    String head = head(kernelName);
    for (ClassPattern candidate : CLASSES) {
      if (candidate.pattern.matcher(head).find()) {
        return candidate.kernelClass;
      }
    }
    return KernelClass.OTHER;
  }

  /// What a matmul, convolution or attention kernel multiplies in.
  public static MatmulPrecision precisionOf(String kernelName) {
    String head = head(kernelName);
    for (PrecisionPattern candidate : PRECISIONS) {
      if (candidate.pattern.matcher(head).find()) {
        return candidate.precision;
      }
    }
    return MatmulPrecision.UNKNOWN;
  }

  private static String head(String kernelName) {
    return kernelName.length() <= MATCHED_CHARACTERS
        ? kernelName
        : kernelName.substring(0, MATCHED_CHARACTERS);
  }

  private static List<ClassPattern> readClasses() {
    DataTable table = DataTable.resource("/dev/pitwall/trace/pattern/kernel_classes.csv");
    List<ClassPattern> patterns = new ArrayList<>();
    for (int row = 0; row < table.rows(); row++) {
      patterns.add(
          new ClassPattern(
              Pattern.compile(table.text(row, "pattern")),
              KernelClass.valueOf(table.text(row, "class"))));
    }
    return List.copyOf(patterns);
  }

  private static List<PrecisionPattern> readPrecisions() {
    DataTable table = DataTable.resource("/dev/pitwall/trace/pattern/matmul_precisions.csv");
    List<PrecisionPattern> patterns = new ArrayList<>();
    for (int row = 0; row < table.rows(); row++) {
      patterns.add(
          new PrecisionPattern(
              Pattern.compile(table.text(row, "pattern")),
              MatmulPrecision.valueOf(table.text(row, "precision"))));
    }
    return List.copyOf(patterns);
  }
}
