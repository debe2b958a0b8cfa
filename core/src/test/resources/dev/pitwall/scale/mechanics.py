"""What PyTorch itself does, for the tests of the scaling passes: prints one JSON line on rank 0.

ddp: sizes of the gradients in order of readiness and of the buckets, in the first iteration and once they are rebuilt.
fsdp2: elements of each all-gather and reduce-scatter of one step, in order, and of each unit.
"""
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp._fully_shard import _fsdp_collectives as collectives


class Block(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Model(nn.Module):
    def __init__(self, width=512, inners=(1024, 2048, 3072, 4096)):
        super().__init__()
        self.first = nn.Linear(64, width)
        self.blocks = nn.ModuleList(Block(width, inner) for inner in inners)
        self.last = nn.Linear(width, 32)

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(x)


def ddp(cap, **options):
    torch.manual_seed(0)
    model = Model()
    order = []
    hooks = [p.register_post_accumulate_grad_hook(lambda p: order.append(p.numel())) for p in model.parameters()]
    x = torch.randn(2, 64)
    model(x).sum().backward()
    for hook in hooks:
        hook.remove()
    model.zero_grad(set_to_none=True)
    limit = {} if cap == 0 else {"bucket_cap_mb": cap}
    wrapped = nn.parallel.DistributedDataParallel(model, **limit, **options)
    for _ in range(4):
        wrapped(x).sum().backward()
    data = wrapped._get_ddp_logging_data()

    def sizes(key):
        return [int(s) for s in str(data.get(key, "")).split(",") if s.strip()]

    return {
        "cap": cap,
        "find_unused": options.get("find_unused_parameters", False),
        "static_graph": options.get("static_graph", False),
        "gradients": order,
        "first_bucket_bytes": sizes("bucket_sizes"),
        "rebuilt_bucket_bytes": sizes("rebuilt_bucket_sizes"),
    }


def fsdp2(reshard):
    torch.manual_seed(0)
    model = Model()
    units = [sum(p.numel() for p in b.parameters()) for b in model.blocks]
    for block in model.blocks:
        fully_shard(block, reshard_after_forward=reshard)
    fully_shard(model)
    x = torch.randn(2, 64)
    for _ in range(2):
        model(x).sum().backward()
    calls = []
    gather, scatter = collectives.DefaultAllGather.__call__, collectives.DefaultReduceScatter.__call__

    def all_gather(self, output_tensor, *args, **kwargs):
        calls.append(["all-gather", output_tensor.numel()])
        return gather(self, output_tensor, *args, **kwargs)

    def reduce_scatter(self, output_tensor, input_tensor, *args, **kwargs):
        calls.append(["reduce-scatter", input_tensor.numel()])
        return scatter(self, output_tensor, input_tensor, *args, **kwargs)

    collectives.DefaultAllGather.__call__ = all_gather
    collectives.DefaultReduceScatter.__call__ = reduce_scatter
    model(x).sum().backward()
    collectives.DefaultAllGather.__call__, collectives.DefaultReduceScatter.__call__ = gather, scatter
    return {"reshard": reshard, "units": units, "calls": calls}


dist.init_process_group("gloo")
result = {
    "torch": torch.__version__,
    "ddp": [
        ddp(0),
        ddp(1),
        ddp(4),
        ddp(100),
        ddp(0, find_unused_parameters=True),
        ddp(4, find_unused_parameters=True),
        ddp(0, static_graph=True),
    ],
    "fsdp2": [fsdp2(True), fsdp2(False)],
}
if dist.get_rank() == 0:
    os.write(1, ("\nRESULT " + json.dumps(result) + "\n").encode())  # in one piece: two ranks share the output
dist.destroy_process_group()
