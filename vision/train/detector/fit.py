"""Training of the detector on rendered patches: losses and schedule."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from vision.train.detector.data import PatchSet
from vision.train.detector.network import SNOOKER_LOOKS, Detector
from vision.train.detector.targets import Targets, disturb, lay_over, make_targets, turn
from vision.train.schedule import cosine


@dataclass(frozen=True, slots=True)
class FitOptions:
    """`minutes` limits the wall clock: the schedule follows whichever of steps and time ends first.

    `laid_over`: share of patches with a wide flat limb laid over; to end without keeps dark pockets from
    being cover. `looks`: how many a network from nothing tells apart.
    """

    steps: int = 4000
    batch: int = 24
    peak_rate: float = 3e-3
    minutes: float = 25.0
    seed: int = 1
    threads: int = 2
    laid_over: float = 0.2
    looks: int = SNOOKER_LOOKS


PARTS = ("heat", "offset", "colour", "cover")


def loss_of(maps: Tensor, t: Targets) -> tuple[Tensor, Tensor]:
    """Focal loss of the heat (penalty reduced near centres), L1 of offsets, cross entropy of colours
    with label smoothing, binary cross entropy of the cover; the sum and its `PARTS` (4,). Where a class is
    not known it costs nothing."""
    p = torch.sigmoid(maps[:, 0]).clamp(1e-5, 1 - 1e-5)
    peak = (t.heat > 0.80).float()  # every cell within about 1.3 px of a centre
    pos = -((1 - p) ** 2) * torch.log(p) * peak
    neg = -((1 - t.heat) ** 4) * p**2 * torch.log(1 - p) * (1 - peak)
    count = (peak * (t.weight > 0)).sum().clamp(min=1)
    heat = ((pos + neg) * t.weight).sum() / count
    near = t.near
    total = near.sum().clamp(min=1)
    offset = ((maps[:, 1:3] - t.offset).abs().sum(1) * near).sum() / total
    named = near * (t.label >= 0)
    every = functional.cross_entropy(
        maps[:, 3:-1], t.label.clamp(min=0), label_smoothing=0.03, reduction="none"
    )
    colour = (every * named).sum() / named.sum().clamp(min=1)
    cover = functional.binary_cross_entropy_with_logits(maps[:, -1], t.cover)
    parts = torch.stack([heat, offset, colour, cover]).detach()
    return heat + 0.6 * offset + 1.0 * colour + 2.0 * cover, parts


def fit(
    data: PatchSet,
    options: FitOptions,
    say: Callable[[str], None] = print,
    start: Detector | None = None,
) -> tuple[Detector, int]:
    """A detector trained on a patch set, from `start` on, and the steps that were taken. One seed, one result
    on a processor, unless `minutes` cuts it.
    """
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    generator = torch.Generator(device).manual_seed(options.seed)
    images, covers, balls = (torch.from_numpy(a).to(device) for a in (data.images, data.covers, data.balls))
    known = None if data.known is None else torch.from_numpy(data.known).to(device)
    net = (Detector(looks=options.looks) if start is None else start).to(device)
    # channels last: a third faster on processors
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's stubs leave it out
    net.train()
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.peak_rate, weight_decay=1e-3)
    short = _has_bfloat16(device)
    began, taken, mean = time.monotonic(), 0, torch.zeros(4, device=device)
    for step in range(options.steps):
        done = max(step / options.steps, (time.monotonic() - began) / (options.minutes * 60))
        if done >= 1:
            break
        optimiser.param_groups[0]["lr"] = options.peak_rate * cosine(
            step, done, min(150, options.steps // 8 + 1)
        )
        pick = torch.randint(0, len(data), (options.batch,), generator=generator, device=device)
        sure = None if known is None else known[pick]
        shown, targets = _batch(images[pick], covers[pick], balls[pick], sure, options, generator)
        with torch.autocast(device, torch.bfloat16, enabled=short):
            maps = net(shown)
        loss, parts = loss_of(maps.float(), targets)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        taken = step + 1
        mean = parts if step == 0 else 0.98 * mean + 0.02 * parts
        if step % 100 == 0:
            say(
                f"step {step} {time.monotonic() - began:.0f} s "
                + " ".join(f"{name} {v:.3f}" for name, v in zip(PARTS, mean.tolist(), strict=True))
            )
    say(f"step {taken - 1} {time.monotonic() - began:.0f} s, the last")
    return net.cpu().eval(), taken


def _has_bfloat16(device: str) -> bool:
    """Whether bfloat16 products are quick: the same losses four times faster, else ten times slower."""
    has: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return device == "cuda" or bool(has.get("avx512_bf16"))


def _batch(
    images: Tensor,
    covers: Tensor,
    balls: Tensor,
    known: Tensor | None,
    options: FitOptions,
    generator: torch.Generator,
) -> tuple[Tensor, Targets]:
    shown = images.permute(0, 3, 1, 2).float() / 255
    shown, covers, balls = lay_over(shown, covers, balls, generator, options.laid_over)
    quarter, flip = torch.randint(0, 4, (2,), generator=generator, device=images.device).tolist()
    maps = covers[:, None] if known is None else torch.stack([covers, known], 1)
    shown, maps, balls = turn(shown, maps, balls, quarter, flip < 2)
    disturbed = disturb(shown, generator).contiguous(memory_format=torch.channels_last)
    return disturbed, make_targets(balls, maps[:, 0], None if known is None else maps[:, 1])
