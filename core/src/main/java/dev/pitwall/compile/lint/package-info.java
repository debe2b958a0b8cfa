/// What source code shows of graph breaks, host waits and recompiles before it runs: rules over a
/// small syntax tree, for functions that are known to be compiled or that stand in a training loop.
/// No parser and no reading of files may live here; a parser hands in
/// [dev.pitwall.trace.python.Syntax]. Start reading at [dev.pitwall.compile.lint.Linter].
@NullMarked
package dev.pitwall.compile.lint;

import org.jspecify.annotations.NullMarked;
