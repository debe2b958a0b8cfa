package dev.pitwall.trace;

/// What a collective moved, as recorded on its kernel and on its CPU operator. Element counts are
/// per rank; -1 or an empty text where the recorder did not say.
///
/// @param name the recorder's word, such as `allreduce`, `_allgather_base`,
///     `reduce_scatter_tensor_coalesced`
/// @param dtype element type as recorded, such as `BFloat16`
/// @param inputElements elements in the send buffer
/// @param outputElements elements in the receive buffer
/// @param groupSize ranks that take part
/// @param processGroup name of the process group
/// @param processGroupDescription what the group is for, such as `default_pg`
/// @param ranks the ranks as text, such as `[0, 1]`
public record Collective(
    String name,
    String dtype,
    long inputElements,
    long outputElements,
    int groupSize,
    String processGroup,
    String processGroupDescription,
    String ranks) {}
