/// What each kernel of a trace computes, told from the recorded inputs of the operator that
/// launched it, and how that changes with the batch, the sequence or the number format. No graph
/// and no change of one may live here. Start reading at [dev.pitwall.pass.kernel.KernelWorks].
@NullMarked
package dev.pitwall.pass.kernel;

import org.jspecify.annotations.NullMarked;
