"""Time the training loop waits for its DataLoader: the whole of `__next__`, and of `__iter__`, which starts workers."""
import time

from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter


class LoaderWaits:
    """Adds up nanoseconds and batches until they are taken."""

    def __init__(self, first_step):
        self.nanos = 0
        self.batches = 0
        self._next = _BaseDataLoaderIter.__next__
        self._iter = DataLoader.__iter__
        clock = time.perf_counter_ns
        original_next, original_iter = self._next, self._iter

        def __next__(iterator):
            first_step()
            begin = clock()
            try:
                batch = original_next(iterator)
                self.batches += 1
                return batch
            finally:
                self.nanos += clock() - begin

        def __iter__(loader):
            first_step()
            begin = clock()
            try:
                return original_iter(loader)
            finally:
                self.nanos += clock() - begin

        _BaseDataLoaderIter.__next__ = __next__
        DataLoader.__iter__ = __iter__

    def take(self):
        """(nanoseconds waited, batches received) since the last call."""
        taken = self.nanos, self.batches
        self.nanos = self.batches = 0
        return taken

    def remove(self):
        """Put torch's own functions back."""
        _BaseDataLoaderIter.__next__ = self._next
        DataLoader.__iter__ = self._iter
