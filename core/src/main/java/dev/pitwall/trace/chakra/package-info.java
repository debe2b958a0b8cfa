/// PyTorch execution traces (Chakra host traces): which operators ran with which tensors, without
/// times. Times come from a trace of the same run; joining them is the observe gear's. Start
/// reading at [dev.pitwall.trace.chakra.ExecutionTrace].
@NullMarked
package dev.pitwall.trace.chakra;

import org.jspecify.annotations.NullMarked;
