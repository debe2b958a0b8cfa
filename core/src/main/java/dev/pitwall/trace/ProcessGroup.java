package dev.pitwall.trace;

/// A process group of `torch.distributed` as the recorder lists it.
public record ProcessGroup(
    String name, String description, String backend, int size, String ranks) {}
