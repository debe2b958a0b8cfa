"""A plain training loop: a small convolutional net on made-up digits."""
import sys

import stopwatch
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.fc = nn.Linear(16 * 12 * 12, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return F.log_softmax(self.fc(x.flatten(1)), dim=1)


def main():
    torch.manual_seed(1)
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    data = TensorDataset(torch.randn(steps * 32, 1, 28, 28), torch.randint(0, 10, (steps * 32,)))
    model = Net()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for batch, (image, target) in enumerate(DataLoader(data, batch_size=32, shuffle=True)):
        optimizer.zero_grad()
        loss = F.nll_loss(model(image), target)
        loss.backward()
        optimizer.step()
        if batch % 10 == 0:
            print("batch %d loss %.4f" % (batch, loss.item()))
        stopwatch.lap()
    stopwatch.tell()


if __name__ == "__main__":
    main()
