package dev.pitwall.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class JsonTest {
  private static final String DOCUMENT =
      """
      {"a": [1, -2.5e3, true, false, null], "text": "q\\"\\\\\\u00e9\\n", "big": 9223372036854775807,
       "nested": {"x": {"y": []}}, "empty": {}}
      """;

  @Test
  void writingAParsedTreeGivesADocumentThatJacksonReadsAsTheSameTree() {
    JsonMapper jackson = new JsonMapper();
    String written = new JsonWriter().value(Json.parse(DOCUMENT)).toString();
    assertThat(jackson.readTree(written)).isEqualTo(jackson.readTree(DOCUMENT));
  }

  @Test
  void integersKeepSixtyFourBitsAndMissingMembersReadAsTheirFallback() {
    Json document = Json.parse(DOCUMENT);
    assertThat(document.get("big").integer(0)).isEqualTo(Long.MAX_VALUE);
    assertThat(document.get("nested").get("z").get(3).text("none")).isEqualTo("none");
  }

  @Test
  void aSyntaxErrorNamesWhatWasExpectedAndWhere() {
    assertThatThrownBy(() -> Json.parse("{\"a\": }"))
        .isInstanceOf(JsonSyntaxException.class)
        .hasMessage("expected a value at character 6");
  }

  @Test
  void nestingBeyondTheLimitIsRefusedInsteadOfExhaustingTheStack() {
    assertThatThrownBy(() -> Json.parse("[".repeat(100_000)))
        .hasMessageContaining("less than 512 levels");
  }

  @Test
  void whatJsonCannotHoldIsWrittenAsNullOrEscaped() {
    assertThat(new JsonWriter().array().value(Double.NaN).value("\u0001\u2028").end().toString())
        .isEqualTo("[\n  null,\n  \"\\u0001\\u2028\"\n]");
  }
}
