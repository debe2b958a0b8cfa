/// Python source into the small syntax tree that the rules of the compile gear read, by
/// tree-sitter. No rule may live here, and no Python is ever executed. Start reading at
/// [dev.pitwall.recorders.python.PythonParser].
@NullMarked
package dev.pitwall.recorders.python;

import org.jspecify.annotations.NullMarked;
