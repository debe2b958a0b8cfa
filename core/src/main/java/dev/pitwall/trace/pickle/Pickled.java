package dev.pitwall.trace.pickle;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/// A value of a pickle. Lists and dictionaries that the pickle shares are shared here too, so a
/// stack that a million events point to exists once; a hostile pickle may even make one contain
/// itself, so nobody may walk a tree of these without a known depth.
///
/// Reading a missing member, or one of another type, gives the fallback that the caller names.
public sealed interface Pickled extends Iterable<Pickled> {
  /// Python's `None`, also what a missing member reads as.
  enum None implements Pickled {
    NONE
  }

  record Bool(boolean value) implements Pickled {}

  /// An integer of at most 64 bits, two's complement: an address above 2^63 reads as negative.
  record Int(long value) implements Pickled {}

  record Real(double value) implements Pickled {}

  record Text(String value) implements Pickled {}

  /// A list or a tuple.
  final class Sequence implements Pickled {
    final ArrayList<Pickled> elements;

    Sequence(List<Pickled> elements) {
      this.elements = new ArrayList<>(elements);
    }
  }

  /// A dictionary with texts or numbers as keys, small and in the order of the pickle.
  final class Dictionary implements Pickled {
    final ArrayList<String> keys = new ArrayList<>(4);
    final ArrayList<Pickled> values = new ArrayList<>(4);

    void put(String key, Pickled value) {
      keys.add(key);
      values.add(value);
    }

    public List<String> keys() {
      return List.copyOf(keys);
    }
  }

  /// The member of a dictionary (the last, where a key repeats), or `NONE`.
  default Pickled get(String key) {
    if (this instanceof Dictionary dictionary) {
      for (int i = dictionary.keys.size() - 1; i >= 0; i--) {
        if (dictionary.keys.get(i).equals(key)) {
          return dictionary.values.get(i);
        }
      }
    }
    return None.NONE;
  }

  /// The element of a list or tuple, or `NONE`.
  default Pickled get(int index) {
    return this instanceof Sequence sequence && index >= 0 && index < sequence.elements.size()
        ? sequence.elements.get(index)
        : None.NONE;
  }

  default int size() {
    return switch (this) {
      case Sequence sequence -> sequence.elements.size();
      case Dictionary dictionary -> dictionary.keys.size();
      default -> 0;
    };
  }

  default long integer(long fallback) {
    return switch (this) {
      case Int number -> number.value();
      case Real number -> (long) number.value();
      default -> fallback;
    };
  }

  default double number(double fallback) {
    return switch (this) {
      case Int number -> number.value();
      case Real number -> number.value();
      default -> fallback;
    };
  }

  default String text(String fallback) {
    return this instanceof Text text ? text.value() : fallback;
  }

  default boolean bool(boolean fallback) {
    return this instanceof Bool bool ? bool.value() : fallback;
  }

  /// The elements of a list or tuple, or the values of a dictionary; empty for a scalar.
  @Override
  default Iterator<Pickled> iterator() {
    return switch (this) {
      case Sequence sequence -> sequence.elements.iterator();
      case Dictionary dictionary -> dictionary.values.iterator();
      default -> java.util.Collections.emptyIterator();
    };
  }
}
