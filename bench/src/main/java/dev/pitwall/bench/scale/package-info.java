/// How good the scale gear's predictions are: against published runs, measured memory, two real
/// GPUs and collective sweeps; and the fit of its constants. Start at [ScaleBoard].
@NullMarked
package dev.pitwall.bench.scale;

import org.jspecify.annotations.NullMarked;
