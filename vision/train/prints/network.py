"""The print network: a trunk looks at each ball, and what it saw of each is compared with the others'."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from vision.detect.print_net import PRINTS, WINDOW_PX
from vision.train.residual import Step

_WIDE, _DEEP, _DEEPEST = 32, 64, 96  # channels at a half, a quarter and an eighth of the window's size
_TOKEN, _HEADS, _LAYERS = 96, 4, 2
_MIDDLE = (0.4, 3.0)  # what is taken from RGB 0..1, and the factor after it
_FORGOTTEN = 0.15  # share of a token that is left out while training: no piece is learned by heart
_SHUT = -1e4  # attention's logit of what is not there


class Compare(nn.Module):
    """Each ball's token asks the tokens of all balls of its look (attention), then thinks it over."""

    def __init__(self) -> None:
        super().__init__()
        self.before, self.after = nn.LayerNorm(_TOKEN), nn.LayerNorm(_TOKEN)
        self.asks, self.tells = nn.Linear(_TOKEN, _TOKEN), nn.Linear(_TOKEN, 2 * _TOKEN)
        self.out = nn.Linear(_TOKEN, _TOKEN)
        self.think = nn.Sequential(nn.Linear(_TOKEN, 2 * _TOKEN), nn.ReLU(), nn.Linear(2 * _TOKEN, _TOKEN))

    def forward(self, tokens: Tensor, there: Tensor) -> Tensor:
        """`tokens` (G, N, T); `there` (G, N): 1 for a ball, 0 for padding."""
        g, n, _ = tokens.shape
        x = self.before(tokens)

        def heads(part: Tensor) -> Tensor:
            return part.reshape(g, n, _HEADS, _TOKEN // _HEADS).transpose(1, 2)

        key, value = self.tells(x).chunk(2, dim=2)
        score = heads(self.asks(x)) @ heads(key).transpose(2, 3) / math.sqrt(_TOKEN / _HEADS)
        score = score + (1 - there)[:, None, None] * _SHUT
        seen = (torch.softmax(score, dim=3) @ heads(value)).transpose(1, 2).reshape(g, n, _TOKEN)
        tokens = tokens + self.out(seen)
        answer: Tensor = tokens + self.think(self.after(tokens))
        return answer


class PrintNetwork(nn.Module):
    """`forward`: the balls of one look (N, 3, 40, 40), RGB 0..1, and the tokens (K, T) of balls of an earlier
    one, which may be the same; logits (N, prints) and tokens (N, T).
    """

    def __init__(self) -> None:
        super().__init__()
        small = -(-WINDOW_PX // 8)
        self.trunk = nn.Sequential(
            nn.Conv2d(3, _WIDE, 5, 2, 2),
            nn.ReLU(),
            Step(_WIDE),
            nn.Conv2d(_WIDE, _DEEP, 3, 2, 1),
            nn.ReLU(),
            Step(_DEEP),
            nn.Conv2d(_DEEP, _DEEPEST, 3, 2, 1),
            nn.ReLU(),
            Step(_DEEPEST),
            nn.Flatten(),
            nn.Linear(_DEEPEST * small**2, _TOKEN),
            nn.Dropout(_FORGOTTEN),
        )
        self.earlier = nn.Parameter(torch.zeros(_TOKEN))
        self.layers = nn.ModuleList([Compare() for _ in range(_LAYERS)])
        self.head = nn.Sequential(nn.LayerNorm(_TOKEN), nn.Linear(_TOKEN, len(PRINTS)))

    def tokens(self, images: Tensor) -> Tensor:
        """What is seen of each window (N, 3, P, P) by itself: (N, T)."""
        out: Tensor = self.trunk((images - _MIDDLE[0]) * _MIDDLE[1])
        return out

    def compared(self, tokens: Tensor, there: Tensor) -> Tensor:
        """Logits (G, N, prints) of the tokens (G, N, T) of looks; `there` as in `Compare`."""
        for layer in self.layers:
            tokens = layer(tokens, there)
        out: Tensor = self.head(tokens)
        return out

    def forward(self, image: Tensor, known: Tensor) -> tuple[Tensor, Tensor]:
        own = self.tokens(image)
        every = torch.cat((own, known + self.earlier))[None]
        logits = self.compared(every, torch.ones_like(every[:, :, 0]))
        return logits[0, : own.shape[0]], own
