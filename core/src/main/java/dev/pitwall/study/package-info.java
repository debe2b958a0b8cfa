/// What a change would do: a pass, a simulation and a comparison, together. No printing and no rule
/// may live here; a pass only changes a graph and the simulator only times one.
/// Start reading at [dev.pitwall.study.WhatIf].
@NullMarked
package dev.pitwall.study;

import org.jspecify.annotations.NullMarked;
