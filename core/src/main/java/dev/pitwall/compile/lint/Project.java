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

  /// By scope and name, what the name is assigned or given by a loop there.
  private final Map<Syntax, Map<String, List<Syntax>>> valuesOfScope = new IdentityHashMap<>();

  private final Map<String, List<Caller>> callersOfName = new HashMap<>();

  Project(List<SourceFile> files) {
    this.files = List.copyOf(files);
    for (SourceFile file : files) {
      collect(file, file.root(), "");
    }
    for (SourceFile file : files) {
      findCalls(file, new Definition(file, file.root(), ""), file.root());
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
  /// holds.
  Set<String> methodsOf(String className) {
    return methodsOfClass.getOrDefault(className, Map.of()).keySet();
  }

  boolean isClass(String name) {
    return methodsOfClass.containsKey(name);
  }

  /// What an expression can stand for as something that is called: functions, or the `forward` of
  /// classes. Follows names, attributes of `self`, instances, parameters to their arguments, and
  /// loops over literal collections.
  Set<Definition> callables(SourceFile file, Definition around, Syntax expression) {
    Search search = new Search(new LinkedHashSet<>(), new IdentityHashMap<>());
    callables(file, around, expression, search, 0);
    return search.found();
  }

  /// A search for callables and the names it has followed, with the depth it did so at: following
  /// one again from deeper finds nothing more.
  private record Search(Set<Definition> found, Map<Syntax, Map<String, Integer>> depthOf) {
    boolean hasFollowed(Syntax scope, String name, int depth) {
      Map<String, Integer> names = depthOf.computeIfAbsent(scope, unseen -> new HashMap<>());
      Integer before = names.get(name);
      if (before != null && before <= depth) {
        return true;
      }
      names.put(name, depth);
      return false;
    }
  }

  private void callables(
      SourceFile file, Definition around, Syntax expression, Search search, int depth) {
    if (depth > 6) {
      return;
    }
    Set<Definition> found = search.found();
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
            .forEach(argument -> callables(file, around, argument, search, depth + 1));
        expression
            .child("function")
            .flatMap(function -> function.child("object"))
            .ifPresent(object -> callables(file, around, object, search, depth + 1));
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
      if (value != null && !search.hasFollowed(around.node, name, depth)) {
        callables(file, around, value, search, depth + 1);
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
    if (search.hasFollowed(around.node, name, depth)) {
      return;
    }
    values(file, around, name).forEach(value -> callables(file, around, value, search, depth + 1));
    int parameter = around.parameters().indexOf(name);
    if (parameter >= 0) {
      for (Caller caller : callersOf(around)) {
        List<Syntax> arguments = arguments(caller.call());
        int position = around.owner.isEmpty() ? parameter : parameter - 1;
        if (position >= 0 && position < arguments.size()) {
          callables(caller.file(), caller.around(), arguments.get(position), search, depth + 1);
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
  /// module.
  private List<Syntax> values(SourceFile file, Definition around, String name) {
    List<Syntax> values = new ArrayList<>();
    for (Syntax scope : List.of(around.node, file.root())) {
      values.addAll(
          valuesOfScope.computeIfAbsent(scope, Project::valuesIn).getOrDefault(name, List.of()));
    }
    return values;
  }

  private static Map<String, List<Syntax>> valuesIn(Syntax scope) {
    Map<String, List<Syntax>> values = new HashMap<>();
    scope.walk(
        node -> {
          if (node.is("assignment")) {
            String name = node.child("left").map(Syntax::text).orElse("");
            node.child("right")
                .ifPresent(
                    value -> values.computeIfAbsent(name, unseen -> new ArrayList<>()).add(value));
          } else if (node.is("for_statement")) {
            loopValues(node, values);
          }
        });
    return values;
  }

  /// Elements of a literal collection that a loop goes over.
  private static void loopValues(Syntax loop, Map<String, List<Syntax>> values) {
    Syntax right = loop.child("right").orElse(loop);
    if (right == loop) {
      return;
    }
    List<Syntax> elements = new ArrayList<>();
    if (right.is("list") || right.is("tuple") || right.is("set")) {
      elements.addAll(right.children());
    } else {
      right.walk(
          node -> {
            if (node.is("keyword_argument") || node.is("pair")) {
              node.child("value").ifPresent(elements::add);
            }
          });
    }
    loop.child("left").orElse(loop).all("identifier").stream()
        .map(Syntax::text)
        .distinct()
        .forEach(
            name -> values.computeIfAbsent(name, unseen -> new ArrayList<>()).addAll(elements));
  }

  /// A call of a function of the project.
  private record Caller(SourceFile file, Definition around, Syntax call) {}

  private List<Caller> callersOf(Definition definition) {
    return callersOfName.getOrDefault(definition.name, List.of());
  }

  private void findCalls(SourceFile file, Definition around, Syntax node) {
    for (Syntax child : node.children()) {
      if (child.is("call")) {
        callersOfName
            .computeIfAbsent(
                last(child.child("function").map(Syntax::dotted).orElse("")),
                unseen -> new ArrayList<>())
            .add(new Caller(file, around, child));
      }
      findCalls(file, child.is("function_definition") ? definition(file, child) : around, child);
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
