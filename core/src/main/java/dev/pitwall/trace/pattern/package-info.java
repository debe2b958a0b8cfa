/// Patterns in a trace that both a rule and a pass look for: pure functions from trace to rows.
/// No threshold that makes a finding, no time saved and no graph may live here.
/// Start reading at [dev.pitwall.trace.pattern.KernelClassifier], then any detector.
@NullMarked
package dev.pitwall.trace.pattern;

import org.jspecify.annotations.NullMarked;
