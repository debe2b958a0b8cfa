package dev.pitwall.report.compile;

import dev.pitwall.compile.BreakSite;
import dev.pitwall.compile.CaptureReport;
import dev.pitwall.compile.CompileTimeline;
import dev.pitwall.compile.CompiledRun;
import dev.pitwall.compile.KernelUse;
import dev.pitwall.compile.RecompileCause;
import dev.pitwall.hardware.Occupancy;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.report.FindingJson;
import dev.pitwall.trace.compilelog.SourceLine;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the compiler did, as a `pitwall.report/1` document with the member `compile`.
final class CaptureJson {
  private final JsonWriter out = new JsonWriter();

  private CaptureJson() {}

  static String of(CaptureReport report, Optional<PredictionSection> prediction) {
    return new CaptureJson().document(report, prediction);
  }

  private String document(CaptureReport report, Optional<PredictionSection> prediction) {
    out.object();
    out.key("schema").value("pitwall.report/1");
    inputs(report);
    FindingJson.write(out, "findings", report.findings());
    out.key("compile").object();
    frames(report);
    breaks(report);
    recompiles(report);
    counts("extern_calls", report.externCalls());
    counts("fallbacks", report.fallbacks());
    counts("cudagraph_skips", report.cudaGraphSkips());
    counts("cache_lookups", report.cacheLookups());
    out.key("phases").array();
    for (CaptureReport.Phase phase : report.phases()) {
      out.object();
      out.key("name").value(phase.name());
      out.key("exclusive_s").value(phase.seconds());
      out.key("count").value(phase.count());
      out.end();
    }
    out.end();
    timeline(report.timeline());
    out.key("guard_us").value(report.guardMicros());
    memory(report.memory());
    texts("rank_differences", report.divergences());
    CompiledRun run = report.run();
    if (run != null) {
      run(run);
    }
    out.end();
    prediction.ifPresent(one -> one.write(out));
    out.key("opportunities").array().end();
    out.key("not_judged").array().end();
    out.end();
    return out + "\n";
  }

  private void inputs(CaptureReport report) {
    out.key("inputs").array();
    for (CaptureReport.LogSummary log : report.logs()) {
      out.object();
      out.key("path").value(log.file());
      out.key("kind").value("torch-trace");
      out.key("rank");
      if (log.rank() < 0) {
        out.value((String) null);
      } else {
        out.value(log.rank());
      }
      out.key("events").value(log.events());
      out.key("torch").value(log.torchVersion());
      out.key("compiled_frames").value(log.compiledFrames());
      out.key("failures").value(log.failures());
      out.key("graph_breaks").value(log.graphBreaks());
      out.key("recompiles").value(log.recompiles());
      out.key("compile_s").value(log.compileSeconds());
      texts("warnings", log.losses());
      out.end();
    }
    out.end();
  }

  private void frames(CaptureReport report) {
    out.key("frames").array();
    report
        .frames()
        .forEach(
            frame -> {
              out.object();
              out.key("rank").value(frame.rank());
              out.key("function").value(frame.function());
              out.key("place").value(frame.place());
              out.key("compilations").value(frame.compilations());
              out.key("failures").value(frame.failures());
              out.key("failure").value(frame.failure());
              out.key("graph_breaks").value(frame.graphBreaks());
              out.key("compile_s").value(frame.seconds());
              out.key("operators").value(frame.graphOperators());
              out.key("generated_kernels").value(frame.generatedKernels());
              out.key("extern_calls").value(frame.externCalls());
              out.key("guards").value(frame.guards());
              out.key("guard_us").value(frame.guardMicros());
              out.end();
            });
    out.end();
  }

  private void breaks(CaptureReport report) {
    out.key("graph_breaks").array();
    for (BreakSite site : report.breaks()) {
      out.object();
      out.key("file").value(site.first().file());
      out.key("line").value(site.first().line());
      out.key("code").value(site.first().code());
      out.key("id").value(site.first().breakId());
      out.key("reason").value(site.first().reason());
      out.key("explanation").value(site.first().explanation());
      texts("hints", site.first().hints());
      out.key("count").value(site.count());
      out.key("whole_frame_lost").value(site.skipsFrame());
      out.key("lost_frame").value(site.lostFrame());
      out.key("resumed_frames").value(site.resumedFrames());
      out.key("resumed_compile_s").value(site.resumedSeconds());
      out.key("resumed_guard_us").value(site.resumedGuardMicros());
      out.key("kind").value(site.advice().key());
      texts("stack", site.first().stack().stream().map(SourceLine::place).toList());
      out.end();
    }
    out.end();
  }

