package dev.pitwall.trace;

import java.util.ArrayList;
import java.util.List;

/// Interns launch parameters without making an object for those already known: a trace has a
/// million launches and some hundred distinct ones.
final class LaunchTable {
  private final List<KernelLaunch> launches = new ArrayList<>();
  private int[] slots = new int[256];

  int intern(
      int gridX,
      int gridY,
      int gridZ,
      int blockX,
      int blockY,
      int blockZ,
      int registersPerThread,
      int sharedMemoryBytes) {
    int code =
        code(gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, sharedMemoryBytes);
    int slot = slot(code);
    while (slots[slot] != 0) {
      KernelLaunch known = launches.get(slots[slot] - 1);
      if (known.gridX() == gridX
          && known.gridY() == gridY
          && known.gridZ() == gridZ
          && known.blockX() == blockX
          && known.blockY() == blockY
          && known.blockZ() == blockZ
          && known.registersPerThread() == registersPerThread
          && known.sharedMemoryBytes() == sharedMemoryBytes) {
        return slots[slot] - 1;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    launches.add(
        new KernelLaunch(
            gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, sharedMemoryBytes));
    slots[slot] = launches.size();
    if (2 * launches.size() > slots.length) {
      growSlots();
    }
    return launches.size() - 1;
  }

  List<KernelLaunch> launches() {
    return launches;
  }

  private static int code(int a, int b, int c, int d, int e, int f, int g, int h) {
    return ((((((a * 31 + b) * 31 + c) * 31 + d) * 31 + e) * 31 + f) * 31 + g) * 31 + h;
  }

  private int slot(int code) {
    return (code * 0x9E3779B9 >>> 8) & (slots.length - 1);
  }

  private void growSlots() {
    slots = new int[2 * slots.length];
    for (int i = 0; i < launches.size(); i++) {
      KernelLaunch launch = launches.get(i);
      int code =
          code(
              launch.gridX(),
              launch.gridY(),
              launch.gridZ(),
              launch.blockX(),
              launch.blockY(),
              launch.blockZ(),
              launch.registersPerThread(),
              launch.sharedMemoryBytes());
      int slot = slot(code);
      while (slots[slot] != 0) {
        slot = (slot + 1) & (slots.length - 1);
      }
      slots[slot] = i + 1;
    }
  }
}
