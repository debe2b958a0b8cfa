package dev.pitwall.station.tile;

import dev.pitwall.trace.Category;
import dev.pitwall.trace.Trace;

/// The kinds of one trace's slices, decided once per name.
final class MarkKinds {
  private static final MarkKind[] KINDS = MarkKind.values();

  private final Trace trace;
  private final byte[] kindOfKernelName;
  private final byte[] kindOfCallName;

  MarkKinds(Trace trace) {
    this.trace = trace;
    kindOfKernelName = new byte[trace.names().size()];
    kindOfCallName = new byte[trace.names().size()];
  }

  MarkKind of(int row) {
    Category category = trace.slices().category(row);
    return switch (category) {
      case KERNEL -> cached(kindOfKernelName, category, row);
      case RUNTIME, DRIVER -> cached(kindOfCallName, category, row);
      default -> MarkKind.of(category, "");
    };
  }

  // Ordinal plus one, 0 where not decided yet. Two threads may decide the same name; both write the
  // same byte.
  private MarkKind cached(byte[] decided, Category category, int row) {
    int name = trace.slices().nameId(row);
    if (decided[name] == 0) {
      decided[name] = (byte) (MarkKind.of(category, trace.names().text(name)).ordinal() + 1);
    }
    return KINDS[decided[name] - 1];
  }
}
