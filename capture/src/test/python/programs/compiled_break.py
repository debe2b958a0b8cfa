"""A compiled model whose forward branches on a value: a graph break."""
import stopwatch
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(128, 512)
        self.down = nn.Linear(512, 128)

    def forward(self, x):
        hidden = torch.nn.functional.gelu(self.up(x))
        if hidden.abs().max() > 1e4:
            print("large activation")
        return x + self.down(hidden)


torch.manual_seed(5)
model = torch.compile(nn.Sequential(Gated(), Gated()))
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(60):
    x = torch.randn(256, 128)
    loss = (model(x) - x.roll(1, 1)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    stopwatch.lap()
stopwatch.tell()
