"""The colours of numbered balls under one light: lamps and camera tint all balls alike, and a solid and its
stripe have one maker's tint.

Under a warm or blue light the network takes one tint for another, and all of a table's balls together say
what the light is. A model of tints (`tints.json`, fitted by `vision.train.tints`) states how each differs
from a white ball's light in the logarithm of r, g and b, and how far makers differ. Whole looks search for
the names under which network and colours are likeliest together (`named_together`) and keep what each tint
looks like here (`learned`); in other looks balls are compared with that (`compared`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.table.pieces import PieceSet
from vision.detect.colour import disc
from vision.detect.looks import LEAST_LOGP, Looks
from vision.detect.naming import assign_colours, joint_layout
from vision.io.picture import Picture

F64 = npt.NDArray[np.float64]

_INNER, _GRID = 0.72, 15  # radii within which a ball's own colour is sought; samples along each axis
_COLOURED = 0.25  # share of the samples, the most coloured ones, whose median is a ball's tint
_LEAST_LIGHT = 0.04  # added to RGB 0..1: black has a colour too, and noise does not decide it
_CERTAIN = 0.85  # probability of a kind from which a ball tells what its tint looks like here
_KEPT = 0.7  # weight of what is known of a tint against a new whole look
_STRIPES = ((0.0, 0.35), (0.15, 0.2), (0.3, 0.17), (0.45, 0.13), (0.65, 0.08), (0.85, 0.07))
"""Shares of white in the most coloured part of a stripe, and how often: its band, a band blurred in a small
picture, its cap. Assumed."""
_ODD, _ODD_SPREAD = 0.05, (0.8, 0.6)
"""Share of balls whose colour is anything (a reflection, a shadow), and its spread. Assumed."""
_LEAST = -25.0  # log-likelihood of a name in a whole look's: what is no ball must not decide
_STARTS, _LEAST_WHITE, _ROUNDS = 4, -6.0, 2
"""Balls that are tried as the cue-ball for a first idea of the light, if the network gives them as much, and
rounds of naming from each."""


@dataclass(frozen=True, slots=True)
class TintReference:
    """What a tint looks like on this table: logarithm of r, g and b."""

    tint: str
    features: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class TintModel:
    """Gaussians in the logarithm of r, g, b. `tints`: names in the order of the arrays.

    `light` (3), `light_cov` (3, 3): of a white ball's light; `mean` (T, 3), `cov` (T, 3, 3): of tints less
    that, over makers; `spread` (3, 3): of balls of one tint on one table.
    """

    tints: tuple[str, ...]
    light: F64
    light_cov: F64
    mean: F64
    cov: F64
    spread: F64


@cache
def tint_model() -> TintModel:
    """The model in `tints.json`."""
    doc = json.loads((Path(__file__).parent / "tints.json").read_text(encoding="utf-8"))
    tints = tuple(doc["tints"])
    return TintModel(
        tints,
        np.array(doc["light"]["mean"]),
        np.array(doc["light"]["cov"]),
        np.array([doc["tints"][t]["mean"] for t in tints]),
        np.array([doc["tints"][t]["cov"] for t in tints]),
        np.array(doc["spread"]),
    )


def ball_tints(picture: Picture, centres_px: F64, radii_px: F64) -> F64:
    """Features (B, 3) of the most coloured parts of balls: logarithm of r, g, b.

    `centres_px` (B, 2), `radii_px` (B,). White parts of stripes and numbers' circles drop out.
    """
    if len(centres_px) == 0:
        return np.zeros((0, 3))
    reach = _INNER * _GRID / (_GRID - 1)
    found = picture.windows(centres_px, radii_px[:, None, None] * np.eye(2), reach, _GRID, 0)
    rgb = (
        found.reshape(len(found), 3, -1)[:, :, disc(_INNER, _GRID)].transpose(0, 2, 1).astype(np.float64)
        + _LEAST_LIGHT
    )
    coloured = (rgb.max(axis=2) - rgb.min(axis=2)) / rgb.max(axis=2)
    count = max(1, round(_COLOURED * rgb.shape[1]))
    order = np.argsort(-coloured, axis=1)[:, :count]
    return np.asarray(np.log(np.median(rgb[np.arange(len(rgb))[:, None], order], axis=1)), np.float64)


def named_together(
    logps: F64, features: F64, sure: F64, known: Sequence[TintReference], pieces: PieceSet, scheme: Looks
) -> tuple[F64, float]:
    """Log-probabilities (B, kinds) of a whole look's balls with their colours under one light, and the
    log-likelihood of the likeliest names together.

    `sure` (B,): confidence of each; what is hardly a ball says nothing of the light, and counts as little.
    The likeliest of several beginnings is taken: the network's names, and each ball that may be the cue-ball
    as the light's measure.
    """
    table, anew = _Table(features, pieces, scheme, known), _Table(features, pieces, scheme, ())
    tell = np.asarray(sure >= 0.5, np.float64)[:, None]
    white = logps[:, pieces.index[pieces.cue]]
    begins = [joint_layout(logps, pieces)]
    for i in np.argsort(-white, kind="stable")[:_STARTS]:
        if white[i] > _LEAST_WHITE:
            alone = np.zeros_like(logps)
            alone[i, pieces.index[pieces.cue]] = 1.0
            begins.append(joint_layout(logps + anew.logp(alone, alone=True)[0], pieces))
    best, tried = (-np.inf, logps, np.ones_like(logps)), set()
    for names in begins:
        shown = np.ones_like(names)
        for _ in range(_ROUNDS + 1):
            if names.tobytes() in tried:
                break
            tried.add(names.tobytes())
            gain, shown = table.logp(names * tell, shown)
            value = float(sure @ (names * np.maximum(logps + gain, _LEAST)).sum(axis=1))
            best = max(best, (value, logps + gain, shown), key=lambda b: b[0])
            names = joint_layout(logps + gain, pieces)
    out, shown = _normal(best[1]), best[2]
    for _ in range(_ROUNDS):
        gain, shown = table.logp(_weights(out, pieces) * tell, shown)
        out = _normal(logps + gain)
    return out, best[0]


def learned(
    known: Sequence[TintReference], logps: F64, features: F64, pieces: PieceSet, scheme: Looks
) -> tuple[TintReference, ...]:
    """The references after a whole look: kinds (B, kinds) and features (B, 3) of its balls.

    Balls are named together first: with one 3 on the table a second red ball is the 7. A stripe that shows
    its cap tells nothing of its tint.
    """
    seen: dict[str, list[F64]] = {}
    out = {r.tint: np.array(r.features) for r in known}
    if not len(logps):
        return tuple(known)
    weights = _weights(logps, pieces)
    _, shown = _Table(features, pieces, scheme, known).logp(weights)
    for ball, own in enumerate(features):
        kind = int(np.argmax(weights[ball]))
        if weights[ball, kind] > _CERTAIN and shown[ball, kind] > _CERTAIN:
            seen.setdefault(scheme[kind].tint, []).append(own)
    for name, found in seen.items():
        new = np.median(found, axis=0)
        out[name] = new if name not in out else _KEPT * out[name] + (1 - _KEPT) * new
    return tuple(TintReference(t, (float(f[0]), float(f[1]), float(f[2]))) for t, f in out.items())


def compared(
    logps: F64, features: F64, known: Sequence[TintReference], pieces: PieceSet, scheme: Looks
) -> F64:
    """Log-probabilities (B, kinds) with each ball's tint compared with what is known of this table's."""
    if not known or not len(logps):
        return logps
    gain, _ = _Table(features, pieces, scheme, known).logp(np.zeros_like(logps), alone=True)
    return _normal(logps + gain)


class _Table:
    """One table's balls: their features, the kinds that they may be, what is known of its tints already."""

    def __init__(
        self, features: F64, pieces: PieceSet, scheme: Looks, known: Sequence[TintReference]
    ) -> None:
        self._model = tint_model()
        at = {t: i for i, t in enumerate(self._model.tints)}
        self._features = features
        self._tint = np.array([at[look.tint] for look in scheme])
        self._stripe = np.array([look.form == "stripe" for look in scheme])
        self._white = at["white"]
        self._known = np.full((len(at), 3), np.nan)
        for r in known:
            if r.tint in at:
                self._known[at[r.tint]] = r.features

    def logp(self, names: F64, shown: F64 | None = None, alone: bool = False) -> tuple[F64, F64]:
        """Log-likelihoods (B, kinds) of the balls' colours if the other balls are what `names` (B, kinds)
        says, and how surely each would show its tint and not its white.

        `shown` (B, kinds): the same of an earlier round. `alone`: the names are of no ball that is compared.
        """
        mean, cov, light, light_cov = self._expected(
            names if shown is None else names * (shown > _CERTAIN), alone
        )
        f, m = self._features, self._model
        odd = np.log(_ODD) + _gauss(f, light, light_cov + tint_covariance(*_ODD_SPREAD))
        out, tinted = np.zeros((len(f), len(self._tint))), np.ones((len(f), len(self._tint)))
        w = self._white
        for t in np.unique(self._tint):
            solid = np.log(1 - _ODD) + _gauss(f, mean[:, t], cov[:, t] + m.spread)
            parts = [
                np.log((1 - _ODD) * often)
                + _gauss(
                    f,
                    np.log((1 - white) * np.exp(mean[:, t]) + white * np.exp(mean[:, w])),
                    (1 - white) * cov[:, t] + white * cov[:, w] + m.spread,
                )
                for white, often in _STRIPES
            ]
            stripe = np.logaddexp.reduce(parts, axis=0)
            of = self._tint == t
            out[:, of] = np.where(self._stripe[of], stripe[:, None], solid[:, None])
            tinted[:, of] = np.where(self._stripe[of], np.exp(parts[0] - stripe)[:, None], 1.0)
        return np.logaddexp(out, odd[:, None]), tinted

    def _expected(self, names: F64, alone: bool) -> tuple[F64, F64, F64, F64]:
        """Mean (N, T, 3) and covariance (N, T, 3, 3) of each tint here, and of the light (N, 3), (N, 3, 3).

        One for each ball, whose own colour is left out; one for all where the balls are `alone`. Conjugate
        Gaussians: the light from all tints that are seen, each tint from the light and its own balls.
        """
        m, count = self._model, len(self._model.tints)
        seen = np.zeros((len(names), count))
        np.add.at(seen.T, self._tint, names.T)
        own = np.zeros((1, count)) if alone else seen
        n = seen.sum(axis=0)[None] - own
        total = seen.T @ self._features - own[..., None] * (0.0 if alone else self._features[:, None])
        # what was known counts where no ball of that tint lies here: a ball does not speak for itself
        earlier = np.where(np.isnan(self._known[:, 0]) | (seen.sum(axis=0) > 0.5), 0.0, 1.0)
        n = n + earlier + 1e-9
        total = total + earlier[:, None] * np.nan_to_num(self._known)
        noise, weight = np.linalg.inv(m.spread), np.minimum(n, 1.0)[..., None, None]
        says = weight * np.linalg.inv(m.cov + m.spread / n[..., None, None])
        prior = np.linalg.inv(m.light_cov)
        light_cov = np.linalg.inv(prior + says.sum(axis=1))
        pull = prior @ m.light + np.einsum("ntij,ntj->ni", says, total / n[..., None] - m.mean)
        light = np.einsum("nij,nj->ni", light_cov, pull)
        makers = np.linalg.inv(m.cov)
        given = np.linalg.inv(makers + n[..., None, None] * noise)
        from_light = given @ makers
        mean = np.einsum("ntij,ntj->nti", from_light, light[:, None] + m.mean) + np.einsum(
            "ntij,ntj->nti", given @ noise, total
        )
        cov = given + from_light @ light_cov[:, None] @ np.swapaxes(from_light, -1, -2)
        return mean, cov, light, light_cov


def _weights(logps: F64, pieces: PieceSet) -> F64:
    """Weights (B, kinds) of the balls' joint names."""
    out = np.zeros_like(logps)
    for ball, (name, sure) in enumerate(assign_colours(logps.tolist(), pieces)):
        out[ball, pieces.index[name]] = sure
    return out


def tint_covariance(level: float, chroma: float) -> F64:
    """Covariance (3, 3) of log r, g, b that differ by `level` all together and by `chroma` each (sigmas)."""
    return np.asarray(level**2 * np.ones((3, 3)) + chroma**2 * np.eye(3))


def _gauss(f: F64, mean: F64, cov: F64) -> F64:
    """Log-density (B,) of features (B, 3) under Gaussians (B or 1, 3), (B or 1, 3, 3)."""
    d = f - mean
    chi2 = np.einsum("...i,...ij,...j->...", d, np.linalg.inv(cov), d)
    return np.asarray(-0.5 * (chi2 + np.linalg.slogdet(cov)[1]), np.float64)


def _normal(logps: F64) -> F64:
    out = logps - np.logaddexp.reduce(logps, axis=1, keepdims=True)
    return np.asarray(np.maximum(out, LEAST_LOGP), np.float64)
