package dev.pitwall.station;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The body of a request as it arrives. A sender that stays silent is given up with a [BadRequest]
/// (408); the thread that waits for it ends when the connection is closed.
final class ArrivingBody extends InputStream {
  private final InputStream body;
  private final Duration silence;
  private final ExecutorService threads;

  ArrivingBody(InputStream body, Duration silence, ExecutorService threads) {
    this.body = body;
    this.silence = silence;
    this.threads = threads;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int from, int count) throws IOException {
    try {
      return threads
          .submit(() -> body.read(target, from, count))
          .get(silence.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException silent) {
      throw new BadRequest(
          408, "nothing more of the file arrived for " + silence.toSeconds() + " s");
    } catch (ExecutionException failed) {
      throw new IOException("the request's body could not be read", failed.getCause());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new BadRequest(503, "the station is shutting down");
    }
  }
}
