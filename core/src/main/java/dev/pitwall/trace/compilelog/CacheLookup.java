package dev.pitwall.trace.compilelog;

/// One look into a compiler cache.
///
/// @param cache `fx_graph_cache`, `aotautograd_cache`, …
/// @param key the key; for `fx_graph_cache` it is also in the trace, in `## Call CompiledFxGraph
///     <key>
///     ##`
/// @param reason why the cache was bypassed, or empty
public record CacheLookup(String cache, Outcome outcome, String key, String reason) {
  /// What the look yielded.
  public enum Outcome {
    HIT,
    MISS,
    BYPASS
  }
}
