"""Spans with known truth for the solver: strokes of the tracks tier, cut out of their recording.

A span runs from the last look at the whole table before the striker's arm comes in, to the last image before
the next striker's. What happened is known exactly. `Harm` takes away what a real camera loses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import referee.quality.bench.tracks as bench
from calibration.table.specs import SNOOKER_TABLE
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.play import Cover, TrueStroke
from referee.quality.bench.tracks.setup import Interruption, PieceSetup
from referee.quality.bench.tracks.tier import film, load_errors, set_up
from vision.observation import ImageObservations, Observation

ERRORS = Path(bench.__file__).with_name("errors.json")
STILL_S = 1.0
"""So long before a strike the table lies still in the simulation, but for the striker's cue."""
_FAST_MM_S = 2900.0  # of 39 images of real balls faster than this the network found none (issue 21)


@dataclass(frozen=True, slots=True)
class Truth:
    """What happened in a span. `first` None: no ball was hit. `pots` holds the cue-ball too."""

    first: str | None
    first_t_s: float | None
    pots: tuple[tuple[str, str], ...]
    respots: tuple[str, ...]
    start: dict[str, tuple[float, float]]
    end: dict[str, tuple[float, float]]
    strike_s: float
    rest_s: float


@dataclass(frozen=True, slots=True)
class TrueSpan:
    """A recorded span with its truth; `name` says how to make it again."""

    name: str
    images: tuple[ImageObservations, ...]
    truth: Truth
    image_hz: float


@dataclass(frozen=True, slots=True)
class Harm:
    """What is taken from the images: fast balls, images in a row after the strike, single sights. `covered`:
    a person leans over a part of the table for 0.5 to 2 s; `cut`: another camera is shown for 0.3 to 2 s.
    """

    streaks_missed: bool = False
    lost_from_s: float = 0.0
    lost_s: float = 0.0
    missed_share: float = 0.0
    covered: bool = False
    cut: bool = False


NO_HARM = Harm()
HARMS = {
    "plain": NO_HARM,
    "streaks": Harm(streaks_missed=True),
    "lost": Harm(lost_from_s=0.1, lost_s=0.4),
    "missed": Harm(missed_share=0.15),
    "covered": Harm(covered=True),
    "cut": Harm(cut=True),
}
MIXED = {"plain": 0.4, "streaks": 0.12, "lost": 0.12, "missed": 0.12, "covered": 0.14, "cut": 0.1}
"""Shares of strokes in a mixed recording."""


def spans_of(seed: int, piece: int, harm: str = "plain") -> Iterator[TrueSpan]:
    """Every stroke of one piece of the tracks tier as a span of its own."""
    filmed = filmed_piece(seed, piece, harm)
    for k in range(len(filmed.setup.played.strokes)):
        kept = _cut(filmed.setup, filmed.images, k)
        yield TrueSpan(f"{seed}/{piece}/{k}/{harm}", kept, _truth(filmed.setup, k), filmed.setup.image_hz)


@dataclass(frozen=True, slots=True)
class FilmedPiece:
    """A piece with its images, and by what each of its strokes is spoilt."""

    setup: PieceSetup
    images: tuple[ImageObservations, ...]
    harms: tuple[str, ...]


def filmed_piece(seed: int, piece: int, harm: str) -> FilmedPiece:
    """A piece whose strokes are spoilt by `harm`, or each in a way drawn for it (`mixed`)."""
    shape, cells, model = NoseShape(SNOOKER_TABLE), Cells(SNOOKER_TABLE), load_errors(ERRORS)
    setup = set_up(seed, piece, model, shape)
    strokes = setup.played.strokes
    rngs = [np.random.default_rng([seed, piece, k, 21]) for k in range(len(strokes))]
    drawn = harm == "mixed"
    harms = tuple(str(rng.choice(list(MIXED), p=list(MIXED.values()))) if drawn else harm for rng in rngs)
    interruptions, covers = list[Interruption](), list(setup.played.covers)
    for name, stroke, rng in zip(harms, strokes, rngs, strict=True):
        what, strike_s = HARMS[name], stroke.t_strike_s
        if what.lost_s:
            since_s = strike_s + what.lost_from_s
            interruptions.append(Interruption(since_s, since_s + what.lost_s, "images_lost"))
        if what.cut:
            since_s = strike_s + rng.uniform(-0.3, 2.5)
            interruptions.append(Interruption(since_s, since_s + rng.uniform(0.3, 2.0), "other_view"))
        if what.covered:
            covers.append(_leaning(strike_s + rng.uniform(0.05, 2.0), rng))
    interruptions.sort(key=lambda x: x.since_s)
    setup = replace(
        setup, interruptions=tuple(interruptions), played=replace(setup.played, covers=tuple(covers))
    )
    images = tuple(film(setup, model, shape, cells))
    for name, stroke, rng in zip(harms, strokes, rngs, strict=True):
        images = _with_misses(images, HARMS[name], stroke, rng)
    return FilmedPiece(setup, images, harms)


