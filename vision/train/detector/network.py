"""The detector's network: a stride-4 trunk of 3x3 convolutions, its output shuffled to stride 2.

Input (N, 3, H, W) RGB 0..1 in the ball plane at 12 px a diameter, H and W multiples of 8; output
(N, 4 + looks, H/2, W/2): piece logit, offset x, offset y (px), one logit a look, cover logit.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

SNOOKER_LOOKS = 8


class Block(nn.Module):
    """A residual 3x3 convolution with batch normalisation (folded away at export)."""

    def __init__(self, channels: int, dilation: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, 1, dilation, dilation, bias=False)
        self.norm: nn.Module = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = torch.relu(x + self.norm(self.conv(x)))
        return out


class Context(nn.Module):
    """What lies around, added at half the resolution: 52 px further to see for a fifth of the trunk's cost.

    A streak of several diameters and the arm that a wrist belongs to are wider than the trunk's view. It
    begins as nothing, so that it can be added to a trained trunk.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.halve = nn.AvgPool2d(2)
        self.blocks = nn.Sequential(Block(channels), Block(channels, 2))
        self.out = nn.Conv2d(channels, channels, 1)
        nn.init.zeros_(self.out.weight)
        assert self.out.bias is not None
        nn.init.zeros_(self.out.bias)

    def forward(self, x: Tensor) -> Tensor:
        wide: Tensor = self.out(self.blocks(self.halve(x)))
        return x + nn.functional.interpolate(wide, scale_factor=2.0, mode="nearest")


class Detector(nn.Module):
    """Receptive field 99 px, 8.2 diameters: 7 + 8 * depth px of the trunk, 52 px of the context."""

    def __init__(
        self, channels: int = 48, depth: int = 5, stem: int = 24, looks: int = SNOOKER_LOOKS
    ) -> None:
        super().__init__()
        self.size = (channels, depth, stem, looks)
        self.stem = nn.Sequential(
            nn.Conv2d(3, stem, 3, 2, 1, bias=False),
            nn.BatchNorm2d(stem),
            nn.ReLU(),
            nn.Conv2d(stem, channels, 3, 2, 1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
        )
        self.blocks = nn.Sequential(*[Block(channels) for _ in range(depth)])
        self.context = Context(channels)
        self.head = nn.Conv2d(channels, (4 + looks) * 4, 1)
        self.shuffle = nn.PixelShuffle(2)
        with torch.no_grad():
            bias = self.head.bias
            assert bias is not None
            bias.zero_()
            bias[:4] = -4.0  # balls are rare: start with a low heat everywhere
            bias[-4:] = -2.0

    def forward(self, image: Tensor) -> Tensor:
        x = self.blocks[:2](self.stem((image - 0.4) * 3.0))
        x = self.blocks[2:](self.context(x))
        out: Tensor = self.shuffle(self.head(x))
        return out
