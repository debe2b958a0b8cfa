"""Gradient accumulation: four backward passes a step, the loss scaled by a GradScaler as written for a GPU."""
import stopwatch
import torch
from torch import nn

torch.manual_seed(3)
model = nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", enabled=True)
accumulate = 4

for micro_batch in range(60 * accumulate):
    x = torch.randn(128, 128)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean() / accumulate
    scaler.scale(loss).backward()
    if (micro_batch + 1) % accumulate == 0:
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        stopwatch.lap()
stopwatch.tell()
