/// Python source as a small syntax tree, in the words of the tree-sitter grammar.
/// No parser and no rule may live here; a parser with its library is a recorder.
/// Start reading at [dev.pitwall.trace.python.Syntax].
@NullMarked
package dev.pitwall.trace.python;

import org.jspecify.annotations.NullMarked;
