package dev.pitwall.study;

import dev.pitwall.error.PitwallException;
import dev.pitwall.pass.Pass;
import dev.pitwall.pass.compile.CompileModePass;
import dev.pitwall.pass.compile.GraphBreakPass;
import dev.pitwall.pass.fix.Fixes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// Every pass a what-if can apply, of all gears.
public final class Passes {
  private static final List<Pass> ALL = collect();

  private Passes() {}

  /// All passes in the order in which they are listed.
  public static List<Pass> all() {
    return ALL;
  }

  /// The pass with this id. An unknown id is a wrong usage that names the known ones.
  public static Pass named(String id) {
    for (Pass pass : ALL) {
      if (answersTo(pass, id)) {
        return pass;
      }
    }
    throw PitwallException.usage(
        "there is no fix '"
            + id
            + "'; known are "
            + String.join(", ", ALL.stream().flatMap(Passes::idsOf).toList())
            + ".");
  }

  /// Whether this is the id of a pass, or one of its others.
  static boolean answersTo(Pass pass, String id) {
    return pass.id().equals(id) || pass.otherIds().contains(id);
  }

  private static Stream<String> idsOf(Pass pass) {
    return Stream.concat(Stream.of(pass.id()), pass.otherIds().stream());
  }

  private static List<Pass> collect() {
    List<Pass> passes = new ArrayList<>(Fixes.all());
    passes.add(new CompileModePass());
    passes.add(new GraphBreakPass());
    return List.copyOf(passes);
  }
}
