"""The profiled window: torch.profiler with shapes over a few steps, or a range for Nsight Systems."""
import torch
from torch.profiler import ProfilerActivity, profile, schedule

from . import device

PROFILER_WARMUP = 2  # steps under the profiler before its window: the first ones pay its start-up
MEMORY_EVENTS = 100000  # bound of the allocation history; the oldest are lost first


class ProfilerWindow:
    """One window. `advance()` at every step end; true is returned once everything is on disk."""

    def __init__(self, settings, recorder):
        self.settings = settings
        self.recorder = recorder
        self.files = {}
        self.left = PROFILER_WARMUP + settings.steps
        activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device.active() else [])
        self.profiler = profile(
            activities=activities,
            record_shapes=True,
            with_flops=True,
            profile_memory=settings.memory,
            with_stack=settings.stacks,
            schedule=schedule(wait=0, warmup=PROFILER_WARMUP, active=settings.steps, repeat=1),
            on_trace_ready=self._save,
        )
        self.snapshot = settings.memory and device.active()
        if self.snapshot:
            torch.cuda.memory._record_memory_history(max_entries=MEMORY_EVENTS)
        self.profiler.start()

    def advance(self):
        self.left -= 1
        self.profiler.step()
        if self.left > 0:
            return False
        self.close()
        return True

    def close(self):
        """End the window, early if need be: what was recorded is saved."""
        if self.profiler is not None:
            profiler, self.profiler = self.profiler, None
            profiler.stop()
        if self.snapshot:
            self.snapshot = False
            self.files["memory"] = self.recorder.whole("memory.pickle", torch.cuda.memory._dump_snapshot)
            torch.cuda.memory._record_memory_history(enabled=None)

    def _save(self, profiler):
        self.files["trace"] = self.recorder.whole("trace.json.gz", profiler.export_chrome_trace)


class NsightWindow:
    """Tells a surrounding `nsys profile --capture-range=cudaProfilerApi` where the window is, and names the steps."""

    def __init__(self, settings, recorder):
        self.files = {"trace": "nsys.sqlite"}  # what the surrounding nsys exports
        self.left = settings.steps
        self.number = 0
        self.nvtx = torch.autograd.profiler.emit_nvtx(record_shapes=True)
        torch.cuda.profiler.start()
        self.nvtx.__enter__()
        torch.cuda.nvtx.range_push("ProfilerStep#0")

    def advance(self):
        torch.cuda.nvtx.range_pop()
        self.left -= 1
        self.number += 1
        if self.left > 0:
            torch.cuda.nvtx.range_push("ProfilerStep#%d" % self.number)
            return False
        self.close()
        return True

    def close(self):
        if self.nvtx is not None:
            nvtx, self.nvtx = self.nvtx, None
            nvtx.__exit__(None, None, None)
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()
