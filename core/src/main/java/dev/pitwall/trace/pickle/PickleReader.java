package dev.pitwall.trace.pickle;

import dev.pitwall.error.PitwallException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A pickle machine for plain data, protocols 0 to 5.
///
/// The opcodes it knows are those that Python's `pickletools` names for numbers, texts, bytes,
/// `None`, booleans, lists, tuples, dictionaries and the memo. Any other (`GLOBAL`, `REDUCE`,
/// `BUILD`, `INST`, persistent ids, extension codes, sets, buffers) is refused before it has an
/// effect. Lengths that the file claims are believed only as far as bytes arrive.
public final class PickleReader {
  private static final int LONGEST_TEXT_BYTES = 64 << 20;
  private static final int MOST_VALUES = 200_000_000;

  private final InputStream in;
  private final String source;
  private final List<Pickled> stack = new ArrayList<>();
  private final List<Integer> marks = new ArrayList<>();
  private final List<Pickled> memo = new ArrayList<>();
  private final Map<String, String> texts = new HashMap<>();
  private long at;
  private int values;

  private PickleReader(InputStream in, String source) {
    this.in = in;
    this.source = source;
  }

  /// Reads one pickle.
  ///
  /// @param in buffered bytes of the pickle
  /// @param source the file's name, for messages
  /// @throws PitwallException with exit code 3 where it is no pickle of plain data or is cut
  public static Pickled read(InputStream in, String source) throws IOException {
    return new PickleReader(in, source).run();
  }

  private Pickled run() throws IOException {
    try {
      while (true) {
        int opcode = next();
        if (opcode == '.') {
          return pop();
        }
        execute(opcode);
      }
    } catch (EOFException cut) {
      throw fault("it ends in the middle, after " + at + " bytes");
    }
  }

  private void execute(int opcode) throws IOException {
    switch (opcode) {
      case 0x80 -> {
        int protocol = next();
        if (protocol > 5) {
          throw fault("it claims pickle protocol " + protocol + ", and 5 is the newest");
        }
      }
      case 0x95 -> littleEndian(8);
      case '(' -> marks.add(stack.size());
      case '0' -> pop();
      case '1' -> toMark();
      case '2' -> push(top());
      case 'N' -> push(Pickled.None.NONE);
      case 0x88 -> push(new Pickled.Bool(true));
      case 0x89 -> push(new Pickled.Bool(false));
      case 'I', 'L' -> pushDecimal(line());
      case 'F' -> push(new Pickled.Real(decimal(line())));
      case 'G' ->
          push(new Pickled.Real(Double.longBitsToDouble(Long.reverseBytes(littleEndian(8)))));
      case 'J' -> push(new Pickled.Int((int) littleEndian(4)));
      case 'K' -> push(new Pickled.Int(next()));
      case 'M' -> push(new Pickled.Int(littleEndian(2)));
      case 0x8a -> push(new Pickled.Int(longOf(next())));
      case 0x8b -> push(new Pickled.Int(longOf(littleEndian(4))));
      case 'V', 'S' -> push(new Pickled.Text(unquoted(line())));
      case 'X', 'T', 'B' -> pushText(littleEndian(4) & 0xFFFFFFFFL);
      case 0x8c, 'U', 'C' -> pushText(next());
      case 0x8d, 0x8e -> pushText(littleEndian(8));
      case ']' -> push(new Pickled.Sequence(List.of()));
      case ')' -> push(new Pickled.Sequence(List.of()));
      case '}' -> push(new Pickled.Dictionary());
      case 'l', 't' -> push(new Pickled.Sequence(toMark()));
      case 0x85, 0x86, 0x87 -> pushTuple(opcode - 0x84);
      case 'd' -> {
        List<Pickled> items = toMark();
        Pickled.Dictionary made = new Pickled.Dictionary();
        putAll(made, items);
        push(made);
      }
      case 'a' -> {
        Pickled element = pop();
        sequence().elements.add(element);
      }
      case 'e' -> {
        List<Pickled> elements = toMark();
        sequence().elements.addAll(elements);
      }
      case 's' -> {
        Pickled value = pop();
        Pickled key = pop();
        putAll(dictionary(), List.of(key, value));
      }
      case 'u' -> {
        List<Pickled> items = toMark();
        putAll(dictionary(), items);
      }
      case 0x94 -> memo.add(top());
      case 'q' -> remember(next());
      case 'r' -> remember(littleEndian(4) & 0xFFFFFFFFL);
      case 'p' -> remember((long) decimal(line()));
      case 'h' -> push(recall(next()));
      case 'j' -> push(recall(littleEndian(4) & 0xFFFFFFFFL));
      case 'g' -> push(recall((long) decimal(line())));
      default ->
          throw fault(
              String.format(
                  Locale.ROOT,
                  "it holds opcode 0x%02x at byte %d, which plain data never needs and which could"
                      + " run code",
                  opcode,
                  at - 1));
    }
  }

  private void pushTuple(int count) {
    if (stack.size() < floor() + count) {
      throw fault("it takes a value that is not there");
    }
    List<Pickled> tail = stack.subList(stack.size() - count, stack.size());
    Pickled.Sequence tuple = new Pickled.Sequence(tail);
    tail.clear();
    push(tuple);
  }

