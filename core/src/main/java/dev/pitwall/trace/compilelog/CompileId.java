package dev.pitwall.trace.compilelog;

/// Which compilation an event belongs to. `frame` counts code objects, `recompile` is 0 for the
/// first compilation of a frame, `attempt` counts restarts inside one compilation. -1 where the
/// event had no compilation around it; `compiledAutograd` is -1 outside of compiled autograd.
public record CompileId(int compiledAutograd, int frame, int recompile, int attempt) {
  /// No compilation.
  public static final CompileId NONE = new CompileId(-1, -1, -1, -1);

  /// PyTorch's own spelling without the attempt: `0/1`, `!0/1/0`.
  @Override
  public String toString() {
    String frames = frame < 0 ? "-" : frame + "/" + recompile;
    return compiledAutograd < 0 ? frames : "!" + compiledAutograd + "/" + frames;
  }
}
