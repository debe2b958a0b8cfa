/// Sections of a report about recordings that are no traces, and about ranks side by side: memory
/// snapshots, flight recorder dumps, device samples.
/// Each class turns one analysis into sentences and tables; how they look is decided by who
/// renders. Start reading at [dev.pitwall.report.section.Section].
@NullMarked
package dev.pitwall.report.section;

import org.jspecify.annotations.NullMarked;
