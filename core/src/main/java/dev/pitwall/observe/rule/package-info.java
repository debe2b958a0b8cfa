/// The rules: each looks at one observation and says what is wrong, what it cost, why, and how to
/// fix it; or that it cannot judge and what it would need. No rule keeps state, measures time of
/// its own, or knows how a finding is shown. Start reading at [dev.pitwall.observe.rule.Rule], then
/// [dev.pitwall.observe.rule.RuleEngine].
@NullMarked
package dev.pitwall.observe.rule;

import org.jspecify.annotations.NullMarked;
