package dev.pitwall.trace.compilelog;

import dev.pitwall.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Reads `inductor_provenance_tracking_kernel_stack_traces`: kernel (with a call number behind a
/// colon) to the stacks of the user's lines it came from.
final class KernelStacks {
  private KernelStacks() {}

  static List<String> userLines(Json linesOfKernel, String kernel) {
    Set<String> lines = new LinkedHashSet<>();
    if (linesOfKernel instanceof Json.Obj object) {
      object
          .members()
          .forEach(
              (key, stacks) -> {
                int colon = key.indexOf(':');
                if ((colon < 0 ? key : key.substring(0, colon)).equals(kernel)) {
                  stacks.forEach(
                      stack ->
                          BreakText.innermostUserFrame(stack.text(""))
                              .ifPresent(frame -> lines.add(frame.place())));
                }
              });
    }
    return new ArrayList<>(lines);
  }
}
