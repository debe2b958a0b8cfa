package dev.pitwall.finding;

/// What to change: a sentence, code to paste (may be empty) and a link to PyTorch's own
/// documentation.
public record Fix(String text, String code, String link) {}
