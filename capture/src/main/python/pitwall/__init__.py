"""Records a PyTorch program without a change in it. Standard library and torch only.

`attach` waits for torch, `marker` finds the training step, `session` leads it through warm-up, an unprofiled pass and a
profiled window, `recorder` writes. `variant` changes what `tune` compares and `stress` runs a DataLoader alone.

In a notebook:

    import sys; sys.path.insert(0, "<FOLDER of `pitwall capture --python-path FOLDER`>")
    import pitwall; pitwall.start("capture-1")
"""


def start(folder, steps=3, warmup=10, measure=24, memory=False, stacks=False, step=None):
    """Record the training steps that follow into `folder`; the arguments are those of `pitwall capture`."""
    import os

    from . import attach, settings

    os.makedirs(folder, exist_ok=True)
    attach.attach(
        settings.Settings(
            folder=os.path.abspath(folder), steps=steps, warmup=warmup, measure=measure, memory=memory, stacks=stacks, step=step
        )
    )
