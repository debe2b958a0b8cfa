"""Python runs this at start because `pitwall` put this folder on PYTHONPATH.

The user's own sitecustomize, which this file hides, runs first and as itself. Then Pitwall waits for `import torch`.
"""
import importlib.machinery
import importlib.util
import os
import sys


def _run_the_users_own():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    ours = sys.modules["sitecustomize"]
    theirs = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = theirs
    try:
        spec.loader.exec_module(theirs)
    except BaseException:
        sys.modules["sitecustomize"] = ours
        raise


try:
    _run_the_users_own()
finally:
    if os.environ.get("PITWALL_SETTINGS"):
        try:
            from pitwall import attach

            attach.when_torch_is_imported()
        except Exception as failure:  # never the user's problem
            sys.stderr.write("pitwall: recording is off: %r\n" % (failure,))
