"""A second opinion on the tracker of today: its spans, solved by the core from the images that it was fed.

`PYTHONPATH=.:tests/tracker/explain python -m explain_lab.second SEED FIRST LAST HARMS FILE` appends a line of
JSON for each stroke: what the referee said (certain, wrong), and what the core thinks of the tracker's facts.
`python -m explain_lab.second FILE` prints what asking below each weight would change.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from calibration.table.specs import SNOOKER_TABLE
from explain_lab.measure import kind
from explain_lab.spans import ERRORS, HARMS, harmed
from referee.match.referee import Collected, Referee
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.judge import MATCH_S, TrackStroke, judge_piece
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.tier import PieceSetup, film, load_errors, set_up, with_calibration
from tracker import Tracker
from tracker.events import StrokeRecord, TrackerEvent, TrackRow
from tracker.explain.before import with_layout
from tracker.explain.facts import UNKNOWN, facts
from tracker.explain.solver import Explanation, solve
from vision.observation import ImageObservations

BEFORE_S, AFTER_S = 0.4, 0.8
"""Images of a span: from so long before the tracker's start to so long after its end."""
FACTS = ("first_contact", "pot", "no_pot", "cue_ball")
"""What the core has an opinion of, by the bench's names."""


def tracked(images: Sequence[ImageObservations]) -> tuple[list[TrackerEvent], list[ImageObservations]]:
    """The tracker's events, and the images that it looked at."""
    tracker, events, fed = Tracker(SNOOKER_TABLE), [], []
    for image in images:
        if image.unusable is None and tracker.tells_nothing(image.t_s):
            tracker.pass_over(image.t_s)
            continue
        fed.append(image)
        events += tracker.feed(image)
    return events + tracker.close(), fed


def opinion(record: StrokeRecord, fed: Sequence[ImageObservations]) -> tuple[dict[str, float], float]:
    """Weights that the core gives the record's best first contact (its colour), pots and cue-ball, each
    against all that it has an answer for; and the processor milliseconds.
    """
    began = time.process_time()
    own = [i for i in fed if record.start_s - BEFORE_S <= i.t_s <= record.end_s + AFTER_S]
    found = solve(with_layout(own, record.before), SNOOKER_TABLE)
    return judged_by(record, found), 1e3 * (time.process_time() - began)


def judged_by(record: StrokeRecord, found: Sequence[Explanation]) -> dict[str, float]:
    """The weights of `opinion`; 1 where the core has none."""
    ball = record.first_contact[0].ball if record.first_contact else None
    first = None if ball is None else kind(ball)
    pots = sorted((kind(p.ball), p.pocket) for p in record.pots)
    white = "pocketed" if any(b == "white" for b, _ in pots) else "on_table"
    agree: Counter[str] = Counter()
    known: Counter[str] = Counter()
    for e in found:
        f = facts(e)
        if f.first is None or f.first[0] != UNKNOWN:
            known["first"] += e.weight
            agree["first"] += e.weight * ((f.first and f.first[0]) == first)
        known["pots"] += e.weight
        agree["pots"] += e.weight * (sorted((b, p) for b, p, _ in f.pots) == pots)
        if f.cue_ball != "unknown":
            known["white"] += e.weight
            agree["white"] += e.weight * (f.cue_ball == white)
    out = {k: agree[k] / known[k] if known[k] > 1e-6 else 1.0 for k in ("first", "pots", "white")}
    return {**out, "known": known["first"]}


def piece_lines(seed: int, piece: int, harms: Sequence[str]) -> Iterator[dict[str, object]]:
    """One line a stroke of a piece."""
    shape, cells, model = NoseShape(SNOOKER_TABLE), Cells(SNOOKER_TABLE), load_errors(ERRORS)
    setup = set_up(seed, piece, model, shape)
    plain = tuple(film(setup, model, shape, cells))
    for harm in harms:
        images = plain
        for k, stroke in enumerate(setup.played.strokes):
            images = harmed(images, HARMS[harm], stroke, np.random.default_rng([seed, piece, k, 21]))
        events, fed = tracked(images)
        records = [e for e in events if isinstance(e, StrokeRecord)]
        for s in _judged(setup, piece, events):
            near = [r for r in records if abs(r.start_s - s.t_s) < MATCH_S]
            weights, ms = opinion(near[0], fed) if near else ({}, 0.0)
            wrong = [w.fact for w in s.wrong if w.certain]
            yield {
                "name": f"{seed}/{piece}/{s.stroke}/{harm}",
                "seen": s.seen,
                "certain": s.seen and not s.question,
                "wrong": wrong,
                "weights": weights,
                "ms": round(ms, 1),
            }


def _judged(setup: PieceSetup, piece: int, events: Sequence[TrackerEvent]) -> list[TrackStroke]:
    referee = Referee(SNOOKER_TABLE, calls=setup.played.calls)
    told = (with_calibration(e, setup.camera, SNOOKER_TABLE) for e in events if not isinstance(e, TrackRow))
    outputs = [o for e in told for o in referee.feed(e)]
    found = Collected(lambda s: s, [*outputs, *referee.close()])
    return judge_piece(
        piece,
        setup.camera.camera,
        setup.image_hz,
        setup.played,
        found.strokes,
        found.hands,
        found.checks,
        found.warnings,
        SNOOKER_TABLE,
    )[0]


def report(path: Path) -> None:
    """For each threshold: certain and wrong about what the core has an opinion of, and questions added."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for harm in HARMS:
        own = [x for x in lines if x["name"].endswith(harm)]
        if not own:
            continue
        ms = np.array([x["ms"] for x in own])
        sure = [x for x in own if x["certain"] and x["weights"]]
        bad = [x for x in sure if set(x["wrong"]) & set(FACTS)]
        print(
            f"{harm}: {len(own)} strokes, {len(sure)} certain, {len(bad)} of them wrong; core ms median"
            f" {np.median(ms):.0f}, 95 % {np.quantile(ms, 0.95):.0f}, most {ms.max():.0f}"
        )
        for least in (0.999, 0.99, 0.9, 0.5, 0.1, 0.01):
            asked = [x for x in sure if min(x["weights"][k] for k in ("first", "pots", "white")) < least]
            found = sum(x in bad for x in asked)
            added = len(asked) - found
            print(
                f"  ask below {least}: {found} wrong ones asked, {added} right ones ({added / len(own):.3f})"
            )


if __name__ == "__main__":
    if len(sys.argv) == 2:
        report(Path(sys.argv[1]))
    else:
        seed, first, last = (int(a) for a in sys.argv[1:4])
        with Path(sys.argv[5]).open("a") as out:
            for piece in range(first, last):
                for line in piece_lines(seed, piece, sys.argv[4].split(",")):
                    print(json.dumps(line), file=out, flush=True)
