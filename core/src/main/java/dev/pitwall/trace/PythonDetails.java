package dev.pitwall.trace;

/// The recorder's own tree of Python frames. -1 where the recorder did not give a number.
public final class PythonDetails {
  private final IntColumn id = new IntColumn();
  private final IntColumn parentId = new IntColumn();
  private final IntColumn moduleId = new IntColumn();

  /// Appends a row and returns it.
  public int add(int pythonId, int pythonParentId, int pythonModuleId) {
    id.add(pythonId);
    parentId.add(pythonParentId);
    moduleId.add(pythonModuleId);
    return id.size() - 1;
  }

  public int id(int detail) {
    return id.get(detail);
  }

  public int parentId(int detail) {
    return parentId.get(detail);
  }

  /// Instance number of an `nn.Module` frame.
  public int moduleId(int detail) {
    return moduleId.get(detail);
  }

  public int size() {
    return id.size();
  }
}
