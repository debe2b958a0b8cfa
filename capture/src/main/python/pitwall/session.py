"""Leads a program's training steps through warm-up, an unprofiled pass and the profiled window, then lets go of it.

A step is what lies between two step ends, so it holds the wait for its data, and whatever the loop does besides training.
Where one synchronizes matters: the unprofiled pass waits for the device only between blocks, so that inside a block the
host may run ahead as it does in real life.
"""
import atexit
import multiprocessing
import os
import sys
import time

import torch

from . import device, marker, recorder, stress, variant, waits, window

clock = time.perf_counter_ns
busy = time.thread_time_ns  # what our hooks cost: this thread's own time, not that of others that preempt it
FLUSH_NANOS = 200_000_000  # a kill loses at most this much
FLUSH_STEPS = 64
MEMORY_SHARE = 0.002  # of the step, at most, is spent on reading memory counters

_session = None


def begin(settings):
    """Start watching this process for training steps."""
    global _session
    _session = Session(settings)
    atexit.register(lambda: _session.end("exit"))
    os.register_at_fork(after_in_child=lambda: _session.forked())


class Session:
    def __init__(self, settings):
        self.settings = settings
        self.recorder = None
        self.phase = "waiting"
        self.began = None
        self.last = 0
        self.step = 0
        self.in_phase = 0
        self.steps = _StepBuffer()
        self.blocks = []
        self.block_began = 0
        self.hook_began = 0
        self.hook_nanos = 0  # spent in here during the unprofiled pass
        self.counted_until_block_end = False
        self.measured_steps = 0
        self.measured_wait = 0
        self.device_steps = []
        self.events = None
        self.first_step_nanos = 0
        self.memory_nanos = 0
        self.memory_every = 1
        self.window = None
        self.waits = waits.LoaderWaits(self._first_activity)
        if settings.step:
            self.marker = marker.FunctionMarker(settings.step, self.boundary, self._first_activity)
        else:
            self.marker = marker.OptimizerMarker(self.boundary, self._first_activity)
        self._await_first_module()

    # ------------------------------------------------------------------ what the program's steps call
    def boundary(self):
        """A training step has just ended."""
        entered = clock()
        if self.phase == "done" or device.capturing():
            return
        self.hook_began = busy()
        try:
            self._advance(entered)
        except Exception as failure:
            self._give_up(failure)
        if self.counted_until_block_end:
            self.counted_until_block_end = False
        else:
            self.hook_nanos += busy() - self.hook_began
        if self.phase == "done" and self.settings.stop:
            leave()

    def _await_first_module(self):
        """Notice the first forward: the earliest sign of a step, and the moment a function of the main script exists."""
        original = torch.nn.Module.__call__

        def __call__(module, *args, **kwargs):
            torch.nn.Module.__call__ = original
            self._first_activity()
            if isinstance(self.marker, marker.FunctionMarker) and not self.marker.install():
                sys.stderr.write("pitwall: there is no function %s to take for the training step\n" % self.settings.step)
            return original(module, *args, **kwargs)

        torch.nn.Module.__call__ = __call__

    def _first_activity(self):
        if self.began is None:
            self.began = self.last = clock()

    # ------------------------------------------------------------------ the phases
    def _advance(self, now):
        if self.phase == "waiting":
            self._open()
        wall, self.last = now - self.last, now
        wait, batches = self.waits.take()
        if self.events is not None:
            self.events.record()
        memory = device.memory() if self.step % self.memory_every == 0 else None
        self.steps.add(self.step, wall, wait, batches, memory)
        self.step += 1
        self.in_phase += 1
        getattr(self, "_" + self.phase)(now, wall, wait, memory)
        if self.steps.due(self.last):
            self._flush()

    def _open(self):
        rank = _rank()
        self.recorder = recorder.Recorder(self.settings.folder, rank)
        self.recorder.write(
            "start",
            rank=rank,
            world=_world(),
            pid=os.getpid(),
            torch=torch.__version__,
            python=sys.version.split()[0],
            device=device.name(),
            argv=sys.argv,
            variant=self.settings.variant,
        )
        self.phase = "warmup"
        if self.began is None:
            self._first_activity()

    def _warmup(self, now, wall, wait, memory):
        if self.in_phase == 1:
            self.first_step_nanos = wall
            begin = clock()
            device.memory()
            self.memory_nanos = clock() - begin
        if self.in_phase < self.settings.warmup:
            return
        self.memory_every = max(1, int(self.memory_nanos / (MEMORY_SHARE * max(1, wall))) + 1)
        self.marker.settle()
        self._flush()
        self.recorder.write("marker", text=self.marker.describe())
        self.phase, self.in_phase = "settling", 0

    def _settling(self, now, wall, wait, memory):
        """One step between, so that the first measured step begins at an end of the chosen kind."""
        self._flush()
        if self.settings.variant:
            variant.measured_from_here()
        self.events = device.StepEvents(self.settings.block_steps)
        self.phase, self.in_phase = "measure", 0
        self.hook_nanos = 0
        self.counted_until_block_end = True
        self._begin_block()

    def _begin_block(self):
        device.synchronize()
        self.events.record()
        self.block_began = self.last = clock()

    def _measure(self, now, wall, wait, memory):
        self.measured_steps += 1
        self.measured_wait += wait
        if self.in_phase % self.settings.block_steps:
            return
        self.hook_nanos += busy() - self.hook_began
        self.counted_until_block_end = True  # what follows lies between two blocks
        device.synchronize()
        ended = clock() if device.active() else now
        millis = (ended - self.block_began) / self.settings.block_steps / 1e6
        self.blocks.append(millis)
        self.device_steps += self.events.milliseconds()
        self._flush()
        self.recorder.write("block", index=len(self.blocks) - 1, steps=self.settings.block_steps, step_ms=millis)
        if len(self.blocks) < self.settings.blocks:
            self._begin_block()
            return
        self._tell_truth()
        self.events = None
        if self.settings.stress:
            stress.run(self.recorder, self.settings.stress)
        if self.settings.steps == 0 or self.settings.stress:
            self.end("done")
        else:
            self._begin_window()

    def _tell_truth(self):
        step = _median(self.blocks)
        self.overhead_percent = 100 * self.hook_nanos / self.measured_steps / 1e6 / step
        steps = self.device_steps
        truth = dict(
            group=os.path.basename(os.path.abspath(self.settings.folder)),
            variant=self.recorder.name,
            label=None,
            fix_of=None,
            torch=torch.__version__,
            gpu=device.name(),
            rank=_rank(),
            world=_world(),
            first_step_s=self.first_step_nanos / 1e9,
            step_ms=step,
            step_ms_blocks=self.blocks,
            step_ms_mad=_median([abs(block - step) for block in self.blocks]),
            device_step_ms=_median(steps) if steps else None,
            device_step_ms_mad=_median([abs(s - _median(steps)) for s in steps]) if steps else None,
            loader_wait_ms=self.measured_wait / self.measured_steps / 1e6,
            overhead_percent=self.overhead_percent,
            marker=self.marker.describe(),
            **device.peaks(),
        )
        if self.settings.variant:
            truth.update(variant.outcome())
        self.recorder.truth(truth)
        self.recorder.write("truth", **truth)

    def _begin_window(self):
        if torch.autograd._profiler_enabled():
            self.recorder.write("fault", text="the program runs a profiler of its own, so no window was recorded")
            self.end("done")
            return
        nsight = self.settings.nsys and torch.cuda.is_available()
        if self.settings.nsys and not nsight:
            self.recorder.write("fault", text="Nsight Systems was told nothing: the program uses no CUDA device, so torch.profiler recorded it")
        kind = window.NsightWindow if nsight else window.ProfilerWindow
        self.window = kind(self.settings, self.recorder)
        self.phase, self.in_phase = "window", 0
        self.last = clock()

    def _window(self, now, wall, wait, memory):
        if self.window.advance():
            self.end("done")

    # ------------------------------------------------------------------ the end
    def end(self, reason):
        """Write what is left and take every hook out. Called when the phases are through, or the program ends."""
        if self.phase in ("done", "waiting"):
            return
        phase, self.phase = self.phase, "done"
        self.marker.off = True
        self.waits.remove()
        try:
            if self.window is not None:
                self.window.close()
                self.recorder.write("window", steps=self.settings.steps, **self.window.files)
            self._flush(phase)
            self.recorder.write("end", reason=reason, phase=phase, steps=self.step)
        except Exception as failure:
            self._give_up(failure)

    def forked(self):
        """In a child: a worker of a recorded program is not recorded; a child that trains itself is."""
        if self.phase == "waiting":
            return
        self.phase = "done"
        self.marker.off = True
        self.waits.remove()

    def _flush(self, phase=None):
        fields = self.steps.take()
        if fields is not None:
            self.recorder.write("steps", phase=phase or self.phase, **fields)

    def _give_up(self, failure):
        phase, self.phase = self.phase, "done"
        self.marker.off = True
        self.waits.remove()
        try:
            self.recorder.write("fault", text=repr(failure))
            self.recorder.write("end", reason="fault", phase=phase, steps=self.step)
        except Exception:
            pass
        sys.stderr.write("pitwall: recording stopped: %r\n" % (failure,))


