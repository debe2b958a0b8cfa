package dev.pitwall.finding;

import dev.pitwall.estimate.Estimate;

/// What a fix saves per step: milliseconds, and the share of the unprofiled step (0 to 1).
public record Gain(Estimate millis, double fraction) {}
