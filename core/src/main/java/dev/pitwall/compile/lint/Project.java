package dev.pitwall.compile.lint;

import dev.pitwall.trace.python.SourceFile;
import dev.pitwall.trace.python.Syntax;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The functions and classes of all files, and what a name can stand for.
final class Project {
  private final List<SourceFile> files;
  private final Map<String, List<Definition>> functions = new HashMap<>();
  private final Map<String, Map<String, Definition>> methodsOfClass = new HashMap<>();
  private final Map<Syntax, Definition> definitionOfNode = new IdentityHashMap<>();

  /// By class and attribute of `self`, the callee of the call that it is assigned from.
  private final Map<String, Map<String, Syntax>> attributeOfClass = new HashMap<>();

  Project(List<SourceFile> files) {
    this.files = List.copyOf(files);
    for (SourceFile file : files) {
      collect(file, file.root(), "");
    }
  }

  List<SourceFile> files() {
    return files;
  }

  private void collect(SourceFile file, Syntax node, String owner) {
    for (Syntax child : node.children()) {
      String inside = owner;
      if (child.is("function_definition") || child.is("lambda")) {
        Definition definition = new Definition(file, child, owner);
        definitionOfNode.put(child, definition);
        if (child.is("function_definition")) {
          functions.computeIfAbsent(definition.name, unseen -> new ArrayList<>()).add(definition);
          if (!owner.isEmpty()) {
            methodsOfClass
                .computeIfAbsent(owner, unseen -> new HashMap<>())
                .put(definition.name, definition);
          }
        }
      } else if (child.is("class_definition")) {
        inside = child.child("name").map(Syntax::text).orElse("");
        methodsOfClass.computeIfAbsent(inside, unseen -> new HashMap<>());
      } else if (child.is("assignment") && !owner.isEmpty()) {
        String target = child.child("left").map(Syntax::dotted).orElse("");
        Syntax value = child.child("right").orElse(child);
        int dot = target.indexOf('.');
        if (dot > 0 && target.indexOf('.', dot + 1) < 0) {
          attributeOfClass
              .computeIfAbsent(owner, unseen -> new HashMap<>())
              .putIfAbsent(target.substring(dot + 1), value);
        }
      }
      collect(file, child, inside);
    }
  }

  /// The definition that a node is, or the module of a file where it is none.
  Definition definition(SourceFile file, Syntax node) {
    return definitionOfNode.getOrDefault(node, new Definition(file, node, ""));
  }

  /// Names of the methods of a class; what else is called on `self` is a module or a function it
  // holds.
  Set<String> methodsOf(String className) {
    return methodsOfClass.getOrDefault(className, Map.of()).keySet();
  }

  boolean isClass(String name) {
    return methodsOfClass.containsKey(name);
  }

  /// What an expression can stand for as something that is called: functions, or the `forward` of
  /// classes. Follows names, attributes of `self`, instances, parameters to their arguments, and
  // loops
  /// over literal collections.
  Set<Definition> callables(SourceFile file, Definition around, Syntax expression) {
    Set<Definition> found = new LinkedHashSet<>();
    callables(file, around, expression, found, 0);
    return found;
  }

