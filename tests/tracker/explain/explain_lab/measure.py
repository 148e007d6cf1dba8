"""Measures the solver on strokes of the tracks tier that nothing was fitted to.

`PYTHONPATH=.:tests/tracker/explain python -m explain_lab.measure SEED FIRST LAST [HARM]` prints, for the
pieces FIRST to LAST - 1: facts right, certain and wrong, the time of a span, and the reliability of the
stated weights. With `--old` it measures the tracker of today on the same images.
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.table.specs import SNOOKER_TABLE
from explain_lab.spans import HARMS, TrueSpan, filmed_piece, spans_of
from explain_lab.weights import CERTAIN, first_contact_weights, pot_weights
from referee.quality.bench.tracks.tier import track
from tracker.events import StrokeRecord
from tracker.explain.facts import UNKNOWN, facts
from tracker.explain.solver import Explanation, solve

EDGES = (0.0, 0.2, 0.5, 0.8, 0.9, 0.99, 0.999, 1.0)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One fact of one span: whether the best answer is right, its weight, and (weight, true) of every
    answer. `told` False: the best answer is that it is not known.
    """

    fact: str
    right: bool
    weight: float
    answers: tuple[tuple[float, bool], ...]
    told: bool = True

    @property
    def certain(self) -> bool:
        return self.told and self.weight > CERTAIN


def kind(ball: str) -> str:
    """`red_3` -> `red`."""
    return ball.partition("_")[0]


def judged(span: TrueSpan, found: Sequence[Explanation]) -> list[Verdict]:
    """First contact (the very ball), its colour, and the pots of one span."""
    truth = span.truth
    places = {s.key: s.way.place for e in found for s in e.stories}

    def the_ball(said: tuple[str, int] | None) -> bool:
        if said is None or truth.first is None:
            return said is None and truth.first is None
        at, place = truth.start[truth.first], places[said[1]]
        return said[0] == kind(truth.first) and math.hypot(place[0] - at[0], place[1] - at[1]) < 40.0

    pots = tuple(sorted((kind(b), p) for b, p in truth.pots))
    every = first_contact_weights(found)
    first = [(said, w) for said, w in every if said is None or said[0] != UNKNOWN]
    unknown = 1.0 - sum(w for _, w in first)
    colours: dict[str | None, float] = defaultdict(float)
    for said, w in first:
        colours[said and said[0]] += w
    true_colour = truth.first and kind(truth.first)
    return [
        _verdict("first ball", [(w, the_ball(said)) for said, w in first], unknown),
        _verdict("first colour", [(w, c == true_colour) for c, w in colours.items()], unknown),
        _verdict("pots", [(w, said == pots) for said, w in pot_weights(found)]),
        _verdict("cue-ball", _cue_ball(found, truth.pots)),
    ]


def _cue_ball(found: Sequence[Explanation], pots: Iterable[tuple[str, str]]) -> list[tuple[float, bool]]:
    true = "pocketed" if any(b == "white" for b, _ in pots) else "on_table"
    said: dict[str, float] = defaultdict(float)
    for e in found:
        said[facts(e).cue_ball] += e.weight
    return [(w, s == true) for s, w in said.items()]


def _verdict(fact: str, answers: list[tuple[float, bool]], unknown: float = 0.0) -> Verdict:
    answers.sort(key=lambda a: -a[0])
    best = answers[0] if answers else (0.0, False)
    return Verdict(fact, best[1], best[0], tuple(answers), best[0] > unknown)


def measure(seed: int, first: int, last: int, harm: str) -> tuple[list[Verdict], list[float]]:
    """All verdicts and the processor seconds of each span."""
    verdicts, times = [], []
    for piece in range(first, last):
        for span in spans_of(seed, piece, harm):
            began = time.process_time()
            found = solve(span.images, SNOOKER_TABLE)
            times.append(time.process_time() - began)
            verdicts += judged(span, found)
    return verdicts, times


