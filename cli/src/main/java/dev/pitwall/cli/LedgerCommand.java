package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.report.LedgerText;
import dev.pitwall.report.TextPage;
import dev.pitwall.study.ledger.Ledger;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "ledger",
    mixinStandardHelpOptions = true,
    description = "Say how good Pitwall's predictions have been on your own programs.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class LedgerCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    Ledger ledger = usersOwn();
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      TextPage page = Terminal.attached().page();
      LedgerText.write(ledger, page);
      out.print(page);
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(LedgerText.json(ledger), out);
    }
    return ExitCode.DONE.status();
  }

  static Ledger usersOwn() {
    return Ledger.open(
        Ledger.usersOwn(System.getenv("PITWALL_HOME"), System.getProperty("user.home")));
  }
}
