package dev.pitwall.finding;

/// A rule that lacked an input: *cannot judge `id`, needs `needs`*.
public record NotJudged(String id, String needs) {}
