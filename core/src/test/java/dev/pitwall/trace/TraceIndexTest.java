package dev.pitwall.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.error.PitwallException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TraceIndexTest {
  @Test
  void deviceWorkBelongsToTheStepThatLaunchedItAndOrphansToNone() {
    TraceIndex index =
        new TinyTrace()
            .cpu("main", Category.USER_ANNOTATION, "ProfilerStep#7", 0, 100)
            .cpu("main", Category.USER_ANNOTATION, "ProfilerStep#8", 100, 100)
            .cpu("main", Category.CPU_OP, "aten::mm", 10, 20)
            .cpu("main", Category.RUNTIME, "cudaLaunchKernel", 12, 5, 41)
            .device(7, Category.KERNEL, "gemm", 150, 30, 41)
            .device(7, Category.KERNEL, "before the window", 0, 3, 9)
            .index();
    int gemm = row(index.trace(), "gemm");
    assertThat(index.steps().source()).isEqualTo(Steps.Source.PROFILER_STEP);
    assertThat(index.stepOf(gemm)).isZero();
    assertThat(index.trace().name(index.operatorOf(gemm))).isEqualTo("aten::mm");
    assertThat(index.stepOf(row(index.trace(), "before the window"))).isEqualTo(-1);
    assertThat(index.launches().orphans()).isEqualTo(1);
  }

  @Test
  void oneGraphLaunchOwnsAllItsKernels() {
    TraceIndex index =
        new TinyTrace()
            .cpu("main", Category.RUNTIME, "cudaGraphLaunch", 0, 5, 3)
            .device(7, Category.KERNEL, "a", 10, 1, 3)
            .device(7, Category.KERNEL, "b", 12, 1, 3)
            .device(9, Category.KERNEL, "c", 11, 1, 3)
            .index();
    Launches launches = index.launches();
    int first = launches.firstDeviceRow(row(index.trace(), "cudaGraphLaunch"));
    int second = launches.nextDeviceRow(first);
    int third = launches.nextDeviceRow(second);
    assertThat(new String[] {name(index, first), name(index, second), name(index, third)})
        .containsExactly("a", "b", "c");
    assertThat(launches.nextDeviceRow(third)).isEqualTo(Slices.NONE);
  }

  @Test
  void anEventThatTheFileHoldsTwiceCountsOnceAndTheLedgerSaysSo() {
    TinyTrace trace = new TinyTrace();
    for (int time = 0; time < 3; time++) {
      trace
          .cpu("main", Category.RUNTIME, "cudaLaunchKernel", 0, 5, 3)
          .device(7, Category.KERNEL, "gemm", 10, 4, 3);
    }
    trace
        .device(7, Category.KERNEL, "gemm", 10, 4, 4)
        .device(7, Category.KERNEL, "gemm", 10, 4, Slices.NONE)
        .device(7, Category.KERNEL, "gemm", 10, 4, Slices.NONE)
        .device(9, Category.KERNEL, "gemm", 10, 4, 3);
    Trace built = trace.build();
    assertThat(built.slices().size()).isEqualTo(6);
    assertThat(built.losses().count("repeated")).isEqualTo(4);
    assertThat(built.endRow(1) - built.firstRow(1)).as("on stream 7").isEqualTo(4);
  }

  @Test
  void equalKernelsOfOneGraphAreNoRepetition() {
    TinyTrace trace = new TinyTrace().device(7, Category.KERNEL, "first", 0, 1, 3);
    TraceBuilder builder = trace.builder();
    int name = builder.names().intern("gemm");
    for (long node : new long[] {1, 2, 2}) {
      int detail = builder.deviceWork().add(-1, -1, -1, -1, node);
      builder.addSlice(0, Category.KERNEL, 0, name, 5_000, 1_000, 3, Slices.NONE, detail);
    }
    assertThat(trace.build().slices().size()).isEqualTo(3);
  }

  @Test
  void aLinkFromARepeatedOperatorIsOneFromTheOperator() {
    TinyTrace trace = new TinyTrace().cpu("main", Category.CPU_OP, "before", 0, 1);
    TraceBuilder builder = trace.builder();
    int[] rows = new int[3];
    for (int at = 0; at < rows.length; at++) {
      int name = builder.names().intern(at == 2 ? "MmBackward0" : "aten::mm");
      long start = at == 2 ? 9_000 : 5_000;
      rows[at] = builder.addSlice(0, Category.CPU_OP, 0, name, start, 1_000, -1, 40 + at / 2, -1);
    }
    builder.linkForwardBackward(rows[1], rows[2]);
    Trace built = trace.build();
    assertThat(built.slices().size()).isEqualTo(3);
    assertThat(built.name(built.forwardBackwardLinks().forwardRow(0))).isEqualTo("aten::mm");
    assertThat(built.name(built.forwardBackwardLinks().backwardRow(0))).isEqualTo("MmBackward0");
  }

  @Test
  void childrenThatOutliveTheirParentStayItsChildrenAndSelfTimeIsNeverNegative() {
    TraceIndex index =
        new TinyTrace()
            .cpu("main", Category.CPU_OP, "outer", 0, 100)
            .cpu("main", Category.CPU_OP, "inner", 90, 20)
            .cpu("main", Category.CPU_OP, "same start, longer", 200, 50)
            .cpu("main", Category.CPU_OP, "same start, shorter", 200, 10)
            .index();
    Trace trace = index.trace();
    assertThat(index.calls().parent(row(trace, "inner"))).isEqualTo(row(trace, "outer"));
    assertThat(index.calls().selfNanos(row(trace, "outer"))).isEqualTo(90_000);
    assertThat(index.calls().parent(row(trace, "same start, shorter")))
        .isEqualTo(row(trace, "same start, longer"));
  }

  @Test
  void withoutProfilerStepsTheEndsOfOptimizerStepsDivideTheTraceAndSaySo() {
    Steps steps =
        new TinyTrace()
            .cpu("main", Category.USER_ANNOTATION, "Optimizer.step#AdamW.step", 80, 10)
            .cpu("main", Category.USER_ANNOTATION, "Optimizer.step#AdamW.step", 180, 10)
            .cpu("main", Category.USER_ANNOTATION, "Optimizer.step#AdamW.step", 285, 10)
            .index()
            .steps();
    assertThat(steps.source()).isEqualTo(Steps.Source.INFERRED);
    assertThat(steps.startNanos()).containsExactly(90_000, 190_000);
    assertThat(steps.endNanos()).containsExactly(190_000, 295_000);
  }

  @Test
  void aStepNameThatIsNotThereIsRefusedInOneSentence() {
    Trace trace = new TinyTrace().cpu("main", Category.CPU_OP, "aten::mm", 0, 1).build();
    assertThatThrownBy(() -> TraceIndex.of(trace, "train_step"))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("No range named 'train_step'");
  }

  @Test
  void slicesOfARandomTraceAreSortedByTrackThenStartThenLongestFirst() {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    TinyTrace tiny = new TinyTrace();
    for (int i = 0; i < 500; i++) {
      tiny.cpu(
          "t" + random.nextInt(3), Category.CPU_OP, "n" + i, random.nextInt(40), random.nextInt(9));
    }
    Slices slices = tiny.build().slices();
    for (int row = 1; row < slices.size(); row++) {
      boolean ordered =
          slices.track(row - 1) < slices.track(row)
              || (slices.track(row - 1) == slices.track(row)
                  && (slices.startNanos(row - 1) < slices.startNanos(row)
                      || (slices.startNanos(row - 1) == slices.startNanos(row)
                          && slices.durationNanos(row - 1) >= slices.durationNanos(row))));
      assertThat(ordered).as("seed %d, row %d", seed, row).isTrue();
    }
  }

  @Test
  void shapesTellTensorsScalarsAndListsApart() {
    Shapes shapes = Shapes.parse("[[16384, 50304], [], [[3, 4], [5]], [-1]]");
    assertThat(shapes.size()).isEqualTo(4);
    assertThat(shapes.tensor(0)).containsExactly(16384, 50304);
    assertThat(shapes.tensor(1)).isEmpty();
    assertThat(shapes.inputs().get(2)).hasSize(2);
    assertThat(shapes.inputs().get(2).get(1)).containsExactly(5);
    assertThat(shapes.tensor(3)).containsExactly(-1);
  }

  private static String name(TraceIndex index, int row) {
    return index.trace().name(row);
  }

  private static int row(Trace trace, String name) {
    for (int row = 0; row < trace.slices().size(); row++) {
      if (trace.name(row).equals(name)) {
        return row;
      }
    }
    throw new AssertionError("no slice " + name);
  }
}
