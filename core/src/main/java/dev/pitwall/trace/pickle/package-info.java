/// Pickles of plain data, read without executing anything: numbers, texts, lists, tuples,
/// dictionaries. Whatever a pickle could call, import or build is refused, and no opcode for it may
/// be added here. Start reading at [dev.pitwall.trace.pickle.PickleReader].
@NullMarked
package dev.pitwall.trace.pickle;

import org.jspecify.annotations.NullMarked;
