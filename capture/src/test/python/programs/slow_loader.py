"""A loader with one slow transform: a step waits for its data most of the time."""
import time

import stopwatch
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Normalize:
    def __call__(self, image):
        return (image - 0.5) / 0.25


class DecodeFromStorage:
    """Stands for a remote read and a decode: it takes 4 ms and no processor."""

    def __call__(self, index):
        time.sleep(0.004)
        return torch.full((3, 16, 16), index % 7 / 7.0)


class Images(Dataset):
    def __init__(self):
        self.decode, self.normalize = DecodeFromStorage(), Normalize()

    def __len__(self):
        return 4096

    def __getitem__(self, index):
        return self.normalize(self.decode(index)), index % 10


def main():
    torch.manual_seed(6)
    model = nn.Sequential(nn.Flatten(), nn.Linear(3 * 16 * 16, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
    for step, (image, label) in enumerate(DataLoader(Images(), batch_size=8, shuffle=True)):
        loss = nn.functional.cross_entropy(model(image), label)
        time.sleep(0.012)  # stands for a larger model
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stopwatch.lap()
        if step == 59:
            break
    stopwatch.tell()


if __name__ == "__main__":
    main()
