package dev.pitwall;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/// The floors of the house (ARCHITECTURE.md): data flows up this list and nothing looks up.
@AnalyzeClasses(
    packages = "dev.pitwall",
    importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {
  /// Test classes that another module's tests use come in a jar of their own.
  static final class NoTestJars implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("-tests.jar");
    }
  }

  @ArchTest
  static final ArchRule floorsOnlyLookDown =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("base")
          .definedBy(
              "dev.pitwall.error..",
              "dev.pitwall.estimate..",
              "dev.pitwall.json..",
              "dev.pitwall.table..",
              "dev.pitwall.finding..")
          .layer("hardware")
          .definedBy("dev.pitwall.hardware..")
          .layer("trace")
          .definedBy("dev.pitwall.trace..", "dev.pitwall.recorders..")
          .layer("graph")
          .definedBy("dev.pitwall.graph..")
          .layer("simulate")
          .definedBy("dev.pitwall.simulate..")
          .layer("pass")
          .definedBy("dev.pitwall.pass..")
          .layer("gears")
          .definedBy("dev.pitwall.observe..", "dev.pitwall.compile..", "dev.pitwall.scale..")
          .layer("study")
          .definedBy("dev.pitwall.study..")
          .layer("report")
          .definedBy("dev.pitwall.report..")
          .layer("shows")
          .definedBy(
              "dev.pitwall.cli..",
              "dev.pitwall.station..",
              "dev.pitwall.sql..",
              "dev.pitwall.capture..")
          .whereLayer("hardware")
          .mayOnlyAccessLayers("base")
          .whereLayer("trace")
          .mayOnlyAccessLayers("base")
          .whereLayer("graph")
          .mayOnlyAccessLayers("base", "hardware", "trace")
          .whereLayer("simulate")
          .mayOnlyAccessLayers("base", "hardware", "trace", "graph")
          .whereLayer("pass")
          .mayOnlyAccessLayers("base", "hardware", "trace", "graph")
          .whereLayer("gears")
          .mayOnlyAccessLayers("base", "hardware", "trace", "graph", "simulate", "pass")
          .whereLayer("study")
          .mayOnlyAccessLayers("base", "hardware", "trace", "graph", "simulate", "pass", "gears")
          .whereLayer("report")
          .mayOnlyAccessLayers(
              "base", "hardware", "trace", "graph", "simulate", "pass", "gears", "study");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("dev.pitwall.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule onlyTheCommandLinePrints =
      noClasses()
          .that()
          .resideOutsideOfPackages("dev.pitwall.cli..", "dev.pitwall.bench..")
          .should()
          .accessField(System.class, "out")
          .orShould()
          .accessField(System.class, "err");

  @ArchTest
  static final ArchRule analysisHasNoClock =
      noClasses()
          .that()
          .resideInAnyPackage(
              "dev.pitwall.trace..",
              "dev.pitwall.graph..",
              "dev.pitwall.pass..",
              "dev.pitwall.simulate..",
              "dev.pitwall.hardware..")
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime");

  @ArchTest
  static final ArchRule noClassIsNamedForNothing =
      noClasses().should().haveNameMatching(".*(Util|Utils|Helper|Manager|Common|Misc)");
}