def report(verdicts: Sequence[Verdict], times: Sequence[float]) -> None:
    """The table and the reliability of the weights."""
    for fact in ("first ball", "first colour", "pots", "cue-ball"):
        own = [v for v in verdicts if v.fact == fact]
        sure = [v for v in own if v.certain]
        wrong = sum(not v.right for v in sure)
        print(
            f"{fact:13} n {len(own)}  right {sum(v.right for v in own)}  certain {len(sure)}"
            f"  certain and wrong {wrong}"
        )
    if times:
        ms = 1e3 * np.array(times)
        print(f"ms a span: median {np.median(ms):.0f}, 95 % {np.quantile(ms, 0.95):.0f}, most {ms.max():.0f}")
    counts: Counter[int] = Counter()
    true: Counter[int] = Counter()
    stated: defaultdict[int, float] = defaultdict(float)
    for v in verdicts:
        for weight, right in v.answers if v.fact in ("first ball", "pots") else ():
            k = min(int(np.searchsorted(EDGES, weight, side="right")) - 1, len(EDGES) - 2)
            counts[k] += 1
            true[k] += right
            stated[k] += weight
    print("stated weight   answers   mean stated   true")
    for k in sorted(counts):
        n = counts[k]
        print(f"{EDGES[k]:.3f}-{EDGES[k + 1]:.3f} {n:8d} {stated[k] / n:12.4f} {true[k] / n:8.4f}")


def measure_old(seed: int, first: int, last: int, harm: str) -> list[Verdict]:
    """The tracker of today on the same strokes, whole pieces at a time, with the same taken away."""
    verdicts = []
    for piece in range(first, last):
        images = filmed_piece(seed, piece, harm).images
        records = [e for e in track(list(images)) if isinstance(e, StrokeRecord)]
        for span in spans_of(seed, piece, harm):
            near = [r for r in records if abs(r.start_s - span.truth.strike_s) < 0.6]
            verdicts += _old_verdicts(span, near[0] if near else None)
    return verdicts


def _old_verdicts(span: TrueSpan, record: StrokeRecord | None) -> list[Verdict]:
    truth = span.truth
    if record is None:
        return [_verdict(f, []) for f in ("first ball", "first colour", "pots", "cue-ball")]
    places = {b.ball: (b.x_mm, b.y_mm) for b in record.before}

    def the_ball(ball: str | None) -> bool:
        if ball is None or truth.first is None:
            return ball is None and truth.first is None
        at = truth.start[truth.first]
        return ball in places and math.dist(places[ball], at) < 40.0

    first = [(f.weight, the_ball(f.ball)) for f in record.first_contact]
    colours: dict[str | None, float] = defaultdict(float)
    for f in record.first_contact:
        colours[f.ball and kind(f.ball)] += f.weight
    pots = sorted((kind(p.ball), p.pocket) for p in record.pots)
    sure = math.prod(p.confidence for p in record.pots) if not record.vanished else 0.5
    true = sorted((kind(b), p) for b, p in truth.pots)
    white = [p.confidence for p in record.pots if kind(p.ball) == "white"]
    return [
        _verdict("first ball", first),
        _verdict("first colour", [(w, c == (truth.first and kind(truth.first))) for c, w in colours.items()]),
        _verdict("pots", [(sure, pots == true)]),
        _verdict(
            "cue-ball", [(white[0] if white else sure, bool(white) == any(b == "white" for b, _ in true))]
        ),
    ]


if __name__ == "__main__":
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    which = words[3] if len(words) > 3 else "plain"
    if which not in HARMS:
        raise SystemExit(f"expected a harm among {sorted(HARMS)}, found {which!r}")
    if "--old" in sys.argv:
        report(measure_old(int(words[0]), int(words[1]), int(words[2]), which), [])
    else:
        report(*measure(int(words[0]), int(words[1]), int(words[2]), which))
