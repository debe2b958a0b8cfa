package dev.pitwall.trace;

/// A device as the recorder describes it; -1 where it does not say. Memory in bytes.
public record Device(
    int id,
    String name,
    long memoryBytes,
    int computeMajor,
    int computeMinor,
    int multiprocessors,
    int warpSize,
    int maxThreadsPerMultiprocessor,
    int registersPerMultiprocessor,
    int sharedMemoryPerMultiprocessorBytes,
    int sharedMemoryPerBlockOptinBytes) {}
