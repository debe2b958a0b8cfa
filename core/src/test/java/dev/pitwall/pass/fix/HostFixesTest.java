package dev.pitwall.pass.fix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pitwall.pass.PassTester;
import dev.pitwall.pass.TinyProgram;
import org.junit.jupiter.api.Test;

class HostFixesTest {
  private static TinyProgram plain() {
    return TinyProgram.ofSteps(
        2, p -> p.operator("aten::mm", q -> q.kernel("nvjet_tst", 300)).host(20));
  }

  @Test
  void anItemEveryStepIsTakenOutWithItsCopyAndItsWait() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator("aten::mm", q -> q.kernel("nvjet_tst", 300))
                    .operator(
                        "aten::item",
                        q ->
                            q.operator(
                                "aten::_local_scalar_dense",
                                r ->
                                    r.copy("Memcpy DtoH (Device -> Pageable)", 2, 4)
                                        .call("cudaStreamSynchronize", 3)))
                    .host(200));
    new PassTester(new HostSync())
        .fires(program)
        .gains()
        .lacks("cudaStreamSynchronize")
        .lacks("Memcpy DtoH (Device -> Pageable)");
  }

  @Test
  void aStepWithoutWaitsHasNoHostSyncToRemove() {
    new PassTester(new HostSync()).doesNotFire(plain());
  }

  @Test
  void memoryStaysWithTheAllocator() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator("aten::mm", q -> q.call("cudaMalloc", 400).kernel("nvjet_tst", 300))
                    .call("cudaFree", 600));
    new PassTester(new AllocatorThrash())
        .fires(program)
        .gains()
        .lacks("cudaMalloc")
        .lacks("cudaFree");
  }

  @Test
  void aStepThatAllocatesNothingHasNoThrashToRemove() {
    new PassTester(new AllocatorThrash()).doesNotFire(plain());
  }

  @Test
  void aPinnedCopyRunsAtTheRateOfTheLinkAndDoesNotWait() {
    long bytes = 77_000_000;
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator(
                        "aten::copy_",
                        q ->
                            q.copy("Memcpy HtoD (Pageable -> Device)", 8_000, bytes)
                                .call("cudaStreamSynchronize", 5))
                    .operator("aten::mm", q -> q.kernel("nvjet_tst", 3_000)));
    PassTester.Result result =
        new PassTester(new PageableCopy()).fires(program).gains().lacks("cudaStreamSynchronize");
    assertEquals(4_400, result.deviceMicros(), 100);
  }

  @Test
  void aStepWithoutUploadsHasNoCopyToPin() {
    new PassTester(new PageableCopy()).doesNotFire(plain());
  }

  @Test
  void anInputThatIsReadyIsNotWaitedForAndItsCopyRunsBeside() {
    TinyProgram program =
        TinyProgram.ofSteps(
            3,
            p ->
                p.range(
                        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                        q -> q.operator("aten::stack", r -> r.host(5_000)))
                    .operator(
                        "aten::copy_",
                        q -> q.copy("Memcpy HtoD (Pinned -> Device)", 900, 50_000_000))
                    .operator("aten::mm", q -> q.kernel("nvjet_tst", 3_000)));
    PassTester.Result result = new PassTester(new InputBound()).fires(program).gains();
    assertEquals(3_000, result.stepMicros(), 60);
  }

  @Test
  void aProgramWithoutDataLoaderIsNotInputBound() {
    new PassTester(new InputBound()).doesNotFire(plain());
  }

  @Test
  void gradientsAreDroppedWithTheirFillsAndTheAdditionsToZero() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p ->
                p.operator("aten::mm", q -> q.kernel("nvjet_tst", 300))
                    .operator(
                        "torch::autograd::AccumulateGrad",
                        q -> q.operator("aten::add_", r -> r.kernel("add_kernel", 40)))
                    .range(
                        "Optimizer.zero_grad#AdamW.zero_grad",
                        q ->
                            q.operator(
                                "aten::_foreach_zero_", r -> r.kernel("FillFunctor zero", 30))));
    new PassTester(new ZeroGradFill())
        .fires(program)
        .gains()
        .lacks("add_kernel")
        .lacks("FillFunctor zero");
  }

  @Test
  void gradientsThatAreDroppedAlreadyLeaveNothingToDo() {
    new PassTester(new ZeroGradFill()).doesNotFire(plain());
  }

  @Test
  void oneGraphLaunchReplacesTheLaunchesOfALaunchBoundStep() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p -> {
              for (int i = 0; i < 50; i++) {
                p.operator("aten::add", q -> q.kernel("add_kernel", 2)).host(10);
              }
            });
    new PassTester(new LaunchBound()).fires(program).gains().has("cudaGraphLaunch");
  }

  @Test
  void aStepWithAHostWaitCannotBecomeOneGraph() {
    TinyProgram program = new TinyProgram();
    program.step(
        p ->
            p.operator("aten::mm", q -> q.kernel("nvjet_tst", 300))
                .call("cudaDeviceSynchronize", 9));
    new PassTester(new LaunchBound()).doesNotFire(program);
  }

  @Test
  void aCompilationInsideAStepIsDoneBefore() {
    TinyProgram program = new TinyProgram();
    program.step(
        p ->
            p.operator("_compile.compile_inner (dynamo_timed)", q -> q.host(50_000))
                .operator("aten::mm", q -> q.kernel("nvjet_tst", 300)));
    new PassTester(new CompileInWindow())
        .fires(program)
        .gains()
        .lacks("_compile.compile_inner (dynamo_timed)");
  }

  @Test
  void aStepThatCompilesNothingHasNothingToWarmUp() {
    new PassTester(new CompileInWindow()).doesNotFire(plain());
  }

  @Test
  void smallNeighboursOnTheNetworkBecomeOneCollective() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p -> {
              for (int bucket = 0; bucket < 8; bucket++) {
                p.operator(
                    "c10d::allreduce_",
                    q -> q.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20));
              }
            });
    PassTester.Result result = new PassTester(new SmallCollectives()).fires(program).gains();
    assertEquals(12 + 8 * 8, result.deviceMicros(), 1);
  }

  @Test
  void aProgramOnOneDeviceHasNoCommunicationToHideOrMerge() {
    new PassTester(new SmallCollectives()).doesNotFire(plain());
    new PassTester(new ExposedCommunication()).doesNotFire(plain());
  }

  private static void passes(TinyProgram program, String operator) {
    for (int i = 0; i < 10; i++) {
      program.operator(operator, q -> q.host(20).kernel("nvjet_tst", 5)).host(20);
    }
  }

  private static void wait(TinyProgram program) {
    program.operator("aten::item", q -> q.call("cudaStreamSynchronize", 3));
  }

  private static void backward(TinyProgram program) {
    passes(program, "autograd::engine::evaluate_function: MmBackward0");
  }

  @Test
  void aWaitBeforeTheForwardLeavesForwardAndBackwardToACudaGraph() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p -> {
              wait(p);
              passes(p, "aten::mm");
              backward(p);
            });
    new PassTester(new LaunchBound()).fires(program).gains();
  }

  @Test
  void aWaitBetweenForwardAndBackwardHasToGoBeforeACudaGraph() {
    TinyProgram program =
        TinyProgram.ofSteps(
            2,
            p -> {
              passes(p, "aten::mm");
              wait(p);
              backward(p);
            });
    new PassTester(new LaunchBound()).doesNotFire(program);
  }
}
