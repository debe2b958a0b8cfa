package dev.pitwall.pass.fix;

import dev.pitwall.pass.PassContext;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.pattern.KernelClass;

/// Communication kernels of a trace.
final class Collectives {
  private Collectives() {}

  /// Whether any step launches one.
  static boolean present(PassContext context) {
    for (int row : context.index().trace().slices().rows(Category.KERNEL)) {
      if (context.works().classOf(row) == KernelClass.COMMUNICATION
          && context.index().stepOf(row) >= 0) {
        return true;
      }
    }
    return false;
  }
}
