package dev.pitwall.pass.scale;

import dev.pitwall.graph.GraphBuilder;
import dev.pitwall.hardware.CollectiveKind;

/// What collectives cost the kernels they hide behind: they take multiprocessors and memory
/// bandwidth away ([Communication#contention]).
final class Contention {
  private final Communication communication;
  private double communicatingNanos;
  private double delayNanos;

  Contention(Communication communication) {
    this.communication = communication;
  }

  /// Counts one collective.
  Contention with(CollectiveKind kind, double elements) {
    long nanos = communication.nanos(kind, elements);
    communicatingNanos += nanos;
    delayNanos += nanos * communication.contention(kind, elements);
    return this;
  }

  /// Makes kernels longer by the delay of as much communication as they can hide.
  void slow(GraphBuilder builder, int[] kernels) {
    double total = 0;
    for (int kernel : kernels) {
      total += builder.durationNanos(kernel);
    }
    if (total == 0 || communicatingNanos == 0) {
      return;
    }
    double hidden = Math.min(1, total / communicatingNanos);
    double slower = 1 + delayNanos * hidden / total;
    for (int kernel : kernels) {
      builder.scaleDuration(kernel, slower);
    }
  }
}
