/// Tables in comma- or tab-separated text: our data files with their source column, and tables of
/// users. What a column means belongs to whoever asks for it, never here. Start reading at
/// [dev.pitwall.table.DataTable].
@NullMarked
package dev.pitwall.table;

import org.jspecify.annotations.NullMarked;
