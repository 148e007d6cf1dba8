"""Fit the model of tints (`vision/detect/tints.json`) on rendered pool patches: no network takes part.

    python -m vision.train.tints 400

Patches with fewer than three solids tell nothing of the light. Light and tints are estimated in turn:
the light of a patch from its balls' true tints, the tints from all lights.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vision.detect import set_colours
from vision.detect.looks import LOOKS
from vision.detect.set_colours import ball_tints, tint_covariance
from vision.io.picture import Picture
from vision.render.game_patches import pool_patch

F64 = npt.NDArray[np.float64]

_FIRST_SEED = 6_100_000
_LEAST_SEEN, _MOST_WAY_PX, _MARGIN_PX = 0.7, 2.0, 7.0
_LEAST_SOLIDS, _ROUNDS = 3, 4
_SHRINK = 8.0  # patches that the covariance of all tints together counts as, for each tint
_SPREAD, _WHITE_SPREAD = (0.15, 0.08), (0.3, 0.05)
"""Level and colour: of balls of one tint on one table (uneven lamps), and of white balls beside the set:
those of a dark picture differ less. Assumed; 0.1 and 0.08 were measured inside patches."""
_UNSEEN = np.array([-0.5, -0.9, -0.9])  # a tint that no patch shows

_TINTS = tuple(
    dict.fromkeys(look.removesuffix(" stripe") for look in LOOKS if "disc" not in look and look != "striker")
)


def solids_of(seed: int) -> tuple[F64, list[str]]:
    """Features (B, 3) and tints of the solid balls of a patch that rest in sight."""
    patch = pool_patch(seed)
    size = patch.image.shape[0]
    rows = [
        r
        for r in patch.balls
        if r[3] > _LEAST_SEEN
        and np.hypot(r[4], r[5]) < _MOST_WAY_PX
        and min(r[0], r[1]) > _MARGIN_PX
        and max(r[0], r[1]) < size - 1 - _MARGIN_PX
        and LOOKS[int(r[2])] in _TINTS
    ]
    picture = Picture.from_bgr(np.ascontiguousarray(patch.image[:, :, ::-1]))
    at = np.array([(r[0], r[1]) for r in rows], np.float64).reshape(-1, 2)
    return ball_tints(picture, at, np.full(len(at), 6.0)), [LOOKS[int(r[2])] for r in rows]


def fit(patches: list[tuple[F64, list[str]]]) -> dict[str, object]:
    """The model's document from the solids of patches."""
    spread = tint_covariance(*_SPREAD)
    lights = [
        np.mean([f for f, t in zip(*p, strict=True) if t == "white"], axis=0)
        for p in patches
        if "white" in p[1]
    ]
    light, light_cov = np.mean(lights, axis=0), np.cov(np.array(lights).T) + tint_covariance(0.0, 0.05)
    mean = {t: np.zeros(3) for t in _TINTS}
    cov = {t: tint_covariance(1.0, 0.6) for t in _TINTS} | {"white": tint_covariance(*_WHITE_SPREAD)}
    for _ in range(_ROUNDS):
        less: dict[str, list[F64]] = {t: [] for t in _TINTS}
        found, unsure = [], []
        for features, names in patches:
            tints = sorted(set(names))
            own = {
                t: np.mean([f for f, n in zip(features, names, strict=True) if n == t], axis=0) for t in tints
            }
            says = {t: np.linalg.inv(cov[t] + spread / names.count(t)) for t in tints}
            precision = np.linalg.inv(light_cov) + sum(says.values())
            pull = np.linalg.inv(light_cov) @ light + sum(says[t] @ (own[t] - mean[t]) for t in tints)
            here = np.linalg.solve(precision, pull)
            found.append(here)
            unsure.append(np.linalg.inv(precision))
            for t in tints:
                less[t].append(own[t] - here)
        white = np.mean(less["white"], axis=0)
        mean = {t: np.mean(v, axis=0) - white if v else _UNSEEN for t, v in less.items()}
        light = np.mean(found, axis=0) + white
        light_cov = np.cov(np.array(found).T) + np.mean(unsure, axis=0)
        off = {t: np.array(v).reshape(-1, 3) - white - mean[t] for t, v in less.items()}
        pooled = np.cov(np.concatenate([v for t, v in off.items() if t != "white"]).T)
        cov = {t: (v.T @ v + _SHRINK * pooled) / (len(v) + _SHRINK) for t, v in off.items()}
        cov["white"] = tint_covariance(*_WHITE_SPREAD)
    return {
        "patches": len(patches),
        "light": {"mean": _rounded(light), "cov": _rounded(light_cov)},
        "spread": _rounded(spread),
        "tints": {t: {"mean": _rounded(mean[t]), "cov": _rounded(cov[t])} for t in _TINTS},
    }


def _rounded(values: F64) -> list[object]:
    return np.round(values, 4).tolist()


def main(count: int) -> None:
    """Draw that many patches, fit, and write the model beside `set_colours`."""
    drawn = [solids_of(seed) for seed in range(_FIRST_SEED, _FIRST_SEED + count)]
    found = fit([p for p in drawn if len(p[1]) >= _LEAST_SOLIDS])
    doc = {"command": f"python -m vision.train.tints {count}"} | found
    path = Path(set_colours.__file__).parent / "tints.json"
    path.write_text(json.dumps(doc, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]))
