"""DistributedDataParallel over gloo, started by torchrun."""
import stopwatch
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(4)
    torch.set_num_threads(1)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 8)))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for _ in range(60):
        x = torch.randn(128, 256)
        loss = nn.functional.cross_entropy(model(x), torch.randint(0, 8, (128,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stopwatch.lap()
    stopwatch.tell(dist.get_rank())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
