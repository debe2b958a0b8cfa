"""The programs' own clock: milliseconds from one step's end to the next, printed once at the end."""
import json
import time

_laps = []
_last = time.perf_counter()


def lap():
    global _last
    now = time.perf_counter()
    _laps.append((now - _last) * 1e3)
    _last = now


def tell(rank=0):
    print("stopwatch %d %s" % (rank, json.dumps(_laps)), flush=True)
