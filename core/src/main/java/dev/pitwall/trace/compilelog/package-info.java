/// The structured log of `torch.compile` (`TORCH_TRACE`), PyTorch 2.3 to 2.14, read as a stream
/// into compact records: what was compiled, where tracing broke, why it compiled again, what was
/// generated. No verdict, no advice and no join with a profiler's trace may live here. Start
/// reading at [dev.pitwall.trace.compilelog.CompileLogReader], then
/// [dev.pitwall.trace.compilelog.CompileLog].
@NullMarked
package dev.pitwall.trace.compilelog;

import org.jspecify.annotations.NullMarked;