def _cut(setup: PieceSetup, images: Sequence[ImageObservations], k: int) -> tuple[ImageObservations, ...]:
    strokes = setup.played.strokes
    still_s = strokes[k].t_strike_s - 1.3
    whole = [i.t_s for i in images if i.looked is None and i.t_s < still_s]
    begin_s = max(whole, default=images[0].t_s)
    end_s = strokes[k + 1].t_strike_s - 1.3 if k + 1 < len(strokes) else setup.played.end_s
    return tuple(i for i in images if begin_s <= i.t_s < end_s)


def _truth(setup: PieceSetup, k: int) -> Truth:
    stroke = setup.played.strokes[k]
    t0 = stroke.t_strike_s
    until = setup.played.strokes[k + 1].t_strike_s if k + 1 < len(setup.played.strokes) else math.inf
    hands = [h for h in setup.played.hands if stroke.t_rest_s <= h.t_s < until]
    first = next(
        ((b if a == "white" else a, t) for a, b, t in stroke.flown.contacts if "white" in (a, b)), None
    )
    end = dict(stroke.flown.end)
    end.update({h.ball: h.to for h in hands})
    return Truth(
        first=None if first is None else first[0],
        first_t_s=None if first is None else t0 + first[1],
        pots=tuple(sorted((b, p) for b, p, _ in stroke.flown.pots)),
        respots=tuple(h.ball for h in hands),
        start=dict(stroke.flown.start),
        end=end,
        strike_s=t0,
        rest_s=stroke.t_rest_s,
    )


def _leaning(since_s: float, rng: np.random.Generator) -> Cover:
    """Somebody who leans over a part of the table for 0.5 to 2 s, from one of its long sides."""
    until_s = since_s + float(rng.uniform(0.5, 2.0))
    side = float(rng.choice([-1.0, 1.0]))
    x, y, half = rng.uniform(-800, 800), rng.uniform(100, 3500), rng.uniform(120, 300)
    return Cover(
        since_s - 0.3, until_s + 0.3, since_s, until_s, float(x), float(y), side, 0.0, False, float(half)
    )


def _with_misses(
    images: tuple[ImageObservations, ...], harm: Harm, stroke: TrueStroke, rng: np.random.Generator
) -> tuple[ImageObservations, ...]:
    """The images without the sights that the harm takes."""
    if not (harm.streaks_missed or harm.missed_share):
        return images
    return tuple(
        replace(i, observations=tuple(o for o in i.observations if not _taken(o, i.t_s, harm, stroke, rng)))
        for i in images
    )


def _taken(o: Observation, t_s: float, harm: Harm, stroke: TrueStroke, rng: np.random.Generator) -> bool:
    if stroke.t_strike_s < t_s < stroke.t_rest_s and rng.random() < harm.missed_share:
        return True
    return harm.streaks_missed and _is_fast(o, t_s - stroke.t_strike_s, stroke)


def _is_fast(o: Observation, since_s: float, stroke: TrueStroke) -> bool:
    for path in stroke.flown.paths.values():
        for piece in path:
            if piece.t0_s <= since_s < piece.t1_s and math.hypot(*piece.velocity(since_s)) > _FAST_MM_S:
                x, y = piece.at(since_s)
                if math.hypot(o.x_mm - x, o.y_mm - y) < 25.0:
                    return True
    return False
