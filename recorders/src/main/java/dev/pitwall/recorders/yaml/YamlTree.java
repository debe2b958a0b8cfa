package dev.pitwall.recorders.yaml;

import dev.pitwall.error.PitwallException;
import dev.pitwall.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/// Reads one YAML document into a [Json] tree.
public final class YamlTree {
  private static final int MOST_CHARACTERS = 1 << 20;

  private YamlTree() {}

  /// The document's tree.
  ///
  /// @param name what to call the file in an error
  /// @throws PitwallException where the text is no YAML of plain data
  public static Json parse(String text, String name) {
    LoadSettings settings =
        LoadSettings.builder()
            .setLabel(name)
            .setCodePointLimit(MOST_CHARACTERS)
            .setAllowDuplicateKeys(false)
            .build();
    try {
      return tree(new Load(settings).loadFromString(text));
    } catch (YamlEngineException broken) {
      String first =
          String.valueOf(broken.getMessage()).lines().findFirst().orElse("no reason given");
      throw PitwallException.unreadable(name + " is no plain YAML file: " + first + ".");
    }
  }

  private static Json tree(@Nullable Object value) {
    return switch (value) {
      case null -> Json.Null.NULL;
      case Boolean truth -> new Json.Bool(truth);
      case Number number -> new Json.Number(number.toString());
      case Map<?, ?> map -> {
        Map<String, Json> members = new LinkedHashMap<>();
        map.forEach((key, member) -> members.put(String.valueOf(key), tree(member)));
        yield new Json.Obj(members);
      }
      case Iterable<?> items -> {
        List<Json> elements = new ArrayList<>();
        items.forEach(item -> elements.add(tree(item)));
        yield new Json.Array(elements);
      }
      default -> new Json.Text(value.toString());
    };
  }
}
