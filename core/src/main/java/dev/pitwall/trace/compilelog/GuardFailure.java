package dev.pitwall.trace.compilelog;

/// A guard of an earlier compilation that did not hold, so that the frame was compiled again.
///
/// @param earlier the compilation whose guard failed, such as `0/1`
/// @param guard the expression as logged, without comments: `tensor 'x' size mismatch at index 1.
///     expected 576, actual 832`, `k == 1`, `12288*i.size()[1] >= 5242880`
/// @param origin where the guard came from as logged behind `#`, or empty: the user's line, or the
///     compiler's own place such as `_inductor/scheduler.py:326 in can_fuse`
public record GuardFailure(String earlier, String guard, String origin) {}
