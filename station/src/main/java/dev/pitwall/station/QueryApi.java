package dev.pitwall.station;

import dev.pitwall.json.Json;
import dev.pitwall.json.JsonWriter;
import dev.pitwall.sql.QueryResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The query box: one SELECT, at most 1,000 rows and 15 seconds.
final class QueryApi {
  private static final int MAXIMUM_ROWS = 1000;
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final OpenRuns runs;

  QueryApi(OpenRuns runs) {
    this.runs = runs;
  }

  void addTo(Routes routes) {
    routes.slow("POST", "/api/query", this::query);
  }

  /// `{"sql": "..."}` gives `columns`, `types`, `rows` of texts, `cut` and `millis`.
  private Answer query(Request request) throws IOException {
    Json body = request.json();
    Run run = runs.run(request);
    QueryResult result = run.database().query(body.get("sql").text(""), MAXIMUM_ROWS, LIMIT);
    JsonWriter json = new JsonWriter().object().key("columns").array();
    result.columns().forEach(json::value);
    json.end().key("numeric").array();
    for (int column = 0; column < result.columns().size(); column++) {
      json.value(result.isNumeric(column));
    }
    json.end().key("rows").array();
    for (List<@Nullable String> row : result.rows()) {
      json.array();
      row.forEach(json::value);
      json.end();
    }
    json.end().key("cut").value(result.cut()).key("millis").value(result.millis());
    return Answer.json(json.end());
  }
}
