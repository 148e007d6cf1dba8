"""No stroke is ruled for certain over images that were lost where something happened in it (issue 21)."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

import pytest

from calibration.table.specs import SNOOKER_TABLE
from referee.facts.judged import JudgedStroke
from referee.match.referee import Collected, Referee
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.errors import SHIPPED
from referee.quality.bench.tracks.feed import fed
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.play import TrueStroke
from referee.quality.bench.tracks.tier import PieceSetup, film, load_errors, set_up, track, with_calibration
from tracker.events import TrackerEvent, TrackRow
from tracker.tracker import Tracker
from vision.observation import ImageObservations

SEED, PIECES = 91_000, 3
LOST_S = 0.4
NEAR_S = 0.1
"""The images end this long before what happened."""
Hole = tuple[float, float]


@functools.cache
def filmed(piece: int) -> tuple[PieceSetup, list[ImageObservations]]:
    shape = NoseShape(SNOOKER_TABLE)
    model = load_errors(SHIPPED)
    setup = set_up(SEED, piece, model, shape)
    return setup, film(setup, model, shape, Cells(SNOOKER_TABLE))


def at_contact(true: TrueStroke) -> Hole | None:
    first = next((t for a, b, t in true.flown.contacts if "white" in (a, b)), None)
    return None if first is None else (true.t_strike_s + first - NEAR_S, true.t_strike_s + first + LOST_S)


def at_pot(true: TrueStroke) -> Hole | None:
    first = next((t for _, _, t in true.flown.pots), None)
    return None if first is None else (true.t_strike_s + first - NEAR_S, true.t_strike_s + first + LOST_S)


def told(piece: int, holes: list[Hole]) -> list[JudgedStroke]:
    """The strokes that are told when the images in the holes are lost."""
    setup, images = filmed(piece)
    return judged(setup, track([i for i in images if not any(a < i.t_s < b for a, b in holes)]))


def told_of_each(piece: int, holes: Iterable[Hole]) -> Iterator[list[JudgedStroke]]:
    """The same for one hole after the other, which ascend; what lies before each is tracked once."""
    setup, images = filmed(piece)
    tracker, said, k = Tracker(SNOOKER_TABLE), list[TrackerEvent](), 0
    for a, b in holes:
        while k < len(images) and images[k].t_s <= a:
            said += fed(tracker, images[k])
            k += 1
        after = copy.deepcopy(tracker)
        rest = [e for i in images[k:] if i.t_s >= b for e in fed(after, i)] + after.close()
        yield judged(setup, said + rest)


def judged(setup: PieceSetup, told: Iterable[TrackerEvent]) -> list[JudgedStroke]:
    referee = Referee(SNOOKER_TABLE, calls=setup.played.calls)
    events = (with_calibration(e, setup.camera, SNOOKER_TABLE) for e in told if not isinstance(e, TrackRow))
    outputs = [o for e in events for o in referee.feed(e)] + list(referee.close())
    return Collected(lambda s: s, outputs).strokes


@pytest.mark.parametrize("piece", range(PIECES))
@pytest.mark.parametrize("where", [at_contact, at_pot])
def test_a_contact_or_pot_in_lost_images_leaves_a_question(
    piece: int, where: Callable[[TrueStroke], Hole | None]
) -> None:
    true = filmed(piece)[0].played.strokes
    holes: list[Hole] = [h for t in true if (h := where(t)) is not None]
    over = [s for s in told(piece, holes) if any(s.seen.start_s < a and b < s.seen.end_s for a, b in holes)]
    assert over or not holes
    assert [s.n for s in over if s.verdict == "certain"] == []


def test_images_lost_while_balls_only_roll_on_change_no_verdict() -> None:
    setup, _ = filmed(0)
    true = setup.played.strokes[0]
    events = (*true.flown.contacts, *true.flown.cushions, *true.flown.pots)
    happened = sorted([*(e[-1] for e in events), true.flown.rest_s])
    quiet = max((b - a, a) for a, b in pairwise(happened))
    assert quiet[0] > 0.8
    start_s = true.t_strike_s + quiet[1] + 0.2
    (first, *_) = told(0, [(start_s, start_s + 0.3)])
    assert (first.verdict, first.points) == ("certain", true.judged.points)


def test_a_stroke_whose_beginning_is_lost_is_never_passed_over_in_silence() -> None:
    """Told as a hand's doing, it leaves open who is at the table: the stroke after it is a question."""
    asked = 0
    strokes = filmed(3)[0].played.strokes[:-1]  # one of them is told as a hand's doing
    each = told_of_each(3, [(true.t_strike_s - 0.1, true.t_strike_s + 0.3) for true in strokes])
    for n, (true, said) in enumerate(zip(strokes, each, strict=True)):
        at_s = true.t_strike_s
        later = [s for s in said if s.seen.end_s > at_s + 0.05]
        assert later and later[0].verdict == "call", n
        asked += later[0].seen.start_s > at_s + true.flown.rest_s - 0.5
    assert asked > 0
