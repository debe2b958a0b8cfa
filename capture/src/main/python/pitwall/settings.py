"""What the launcher asks for, as one JSON object in the environment variable PITWALL_SETTINGS."""
import json
import os


class Settings:
    """The fields are the JSON object's keys.

    folder   where to write
    warmup   steps before anything is measured
    measure  unprofiled steps, in `blocks` blocks without a synchronization inside a block
    steps    profiled steps
    memory   record allocations, and a memory snapshot where there is a GPU
    stacks   record Python stacks
    nsys     let Nsight Systems record the window instead of torch.profiler
    step     "function" or "module:Class.method" that is one training step, else the optimizer's step ends it
    stop     end the program after the last phase
    variant  what `tune` changes (see variant.py)
    stress   what `loader` tries (see stress.py)
    """

    def __init__(
        self,
        folder,
        warmup=10,
        measure=24,
        blocks=3,
        steps=3,
        memory=False,
        stacks=False,
        nsys=False,
        step=None,
        stop=False,
        variant=None,
        stress=None,
    ):
        self.folder = folder
        self.warmup = max(1, int(warmup))
        self.blocks = max(1, min(int(blocks), int(measure)))
        self.block_steps = max(1, int(measure) // self.blocks)
        self.steps = max(0, int(steps))
        self.memory = bool(memory)
        self.stacks = bool(stacks)
        self.nsys = bool(nsys)
        self.step = step
        self.stop = bool(stop)
        self.variant = variant
        self.stress = stress


def from_environment():
    """The settings, or None where this process is not to be recorded."""
    text = os.environ.get("PITWALL_SETTINGS")
    return Settings(**json.loads(text)) if text else None
