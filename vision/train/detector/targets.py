"""From lists of balls to maps, on the fly; and the photometric disturbances of training."""

from __future__ import annotations

from dataclasses import dataclass

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
    offset and class; `offset` (N, 2, h, w) px; `label` (N, h, w) class, below 0 where it is not known;
    `cover` (N, h, w) 0..1."""

    heat: Tensor
    weight: Tensor
    near: Tensor
    offset: Tensor
    label: Tensor
    cover: Tensor


def make_targets(balls: Tensor, covers: Tensor, known: Tensor | None = None) -> Targets:
    """Maps for a batch, on its device. `balls` (N, M, 6) with nan rows unused; `covers` (N, h, w) uint8;
    `known` (N, h, w) uint8: cells of 0 say nothing of balls.
    """
    n, h, w = covers.shape
    k, m = torch.nonzero(~torch.isnan(balls[:, :, 0]), as_tuple=True)
    rows = balls[k, m]
    visible = rows[:, 3]
    k, rows = k[visible >= HIDDEN_BELOW], rows[visible >= HIDDEN_BELOW]
    visible, way = rows[:, 3], rows[:, 4:6]
    length = way.norm(dim=1)
    # the cells that a ball can reach, a square about it; those beyond the picture are left out
    reach = 4 + round(float(length.max()) / ALONG_PX) if len(rows) else 0
    step = torch.arange(-reach, reach + 1, device=balls.device)
    i = ((rows[:, 1] - 0.5) / STRIDE).round().long()[:, None, None] + step[None, :, None]
    j = ((rows[:, 0] - 0.5) / STRIDE).round().long()[:, None, None] + step[None, None, :]
    square = (len(rows), len(step), len(step))
    i, j = i.expand(square), j.expand(square)
    dx = rows[:, 0, None, None] - (j * STRIDE + 0.5)
    dy = rows[:, 1, None, None] - (i * STRIDE + 0.5)
    d2 = dx**2 + dy**2
    # where along its streak a ball is at mid exposure shows the less the longer it is
    along = (dx * way[:, 0, None, None] + dy * way[:, 1, None, None]) / length.clamp(min=1e-6)[:, None, None]
    d2 = d2 - along**2 * (1 - (1 + length / ALONG_PX) ** -2)[:, None, None]
    inside = (i >= 0) & (i < h) & (j >= 0) & (j < w)
    cell = (k[:, None, None] * h + i) * w + j
    unsure = (visible < UNSURE_BELOW)[:, None, None]

    def filled(value: float) -> Tensor:
        return torch.full((n * h * w,), value, device=balls.device)

    weight, heat, nearest = filled(1.0), filled(0.0), filled(torch.inf)
    weight[cell[inside & unsure & (d2 < 8.0**2)]] = 0.0
    taught = inside & ~unsure
    at, far = cell[taught], d2[taught]
    heat.scatter_reduce_(0, at, torch.exp(-far / (2 * (SIGMA_CELLS * STRIDE) ** 2)), "amax")
    nearest.scatter_reduce_(0, at, far, "amin")
    first = far == nearest[at]
    offset, label = torch.zeros((n * h * w, 2), device=balls.device), filled(0.0).long()
    offset[at[first]] = torch.stack([dx, dy], -1)[taught][first]
    label[at[first]] = rows[:, 2].long()[:, None, None].expand_as(cell)[taught][first]
    near = (nearest < NEAR_PX**2).float()
    shape = (n, h, w)
    weight = torch.maximum(weight, near).view(shape)
    near = near.view(shape)
    if known is not None:
        weight, near = weight * known, near * known
    return Targets(
        heat.view(shape),
        weight,
        near,
        offset.view(*shape, 2).permute(0, 3, 1, 2),
        label.view(shape),
        covers.float() / 255,
    )


DIM = 0.2
"""Share of the pictures that are taken too dark."""


def disturb(images: Tensor, generator: torch.Generator) -> Tensor:
    """Random gain, gamma, white balance and noise for each picture of a batch (N, 3, P, P) 0..1."""
    n, device = images.shape[0], images.device

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, device=device)

    def uniform() -> Tensor:
        return torch.rand(n, 1, 1, 1, generator=generator, device=device)

    gamma = torch.exp(0.12 * normal(n, 1, 1, 1))
    gain = torch.exp(0.10 * normal(n, 1, 1, 1) + 0.04 * normal(n, 3, 1, 1))
    gain = gain * torch.where(uniform() < DIM, 0.3 + 0.6 * uniform(), 1.0)
    shift = 0.015 * normal(n, 3, 1, 1)
    noise = 0.012 * uniform() * normal(*images.shape)
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
    images: Tensor, covers: Tensor, balls: Tensor, generator: torch.Generator, share: float = 0.2
) -> tuple[Tensor, Tensor, Tensor]:
    """Wide flat limbs of one tone laid over some pictures: sleeves and jackets, wider than the receptive
    field, which the renderer's round arms seldom are. Balls under them count as hidden.
    """
    device = images.device
    chosen = torch.nonzero(torch.rand(len(images), generator=generator, device=device) < share)[:, 0]
    images, covers, balls = images.clone(), covers.clone(), balls.clone()
    laid = _under_limbs(images[chosen], covers[chosen], balls[chosen], generator)
    images[chosen], covers[chosen], balls[chosen] = laid
    return images, covers, balls


def _under_limbs(
    images: Tensor, covers: Tensor, balls: Tensor, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    n, size, device = len(images), images.shape[-1], images.device

    def uniform(low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(n, *shape, generator=generator, device=device)

    axis = torch.arange(size, device=device, dtype=torch.float32)
    u, v = axis[None, None, :], axis[None, :, None]
    a, b = (uniform(-0.4 * size, 1.4 * size, 2, 1, 1) for _ in range(2))
    d = b - a
    t = ((u - a[:, 0]) * d[:, 0] + (v - a[:, 1]) * d[:, 1]) / (d**2).sum(1).clamp(min=1.0)
    t = t.clamp(0, 1)
    miss = torch.hypot(u - a[:, 0] - t * d[:, 0], v - a[:, 1] - t * d[:, 1]) - uniform(6, 34, 1, 1)
    alpha = (0.5 - miss / uniform(1.0, 2.5, 1, 1)).clamp(0, 1)
    level = torch.where(uniform(0, 1, 1) < 0.65, uniform(0.02, 0.25, 1), uniform(0.2, 0.95, 1))
    tint = 1 + 0.15 * torch.randn(n, 3, generator=generator, device=device)
    grain = torch.randn(n, size, size, generator=generator, device=device) * uniform(0, 0.03, 1, 1)
    tone = ((level * tint).clamp(0, 1)[:, :, None, None] + grain[:, None]).clamp(0, 1)
    images = images * (1 - alpha[:, None]) + tone * alpha[:, None]
    covers = torch.maximum(covers, (functional.avg_pool2d(alpha[:, None], 2)[:, 0] * 255).to(torch.uint8))
    # the share of a ball, 9 px about its centre, that the limb hides
    around = functional.avg_pool2d(alpha[:, None], 9, 1, 4, count_include_pad=False)[:, 0]
    x, y = (balls[:, :, c].nan_to_num(-1.0).round().long() for c in (0, 1))
    within = (x >= 0) & (x < size) & (y >= 0) & (y < size)
    rows = torch.arange(n, device=device)[:, None].expand_as(x)
    hidden = around[rows, y.clamp(0, size - 1), x.clamp(0, size - 1)] * within
    balls[:, :, 3] *= 1 - hidden  # the caller's copy
    return images, covers, balls
