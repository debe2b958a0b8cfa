package dev.pitwall.observe.hta;

import java.util.regex.Pattern;

/// HTA's kernel types, told from the name in this order (`hta/utils/utils.py`, `get_kernel_type`).
enum KernelType {
  COMPUTATION,
  COMMUNICATION,
  MEMORY,
  OTHER;

  private static final Pattern IS_COMMUNICATION =
      Pattern.compile("^nccl.*|^hip|^hccl|.*ncclKernel.*");
  private static final Pattern IS_MEMORY = Pattern.compile("^(hip)?Memcpy|^(hip)?Memset|^dma");
  private static final Pattern IS_NO_COMPUTATION =
      Pattern.compile(
          "^nccl|.*Memcpy|.*Memset|.*dma|^.*Sync|^Stream Wait Event|cuda.*LaunchKernel"
              + "|^runFunction|^hip|^job_exe|^packet|^pe_exe|^cpum_exe_subgraph|^hccl"
              + "|^collective_subgraph_execution");

  static KernelType of(String name) {
    if (IS_COMMUNICATION.matcher(name).lookingAt()) {
      return COMMUNICATION;
    }
    if (IS_MEMORY.matcher(name).lookingAt()) {
      return MEMORY;
    }
    return IS_NO_COMPUTATION.matcher(name).lookingAt() ? OTHER : COMPUTATION;
  }
}
