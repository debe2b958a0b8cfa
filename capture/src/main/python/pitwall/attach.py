"""Attaches to torch the moment the program has imported it, and not before: a program without torch pays nothing."""
import importlib.abc
import importlib.util
import sys

from . import settings as settings_module


def when_torch_is_imported():
    """Attach now, or as soon as `import torch` has finished."""
    settings = settings_module.from_environment()
    if settings is None:
        return
    if "torch" in sys.modules:
        attach(settings)
    else:
        sys.meta_path.insert(0, _AfterImport("torch", lambda: attach(settings)))


def attach(settings):
    """Hook into the imported torch. A failure is told on standard error and leaves the program as it was."""
    try:
        from . import session, stress, variant

        if settings.variant:
            variant.apply(settings.variant)
        if settings.stress:
            stress.watch_loaders()
        session.begin(settings)
    except Exception as failure:
        sys.stderr.write("pitwall: recording is off: %r\n" % (failure,))


class _AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Calls `then` once after the named module's own loader has run it."""

    def __init__(self, name, then):
        self.name = name
        self.then = then
        self.loader = None

    def find_spec(self, name, path=None, target=None):
        if name != self.name or self.loader is not None:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        self.loader = spec.loader
        spec.loader = self
        return spec

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        self.then()
