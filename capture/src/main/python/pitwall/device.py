"""The few questions asked of the accelerator. Everything here is cheap and never starts a device the program has not."""
import os

import torch


_PAGE = os.sysconf("SC_PAGE_SIZE")
try:
    _statm = os.open("/proc/self/statm", os.O_RDONLY)
except OSError:
    _statm = None


def active():
    """Whether the program works on a CUDA (or ROCm) device."""
    return torch.cuda.is_initialized()


def synchronize():
    if active():
        torch.cuda.synchronize()


def capturing():
    """Whether a CUDA graph is being captured now: then nothing may be asked of the device."""
    return active() and torch.cuda.is_current_stream_capturing()


def name():
    return torch.cuda.get_device_name() if active() else None


def memory():
    """Bytes (active, allocated, reserved, resident host memory) at this point. On the CPU the first three are None."""
    resident = None
    if _statm is not None:
        resident = int(os.pread(_statm, 64, 0).split()[1]) * _PAGE
    if not active():
        return None, None, None, resident
    stats = torch._C._cuda_memoryStats(torch.cuda.current_device())
    return tuple(stats[key]["all"]["current"] for key in ("active_bytes", "allocated_bytes", "reserved_bytes")) + (resident,)


def peaks():
    """Peaks since they were last reset, under the names of torch.cuda, and the allocator's retries."""
    if not active():
        return {}
    return dict(
        peak_alloc_bytes=torch.cuda.max_memory_allocated(),
        peak_reserved_bytes=torch.cuda.max_memory_reserved(),
        num_alloc_retries=torch.cuda.memory_stats()["num_alloc_retries"],
    )


class StepEvents:
    """Device time between step ends, read only when a block is over: recording an event does not wait for the device."""

    def __init__(self, steps):
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)] if active() else []
        self.used = 0

    def record(self):
        if self.used < len(self.events):
            self.events[self.used].record()
            self.used += 1

    def milliseconds(self):
        """Times between the recorded ends; the device must be synchronized. Starts over."""
        times = [self.events[i].elapsed_time(self.events[i + 1]) for i in range(self.used - 1)]
        self.used = 0
        return times
