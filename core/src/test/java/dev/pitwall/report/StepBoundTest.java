package dev.pitwall.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.estimate.Basis;
import dev.pitwall.estimate.Estimate;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepBoundTest {
  private static final Report.HostBreakdown HOST =
      new Report.HostBreakdown(1, 50, 10, 0, 0, 5, 100);

  private static Report.DeviceBreakdown device(double compute, double idleHost, double idleInput) {
    double idle = idleHost + idleInput;
    return new Report.DeviceBreakdown(compute, 0, 0, 0, idle, idleHost, 0, idleInput, 0, 0, 0);
  }

  @Test
  void aDeviceThatWaitsForTheHostForFourTenthsOfTheStepDoesNotBoundIt() {
    assertThat(StepBound.of(device(57, 42, 1), HOST, null, List.of())).isEqualTo("host");
  }

  @Test
  void idleTimeThatTheRecorderMadeDoesNotCount() {
    Estimate unprofiled = new Estimate(60, 58, 62, Basis.SIMULATED);
    assertThat(StepBound.of(device(57, 42, 1), HOST, unprofiled, List.of())).isEqualTo("gpu");
  }

  @Test
  void theLargestWaitNamesTheBound() {
    assertThat(StepBound.of(device(40, 20, 40), HOST, null, List.of())).isEqualTo("input");
  }

  @Test
  void manySmallWaitsLeaveTheDeviceAsTheBound() {
    assertThat(StepBound.of(device(68, 16, 16), HOST, null, List.of())).isEqualTo("gpu");
  }
}
