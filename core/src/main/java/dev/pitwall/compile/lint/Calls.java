package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The calls below a node with the names they go by, found once for all rules.
final class Calls {
  private static final String LOGGER = "logging.getLogger()";

  /// @param name of the callee with its parts, a logger's alias resolved
  /// @param method what is called on an object, empty where none
  private record Call(Syntax node, String name, String method) {}

  private final List<Call> calls;

  private Calls(List<Call> calls) {
    this.calls = calls;
  }

  static Calls below(Syntax scope) {
    List<Syntax> nodes = new ArrayList<>();
    Map<String, String> aliases = new HashMap<>();
    aliases.put("logger", LOGGER);
    aliases.put("log", LOGGER);
    scope.walk(
        node -> {
          if (node.is("call")) {
            nodes.add(node);
          } else if (node.is("assignment")
              && node.child("right").map(Syntax::dotted).orElse("").equals(LOGGER)) {
            node.child("left").ifPresent(left -> aliases.put(left.text(), LOGGER));
          }
        });
    List<Call> calls = new ArrayList<>(nodes.size());
    for (Syntax node : nodes) {
      Syntax callee = node.child("function").orElse(node);
      String method =
          callee.is("attribute") ? callee.child("attribute").map(Syntax::text).orElse("") : "";
      calls.add(new Call(node, resolved(callee.dotted(), aliases), method));
    }
    return new Calls(calls);
  }

  private static String resolved(String dotted, Map<String, String> aliases) {
    int dot = dotted.indexOf('.');
    String alias = dot < 0 ? null : aliases.get(dotted.substring(0, dot));
    return alias == null ? dotted : alias + dotted.substring(dot);
  }

  /// Those whose callee (rule `call`) or method (rule `method`) has the rule's name.
  List<Syntax> matching(LintRule rule) {
    boolean ofMethod = rule.match().equals("method");
    List<Syntax> found = new ArrayList<>();
    for (Call call : calls) {
      if (rule.pattern().matcher(ofMethod ? call.method() : call.name()).matches()) {
        found.add(call.node());
      }
    }
    return found;
  }
}
