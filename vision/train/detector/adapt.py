"""The network in use, adapted to a room: trained on for some minutes on the room's patches and rendered ones.

Rendered patches keep it from forgetting other tables; what it has learned is taken over by a share only
(`KEPT`), which keeps most of what helps here and costs less elsewhere (Wortsman et al. 2022, "Robust
fine-tuning of zero-shot models").
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from vision.train.detector.data import PatchSet, joined
from vision.train.detector.export import export_onnx, quantize
from vision.train.detector.fit import FitOptions, fit
from vision.train.detector.network import Detector
from vision.train.detector.rendered import rendered
from vision.train.detector.resume import from_onnx
from vision.train.detector.room import RoomImages, cut_patches
from vision.train.detector.scores import one_thread
from vision.train.shards import Sharing, alone
from vision.train.ship import Network

KEPT = 0.7
"""Share of the way from the weights in use to those after training: on a first room no error of 125 was left;
at half of the way 52 were, at 0.85 rendered streaks and names were lost (lab, 29 November 2026).
"""
OWN_SHARE = 2 / 3
"""The room's patches over the rendered ones. With as many of both streaks were lost elsewhere, with a third
rendered pictures had a fifth more false balls.
"""
PEAK_RATE, STEPS = 2.5e-4, 600
"""A twelfth of the rate for training from nothing, for a minute or two on one core."""


@dataclass(frozen=True, slots=True)
class AdaptOptions:
    """`work`: folder of the rendered patches, kept and used again. `patches`: so many rendered ones, with
    `OWN_SHARE` as many of the room. `scored`: rendered patches for scores only. `start`: the network in use.
    """

    work: Path
    start: Path
    network: Network
    patches: int = 1500
    scored: int = 500
    fit: FitOptions = FitOptions(steps=STEPS, peak_rate=PEAK_RATE)  # noqa: RUF009  (frozen)


@dataclass(frozen=True, slots=True)
class Adapted:
    """A network that is to be judged: its file and sha256, how it came about, and rendered patches that
    nobody trained on. `minutes`: of training.
    """

    path: Path
    sha256: str
    patches: int
    rendered: int
    minutes: float
    held_out: PatchSet


def adapt(
    options: AdaptOptions,
    rooms: Sequence[RoomImages],
    say: Callable[[str], None] = print,
    sharing: Sharing = alone,
) -> Adapted:
    """Train the network in use on, into the folder `work`. One seed and the same images give the same file,
    unless `fit.minutes` cuts the training.
    """
    made, held_out = rendered(
        options.network, options.work, options.fit.seed, options.patches, options.scored, sharing
    )
    own = cut_patches(rooms, options.start, round(OWN_SHARE * options.patches), options.fit.seed)
    data = joined([own, made])
    began = time.monotonic()
    start = from_onnx(options.start, data.images, options.network.looks)
    fitted, _ = fit(data, replace(options.fit, looks=len(options.network.looks)), say, copy.deepcopy(start))
    path = options.work / "candidate" / options.start.name
    path.parent.mkdir(parents=True, exist_ok=True)
    export_onnx(between(start, fitted, KEPT), path)
    sha256 = quantize(path, data.images)
    one_thread()
    minutes = (time.monotonic() - began) / 60
    return Adapted(path, sha256, len(own), len(made), minutes, held_out)


def between(start: Detector, end: Detector, share: float) -> Detector:
    """The network that lies a share of the way from one to another of the same make."""
    a, b = start.state_dict(), end.state_dict()
    mixed = {k: torch.lerp(a[k], b[k], share) if a[k].is_floating_point() else b[k] for k in a}
    found = copy.deepcopy(start)
    found.load_state_dict(mixed)
    return found.eval()
