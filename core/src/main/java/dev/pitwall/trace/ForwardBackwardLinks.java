package dev.pitwall.trace;

/// Pairs of slices: a forward operator and the backward operator it gave rise to.
public final class ForwardBackwardLinks {
  private final int[] forwardRows;
  private final int[] backwardRows;

  ForwardBackwardLinks(int[] forwardRows, int[] backwardRows) {
    this.forwardRows = forwardRows;
    this.backwardRows = backwardRows;
  }

  public int size() {
    return forwardRows.length;
  }

  public int forwardRow(int link) {
    return forwardRows[link];
  }

  public int backwardRow(int link) {
    return backwardRows[link];
  }
}
