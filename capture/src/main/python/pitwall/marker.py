"""Finds the end of every training step in a program that was not written for it.

A step ends when an optimizer's step returns: gradient accumulation needs no care then, since the optimizer steps once for
several backward passes. Of several optimizers, the one that steps least often ends the step. A function named by the user
replaces all that.
"""
import functools
import importlib
import sys

import torch


class OptimizerMarker:
    """Calls `boundary()` after each step of the optimizer that closes the training step."""

    def __init__(self, boundary, first_step):
        self.boundary = boundary
        self.first_step = first_step  # called once, before the first boundary
        self.counts = {}
        self.names = {}
        self.last_seen = {}
        self.chosen = None
        self.off = False
        optimizer_class = torch.optim.Optimizer
        original = optimizer_class.profile_hook_step

        def profile_hook_step(function):
            return self._around(original(function))

        optimizer_class.profile_hook_step = staticmethod(profile_hook_step)
        for known in _subclasses(optimizer_class):  # a late start, in a notebook: these are wrapped by torch already
            step = known.__dict__.get("step")
            if getattr(step, "hooked", False):
                known.step = self._around(step)
                known.step.hooked = True

    def describe(self):
        return "optimizer " + self.names.get(self.chosen, "?")

    def settle(self):
        """Choose the optimizer; called at the end of the warm-up. One that has gone silent is no candidate."""
        steps = sum(self.counts.values())
        alive = [key for key in self.counts if self.last_seen[key] * 2 >= steps]
        fewest = min(self.counts[key] for key in alive)
        self.chosen = [key for key in alive if self.counts[key] == fewest][-1]

    def _around(self, step):
        @functools.wraps(step)
        def step_and_mark(*args, **kwargs):
            result = step(*args, **kwargs)
            # A step compiled whole must not meet our code: its graph would break. Such a program names its step.
            if not torch.compiler.is_compiling() and not self.off:
                self._stepped(args[0])
            return result

        return step_and_mark

    def _stepped(self, optimizer):
        key = id(optimizer)
        if self.chosen is None:
            if not self.counts:
                self.first_step()
            most = max(self.counts.values(), default=0)
            self.counts[key] = self.counts.get(key, 0) + 1
            self.names[key] = type(optimizer).__name__
            self.last_seen[key] = sum(self.counts.values())
            if self.counts[key] <= most:
                return  # until the choice is made, the busiest optimizer counts the steps
        elif key != self.chosen:
            return
        self.boundary()


class FunctionMarker:
    """Calls `boundary()` after each call of the function the user named.

    A function of the main script exists only once the script has run that far, so it is looked up when the first module is
    called, and replaced where it was defined: calls from then on are seen.
    """

    def __init__(self, target, boundary, first_step):
        self.target = target
        self.boundary = boundary
        self.first_step = first_step
        self.chosen = target
        self.off = False
        self.seen = False

    def describe(self):
        return "function " + self.target

    def settle(self):
        pass

    def install(self):
        """Replace the function. Returns False where it does not exist yet."""
        module_name, _, path = self.target.rpartition(":")
        if module_name and module_name != "__main__":
            owner = sys.modules.get(module_name) or importlib.import_module(module_name)
        else:
            owner = sys.modules["__main__"]
        names = path.split(".")
        for name in names[:-1]:
            owner = getattr(owner, name, None)
        function = getattr(owner, names[-1], None)
        if function is None:
            return False

        @functools.wraps(function)
        def call_and_mark(*args, **kwargs):
            if not self.seen:
                self.seen = True
                self.first_step()
            result = function(*args, **kwargs)
            if not torch.compiler.is_compiling() and not self.off:
                self.boundary()
            return result

        setattr(owner, names[-1], call_and_mark)
        return True


def _subclasses(of):
    for subclass in of.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)
