"""A class-based trainer with callbacks, a scheduler and gradient clipping."""
import stopwatch
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sequences(Dataset):
    def __len__(self):
        return 16 * 60

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        tokens = torch.randint(0, 64, (24,), generator=generator)
        return tokens[:-1], tokens[1:]


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 60)
        self.callbacks = [lambda step, loss: stopwatch.lap()]
        self.step = 0

    def fit(self):
        self.model.train()
        for tokens, target in self.loader:
            loss = self.training_step(tokens, target)
            for callback in self.callbacks:
                callback(self.step, loss)
            self.step += 1

    def training_step(self, tokens, target):
        loss = nn.functional.cross_entropy(self.model(tokens).flatten(0, 1), target.flatten())
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.scheduler.step()
        return loss.detach()


class Model(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.embedding = nn.Embedding(64, width)
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True), 2
        )
        self.head = nn.Linear(width, 64)

    def forward(self, tokens):
        return self.head(self.layers(self.embedding(tokens)))


if __name__ == "__main__":
    torch.manual_seed(2)
    Trainer(Model(), DataLoader(Sequences(), batch_size=16)).fit()
    stopwatch.tell()