class _StepBuffer:
    """Steps that are not on disk yet."""

    def __init__(self):
        self._clear()
        self.flushed = 0

    def _clear(self):
        self.first = None
        self.wall, self.wait, self.batches, self.memory = [], [], [], []

    def add(self, step, wall, wait, batches, memory):
        if self.first is None:
            self.first = step
        self.wall.append(wall)
        self.wait.append(wait)
        self.batches.append(batches)
        if memory is not None:
            self.memory.append((step,) + memory)

    def due(self, now):
        return len(self.wall) >= FLUSH_STEPS or (self.wall and now - self.flushed > FLUSH_NANOS)

    def take(self):
        self.flushed = clock()
        if self.first is None:
            return None
        fields = dict(first=self.first, wall_ns=self.wall, loader_wait_ns=self.wait, batches=self.batches, memory=self.memory)
        self._clear()
        return fields


def leave():
    """End the process at once and without its own clean-up, so that it writes no checkpoint over the user's.

    Its DataLoader workers go with it; by themselves they would take seconds to see that they are alone."""
    for worker in multiprocessing.active_children():
        worker.kill()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _rank():
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank()
    return int(os.environ["RANK"]) if os.environ.get("RANK", "").isdigit() else None


def _world():
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_world_size()
    return int(os.environ.get("WORLD_SIZE") or 1)


def _median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