  private void pushDecimal(String digits) {
    switch (digits) {
      case "00" -> push(new Pickled.Bool(false));
      case "01" -> push(new Pickled.Bool(true));
      default -> {
        String bare = digits.endsWith("L") ? digits.substring(0, digits.length() - 1) : digits;
        try {
          push(new Pickled.Int(Long.parseLong(bare)));
        } catch (NumberFormatException notALong) {
          throw fault(
              "it holds the integer '" + shortened(digits) + "', which is no 64-bit number");
        }
      }
    }
  }

  private double decimal(String digits) {
    try {
      return Double.parseDouble(digits);
    } catch (NumberFormatException notANumber) {
      throw fault("it holds '" + shortened(digits) + "' where a number belongs");
    }
  }

  private void pushText(long length) throws IOException {
    if (length < 0 || length > LONGEST_TEXT_BYTES) {
      throw fault("it claims a text of " + length + " bytes; 64 MiB is the longest read");
    }
    byte[] bytes = in.readNBytes((int) length);
    at += bytes.length;
    if (bytes.length < length) {
      throw new EOFException();
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    push(new Pickled.Text(text.length() < 64 ? texts.computeIfAbsent(text, same -> same) : text));
  }

  /// LONG1 and LONG4: two's complement, little-endian, any length; what exceeds 64 bits must be the
  /// sign or the zero byte of an unsigned address.
  private long longOf(long length) throws IOException {
    long value = 0;
    int sign = 0;
    for (long i = 0; i < length; i++) {
      int octet = next();
      if (i < 8) {
        value |= (long) octet << (8 * i);
        sign = (byte) octet < 0 ? 0xFF : 0;
      } else if (octet != sign && !(i == 8 && octet == 0)) {
        throw fault("it holds an integer of more than 64 bits");
      }
    }
    return length < 8 && sign != 0 ? value | -1L << (8 * length) : value;
  }

  private void putAll(Pickled.Dictionary target, List<Pickled> items) {
    if (items.size() % 2 != 0) {
      throw fault("it sets a key without a value");
    }
    for (int i = 0; i < items.size(); i += 2) {
      String key =
          switch (items.get(i)) {
            case Pickled.Text text -> text.value();
            case Pickled.Int number -> Long.toString(number.value());
            case Pickled.Real number -> Double.toString(number.value());
            case Pickled.Bool truth -> Boolean.toString(truth.value());
            case Pickled.None none -> "None";
            case Pickled.Sequence tuple -> "(tuple of " + tuple.size() + ")";
            case Pickled.Dictionary dictionary ->
                throw fault("it uses a dictionary as a key, which Python cannot");
          };
      target.put(key, items.get(i + 1));
    }
  }

  private void push(Pickled value) {
    if (++values > MOST_VALUES) {
      throw fault("it holds more than " + MOST_VALUES + " values");
    }
    stack.add(value);
  }

  private int floor() {
    return marks.isEmpty() ? 0 : marks.getLast();
  }

  private Pickled top() {
    if (stack.size() <= floor()) {
      throw fault("it takes a value that is not there");
    }
    return stack.getLast();
  }

  private Pickled pop() {
    Pickled value = top();
    stack.removeLast();
    return value;
  }

  private List<Pickled> toMark() {
    if (marks.isEmpty()) {
      throw fault("it closes a group that it never opened");
    }
    List<Pickled> tail = stack.subList(marks.removeLast(), stack.size());
    List<Pickled> values = List.copyOf(tail);
    tail.clear();
    return values;
  }

  private Pickled.Sequence sequence() {
    if (top() instanceof Pickled.Sequence sequence) {
      return sequence;
    }
    throw fault("it appends to what is no list");
  }

  private Pickled.Dictionary dictionary() {
    if (top() instanceof Pickled.Dictionary dictionary) {
      return dictionary;
    }
    throw fault("it sets a key of what is no dictionary");
  }

  private void remember(long index) {
    if (index == memo.size()) {
      memo.add(top());
    } else if (index >= 0 && index < memo.size()) {
      memo.set((int) index, top());
    } else if (index > memo.size() && index < memo.size() + 4096L) {
      while (memo.size() < index) {
        memo.add(Pickled.None.NONE);
      }
      memo.add(top());
    } else {
      throw fault("it numbers its memo out of order (" + index + ")");
    }
  }

  private Pickled recall(long index) {
    if (index < 0 || index >= memo.size()) {
      throw fault("it recalls memo " + index + ", which it never made");
    }
    return memo.get((int) index);
  }

  private int next() throws IOException {
    int octet = in.read();
    if (octet < 0) {
      throw new EOFException();
    }
    at++;
    return octet;
  }

  private long littleEndian(int bytes) throws IOException {
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      value |= (long) next() << (8 * i);
    }
    return value;
  }

  private String line() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int c = next(); c != '\n'; c = next()) {
      if (text.length() >= LONGEST_TEXT_BYTES) {
        throw fault("it holds a line of more than 64 MiB");
      }
      text.append((char) c);
    }
    return text.toString();
  }

  private static String unquoted(String text) {
    int last = text.length() - 1;
    return last >= 1
            && (text.charAt(0) == '\'' || text.charAt(0) == '"')
            && text.charAt(last) == text.charAt(0)
        ? text.substring(1, last)
        : text;
  }

  private static String shortened(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }

  private PitwallException fault(String what) {
    return PitwallException.unreadable(
        source + " cannot be read as a pickle of plain data: " + what + ".");
  }
}
