/// Samples of the device by its vendor's tools: `nvidia-smi dmon`, `nvidia-smi --query-gpu` as CSV,
/// DCGM field dumps and `rocm-smi --csv`, as counters over time. What a value means for training is
/// judged elsewhere. Start reading at [dev.pitwall.trace.smi.SampleLogReader].
@NullMarked
package dev.pitwall.trace.smi;

import org.jspecify.annotations.NullMarked;
