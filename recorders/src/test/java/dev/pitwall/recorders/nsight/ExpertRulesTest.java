package dev.pitwall.recorders.nsight;

import static dev.pitwall.recorders.nsight.StepExport.DEVICE;
import static dev.pitwall.recorders.nsight.StepExport.PAGEABLE;
import static dev.pitwall.recorders.nsight.StepExport.PINNED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.finding.Finding;
import dev.pitwall.report.JobSample;
import dev.pitwall.report.RankResult;
import dev.pitwall.report.RunAnalysis;
import dev.pitwall.trace.TraceFiles;
import dev.pitwall.trace.TraceIndex;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What each rule of `nsys analyze` fires on leads to a finding with a simulated gain. The seventh,
/// `dx12_mem_ops`, has no meaning for PyTorch.
class ExpertRulesTest {
  private static final int STEPS = 6;

  @TempDir Path folder;

  @Test
  void cudaMemcpyAsync_uploadFromPageableMemory() throws SQLException {
    assertGain(
        "pageable-copy",
        step -> step.copy("cudaMemcpyAsync_v3020", 900, 1, PAGEABLE, DEVICE, true));
  }

  @Test
  void cudaMemcpyAsync_downloadToPageableMemory() throws SQLException {
    assertGain(
        "host-sync", step -> step.copy("cudaMemcpyAsync_v3020", 100, 2, DEVICE, PAGEABLE, true));
  }

  @Test
  void cudaMemcpySync() throws SQLException {
    assertGain("host-sync", step -> step.copy("cudaMemcpy_v3020", 300, 1, PINNED, DEVICE, true));
    assertGain("host-sync", step -> step.copy("cudaMemcpy_v3020", 100, 2, DEVICE, PAGEABLE, true));
    assertGain(
        "pageable-copy", step -> step.copy("cudaMemcpy_v3020", 900, 1, PAGEABLE, DEVICE, true));
  }

  @Test
  void cudaMemsetSync() throws SQLException {
    assertGain("host-sync", step -> step.blockingSet("cudaMemset_v3020", 300, PINNED));
  }

  @Test
  void cudaApiSync() throws SQLException {
    for (String call :
        List.of(
            "cudaDeviceSynchronize_v3020",
            "cudaStreamSynchronize_v3020",
            "cudaEventSynchronize_v3020",
            "cuCtxSynchronize")) {
      assertGain("host-sync", step -> step.synchronize(call));
    }
  }

  @Test
  void gpuGaps() throws SQLException {
    assertGain("launch-bound", step -> step.host(600_000));
  }

  @Test
  void gpuTimeUtil() throws SQLException {
    assertGain(
        "launch-bound",
        step -> {
          for (int kernel = 0; kernel < 200; kernel++) {
            step.host(20).kernel(4);
          }
        });
  }

  /// Steps of 2 ms of kernels with the fault in the middle and host work after it.
  private void assertGain(String id, Consumer<StepExport> fault) throws SQLException {
    StepExport export = new StepExport();
    for (int step = 0; step < STEPS; step++) {
      export.beginStep();
      for (int kernel = 0; kernel < 20; kernel++) {
        export.host(15).kernel(50);
      }
      fault.accept(export);
      export.host(200);
      for (int kernel = 0; kernel < 20; kernel++) {
        export.host(15).kernel(50);
      }
      export.endStep();
    }
    Path file = export.write(folder.resolve("run" + System.nanoTime() + ".sqlite"));
    TraceIndex index = TraceIndex.of(TraceFiles.read(file).getFirst(), "step");
    RankResult result = RunAnalysis.analyze(file, index);
    Finding finding =
        result.judgement().findings().stream()
            .filter(one -> one.id().equals(id))
            .findFirst()
            .orElseThrow(() -> new AssertionError("no " + id + " in " + result.judgement()));
    assertThat(finding.gain().millis().value()).as("%s", finding).isPositive();
    assertThat(JobSample.of(file, index).study().gainOf(id))
        .hasValueSatisfying(
            gain -> assertThat(gain.millis().value()).isEqualTo(finding.gain().millis().value()));
  }
}
