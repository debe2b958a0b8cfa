package dev.pitwall.estimate;

/// Where an estimate comes from, strongest first.
public enum Basis {
  MEASURED,
  SIMULATED,
  MODELLED,
  PUBLISHED
}
