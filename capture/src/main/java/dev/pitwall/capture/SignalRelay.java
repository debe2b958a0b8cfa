package dev.pitwall.capture;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/// While a program runs, signals are the program's: this process survives them and passes them on.
///
/// A terminal sends Ctrl-C to the whole foreground group, so the program has it already; then it is
/// not sent twice.
final class SignalRelay implements AutoCloseable {
  private final Map<Signal, SignalHandler> before = new LinkedHashMap<>();

  SignalRelay(Process program, boolean onTerminal) {
    for (String name : new String[] {"INT", "TERM", "HUP"}) {
      Signal signal = new Signal(name);
      boolean programHasIt = onTerminal && !name.equals("TERM");
      before.put(
          signal,
          Signal.handle(
              signal,
              received -> {
                if (!programHasIt) {
                  send(received.getName(), program.pid());
                }
              }));
    }
  }

  private static void send(String name, long pid) {
    try {
      new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start();
    } catch (IOException noKill) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
    }
  }

  @Override
  public void close() {
    before.forEach(Signal::handle);
  }
}