  private void recompiles(CaptureReport report) {
    out.key("recompiles").array();
    for (RecompileCause cause : report.recompiles()) {
      out.object();
      out.key("function").value(cause.function());
      out.key("place").value(cause.place());
      out.key("guard").value(cause.guard());
      out.key("kind").value(cause.varied().kind().name().toLowerCase(java.util.Locale.ROOT));
      out.key("varied").value(cause.varied().text());
      out.key("tensor").value(cause.varied().tensor());
      out.key("dimension").value(cause.varied().dimension());
      out.key("count").value(cause.count());
      out.key("compile_s").value(cause.seconds());
      out.key("compilations_of_frame").value(cause.largest());
      out.key("hit_limit").value(cause.hitsLimit());
      out.end();
    }
    out.end();
  }

  private void timeline(CompileTimeline timeline) {
    out.key("timeline").array();
    for (CompileTimeline.Row row : timeline.rows()) {
      out.object();
      out.key("function").value(row.function());
      out.key("compile_id").value(row.compileId());
      out.key("start_s").value(row.startSeconds());
      out.key("duration_s").value(row.seconds());
      out.key("parts_s").object();
      row.secondsOfPart()
          .forEach(
              (part, seconds) ->
                  out.key(part.name().toLowerCase(java.util.Locale.ROOT)).value(seconds));
      out.end();
      out.end();
    }
    out.end();
  }

  private void memory(CaptureReport.MemoryPlan memory) {
    out.key("memory").object();
    out.key("function").value(memory.function());
    out.key("saved_tensors").value(memory.savedTensors());
    out.key("saved_bytes").value(memory.savedBytes());
    counts("recomputed", memory.recomputed());
    out.key("buffers").value(memory.buffers());
    out.key("buffer_bytes").value(memory.bufferBytes());
    out.key("reused_buffers").value(memory.reusedBuffers());
    out.key("reused_bytes").value(memory.reusedBytes());
    out.end();
  }

  private void run(CompiledRun run) {
    out.key("run").object();
    out.key("regions_per_step").value(run.regionsPerStep());
    out.key("guards_us_per_step").value(run.lookupMicros());
    out.key("guard_checks_per_step").value(run.lookupsPerStep());
    out.key("wrappers_us_per_step").value(run.wrapperMicros());
    out.key("between_us_per_step").value(run.betweenMicros());
    out.key("cudagraph_launches_per_step").value(run.graphReplays());
    out.key("kernels_per_cudagraph").value(run.kernelsPerReplay());
    out.key("cudagraphs_recorded").value(run.recordings());
    out.key("compiled_in_window").value(run.compiledInWindow());
    out.key("graphs").array();
    run.graphs()
        .forEach(
            use -> {
              out.object();
              out.key("cache_key").value(use.cacheKey());
              out.key("role").value(use.role());
              out.key("function").value(use.function());
              out.key("calls_per_step").value(use.callsPerStep());
              out.key("host_us_per_call").value(use.hostMicrosPerCall());
              out.end();
            });
    out.end();
    out.key("kernels").array();
    for (KernelUse use : run.kernels()) {
      out.object();
      out.key("name").value(use.name());
      out.key("calls_per_step").value(use.callsPerStep());
      out.key("us_per_step").value(use.microsPerStep());
      out.key("bytes_per_call").value(use.bytesPerCall());
      out.key("share_of_memory_rate").value(use.shareOfMemoryRate());
      out.key("registers_per_thread").value(use.registersPerThread());
      out.key("likely_to_spill").value(use.isLikelyToSpill());
      out.key("shared_memory_bytes").value(use.sharedMemoryBytes());
      Occupancy occupancy = use.occupancy();
      if (occupancy != null) {
        out.key("threads_per_block").value(occupancy.threadsPerBlock());
        out.key("occupancy").value(occupancy.fraction());
        texts("limited_by", occupancy.limiters().stream().map(Occupancy.Limiter::label).toList());
      }
      Occupancy better = use.better();
      if (better != null) {
        out.key("better_block").value(better.threadsPerBlock());
        out.key("better_occupancy").value(better.fraction());
      }
      texts("operators", use.operators());
      texts("lines", use.lines());
      out.end();
    }
    out.end();
    out.end();
  }

  private void counts(String key, Map<String, Integer> counts) {
    out.key(key).object();
    counts.forEach((name, count) -> out.key(name).value(count));
    out.end();
  }

  private void texts(String key, List<String> texts) {
    out.key(key).array();
    texts.forEach(out::value);
    out.end();
  }
}