  private void callables(
      SourceFile file, Definition around, Syntax expression, Set<Definition> found, int depth) {
    if (depth > 6) {
      return;
    }
    if (expression.is("lambda")) {
      found.add(definition(file, expression));
      return;
    }
    String name = expression.dotted();
    if (expression.is("call")) {
      // An instance of a class, or a wrapper around one: Model(), Model().to(device), compile(f).
      String callee = name.replaceAll("\\(\\).*$", "");
      if (isClass(last(callee))) {
        addForward(last(callee), found);
      } else {
        arguments(expression)
            .forEach(argument -> callables(file, around, argument, found, depth + 1));
        expression
            .child("function")
            .flatMap(function -> function.child("object"))
            .ifPresent(object -> callables(file, around, object, found, depth + 1));
      }
      return;
    }
    if (name.isEmpty()) {
      return;
    }
    if (name.startsWith("self.")) {
      String member = name.substring("self.".length());
      Map<String, Definition> methods = methodsOfClass.getOrDefault(around.owner, Map.of());
      Definition method = methods.get(member);
      if (method != null) {
        found.add(method);
        return;
      }
      Syntax value = attributeOfClass.getOrDefault(around.owner, Map.of()).get(member);
      if (value != null) {
        callables(file, around, value, found, depth + 1);
      }
      return;
    }
    if (isClass(name)) {
      addForward(name, found);
      return;
    }
    List<Definition> named = functions.getOrDefault(last(name), List.of());
    List<Definition> local =
        named.stream()
            .filter(definition -> definition.owner.isEmpty() && !name.contains("."))
            .toList();
    if (!local.isEmpty()) {
      local.stream()
          .filter(definition -> definition.file == file)
          .findFirst()
          .or(() -> local.stream().findFirst())
          .ifPresent(found::add);
      return;
    }
    values(file, around, name).forEach(value -> callables(file, around, value, found, depth + 1));
    int parameter = around.parameters().indexOf(name);
    if (parameter >= 0) {
      for (Caller caller : callersOf(around)) {
        List<Syntax> arguments = arguments(caller.call());
        int position = around.owner.isEmpty() ? parameter : parameter - 1;
        if (position >= 0 && position < arguments.size()) {
          callables(caller.file(), caller.around(), arguments.get(position), found, depth + 1);
        }
      }
    }
  }

  private void addForward(String className, Set<Definition> found) {
    Map<String, Definition> methods = methodsOfClass.getOrDefault(className, Map.of());
    Definition forward = methods.getOrDefault("forward", methods.get("__call__"));
    if (forward != null) {
      found.add(forward);
    }
  }

  /// Values that a name is assigned or that a loop gives it, in the function around and in its
  // module.
  private static List<Syntax> values(SourceFile file, Definition around, String name) {
    List<Syntax> values = new ArrayList<>();
    for (Syntax scope : List.of(around.node, file.root())) {
      scope.walk(
          node -> {
            if (node.is("assignment")
                && node.child("left").map(Syntax::text).orElse("").equals(name)) {
              node.child("right").ifPresent(values::add);
            } else if (node.is("for_statement")) {
              loopValues(node, name, values);
            }
          });
    }
    return values;
  }

  /// Elements of a literal collection that a loop goes over.
  private static void loopValues(Syntax loop, String name, List<Syntax> values) {
    Syntax left = loop.child("left").orElse(loop);
    boolean binds =
        left.all("identifier").stream().anyMatch(identifier -> identifier.text().equals(name));
    Syntax right = loop.child("right").orElse(loop);
    if (!binds || right == loop) {
      return;
    }
    if (right.is("list") || right.is("tuple") || right.is("set")) {
      values.addAll(right.children());
    } else {
      right.walk(
          node -> {
            if (node.is("keyword_argument") || node.is("pair")) {
              node.child("value").ifPresent(values::add);
            }
          });
    }
  }

  /// A call of a function of the project.
  private record Caller(SourceFile file, Definition around, Syntax call) {}

  private List<Caller> callersOf(Definition definition) {
    List<Caller> callers = new ArrayList<>();
    for (SourceFile file : files) {
      findCalls(file, new Definition(file, file.root(), ""), file.root(), definition.name, callers);
    }
    return callers;
  }

  private void findCalls(
      SourceFile file, Definition around, Syntax node, String name, List<Caller> callers) {
    for (Syntax child : node.children()) {
      if (child.is("call")
          && last(child.child("function").map(Syntax::dotted).orElse("")).equals(name)) {
        callers.add(new Caller(file, around, child));
      }
      Definition inside = child.is("function_definition") ? definition(file, child) : around;
      findCalls(file, inside, child, name, callers);
    }
  }

  /// Positional arguments of a call.
  static List<Syntax> arguments(Syntax call) {
    return call.child("arguments")
        .map(
            list ->
                list.children().stream()
                    .filter(argument -> !argument.is("keyword_argument"))
                    .filter(argument -> !argument.is("comment"))
                    .toList())
        .orElse(List.of());
  }

  static String last(String dotted) {
    return dotted.substring(dotted.lastIndexOf('.') + 1);
  }
}
