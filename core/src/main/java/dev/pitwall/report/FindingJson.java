package dev.pitwall.report;

import dev.pitwall.estimate.Estimate;
import dev.pitwall.finding.Evidence;
import dev.pitwall.finding.Finding;
import dev.pitwall.json.JsonWriter;
import java.util.List;
import java.util.Locale;

/// Findings as every `pitwall.report/1` document writes them.
public final class FindingJson {
  private FindingJson() {}

  /// Writes a member of the open object: an array of findings.
  public static void write(JsonWriter out, String key, List<Finding> findings) {
    out.key(key).array();
    for (Finding finding : findings) {
      write(out, finding);
    }
    out.end();
  }

  private static void write(JsonWriter out, Finding finding) {
    out.object();
    out.key("id").value(finding.id());
    out.key("severity").value(finding.severity().name().toLowerCase(Locale.ROOT));
    out.key("title").value(finding.title());
    out.key("why").value(finding.why());
    out.key("fix").object();
    out.key("text").value(finding.fix().text());
    out.key("code").value(finding.fix().code());
    out.key("link").value(finding.fix().link());
    out.end();
    Estimate millis = finding.gain().millis();
    out.key("gain").object();
    out.key("value_ms").value(millis.value());
    out.key("low_ms").value(millis.low());
    out.key("high_ms").value(millis.high());
    out.key("fraction").value(finding.gain().fraction());
    out.key("basis").value(millis.basis().name());
    out.end();
    out.key("evidence").array();
    for (Evidence evidence : finding.evidence()) {
      out.object();
      out.key("rank").value(evidence.rank());
      out.key("track").value(evidence.track());
      out.key("name").value(evidence.name());
      out.key("ts_ns").value(evidence.startNanos());
      out.key("dur_ns").value(evidence.durationNanos());
      out.end();
    }
    out.end();
    out.end();
  }
}
