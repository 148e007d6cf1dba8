"""The gap between two near balls, measured on both at once by a small network.

What light, blur and shadow do to one ball of a pair they do to the other, and the camera's error is the
same for both: their distance can be known better than their places. Each ball is seen in a window of its
own, turned so that the other lies to its right; the network sees both and says how much wider the gap is
than thought. Contract: models/MODEL_CARD.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.detect.onnx_model import open_model
from vision.io.picture import F32, Picture
from vision.locate.centres import frames, sampled
from vision.observation import GapSeen

F64 = npt.NDArray[np.float64]

NEAR_RADII = 0.25  # balls with a wider gap are no pair; 6.5 mm in snooker
_OVERLAP_RADII = 0.15  # balls that are seen this far inside each other are no two balls
_SETTLED_RADII = 0.02  # a longer answer is asked for again from its end
_FARTHEST_RADII = 0.35  # it was trained on starts within 0.25 of a radius of each ball
_SHARE = (
    0.7  # of the network's answer: the distance of the places errs in other ways, and the two are weighed
)
_SIGMA_FACTOR, _SIGMA_POWER = (
    4.0,
    1.4,
)  # of the two together, radii, from the network's own: it thinks clear pairs worse than they are


def near_pairs(places_mm: F64, radius_mm: float, first: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of places (B, 2) mm, by index, that may be two balls side by side, the first of them among
    `first`.
    """
    apart = np.linalg.norm(places_mm[:, None] - places_mm[None], axis=2) / radius_mm - 2.0
    near = (apart < NEAR_RADII) & (apart > -_OVERLAP_RADII)
    return sorted({(min(i, j), max(i, j)) for i in first for j in np.flatnonzero(near[i]).tolist() if j != i})


class PairNet:
    """Runs the network. Raises UnusableInput when the model file is absent or not the one in the manifest."""

    def __init__(self, path: Path | None = None, threads: int = 1) -> None:
        self._session = open_model("ball_pair", path, threads)

    def gaps(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        places_mm: F64,
        pairs: Sequence[tuple[int, int]],
    ) -> tuple[GapSeen, ...]:
        """The gaps of the given pairs of places (B, 2) mm; none for a pair of which the network cannot
        say.
        """
        if not pairs:
            return ()
        both = places_mm[np.array(pairs)]  # (N, 2, 2)
        between = both[:, 1] - both[:, 0]
        thought = np.linalg.norm(between, axis=1)
        wider, sigma = self._wider(picture, camera, radius_mm, both)
        again = np.abs(wider) > _SETTLED_RADII * radius_mm
        if again.any():
            # it was trained on starts about the truth: from nearer its answer is better
            move = (wider / (2 * thought))[again, None] * between[again]
            more, sigma[again] = self._wider(
                picture, camera, radius_mm, both[again] + np.stack((-move, move), axis=1)
            )
            wider[again] += more
        ok = np.isfinite(sigma) & (np.abs(wider) < _FARTHEST_RADII * radius_mm)
        true_sigma = radius_mm * _SIGMA_FACTOR * (sigma / radius_mm) ** _SIGMA_POWER
        gap = thought + _SHARE * wider - 2 * radius_mm
        return tuple(
            GapSeen(i, j, float(gap[k]), float(true_sigma[k])) for k, (i, j) in enumerate(pairs) if ok[k]
        )

    def _wider(self, picture: Picture, camera: Camera, radius_mm: float, both_mm: F64) -> tuple[F64, F64]:
        """By how many mm (N,) gaps are wider than those of the places (N, 2, 2), and one sigma (N,) mm."""
        n = len(both_mm)
        middle, px_from_unit, mm_from_unit = (
            v.reshape(n, 2, *v.shape[1:]) for v in frames(camera, radius_mm, both_mm.reshape(-1, 2))
        )
        turned, along_mm = facing(middle, px_from_unit, mm_from_unit)
        images = sampled(picture, middle.reshape(-1, 2), turned.reshape(-1, 2, 2))
        windows = side_by_side(images)
        # mirrored across the line of the two balls the gap is the same
        mirrored = np.ascontiguousarray(windows[:, :, ::-1])
        said = np.array(
            [self._session.run(["wider"], {"image": w})[0] for w in (windows, mirrored)], np.float64
        )
        out = said.mean(axis=0)
        return along_mm * out[:, 0], along_mm * np.exp(out[:, 1])


def facing(middle_px: F64, px_from_unit: F64, mm_from_unit: F64) -> tuple[F64, F64]:
    """Frames (N, 2, 2, 2) of the two balls of N pairs, each turned so that +u points at the other ball,
    and the mm (N,) by which the gap grows when either moves one radius away.

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
    """The network's input (N, 6, P, P) from the windows (2N, 3, P, P) of the first and second ball of each
    pair.
    """
    return windows.reshape(len(windows) // 2, 6, *windows.shape[2:])
