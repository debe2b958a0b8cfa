package dev.pitwall.recorders.nsight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.SharedData;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.JobAnalysis;
import dev.pitwall.report.section.Section;
import dev.pitwall.trace.Category;
import dev.pitwall.trace.Counter;
import dev.pitwall.trace.Slices;
import dev.pitwall.trace.Trace;
import dev.pitwall.trace.TraceReaders;
import dev.pitwall.trace.join.ClockAlignment;
import dev.pitwall.trace.join.JoinedTrace;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinTest {
  private static final long AHEAD_NANOS = -5_105_000_000_000_123L;
  private static final double DRIFT = 37e-6;
  private static final int JITTER_NANOS = 2_000;

  private static final JobAnalysis.Watcher UNWATCHED =
      new JobAnalysis.Watcher() {
        @Override
        public void reading(Path file) {}

        @Override
        public void read(int place, Trace trace) {}
      };

  @TempDir Path folder;

  @Test
  void theClockOfAnExportIsRecoveredFromTheKernelsOfARealTrace() throws SQLException {
    Trace trace = TraceReaders.read(SharedData.require("h200/gpt2/base.trace.json.gz"));
    Path file = folder.resolve("run.sqlite");
    long seed = new SplittableRandom().nextLong();
    export(trace, file, new SplittableRandom(seed));
    Trace export = TraceReaders.read(file);
    ClockAlignment clock = ClockAlignment.of(trace, "trace", export, "export");
    // The clocks part by less than the jitter in the time recorded.
    double recordedNanos =
        trace.recording().windowEndNanos() - trace.recording().windowStartNanos();
    assertThat(clock.drift())
        .as("seed %d", seed)
        .isCloseTo(DRIFT, within(JITTER_NANOS / recordedNanos));
    assertThat(clock.stepIsCertain()).as("seed %d", seed).isTrue();
    assertThat(clock.medianErrorNanos()).as("seed %d", seed).isLessThan(JITTER_NANOS);
    assertThat(clock.largeErrorNanos()).as("seed %d", seed).isLessThan(2.0 * JITTER_NANOS);
    for (int row = 0; row < trace.slices().size(); row++) {
      long start = trace.slices().startNanos(row);
      assertThat(Math.abs(clock.toReference(shifted(start)) - start))
          .as("seed %d", seed)
          .isLessThanOrEqualTo((long) clock.largeErrorNanos());
    }
  }

  @Test
  void countersAndCallsOfTheExportStandOnTheClockOfTheTrace() throws SQLException {
    Trace trace = TraceReaders.read(SharedData.require("h200/small/base.trace.json.gz"));
    int kernels = count(trace, Category.KERNEL);
    long middle = (trace.recording().windowStartNanos() + trace.recording().windowEndNanos()) / 2;
    Path file = folder.resolve("run.sqlite");
    export(trace, file, new SplittableRandom(3));
    Trace export = TraceReaders.read(file);
    ClockAlignment clock = ClockAlignment.of(trace, "trace", export, "export");
    Trace joined = JoinedTrace.of(trace, export, clock);
    assertThat(count(joined, Category.KERNEL)).isEqualTo(kernels);
    int call = find(joined, "epoll_wait");
    assertThat(joined.slices().startNanos(call)).isCloseTo(middle, within(10_000L));
    assertThat(joined.tracks().get(joined.slices().track(call)).label())
        .startsWith("Nsight Systems, thread");
    Counter metric = joined.counters().getLast();
    assertThat(metric.name()).isEqualTo("SMs Active [Throughput %]");
    assertThat(metric.timeNanos().get(0)).isCloseTo(middle, within(10_000L));
  }

  @Test
  void aReportOfBothSaysHowWellTheyFit() throws SQLException {
    Path torch = SharedData.require("h200/small/base.trace.json.gz");
    Path file = folder.resolve("run.sqlite");
    export(TraceReaders.read(torch), file, new SplittableRandom(4));
    JobAnalysis job = JobAnalysis.of(List.of(file, torch), List.of(), null, true, UNWATCHED);
    assertThat(job.results()).hasSize(1);
    Section section = job.joins().getFirst();
    assertThat(section.sentence())
        .contains("half of them start within")
        .doesNotContain("likeliest");
    assertThat(section.tables().getFirst().rows()).hasSize(4);
    assertThat(section.tables().getLast().rows().getFirst().getFirst())
        .isEqualTo("SMs Active [Throughput %] (GPU 0)");
  }

  @Test
  void recordingsOfDifferentJobsAreRefusedInOneSentence() throws SQLException {
    Path resnet = SharedData.require("h200/resnet/base.trace.json.gz");
    Path file = folder.resolve("run.sqlite");
    export(
        TraceReaders.read(SharedData.require("h200/small/base.trace.json.gz")),
        file,
        new SplittableRandom(5));
    assertThatThrownBy(
            () -> JobAnalysis.of(List.of(resnet, file), List.of(), null, true, UNWATCHED))
        .isInstanceOf(PitwallException.class)
        .hasMessageContaining("are not of the same job");
  }

  /// The export that Nsight Systems would have made at the same time, on its own clock: kernels
  /// with some jitter, some of them lost.
  private static void export(Trace trace, Path file, SplittableRandom random) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
      statement.execute(
          "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, correlationId,"
              + " globalPid, demangledName)");
      statement.execute("CREATE TABLE OSRT_API (start, end, globalTid, nameId)");
      statement.execute("CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value)");
      statement.execute("CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName)");
      statement.execute("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs)");
      statement.execute(
          "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (0, 1, 'SMs Active [Throughput %]')");
      // The session's wall clock: what the trace's base shows, less how far the export's clock is
      // ahead.
      statement.execute(
          "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES ("
              + (trace.recording().epochNanos() - AHEAD_NANOS)
              + ")");
      try (PreparedStatement names =
              connection.prepareStatement("INSERT INTO StringIds VALUES (?, ?)");
          PreparedStatement kernels =
              connection.prepareStatement(
                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, 0, ?)")) {
        for (int id = 0; id < trace.names().size(); id++) {
          names.setInt(1, id);
          names.setString(2, trace.names().text(id));
          names.addBatch();
        }
        names.executeBatch();
        Slices slices = trace.slices();
        for (int row = 0; row < slices.size(); row++) {
          if (slices.category(row) == Category.KERNEL && random.nextInt(50) > 0) {
            long jitter = random.nextInt(-JITTER_NANOS, JITTER_NANOS);
            kernels.setLong(1, shifted(slices.startNanos(row)) + jitter);
            kernels.setLong(2, shifted(slices.endNanos(row)) + jitter);
            kernels.setInt(3, row);
            kernels.setInt(4, slices.nameId(row));
            kernels.addBatch();
          }
        }
        kernels.executeBatch();
      }
      long middle =
          shifted((trace.recording().windowStartNanos() + trace.recording().windowEndNanos()) / 2);
      statement.execute("INSERT INTO StringIds VALUES (1000000, 'epoll_wait')");
      statement.execute(
          "INSERT INTO OSRT_API VALUES ("
              + middle
              + ", "
              + (middle + 5_000)
              + ", 0x1000001, 1000000)");
      statement.execute("INSERT INTO GPU_METRICS VALUES (" + middle + ", 0, 1, 87)");
      connection.commit();
    }
  }

  private static long shifted(long nanos) {
    return nanos + AHEAD_NANOS + Math.round((nanos + AHEAD_NANOS) * DRIFT);
  }

  private static int count(Trace trace, Category category) {
    int count = 0;
    for (int row = 0; row < trace.slices().size(); row++) {
      count += trace.slices().category(row) == category ? 1 : 0;
    }
    return count;
  }

  private static int find(Trace trace, String name) {
    for (int row = 0; row < trace.slices().size(); row++) {
      if (trace.name(row).equals(name)) {
        return row;
      }
    }
    throw new AssertionError("no slice " + name);
  }

  private static org.assertj.core.data.Offset<Double> within(double distance) {
    return org.assertj.core.data.Offset.offset(distance);
  }

  private static org.assertj.core.data.Offset<Long> within(long distance) {
    return org.assertj.core.data.Offset.offset(distance);
  }
}
