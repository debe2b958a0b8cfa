package dev.pitwall.trace.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitwall.trace.Names;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class JsonScannerTest {
  @Test
  void numbersAreExactWhateverTheirForm() throws MalformedJson {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 20_000; round++) {
      BigDecimal value =
          BigDecimal.valueOf(random.nextLong() >> random.nextInt(8, 64), random.nextInt(-2, 7));
      String text = random.nextBoolean() ? value.toPlainString() : value.toString();
      BigDecimal nanos = value.movePointRight(3).setScale(0, RoundingMode.HALF_UP);
      if (nanos.unscaledValue().bitLength() <= 62) {
        assertThat(scanner("[" + text + " ]").nanosInArray())
            .as("%s of seed %d", text, seed)
            .isEqualTo(nanos.longValueExact());
        assertThat(scanner("[\"" + text + "\"]").integerInArray())
            .as("%s of seed %d", text, seed)
            .isEqualTo(value.setScale(0, RoundingMode.DOWN).longValue());
      }
    }
  }

  @Test
  void tokensThatStraddleTheWindowAreWholeWhateverTheBlocks() throws MalformedJson {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder document = new StringBuilder("[");
    for (int i = 0; i < 3_000; i++) {
      document
          .append(i == 0 ? "" : ", ")
          .append("{\"name\" : \"")
          .append("n".repeat(random.nextInt(2_000)))
          .append("\\u0041 é\", \"Input Dims\": [[1, \"]\"],\n [")
          .append(random.nextInt())
          .append("]], \"ts\": ")
          .append(random.nextInt(1_000_000))
          .append("}");
    }
    byte[] bytes = document.append("]").toString().getBytes(StandardCharsets.UTF_8);
    assertThat(bytes.length).isGreaterThan(2 << 20);
    List<String> whole = walk(new ByteArrayInputStream(bytes));
    assertThat(whole).hasSize(9_000);
    assertThat(walk(new Trickle(bytes, random))).as("seed %d", seed).isEqualTo(whole);
  }

  @Test
  void aRightOrWrongGuessChangesNothing() throws MalformedJson {
    String document =
        "[{\"name\":\"a\"},{\"name\":\"a\\\\b\"},{\"name\":\"a\"},{\"name\":\"ab\"},{\"name\":[1]},"
            + "{\"name\":[1]},{\"name\":[1,2]},{\"name\":\"[1]\"},{\"name\":\"a\\\\b\"},{\"name\":null}]";
    assertThat(walk(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8))))
        .containsExactly("a", "a\\b", "a", "ab", "[1]", "[1]", "[1,2]", "[1]", "a\\b", "");
  }

  private static List<String> walk(InputStream in) throws MalformedJson {
    JsonScanner scanner = new JsonScanner(in, "test");
    Keys keys = new Keys(List.of("name", "Input Dims", "ts"));
    Names names = new Names();
    Recall recall = new Recall();
    List<String> values = new ArrayList<>();
    scanner.enterArray();
    while (scanner.nextElement()) {
      scanner.mark();
      scanner.enterObject();
      int key;
      while ((key = scanner.nextKey(keys)) != JsonScanner.END) {
        recall.context(key, 0, 0);
        values.add(
            key == 2
                ? Long.toString(scanner.integer())
                : names.text(scanner.intern(names, recall)));
      }
    }
    return values;
  }

  private static Numbers scanner(String document) {
    return new Numbers(
        new JsonScanner(
            new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8)), "test"));
  }

  private record Numbers(JsonScanner scanner) {
    long nanosInArray() throws MalformedJson {
      scanner.enterArray();
      return scanner.nanos();
    }

    long integerInArray() throws MalformedJson {
      scanner.enterArray();
      return scanner.integer();
    }
  }

  /// Hands out a few bytes at a time.
  private static final class Trickle extends InputStream {
    private final ByteArrayInputStream bytes;
    private final SplittableRandom random;

    Trickle(byte[] bytes, SplittableRandom random) {
      this.bytes = new ByteArrayInputStream(bytes);
      this.random = random;
    }

    @Override
    public int read() {
      return bytes.read();
    }

    @Override
    public int read(byte[] target, int from, int count) {
      return bytes.read(target, from, Math.min(count, 1 + random.nextInt(700)));
    }
  }
}
