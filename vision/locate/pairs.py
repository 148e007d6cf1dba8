"""The gap between two near balls, measured on both at once by a small network.

Light, blur, shadow and the camera's error affect both balls of a pair alike, so their distance is known
better than their places. Each ball has a window of its own, turned so that the other ball lies to its right.
The network sees both windows and estimates how much wider the gap is than assumed. Contract:
models/MODEL_CARD.md.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.detect.onnx_model import open_model
from vision.io.picture import F32, Picture
from vision.locate.centres import frames, sampled
from vision.observation import GapSeen

F64 = npt.NDArray[np.float64]

NEAR_RADII = 0.25
"""Widest gap of a pair, radii; 6.5 mm in snooker."""
_OVERLAP_RADII = 0.15  # two places that overlap by more are one ball
_SETTLED_RADII = 0.02  # after a larger answer the network runs again from the new places
_FARTHEST_RADII = (
    0.35  # a larger answer is none: the network was trained on starts within 0.25 radii of each ball
)


@dataclass(frozen=True, slots=True)
class GapFit:
    """Weight and error of the network's answer.

    `share`: of the answer that is added to the distance of the places, whose errors are independent of it.
    The sigma of the result in radii is `sigma_factor * sigma ** sigma_power`, with the network's own sigma in
    radii.
    """

    share: float
    sigma_factor: float
    sigma_power: float


@cache
def gap_fit() -> GapFit:
    """The fitted numbers, read once."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return GapFit(**tomllib.loads(text)["gap"])


def near_pairs(places_mm: F64, radius_mm: float, first: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs (i < j) of places (B, 2) mm that may be two balls side by side, one of them among `first`."""
    apart = np.linalg.norm(places_mm[:, None] - places_mm[None], axis=2) / radius_mm - 2.0
    near = (apart < NEAR_RADII) & (apart > -_OVERLAP_RADII)
    return sorted({(min(i, j), max(i, j)) for i in first for j in np.flatnonzero(near[i]).tolist() if j != i})


class PairNet:
    """Runs the network. Raises UnusableInput when the model file is absent or not the one in the manifest."""

    def __init__(self) -> None:
        self._session = open_model("ball_pair")

    def gaps(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        places_mm: F64,
        pairs: Sequence[tuple[int, int]],
    ) -> tuple[GapSeen, ...]:
        """The gaps of the given pairs of places (B, 2) mm; pairs without an answer are left out."""
        if not pairs:
            return ()
        both = places_mm[np.array(pairs)]  # (N, 2, 2)
        between = both[:, 1] - both[:, 0]
        assumed = np.linalg.norm(between, axis=1)
        wider, sigma = self._wider(picture, camera, radius_mm, both)
        again = np.abs(wider) > _SETTLED_RADII * radius_mm
        if again.any():
            # trained on starts near the truth, the network does better from its own answer
            move = (wider / (2 * assumed))[again, None] * between[again]
            more, sigma[again] = self._wider(
                picture, camera, radius_mm, both[again] + np.stack((-move, move), axis=1)
            )
            wider[again] += more
        ok = np.isfinite(sigma) & (np.abs(wider) < _FARTHEST_RADII * radius_mm)
        fit = gap_fit()
        true_sigma = radius_mm * fit.sigma_factor * (sigma / radius_mm) ** fit.sigma_power
        gap = assumed + fit.share * wider - 2 * radius_mm
        return tuple(
            GapSeen(i, j, float(gap[k]), float(true_sigma[k])) for k, (i, j) in enumerate(pairs) if ok[k]
        )

    def _wider(self, picture: Picture, camera: Camera, radius_mm: float, both_mm: F64) -> tuple[F64, F64]:
        """Widening (N,) mm of the gaps of places (N, 2, 2) mm, and one sigma (N,) mm."""
        n = len(both_mm)
        middle, px_from_unit, mm_from_unit = (
            v.reshape(n, 2, *v.shape[1:]) for v in frames(camera, radius_mm, both_mm.reshape(-1, 2))
        )
        turned, along_mm = facing(middle, px_from_unit, mm_from_unit)
        images = sampled(picture, middle.reshape(-1, 2), turned.reshape(-1, 2, 2))
        windows = side_by_side(images)
        # the gap is the same in the image mirrored at the line through both centres
        mirrored = np.ascontiguousarray(windows[:, :, ::-1])
        answers = np.array(
            [self._session.run(["wider"], {"image": w})[0] for w in (windows, mirrored)], np.float64
        )
        out = answers.mean(axis=0)
        return along_mm * out[:, 0], along_mm * np.exp(out[:, 1])


def facing(middle_px: F64, px_from_unit: F64, mm_from_unit: F64) -> tuple[F64, F64]:
    """Frames (N, 2, 2, 2) of the balls of N pairs, turned so that +u points at the other ball.

    Also the widening (N,) mm of the gap when either ball moves one radius away from the other.

    `middle_px` (N, 2, 2), `px_from_unit` and `mm_from_unit` (N, 2, 2, 2): of the first and the second ball.
    """
    towards = middle_px[:, ::-1] - middle_px
    unit = np.linalg.solve(px_from_unit, towards[..., None])[..., 0]
    unit /= np.linalg.norm(unit, axis=2, keepdims=True)
    across = np.stack((-unit[..., 1], unit[..., 0]), axis=2)
    turn = np.stack((unit, across), axis=3)  # columns: where +u and +v point
    along = np.linalg.norm((mm_from_unit @ unit[..., None])[..., 0], axis=2)
    return px_from_unit @ turn, np.asarray(along.mean(axis=1), np.float64)


def side_by_side(windows: F32) -> F32:
    """The network's input (N, 6, P, P) from windows (2N, 3, P, P): first and second ball of each pair."""
    return windows.reshape(len(windows) // 2, 6, *windows.shape[2:])
