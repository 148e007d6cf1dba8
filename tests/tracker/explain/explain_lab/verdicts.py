"""What tracker and referee say of strokes of the tracks tier with images spoilt, and whether the weights that
explanations state are true.

`PYTHONPATH=.:tests/tracker/explain python -m explain_lab.verdicts SEED FIRST LAST HARMS FILE` appends a line
of JSON for each stroke of the pieces FIRST to LAST - 1; `mixed` spoils each stroke in one way drawn for it.
`python -m explain_lab.verdicts FILE ...` prints the verdicts for each harm, and the reliability table of all.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from explain_lab.measure import kind
from explain_lab.spans import HARMS, filmed_piece
from referee.facts.seen import SeenStroke
from referee.match.accounts import accounts
from referee.match.snooker.intake import stroke_seen
from referee.quality.bench.tracks.judge import MATCH_S
from referee.quality.bench.tracks.play import TrueStroke
from referee.quality.bench.tracks.tier import refereed, track
from tracker.events import SpanExplanation, StrokeRecord

EDGES = (0.0, 0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 1.0)
"""Bins of stated weights."""


def piece_lines(seed: int, piece: int, harms: Sequence[str]) -> Iterator[dict[str, object]]:
    """One line a stroke of a piece, for each harm."""
    for harm in harms:
        filmed = filmed_piece(seed, piece, harm)
        setup = filmed.setup
        events = track(list(filmed.images))
        records = [e for e in events if isinstance(e, StrokeRecord)]
        for judged in refereed(setup, piece, events, SNOOKER_TABLE)[0]:
            true = setup.played.strokes[judged.stroke]
            near = [r for r in records if abs(r.start_s - true.t_strike_s) < MATCH_S]
            yield {
                "name": f"{seed}/{piece}/{judged.stroke}/{filmed.harms[judged.stroke]}",
                "seen": judged.seen,
                "asked": judged.question,
                "facts": judged.facts,
                "wrong": [w.fact for w in judged.wrong if w.certain],
                "answers": answers(near[0].explanations, true) if near else [],
                **(said_together(near[0], true) if near else {}),
            }


def answers(found: Sequence[SpanExplanation], true: TrueStroke) -> list[tuple[float, bool]]:
    """(weight, whether it is so) of every answer that explanations give: the colour that was hit first, where
    they know it, and the balls that fell.
    """
    hit = next((b if a == "white" else a for a, b, _ in true.flown.contacts if "white" in (a, b)), None)
    fell = sorted(kind(b) for b, _, _ in true.flown.pots)
    first: dict[str, float] = defaultdict(float)
    pots: dict[tuple[str, ...], float] = defaultdict(float)
    for e in found:
        if e.first_known:
            first[kind(e.first_contact or "none")] += e.weight
        pots[tuple(sorted(kind(b) for b, _, _ in e.pots))] += e.weight
    return [
        *((w, c == kind(hit or "none")) for c, w in first.items()),
        *((w, list(balls) == fell) for balls, w in pots.items()),
    ]


def said_together(record: StrokeRecord, true: TrueStroke) -> dict[str, object]:
    """What first contact and pots together are by each account, and what weights of their own stand for.

    `together`: (weight, whether it is so) of every account. `whole`: whether the images show all of the
    stroke. `best`, `apart`: whether the heaviest account is so, and what the record has apart. `unknown`: of
    each explanation that does not know what was met first its weight, and whether each of the balls that it
    may have been is it, the one that set off first in front. `gone`: of the object balls that are gone,
    nobody saw how, whether each fell.
    """
    hit = next((b if a == "white" else a for a, b, _ in true.flown.contacts if "white" in (a, b)), None)
    fell = sorted(kind(b) for b, _, _ in true.flown.pots if b != "white")
    seen = stroke_seen(record, SNOOKER_TABLE)

    def is_so(told: SeenStroke) -> bool:
        first = told.first_contact[0].ball
        return (
            kind(first or "none") == kind(hit or "none") and sorted(kind(p.ball) for p in told.pots) == fell
        )

    found = [(w, is_so(told)) for w, told in accounts(seen, SNOOKER)]
    alone = accounts(replace(seen, explanations=()), SNOOKER)
    unsure = (e for e in record.explanations if e.may_have_met)
    left = Counter(b for b in fell if b not in [kind(p.ball) for p in record.pots])
    return {
        "together": found,
        "whole": not (record.unseen or record.gap_before),
        "best": found[0][1],
        "apart": is_so(alone[0][1]),
        "unknown": [
            (e.weight, [kind(b or "none") == kind(hit or "none") for b, _ in e.may_have_met]) for e in unsure
        ],
        "gone": [left[kind(b)] > 0 for b in seen.gone_unseen if b != "white"],
    }


def report(paths: Iterable[Path]) -> None:
    """Verdicts of each harm; then of all answers in a bin of stated weights how many are true."""
    lines = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    for harm in HARMS:
        own = [x for x in lines if x["name"].endswith(f"/{harm}")]
        if own:
            wrong = Counter(fact for x in own for fact in x["wrong"])
            print(
                f"{harm}: {len(own)} strokes, {sum(not x['seen'] for x in own)} not seen,"
                f" {sum(x['asked'] for x in own)} asked, {sum(bool(x['wrong']) for x in own)} with something"
                f" certain and wrong, {wrong.total()} of {sum(x['facts'] for x in own)} facts {dict(wrong)}"
            )
    for name in ("answers", "together"):
        stated = np.array([a for x in lines for a in x.get(name, ())], dtype=np.float64).reshape(-1, 2)
        print(f"{name}: stated     n   mean stated   true")
        for low, high in pairwise(EDGES):
            rows = stated[(stated[:, 0] >= low) & (stated[:, 0] < (high if high < 1.0 else 2.0))]
            if len(rows):
                weight, true = rows.mean(axis=0)
                print(f"{low:.3f} to {high:.3f} {len(rows):10d} {weight:12.4f} {true:8.4f}")
    unsure = [(w, so) for x in lines for w, so in x.get("unknown", ())]
    print(
        f"of {sum(w for w, _ in unsure):.1f} strokes that do not know what was met first it is the ball that"
        f" set off in {sum(w for w, so in unsure if so[0]):.1f}, another in"
        f" {sum(w for w, so in unsure if any(so[1:])):.1f}"
    )
    for whole in (True, False):
        own = [x for x in lines if x.get("whole") is whole]
        differ = [x for x in own if x["best"] != x["apart"]]
        gone = [fell for x in own for fell in x["gone"]]
        print(
            f"{'whole' if whole else 'not whole'}: {len(own)},"
            f" heaviest account right {sum(x['best'] for x in own)};"
            f" of {len(differ)} in which the record says otherwise {sum(x['best'] for x in differ)};"
            f" gone and fell {sum(gone)} of {len(gone)}"
        )


if __name__ == "__main__":
    if sys.argv[1].isdigit():
        first, last = int(sys.argv[2]), int(sys.argv[3])
        with Path(sys.argv[5]).open("a") as out:
            for piece in range(first, last):
                for line in piece_lines(int(sys.argv[1]), piece, sys.argv[4].split(",")):
                    print(json.dumps(line), file=out, flush=True)
    else:
        report(Path(a) for a in sys.argv[1:])
