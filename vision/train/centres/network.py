"""The networks that place balls and measure gaps: one trunk looks at a window, small heads say what it
means.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch import cat as joined

from vision.locate.centres import WINDOW_PX
from vision.train.residual import Step

_LEAST_LOG_SIGMA = -6.0  # 0.0025 of a radius, 0.07 mm: nothing rendered is known better
_WIDE, _DEEP, _KEPT = (
    32,
    64,
    32,
)  # channels at a half and at a quarter of the window's size, and of those that heads read
FEATURES = _KEPT * (WINDOW_PX // 4) ** 2


class Trunk(nn.Module):
    """Input (N, 3, 32, 32) RGB 0..1; output (N, FEATURES)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, _WIDE, 6, 2, 2),
            nn.ReLU(),
            Step(_WIDE),
            nn.Conv2d(_WIDE, _DEEP, 3, 2, 1),
            nn.ReLU(),
            Step(_DEEP),
            nn.Conv2d(_DEEP, _KEPT, 1),
            nn.ReLU(),
            nn.Flatten(),
        )

    def forward(self, image: Tensor) -> Tensor:
        # exposure is nothing that a centre depends on
        mean = image.mean(dim=(2, 3), keepdim=True)
        spread = (image - mean).pow(2).mean(dim=(1, 2, 3), keepdim=True).sqrt()
        out: Tensor = self.body((image - mean) / (spread + 0.02))
        return out


def _head(features: int, answers: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(features, 64), nn.ReLU(), nn.Linear(64, answers))


class CentreNetwork(nn.Module):
    """Input (N, 3, 32, 32) RGB 0..1; output (N, 3): shift u, v in radii, logarithm of its sigma."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.head = Trunk(), _head(FEATURES, 3)

    def forward(self, image: Tensor) -> Tensor:
        return _bounded(self.head(self.trunk(image)))


class PairNetwork(nn.Module):
    """Input (N, 6, 32, 32), the windows of both balls of a pair; output (N, 2): how many radii wider the
    gap is than thought, logarithm of its sigma. Which of the two comes first makes no difference.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trunk, self.head = Trunk(), _head(2 * FEATURES, 2)

    def forward(self, pair: Tensor) -> Tensor:
        both = self.trunk(joined((pair[:, :3], pair[:, 3:]), dim=0))
        first, second = both.chunk(2, dim=0)
        out = self.head(joined((first, second), dim=1)) + self.head(joined((second, first), dim=1))
        return _bounded(out / 2)


def _bounded(out: Tensor) -> Tensor:
    return joined((out[:, :-1], out[:, -1:].clamp(min=_LEAST_LOG_SIGMA)), dim=1)
