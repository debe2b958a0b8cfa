package dev.pitwall.scale;

import dev.pitwall.estimate.Estimate;

/// A strategy with what it would give.
///
/// @param family the name people give this way of training, `FSDP`, `ZeRO-3`, `TP x PP`
/// @param stepSeconds time of one step
/// @param time its parts, by the closed form
/// @param mfu model FLOPs utilization: 6 x parameters + 12 x layers x width x sequence for each
///     token (attention counted in full, recomputation not), over the dense bf16 peak
/// @param exposedCommunicationSeconds communication that nothing hides
/// @param costPerBillionTokens in the price's currency, 0 where no price was given
/// @param simulated whether the step was simulated node by node
public record PlannedStrategy(
    String family,
    Strategy strategy,
    Estimate stepSeconds,
    StepTime time,
    MemoryEstimate memory,
    double tokensPerSecondPerGpu,
    double mfu,
    double exposedCommunicationSeconds,
    double costPerBillionTokens,
    boolean simulated) {}
