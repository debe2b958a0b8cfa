package dev.pitwall.trace.pickle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitwall.error.PitwallException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PickleReaderTest {
  @Test
  void plainDataOfProtocolFourKeepsItsValues() throws IOException {
    Pickled read =
        read(
            bytes(
                "80 04 7d 94 28 8c 01 61 94 5d 94 28 4b 01 4a fe ff ff ff 8a 06 00 00 00 00 00 01"
                    + " 47 3f f8 00 00 00 00 00 00 4e 88 8c 02 c3 a9 94 65 8c 01 74 94 28 4b 01 4b"
                    + " 02 4b 03 4b 04 74 94 75 2e"));
    Pickled list = read.get("a");
    assertThat(list.get(0).integer(0)).isEqualTo(1);
    assertThat(list.get(1).integer(0)).isEqualTo(-2);
    assertThat(list.get(2).integer(0)).isEqualTo(1L << 40);
    assertThat(list.get(3).number(0)).isEqualTo(1.5);
    assertThat(list.get(4)).isEqualTo(Pickled.None.NONE);
    assertThat(list.get(5).bool(false)).isTrue();
    assertThat(list.get(6).text("")).isEqualTo("é");
    assertThat(read.get("t").size()).isEqualTo(4);
  }

  @Test
  void aSharedListStaysOneListAndAnAddressAboveTwoToTheSixtyThirdIsKept() throws IOException {
    Pickled read =
        read(bytes("80 02 5d 71 00 28 5d 71 01 68 01 8a 09 ff ff ff ff ff ff ff ff 00 65 2e"));
    assertThat(read.get(0)).isSameAs(read.get(1));
    assertThat(read.get(2).integer(0)).isEqualTo(-1);
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          63 6f 73 0a 73 79 73 74 65 6d 0a 28 53 27 6c 73 27 0a 74 52 2e, opcode 0x63
          80 04 8c 02 6f 73 8c 06 73 79 73 74 65 6d 93 2e, opcode 0x93
          80 02 28 69 6f 73 0a 78 0a 2e, opcode 0x69
          80 02 5d 50 78 0a 2e, opcode 0x50
          80 02 82 01 2e, opcode 0x82
          80 04 8f 2e, opcode 0x8f
          80 05 96 ff ff ff ff ff ff ff 7f 2e, opcode 0x96
          80 04 8d ff ff ff ff ff ff ff 7f 41 2e, claims a text of 9223372036854775807 bytes
          80 02 58 00 00 00 03 41 2e, ends in the middle
          80 02 30 2e, a value that is not there
          80 02 4e 72 ff ff ff 7f 2e, numbers its memo out of order
          80 02 68 05 2e, never made
          80 02 74 2e, never opened
          80 02 7d 7d 4b 01 73 2e, uses a dictionary as a key
          80 63 2e, protocol 99
          80 02, ends in the middle
          """)
  void whatCouldCallImportOrAllocateIsRefusedInOneSentence(String hexadecimal, String reason) {
    assertThatThrownBy(() -> read(bytes(hexadecimal)))
        .isInstanceOf(PitwallException.class)
        .hasMessageStartingWith("test.pickle cannot be read as a pickle of plain data: ")
        .hasMessageContaining(reason);
  }

  @Test
  void noRandomBytesEscapeAsAnythingButOneSentence() {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    byte[] valid = bytes("80 02 7d 71 00 28 58 01 00 00 00 61 5d 71 01 28 4b 01 4b 02 65 75 2e");
    for (int round = 0; round < 20_000; round++) {
      byte[] damaged = valid.clone();
      for (int flips = 0; flips <= random.nextInt(4); flips++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        read(damaged);
      } catch (PitwallException refused) {
        assertThat(refused.getMessage()).as("seed %d", seed).endsWith(".");
      } catch (IOException | RuntimeException escaped) {
        throw new AssertionError("seed " + seed + ", round " + round, escaped);
      }
    }
  }

  private static Pickled read(byte[] bytes) throws IOException {
    return PickleReader.read(new ByteArrayInputStream(bytes), "test.pickle");
  }

  private static byte[] bytes(String hexadecimal) {
    String digits = hexadecimal.replace(" ", "");
    byte[] bytes = new byte[digits.length() / 2];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) Integer.parseInt(digits.substring(2 * i, 2 * i + 2), 16);
    }
    return bytes;
  }
}
