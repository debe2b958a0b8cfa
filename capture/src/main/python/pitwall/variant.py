"""What `pitwall tune` changes in a program that is not edited, and what it reads off the changed run.

A variant is an object with these keys, all optional:

    compile        null (as written), "eager" (torch.compile does nothing), or a mode of torch.compile: the program's own
                   calls of torch.compile get it; where there are none, every outermost module with parameters that the
                   first step calls is compiled in place
    dynamic, fullgraph   passed to torch.compile
    tf32           float32 products on tensor cores
    channels_last  convolution weights in channels-last order
    fused          optimizers that have a fused step use it
    workers, pin   num_workers and pin_memory of every DataLoader
    seed           of Python's and torch's generators, set when torch is imported
"""
import functools
import inspect
import random
import sys

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

LOSSES = 8  # losses kept: the first backward passes, before anything can drift
_losses = []
_own_compile_calls = []
_compiled = []
_notes = []


def apply(variant):
    """Change this process accordingly."""
    seed = variant.get("seed", 0)
    random.seed(seed)
    torch.manual_seed(seed)
    _keep_losses()
    if variant.get("tf32"):
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
    if variant.get("fused"):
        _fuse_optimizers()
    if variant.get("workers") is not None or variant.get("pin") is not None:
        _change_loaders(variant.get("workers"), variant.get("pin"))
    if variant.get("channels_last"):
        _before_first_call(_channels_last)
    mode = variant.get("compile")
    if mode is None:
        _count_own_compile_calls()
    else:
        _change_compile(mode, {key: variant[key] for key in ("dynamic", "fullgraph") if variant.get(key) is not None})


def measured_from_here():
    """The warm-up is over: peaks count from now on."""
    if torch.cuda.is_initialized():
        torch.cuda.reset_peak_memory_stats()


def outcome():
    """Fields of the truth line that only a tuned run has."""
    recompiles, graphs, breaks = _compilations()
    return dict(
        losses=[float(loss) for loss in _losses],
        compiled=_compiled,
        own_compile_calls=_own_compile_calls[:16],
        recompiles=recompiles,
        graphs=graphs,
        graph_breaks=breaks,
        notes=_notes,
    )


def _compilations():
    """(recompilations, graphs, graph breaks) of this process; zeros where nothing was compiled.

    Counted from what each compilation left behind: dynamo's own counter does not see a break at a branch on a value.
    """
    if "torch._dynamo" not in sys.modules:
        return 0, 0, 0
    from torch._dynamo import utils

    again = graphs = breaks = 0
    for metrics in utils.get_compilation_metrics():
        _, _, attempt = str(metrics.compile_id or "").rpartition("/")
        first = attempt == "0"
        graphs += 1
        again += attempt.isdigit() and not first
        breaks += first and str(metrics.co_name).startswith("torch_dynamo_resume_in")
    return again, graphs, breaks


def _keep_losses():
    original = torch.Tensor.backward

    @functools.wraps(original)
    def backward(tensor, *args, **kwargs):
        if len(_losses) < LOSSES and tensor.numel() == 1:
            _losses.append(tensor.detach().float().clone())
        return original(tensor, *args, **kwargs)

    torch.Tensor.backward = backward


def _fuse_optimizers():
    for name in ("Adam", "AdamW", "SGD", "Adagrad"):
        optimizer = getattr(torch.optim, name)
        optimizer.__init__ = _with_fused(optimizer.__init__)


def _with_fused(original):
    @functools.wraps(original)
    def __init__(self, params, *args, **kwargs):
        if kwargs.get("fused") is None and "fused" in inspect.signature(original).parameters:
            kwargs["fused"] = True
            kwargs["foreach"] = False
            _notes.append("fused " + type(self).__name__)
        original(self, params, *args, **kwargs)

    return __init__


def _change_loaders(workers, pin):
    from torch.utils.data import DataLoader

    original = DataLoader.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def __init__(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        if workers is not None:
            bound.arguments["num_workers"] = workers
            bound.arguments["persistent_workers"] = workers > 0
            if workers == 0:
                bound.arguments["prefetch_factor"] = None
        if pin is not None:
            bound.arguments["pin_memory"] = pin
        original(*bound.args, **bound.kwargs)

    DataLoader.__init__ = __init__


def _before_first_call(change):
    """Call `change(module)` once for every outermost module with parameters that the first training step calls."""
    module_class = torch.nn.Module
    original = module_class.__call__
    seen = set()
    over = []

    def __call__(self, *args, **kwargs):
        if id(self) not in seen and torch.is_grad_enabled() and any(True for _ in self.parameters()):
            seen.add(id(self))
            change(self)
        module_class.__call__ = original  # inner modules are called, and compiled, without us
        try:
            return original(self, *args, **kwargs)
        finally:
            if not over:
                module_class.__call__ = __call__

    module_class.__call__ = __call__

    def first_step_is_over(optimizer, args, kwargs):
        handle.remove()
        over.append(True)
        module_class.__call__ = original

    handle = register_optimizer_step_post_hook(first_step_is_over)


def _channels_last(module):
    module.to(memory_format=torch.channels_last)
    _notes.append("channels-last " + type(module).__name__)


def _count_own_compile_calls():
    original = torch.compile

    @functools.wraps(original)
    def counted(model=None, **kwargs):
        _own_compile_calls.append(getattr(model, "__name__", type(model).__name__))
        return original(model, **kwargs)

    torch.compile = counted
    module_compile = torch.nn.Module.compile

    def counted_in_place(module, *args, **kwargs):
        _own_compile_calls.append(type(module).__name__)
        return module_compile(module, *args, **kwargs)

    torch.nn.Module.compile = counted_in_place


def _change_compile(mode, options):
    original = torch.compile
    arguments = dict(options)
    if mode not in ("eager", "default"):
        arguments["mode"] = mode

    @functools.wraps(original)
    def replaced(model=None, **kwargs):
        if model is None:
            return lambda function: replaced(function, **kwargs)
        _own_compile_calls.append(getattr(model, "__name__", type(model).__name__))
        if mode == "eager":
            return model
        return original(model, **arguments)

    torch.compile = replaced

    def compile_in_place(module, *args, **kwargs):
        _own_compile_calls.append(type(module).__name__)
        if mode != "eager":
            module._compiled_call_impl = original(module._call_impl, **arguments)

    torch.nn.Module.compile = compile_in_place
    if mode == "eager":
        return

    def compile_unless_the_program_does(module):
        if not _own_compile_calls:
            module._compiled_call_impl = original(module._call_impl, **arguments)
            _compiled.append(type(module).__name__)

    _before_first_call(compile_unless_the_program_does)
