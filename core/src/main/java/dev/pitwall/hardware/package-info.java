/// What GPUs, links and hosts can do: specifications from data files, occupancy, rooflines, and the
/// cost of kernels and collectives. Nothing here knows a trace, a graph or a model. Start at
/// [GpuSpecs] for devices.
@NullMarked
package dev.pitwall.hardware;

import org.jspecify.annotations.NullMarked;
