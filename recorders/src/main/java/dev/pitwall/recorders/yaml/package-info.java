/// YAML files as the same tree that JSON files are. Plain data only: no tags of other languages, no
/// aliases beyond a small number, no objects are ever made from a file. Start at [YamlTree].
@NullMarked
package dev.pitwall.recorders.yaml;

import org.jspecify.annotations.NullMarked;
