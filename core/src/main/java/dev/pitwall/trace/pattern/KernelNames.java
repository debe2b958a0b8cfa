package dev.pitwall.trace.pattern;

import dev.pitwall.trace.Names;

/// [KernelClassifier] over a trace's interned names: each distinct name is matched at most once.
/// Not safe for concurrent use.
public final class KernelNames {
  private final Names names;
  private final KernelClass[] classes;
  private final MatmulPrecision[] precisions;

  public KernelNames(Names names) {
    this.names = names;
    this.classes = new KernelClass[names.size()];
    this.precisions = new MatmulPrecision[names.size()];
  }

  /// The class of the kernel name with this id.
  public KernelClass classOf(int nameId) {
    KernelClass known = classes[nameId];
    if (known == null) {
      known = KernelClassifier.classOf(names.text(nameId));
      classes[nameId] = known;
    }
    return known;
  }

  /// The precision of the kernel name with this id.
  public MatmulPrecision precisionOf(int nameId) {
    MatmulPrecision known = precisions[nameId];
    if (known == null) {
      known = KernelClassifier.precisionOf(names.text(nameId));
      precisions[nameId] = known;
    }
    return known;
  }
}
