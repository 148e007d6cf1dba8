"""The residual step that the networks for windows share."""

from __future__ import annotations

from torch import Tensor, nn


class Step(nn.Module):
    """Two 3x3 convolutions added to what they are given."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.two = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1), nn.ReLU(), nn.Conv2d(channels, channels, 3, 1, 1)
        )
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.relu(x + self.two(x))
        return out
