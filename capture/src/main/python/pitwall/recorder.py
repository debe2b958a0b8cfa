"""Writes one process's recording so that a kill at any moment leaves what came before readable.

`rankR.steps.jsonl`: one JSON object a line, appended with single writes. `truth.jsonl`: one line a rank, appended when the
unprofiled pass is complete. Every other file is written under another name and renamed when whole.
"""
import json
import os
import time


class Recorder:
    def __init__(self, folder, rank):
        self.folder = folder
        self.name, self._file = _claim(folder, rank)

    def write(self, event, **fields):
        """Append one event to this rank's stream."""
        _append(self._file, dict(event=event, time=time.time(), **fields))

    def truth(self, record):
        """Append this rank's line to the folder's truth."""
        file = os.open(os.path.join(self.folder, "truth.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            _append(file, record)
        finally:
            os.close(file)

    def whole(self, suffix, write):
        """`write(path)` under a temporary name that ends in `suffix`, then rename. Returns the file's name."""
        name = self.name + "." + suffix
        unfinished = os.path.join(self.folder, "unfinished." + name)
        write(unfinished)
        os.replace(unfinished, os.path.join(self.folder, name))
        return name


def _append(file, record):
    os.write(file, (json.dumps(record, separators=(",", ":")) + "\n").encode())


def _claim(folder, rank):
    """A name that no other process of this capture has: rank0, or rank0.PID for a second process without a rank."""
    base = "rank%d" % (rank or 0)
    for name in (base, "%s.%d" % (base, os.getpid())):
        try:
            path = os.path.join(folder, name + ".steps.jsonl")
            return name, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        except FileExistsError:
            continue
    raise FileExistsError(os.path.join(folder, base + ".steps.jsonl"))
