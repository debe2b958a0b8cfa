package dev.pitwall.cli;

import dev.pitwall.error.ExitCode;
import dev.pitwall.error.PitwallException;
import dev.pitwall.report.TextPage;
import dev.pitwall.report.compile.OccupancyTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "occupancy",
    mixinStandardHelpOptions = true,
    description = "How full a kernel can make a GPU, what limits it, and at which block size.")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class OccupancyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--gpu",
      required = true,
      description = "A GPU (H200) or a compute capability (9.0).")
  private String gpu;

  @Option(names = "--block", required = true, description = "Threads in one block.")
  private int threadsPerBlock;

  @Option(
      names = "--regs",
      required = true,
      description = "Registers of one thread, as the compiler reports them.")
  private int registersPerThread;

  @Option(
      names = "--shared",
      defaultValue = "0",
      description = "Static plus dynamic shared memory of one block, in bytes.")
  private int sharedMemoryBytes;

  @Mixin private JsonDestination json;

  @Override
  public Integer call() {
    if (threadsPerBlock < 1 || registersPerThread < 0 || sharedMemoryBytes < 0) {
      throw PitwallException.usage(
          "--block must be at least 1, --regs and --shared at least 0; give the numbers of one"
              + " block and one thread.");
    }
    OccupancyTable table =
        new OccupancyTable(gpu, threadsPerBlock, registersPerThread, sharedMemoryBytes);
    PrintWriter out = spec.commandLine().getOut();
    if (!json.takesStandardOutput()) {
      TextPage page = Terminal.attached().page();
      table.write(page);
      out.print(page);
      out.flush();
    }
    if (json.isAskedFor()) {
      json.write(table.json(), out);
    }
    return ExitCode.DONE.status();
  }
}
