"""Each function is compiled by real PyTorch, which prints whether its graph broke, and linted."""
import copy
import logging
import random
import time
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F

log = logging.getLogger("cases")


def branch_on_sum(x):
    if x.sum() > 0:
        x = x + 1
    return x * 2


def branch_on_item(x):
    if x.sum().item() > 0:
        x = x + 1
    return x * 2


def branch_on_shape(x):
    if x.shape[0] > 4 and x.dim() == 1:
        x = x + 1
    return x * 2


def branch_on_dtype(x):
    return x * 2 if x.dtype == torch.float32 else x


def chosen_by_where(x):
    return torch.where(x.sum() > 0, x + 1, x) * 2


def chosen_by_cond(x):
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x.clone(), (x,)) * 2


def float_of_tensor(x):
    return x * float(x.abs().max())


def while_on_tensor(x):
    while x.sum() < 1:
        x = x + 1
    return x * 2


def prints(x):
    y = x + 1
    print("here")
    return y * 2


def logs(x):
    y = x + 1
    log.warning("here")
    return y * 2


def warns(x):
    y = x + 1
    warnings.warn("here")
    return y * 2


def formats(x):
    name = f"{x.shape}"
    return x * len(name)


def asks_the_clock(x):
    return x * time.time()


def draws_in_python(x):
    return x * random.random()


def copies_deeply(x):
    return copy.deepcopy({"a": 1})["a"] * x


def lists_floats(x):
    return x * x.tolist()[0]


def counts_nonzero(x):
    return torch.nonzero(x).sum() * 2


def masks(x):
    return x[x > 0] * 2


def stores_by_mask(x):
    return torch.where(x > 0, x, torch.zeros_like(x))


def opens_a_file(x):
    open("/dev/null")
    return x * 2


def handles_errors(x):
    try:
        y = x + 1
    except ValueError:
        y = x
    return y * 2


def without_gradient(x):
    with torch.no_grad():
        return x * 2


def generates(x):
    def parts():
        for i in range(3):
            yield x + i

    return sum(parts())


def goes_backward(x):
    w = torch.ones(8, requires_grad=True)
    (w * x).sum().backward()
    return w.grad


def helper(x):
    print("deep inside")
    return x * 2


def calls_a_printing_helper(x):
    return helper(x + 1) + 1


@torch.compiler.disable
def left_alone(x):
    return x + 1


def calls_a_disabled_function(x):
    return left_alone(x * 2) * 2


def dictionary(x):
    d = {"a": x, "b": x}
    return d["a"] * 2 + d["b"].sum()


class Branching(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        y = self.layer(x)
        if y.max() > 1e4:
            y = y / 2
        return F.gelu(y)


class Straight(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        y = self.layer(x)
        if self.training and y.shape[-1] == 8:
            y = y / 2
        return F.gelu(y)


def verdict(name, function):
    from torch._dynamo.testing import CompileCounter

    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    counter = CompileCounter()
    try:
        torch.compile(function, backend=counter)(torch.randn(8))
        broke = counter.frame_count != 1 or sum(torch._dynamo.utils.counters["graph_break"].values()) > 0
    except Exception:
        broke = True
    __import__("sys").stdout.write(f"VERDICT {name} {int(broke)}\n")


for function in [
    branch_on_sum, branch_on_item, branch_on_shape, branch_on_dtype, chosen_by_where, chosen_by_cond,
    float_of_tensor, while_on_tensor, prints, logs, warns, formats, asks_the_clock, draws_in_python,
    copies_deeply, lists_floats, counts_nonzero, masks, stores_by_mask, opens_a_file, handles_errors,
    without_gradient, generates, goes_backward, calls_a_printing_helper, calls_a_disabled_function,
    dictionary,
]:
    verdict(function.__name__, function)
verdict("Branching", Branching())
verdict("Straight", Straight())
