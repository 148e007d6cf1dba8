"""From lists of balls to maps, on the fly; and the photometric disturbances of training."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

STRIDE = 2
SIGMA_CELLS = 1.0
HIDDEN_BELOW = 0.15
UNSURE_BELOW = 0.5
NEAR_PX = 3.2
ALONG_PX = 20.0
"""Length of a streak (way during the exposure, px) that makes its target twice as long along it as across."""


@dataclass(frozen=True, slots=True)
class Targets:
    """`heat` (N, h, w) 0..1; `weight` (N, h, w) of the heat loss; `near` (N, h, w) 1 in cells that carry
    offset and class; `offset` (N, 2, h, w) px; `label` (N, h, w) class; `cover` (N, h, w) 0..1."""

    heat: Tensor
    weight: Tensor
    near: Tensor
    offset: Tensor
    label: Tensor
    cover: Tensor


def make_targets(balls: Tensor, covers: Tensor) -> Targets:
    """Maps for a batch. `balls` (N, M, 6) with nan rows unused; `covers` (N, h, w) uint8."""
    n, (h, w) = len(balls), covers.shape[1:]
    heat, weight = np.zeros((n, h, w), np.float32), np.ones((n, h, w), np.float32)
    offset, label = np.zeros((n, 2, h, w), np.float32), np.zeros((n, h, w), np.int64)
    grid = np.mgrid[:h, :w].astype(np.float32)
    nearest = np.full((n, h, w), np.inf, np.float32)
    for k, rows in enumerate(balls.numpy()):
        for x, y, kind, visible, *way in rows[~np.isnan(rows[:, 0])]:
            i0, j0 = round((y - 0.5) / STRIDE), round((x - 0.5) / STRIDE)
            length = math.hypot(*way)
            reach = 4 + round(length / ALONG_PX)
            box = np.s_[
                max(i0 - reach, 0) : max(i0 + reach + 1, 0), max(j0 - reach, 0) : max(j0 + reach + 1, 0)
            ]
            ii, jj = grid[:, box[0], box[1]]
            if not ii.size or visible < HIDDEN_BELOW:
                continue
            dx, dy = x - (jj * STRIDE + 0.5), y - (ii * STRIDE + 0.5)
            d2 = dx * dx + dy * dy
            if length > 0:
                # where along its streak a ball is at mid exposure shows the less the longer it is
                along = (dx * way[0] + dy * way[1]) / length
                d2 = d2 - along**2 * (1 - (1 + length / ALONG_PX) ** -2)
            if visible < UNSURE_BELOW:
                weight[k][box] = np.where(d2 < 8.0**2, 0, weight[k][box])
                continue
            np.maximum(heat[k][box], np.exp(-d2 / (2 * (SIGMA_CELLS * STRIDE) ** 2)), out=heat[k][box])
            first = d2 < nearest[k][box]
            nearest[k][box] = np.where(first, d2, nearest[k][box])
            offset[k, 0][box] = np.where(first, dx, offset[k, 0][box])
            offset[k, 1][box] = np.where(first, dy, offset[k, 1][box])
            label[k][box] = np.where(first, int(kind), label[k][box])
    near = (nearest < NEAR_PX**2).astype(np.float32)
    weight = np.maximum(weight, near)
    maps = [torch.from_numpy(a) for a in (heat, weight, near, offset, label)]
    return Targets(maps[0], maps[1], maps[2], maps[3], maps[4], covers.float() / 255)


def disturb(images: Tensor, generator: torch.Generator) -> Tensor:
    """Random gain, gamma, white balance and noise for each picture of a batch (N, 3, P, P) 0..1."""
    n = images.shape[0]

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    gamma = torch.exp(0.12 * normal(n, 1, 1, 1))
    gain = torch.exp(0.10 * normal(n, 1, 1, 1) + 0.04 * normal(n, 3, 1, 1))
    shift = 0.015 * normal(n, 3, 1, 1)
    noise = 0.012 * torch.rand(n, 1, 1, 1, generator=generator) * normal(*images.shape)
    out = images.clamp(min=1e-4) ** gamma * gain + shift + noise
    return out.clamp(0, 1)


def turn(images: Tensor, covers: Tensor, balls: Tensor, k: int, flip: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Quarter turns (counter-clockwise) and a mirror of pictures, maps and balls alike."""
    size = images.shape[-1] - 1
    b = balls.clone()
    if flip:
        images, covers = images.flip(-1), covers.flip(-1)
        b[:, :, 0] = size - b[:, :, 0]
        b[:, :, 4] = -b[:, :, 4]
    for _ in range(k):
        images, covers = images.rot90(1, (-2, -1)), covers.rot90(1, (-2, -1))
        x, y = b[:, :, 0].clone(), b[:, :, 1].clone()
        b[:, :, 0], b[:, :, 1] = y, size - x
        b[:, :, 4], b[:, :, 5] = b[:, :, 5].clone(), -b[:, :, 4]
    return images, covers, b


def lay_over(
    images: Tensor, covers: Tensor, balls: Tensor, rng: np.random.Generator, share: float = 0.2
) -> None:
    """Lay wide flat limbs of one tone over some pictures, in place: sleeves and jackets, wider than the
    receptive field, which the renderer's round arms seldom are. Balls under them count as hidden.
    """
    size = images.shape[-1]
    v, u = np.mgrid[:size, :size].astype(np.float32)
    for k in np.nonzero(rng.random(len(images)) < share)[0]:
        ends = rng.uniform(-0.4 * size, 1.4 * size, 4)
        d = ends[2:] - ends[:2]
        t = np.clip(((u - ends[0]) * d[0] + (v - ends[1]) * d[1]) / max(float(d @ d), 1.0), 0, 1)
        miss = np.hypot(u - ends[0] - t * d[0], v - ends[1] - t * d[1]) - rng.uniform(6, 34)
        alpha = torch.from_numpy(np.clip(0.5 - miss / rng.uniform(1.0, 2.5), 0, 1).astype(np.float32))
        level = rng.uniform(0.02, 0.25) if rng.random() < 0.65 else rng.uniform(0.2, 0.95)
        tone = torch.tensor(np.clip(level * (1 + rng.normal(0, 0.15, 3)), 0, 1), dtype=torch.float32)[
            :, None, None
        ]
        grain = torch.from_numpy(rng.normal(0, rng.uniform(0, 0.03), (size, size)).astype(np.float32))
        images[k] = images[k] * (1 - alpha) + (tone + grain).clamp(0, 1) * alpha
        small = functional.avg_pool2d(alpha[None, None], 2)[0, 0]
        covers[k] = torch.maximum(covers[k], (small * 255).to(torch.uint8))
        rows = balls[k]
        for j in np.nonzero(~torch.isnan(rows[:, 0]).numpy())[0]:
            x, y = float(rows[j, 0]), float(rows[j, 1])
            box = np.s_[max(round(y) - 4, 0) : round(y) + 5, max(round(x) - 4, 0) : round(x) + 5]
            if alpha[box].numel():
                rows[j, 3] = rows[j, 3] * (1 - alpha[box].mean())
