"""A recording that ends in a stroke leaves a question, never a certain ruling that the rest would change."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Sequence

import pytest

from calibration.table.specs import SNOOKER_TABLE
from referee.facts.judged import JudgedStroke
from referee.match.referee import Collected, Referee
from referee.quality.bench.tracks.cells import Cells
from referee.quality.bench.tracks.errors import SHIPPED
from referee.quality.bench.tracks.feed import fed
from referee.quality.bench.tracks.physics import NoseShape
from referee.quality.bench.tracks.play import TrueStroke
from referee.quality.bench.tracks.tier import PieceSetup, film, load_errors, set_up, with_calibration
from tracker.events import TrackerEvent, TrackRow
from tracker.tracker import Tracker
from vision.observation import ImageObservations

SEED, PIECES = 41_900, 3
AFTER_CONTACT_S = 0.1
BEFORE_POT_S = 0.05


@functools.cache
def filmed(piece: int) -> tuple[PieceSetup, list[ImageObservations]]:
    shape = NoseShape(SNOOKER_TABLE)
    model = load_errors(SHIPPED)
    setup = set_up(SEED, piece, model, shape)
    return setup, film(setup, model, shape, Cells(SNOOKER_TABLE))


def cuts(stroke: TrueStroke) -> list[float]:
    """A tenth of a second after the first contact, and just before each pot."""
    contacts = [t for a, b, t in stroke.flown.contacts if "white" in (a, b)][:1]
    times = [t + AFTER_CONTACT_S for t in contacts] + [t - BEFORE_POT_S for _, _, t in stroke.flown.pots]
    return [stroke.t_strike_s + t for t in times if t < stroke.flown.rest_s - 0.1]


def cut(piece: int, until_s: Sequence[float]) -> Iterator[list[TrackerEvent]]:
    """Everything that a tracker says when the images end at each of some times, which ascend."""
    _, images = filmed(piece)
    tracker, said, k = Tracker(SNOOKER_TABLE), [], 0
    for end_s in until_s:
        while k < len(images) and images[k].t_s <= end_s:
            said += fed(tracker, images[k])
            k += 1
        yield said + copy.deepcopy(tracker).close()


def last_stroke(piece: int, events: Sequence[TrackerEvent]) -> JudgedStroke | None:
    """What is said of the last stroke of a recording that has ended."""
    setup, _ = filmed(piece)
    referee = Referee(SNOOKER_TABLE, calls=setup.played.calls)
    told = (with_calibration(e, setup.camera, SNOOKER_TABLE) for e in events if not isinstance(e, TrackRow))
    outputs = [o for e in told for o in referee.feed(e)] + list(referee.close())
    strokes = Collected(lambda s: s, outputs).strokes
    return strokes[-1] if strokes else None


@pytest.mark.parametrize("piece", range(PIECES))
def test_what_still_rolls_at_the_end_is_never_ruled_for_certain(piece: int) -> None:
    setup, _ = filmed(piece)
    tried, wrong = 0, []
    ends = sorted((at, n) for n, true in enumerate(setup.played.strokes) for at in cuts(true))
    for (at, n), events in zip(ends, cut(piece, [at for at, _ in ends]), strict=True):
        true, said = setup.played.strokes[n], last_stroke(piece, events)
        if said is None or said.seen.start_s < true.t_strike_s - 0.6:
            continue  # the stroke is not told at all: nothing is said that could be wrong
        tried += 1
        ruled = (said.points, said.foul is not None, sorted(p.ball for p in said.seen.pots))
        whole = true.judged
        truth = (whole.points, whole.foul is not None, sorted(p.ball for p in whole.seen.pots))
        if said.verdict == "certain" and ruled != truth:
            wrong.append((n, at, ruled, truth))
    assert tried >= 5
    assert wrong == []
