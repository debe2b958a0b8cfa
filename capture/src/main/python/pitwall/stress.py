"""Runs the program's own DataLoader alone, under several settings, and times its parts."""
import cProfile
import inspect
import os
import pstats
import time

import torch
from torch.utils.data import DataLoader

from . import device

_last_iterated = []


def watch_loaders():
    """Remember which loader the program iterates."""
    original = DataLoader.__iter__

    def __iter__(loader):
        _last_iterated[:] = [loader]
        return original(loader)

    DataLoader.__iter__ = __iter__


def run(recorder, wanted):
    """Write one `loader` event, then one `setting` event for each of `wanted["workers"]` and pinning.

    wanted: workers [int], pin [bool] (pinning only on a GPU), seconds (bound for one setting), batches (at least, if the time allows)
    """
    if not _last_iterated:
        recorder.write("fault", text="the program iterates no torch DataLoader")
        return
    loader = _last_iterated[0]
    recorder.write("loader", **_describe(loader), **_parts(loader, wanted["seconds"]))
    for pin in wanted["pin"]:
        if pin and not device.active():
            continue
        for workers in wanted["workers"]:
            try:
                recorder.write("setting", workers=workers, pin=pin, **_measure(loader, workers, pin, wanted))
            except Exception as failure:
                recorder.write("setting", workers=workers, pin=pin, error=repr(failure)[:400])


def _describe(loader):
    return dict(
        dataset=type(loader.dataset).__name__,
        batch_size=loader.batch_size,
        workers=loader.num_workers,
        pin=bool(loader.pin_memory),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
    )


def _with(loader, workers, pin):
    """The same loader with other workers. It keeps the program's dataset, sampler, collate function and seeds."""
    arguments = dict(
        num_workers=workers,
        pin_memory=pin,
        collate_fn=loader.collate_fn,
        timeout=loader.timeout,
        worker_init_fn=loader.worker_init_fn,
        multiprocessing_context=loader.multiprocessing_context if workers else None,
        prefetch_factor=(loader.prefetch_factor or 2) if workers else None,
    )
    if isinstance(loader.dataset, torch.utils.data.IterableDataset):
        arguments.update(batch_size=loader.batch_size, drop_last=loader.drop_last)
    elif loader.batch_sampler is not None:
        arguments.update(batch_sampler=loader.batch_sampler)
    else:
        arguments.update(batch_size=None, sampler=loader.sampler)
    return DataLoader(loader.dataset, **arguments)


def _measure(loader, workers, pin, wanted):
    """Cold: from asking for an iterator to its first batch. Warm: batches a second after that, in three blocks.

    What the workers prefetched while nobody asked is drained before the clock starts.
    """
    tried = _with(loader, workers, pin)
    begin = time.perf_counter()
    batches = iter(tried)
    first = next(batches)
    cold = time.perf_counter() - begin
    deadline = begin + wanted["seconds"]
    drained = max(1, workers * (tried.prefetch_factor or 0))
    waits, memory = [], None
    restarts = 0
    while len(waits) < drained + wanted["batches"] and (len(waits) < drained + 3 or time.perf_counter() < deadline):
        begin = time.perf_counter()
        try:
            next(batches)
        except StopIteration:  # a short epoch: start another, whose start is not what is measured
            restarts += 1
            batches = iter(tried)
            for _ in range(min(drained, max(1, len(tried) - 1))):
                if next(batches, None) is None:
                    break
            continue
        waits.append(time.perf_counter() - begin)
        if memory is None and workers:
            memory = _workers_memory(batches)
    waits = waits[drained:] if len(waits) > drained + 3 else waits
    size = max(1, len(waits) // 3)
    rates = [size / max(1e-9, sum(waits[i * size : (i + 1) * size])) for i in range(3) if waits[i * size : (i + 1) * size]]
    result = dict(
        cold_first_batch_s=cold,
        batches=len(waits),
        batches_per_s=len(waits) / max(1e-9, sum(waits)),
        batches_per_s_blocks=rates,
        worker_bytes=memory,
        restarts=restarts,
        transfer_ms=_transfer(first),
    )
    del batches, tried
    return result


def _workers_memory(batches):
    """Proportional resident bytes of each worker, on average; None where the system does not tell."""
    sizes = []
    for worker in getattr(batches, "_workers", []):
        try:
            with open("/proc/%d/smaps_rollup" % worker.pid) as file:
                sizes += [int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:")]
        except OSError:
            return None
    return sum(sizes) / len(sizes) if sizes else None


def _transfer(batch):
    """Milliseconds to copy one batch to the device, or None on the CPU."""
    if not device.active():
        return None
    tensors = list(_tensors(batch))
    device.synchronize()
    begin = time.perf_counter()
    for tensor in tensors:
        tensor.to("cuda", non_blocking=True)
    device.synchronize()
    return (time.perf_counter() - begin) * 1e3


def _tensors(batch):
    if isinstance(batch, torch.Tensor):
        yield batch
    elif isinstance(batch, dict):
        for value in batch.values():
            yield from _tensors(value)
    elif isinstance(batch, (list, tuple)):
        for value in batch:
            yield from _tensors(value)


def _parts(loader, seconds):
    """Per-item and collate time in this process, and the function of the program that takes most of an item."""
    if isinstance(loader.dataset, torch.utils.data.IterableDataset) or loader.batch_sampler is None:
        return dict(item_ms=None, collate_ms=None, slowest=None)
    indices = next(iter(loader.batch_sampler))
    profiler = cProfile.Profile()
    items, times = [], []
    deadline = time.perf_counter() + seconds
    for position, index in enumerate(indices):
        begin = time.perf_counter()
        if position % 2:
            items.append(loader.dataset[index])
            times.append(time.perf_counter() - begin)
        else:
            items.append(profiler.runcall(loader.dataset.__getitem__, index))
        if time.perf_counter() > deadline and len(items) > 1:
            break
    begin = time.perf_counter()
    loader.collate_fn(items)
    collate = (time.perf_counter() - begin) * len(indices) / len(items)
    times.sort()
    return dict(
        item_ms=times[len(times) // 2] * 1e3 if times else None, collate_ms=collate * 1e3, slowest=_slowest(profiler)
    )


def _slowest(profiler):
    """The program's own function with the most time in itself and in the library functions that it calls."""
    stats = pstats.Stats(profiler).stats
    total = sum(entry[2] for entry in stats.values())
    own = {}
    for function, (_, calls, self_time, _, callers) in stats.items():
        if _is_the_programs(function):
            own[function] = own.get(function, 0) + self_time
        else:
            for caller, (_, _, _, cumulative) in callers.items():
                if _is_the_programs(caller):
                    own[caller] = own.get(caller, 0) + cumulative
    if not own or total <= 0:
        return None
    function = max(own, key=own.get)
    return dict(file=function[0], line=function[1], function=_qualified(function), share=min(1.0, own[function] / total))


def _is_the_programs(function):
    file = function[0]
    return file not in ("~", "") and not file.startswith("<") and "site-packages" not in file and not file.startswith(_LIBRARY)


def _qualified(function):
    """`Class.method` where the class can be found in the function's module, else the name."""
    import sys

    for module in list(sys.modules.values()):
        if getattr(module, "__file__", None) == function[0]:
            for name, value in list(vars(module).items()):
                method = inspect.isclass(value) and value.__dict__.get(function[2])
                if method and getattr(getattr(method, "__code__", None), "co_firstlineno", None) == function[1]:
                    return "%s.%s" % (name, function[2])
    return function[2]


_LIBRARY = os.path.dirname(os.__file__)
