import logging

import torch
import torch.nn as nn
import torch.nn.functional as F

log = logging.getLogger(__name__)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if x.abs().max() > 1e4:
            log.warning("large activations")
            x = x / 2
        return x + self.down(F.gelu(self.up(x)))


model = torch.compile(Block(768).cuda())
optimizer = torch.optim.AdamW(model.parameters())
for batch in loader:
    loss = model(batch).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(loss.item())
