package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.report.JobSample;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.whatif.WhatIfJson;
import dev.pitwall.report.whatif.WhatIfText;
import dev.pitwall.study.Change;
import dev.pitwall.study.Passes;
import dev.pitwall.study.Prediction;
import dev.pitwall.study.Ranking;
import dev.pitwall.study.WhatIf;
import dev.pitwall.trace.TraceReaders;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "whatif",
    mixinStandardHelpOptions = true,
    description =
        "Say what a change would do to the step: apply it to the execution graph and simulate."
            + " Without --fix, rank all changes that apply, alone and together.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class WhatIfCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "PATH",
      description =
          "A torch.profiler trace, or a folder with one a rank: then the slowest rank is taken.")
  private Path path;

  @Option(
      names = "--fix",
      paramLabel = "ID[=ARG]",
      description = "A change to apply, such as host-sync or batch=8; may be given several times.")
  private List<String> fixes = List.of();

  @Option(names = "--list", description = "Only list which changes apply, and why others do not.")
  private boolean list;

  @Option(
      names = "--step-name",
      paramLabel = "NAME",
      description = "The name of the ranges that are training steps, where not ProfilerStep.")
  private @Nullable String stepName;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    json.refuseInputs(List.of(path));
    List<Change> changes = new ArrayList<>();
    for (String fix : fixes) {
      Change change = Change.parse(fix);
      Passes.named(change.id());
      changes.add(change);
    }
    JobSample sample = JobSample.read(TraceReaders.filesOf(List.of(path)), stepName);
    LeftOut.name(sample.refused(), spec.commandLine().getErr());
    WhatIf study = sample.study();
    TextPage page = Terminal.attached().page();
    if (list) {
      List<WhatIf.Applicability> applicability = study.applicability();
      WhatIfText.write(applicability, page);
      return answer(page, WhatIfJson.of(study.before(), applicability));
    }
    if (changes.isEmpty()) {
      Ranking ranking = study.rank();
      WhatIfText.write(ranking, page);
      return answer(page, WhatIfJson.of(ranking, study.applicability()));
    }
    Prediction prediction = study.predict(changes);
    WhatIfText.write(prediction, page);
    return answer(page, WhatIfJson.of(prediction));
  }

  private int answer(TextPage page, String document) {
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      out.print(page);
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(document, out);
    }
    return ExitCode.DONE.status();
  }
}
