package dev.pitwall.trace;

/// What the recorder says of CPU operators beyond time. Shapes, strides, types and concrete inputs
/// are the recorder's JSON text as an id in [Trace#names] (they repeat every step), 0 where not
/// recorded.
public final class OperatorDetails {
  private final IntColumn inputShapes = new IntColumn();
  private final IntColumn inputTypes = new IntColumn();
  private final IntColumn inputStrides = new IntColumn();
  private final IntColumn concreteInputs = new IntColumn();
  private final LongColumn sequenceNumber = new LongColumn();
  private final IntColumn forwardThread = new IntColumn();
  private final IntColumn collective = new IntColumn();
  private final IntColumn extra = new IntColumn();

  /// Appends a row and returns it. `collective` is an index in [Trace#collectives] or -1; `extra`
  /// is the id of a text such as a kernel hash or call stack, 0 where there is none.
  public int add(
      int inputShapesId,
      int inputTypesId,
      int inputStridesId,
      int concreteInputsId,
      long sequence,
      int forwardThreadId,
      int collectiveIndex,
      int extraId) {
    inputShapes.add(inputShapesId);
    inputTypes.add(inputTypesId);
    inputStrides.add(inputStridesId);
    concreteInputs.add(concreteInputsId);
    sequenceNumber.add(sequence);
    forwardThread.add(forwardThreadId);
    collective.add(collectiveIndex);
    extra.add(extraId);
    return inputShapes.size() - 1;
  }

  /// `Input Dims` as JSON text: an id in the names.
  public int inputShapesId(int detail) {
    return inputShapes.get(detail);
  }

  public int inputTypesId(int detail) {
    return inputTypes.get(detail);
  }

  public int inputStridesId(int detail) {
    return inputStrides.get(detail);
  }

  public int concreteInputsId(int detail) {
    return concreteInputs.get(detail);
  }

  /// Autograd's pairing number of forward and backward, -1 where absent.
  public long sequenceNumber(int detail) {
    return sequenceNumber.get(detail);
  }

  /// Logical id of the forward thread on a backward operator, 0 on forward operators, -1 where
  /// absent.
  public int forwardThread(int detail) {
    return forwardThread.get(detail);
  }

  /// Index in [Trace#collectives], -1 where the operator is no collective.
  public int collective(int detail) {
    return collective.get(detail);
  }

  /// Call stack, module hierarchy or kernel hash as text: an id in the names, 0 where none.
  public int extraId(int detail) {
    return extra.get(detail);
  }

  public int size() {
    return inputShapes.size();
  }
}
