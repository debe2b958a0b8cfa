package dev.pitwall.trace;

import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/// Reads (and so decompresses) in a thread of its own, a few blocks ahead of whoever reads here. A
/// trace is then read in the time of the slower of inflating and scanning rather than in the sum.
/// The thread starts with the first read.
final class AheadInput extends InputStream {
  private static final int BLOCK = 1 << 18;
  private static final int BLOCKS = 4;

  /// Some bytes, and what came behind them: more, the end, or a failure.
  private record Block(byte[] bytes, int length, boolean isLast, @Nullable Throwable failure) {}

  private final InputStream source;
  private final BlockingQueue<Block> full = new ArrayBlockingQueue<>(BLOCKS);
  private final BlockingQueue<byte[]> empty = new ArrayBlockingQueue<>(BLOCKS);
  private @Nullable Thread producer;
  private Block current = new Block(new byte[0], 0, false, null);
  private int position;

  AheadInput(InputStream source) {
    this.source = source;
  }

  private void start() {
    for (int i = 0; i < BLOCKS; i++) {
      empty.add(new byte[BLOCK]);
    }
    producer = Thread.ofPlatform().daemon().name("read-ahead").start(this::produce);
  }

  private void produce() {
    try {
      Block block;
      do {
        block = readBlock(empty.take());
        full.put(block);
      } while (!block.isLast());
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  /// Whatever fails here must reach the reader, which would wait forever otherwise.
  private Block readBlock(byte[] bytes) {
    int length = 0;
    try {
      while (length < BLOCK) {
        int read = source.read(bytes, length, BLOCK - length);
        if (read < 0) {
          return new Block(bytes, length, true, null);
        }
        length += read;
      }
      return new Block(bytes, length, false, null);
    } catch (IOException | RuntimeException | Error failure) {
      return new Block(bytes, length, true, failure);
    }
  }

  @Override
  public int read() throws IOException {
    return hasBytes() ? current.bytes()[position++] & 0xFF : -1;
  }

  @Override
  public int read(byte[] target, int from, int count) throws IOException {
    if (count == 0) {
      return 0;
    }
    if (!hasBytes()) {
      return -1;
    }
    int copied = Math.min(count, current.length() - position);
    System.arraycopy(current.bytes(), position, target, from, copied);
    position += copied;
    return copied;
  }

  private boolean hasBytes() throws IOException {
    while (position == current.length()) {
      if (current.isLast()) {
        switch (current.failure()) {
          case null -> {
            return false;
          }
          case IOException failure -> throw failure;
          case RuntimeException failure -> throw failure;
          case Throwable failure -> throw new IOException(failure);
        }
      }
      if (producer == null) {
        start();
      } else {
        empty.add(current.bytes());
      }
      try {
        current = full.take();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", interrupted);
      }
      position = 0;
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    if (producer != null) {
      producer.interrupt();
      try {
        producer.join();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    source.close();
  }
}
