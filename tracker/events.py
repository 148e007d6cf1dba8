"""The tracker's events, its contract with the referee: strokes, hands' moves, gaps and track rows. Standard
library only.

Ball names: `white yellow green brown blue pink black` and `red_1` to `red_15`. Times are `t_s` of the
images' clock, seconds. Positions are ball centres projected on the cloth, table frame, mm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from calibration.table.specs import CushionName, PocketName

TrackState = Literal["rest", "moving", "hidden", "potted", "off"]


@dataclass(frozen=True, slots=True)
class PlacedBall:
    """A ball at rest: `colour` is its class (`red` for every red), `sigma_mm` one sigma per axis. `there`:
    probability that it lies there still, though it was looked for and not seen.

    Inside the tracker `sigma_mm` lacks calibration's and the slant's share, until `with_stated_sigma`.
    """

    ball: str
    colour: str
    x_mm: float
    y_mm: float
    sigma_mm: float
    confidence: float
    there: float = 1.0


Layout = tuple[PlacedBall, ...]


@dataclass(frozen=True, slots=True)
class PossibleBall:
    """What lies unexplained on the table and taken for no ball. `probability`: that it is one after all."""

    x_mm: float
    y_mm: float
    probability: float


@dataclass(frozen=True, slots=True)
class Contact:
    """Two balls met. `confidence`: that they did meet."""

    balls: tuple[str, str]
    t_s: float
    sigma_s: float
    confidence: float


@dataclass(frozen=True, slots=True)
class FirstContact:
    """One hypothesis for the cue-ball's first contact; `ball` None: none was hit. Weights sum to 1.

    `t_s` is None when no time can be claimed (lost images) or no ball was hit.
    """

    ball: str | None
    t_s: float | None
    weight: float


@dataclass(frozen=True, slots=True)
class Turn:
    """Where a ball's centre turned at a cushion, in the calibration's frame: `off_mm` short of touching the
    face as calibrated (negative: beyond it), one sigma `sigma_mm`. `into_mm_s`: how fast it came across it.

    `table_mm`: one sigma of that place by calibration as stated; None inside the tracker, where `sigma_mm`
    lacks the slant's share too (`with_stated_turns`).
    """

    x_mm: float
    y_mm: float
    off_mm: float
    sigma_mm: float
    into_mm_s: float
    table_mm: float | None = None


@dataclass(frozen=True, slots=True)
class CushionHit:
    """A ball met a cushion. `y_mm`: how far up the table, one sigma `y_sigma_mm`; None where not known.
    `confidence`: that it met this one about then. `turn`: None where too few looks tell.
    """

    ball: str
    cushion: CushionName
    t_s: float
    y_mm: float | None = None
    y_sigma_mm: float | None = None
    confidence: float = 1.0
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class Pot:
    """A ball fell (also the cue-ball: an in-off). `t_s`: its centre passes the drop. `confidence`: that it
    fell; `pocket_confidence`: that it was this pocket if it did.
    """

    ball: str
    pocket: PocketName
    t_s: float
    confidence: float
    pocket_confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class TouchingPair:
    """Cue-ball and another ball at rest: gap between the surfaces, mm, with its sigma."""

    balls: tuple[str, str]
    gap_mm: float
    sigma_mm: float


@dataclass(frozen=True, slots=True)
class SpanExplanation:
    """One explanation of a whole span (`tracker.explain`) with its weight.

    `first_contact`: the ball that the cue-ball met first, None for none; where `first_known` is False the
    ball that sets off first though nothing in the explanation strikes it. `may_have_met`: which balls the
    cue-ball may have met first then (None for none), with shares that sum to one; empty where that is known.
    `pots`: (ball, pocket, t_s), the cue-ball too. `gone`: balls that left in another way. `nats`: by how much
    each part of its log-weight is better than that of the heaviest one. `over`: balls that stay, over which
    the cue-ball's way leads before it meets its first.
    """

    weight: float
    first_contact: str | None
    first_known: bool
    first_t_s: float | None
    pots: tuple[tuple[str, PocketName, float], ...]
    cue_ball: Literal["on_table", "pocketed", "off_table", "unknown"]
    gone: tuple[str, ...]
    nats: tuple[tuple[str, float], ...]
    may_have_met: tuple[tuple[str | None, float], ...] = ()
    over: tuple[str, ...] = ()

    @property
    def met_first(self) -> tuple[tuple[str | None, float], ...]:
        """What the cue-ball met first in it, None for none, with shares that sum to one."""
        return self.may_have_met or ((self.first_contact, 1.0),)


@dataclass(frozen=True, slots=True)
class Naming:
    """One way in which balls may have other names than they were told by, with its weight.

    `names`: pairs of a name as told and the name under this naming; the other balls are what they were told.
    """

    weight: float
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reached:
    """Between which places along the table a ball's centre was seen in a stroke, from where it lay on."""

    ball: str
    low_y_mm: float
    high_y_mm: float


@dataclass(frozen=True, slots=True)
class StrokeRecord:
    """One stroke as seen. `first_contact`: hypotheses, best first. `pots` holds the cue-ball too.

    `vanished`: balls that are gone at the end and neither seen to fall nor to leave the table, with
    what is known (they may be hidden behind a person). `gap_before`: images were lost between the
    last rest and this stroke, or inside it, so that contact times cannot be claimed. `unseen`: a part of it
    fell into a span without usable images; `after` is what lay there behind it, whatever brought it there.
    `cue_doubtful`: the struck ball looks like another one and is called the cue-ball for its motion only, or
    it passed what may be a ball and has no name, or nothing explains the stroke.
    `explanations`: of the stroke as a whole, heaviest first; what they lack to one was not looked at. Empty
    where none was made. `namings`: what the balls may be called, heaviest first, weights summing to 1; empty
    where there is no doubt. `possible`: what else lay there at the end and may be a ball. `reached`: of
    each ball that moved how far it went along the table. `struck_again_s`: when the next stroke was played,
    before anybody saw that all lay still: it is part of this one. `under_way`: probability
    that it had begun before the first image of all. `other_end`: probability that the table's ends are the
    other way round, so that every pocket is the one opposite.
    """

    start_s: float
    end_s: float
    before: Layout
    after: Layout
    first_contact: tuple[FirstContact, ...]
    contacts: tuple[Contact, ...]
    cushions: tuple[CushionHit, ...]
    pots: tuple[Pot, ...]
    off_table: tuple[str, ...]
    vanished: tuple[str, ...]
    touching: tuple[TouchingPair, ...]
    gap_before: bool = False
    unseen: bool = False
    cue_doubtful: bool = False
    explanations: tuple[SpanExplanation, ...] = ()
    namings: tuple[Naming, ...] = ()
    possible: tuple[PossibleBall, ...] = ()
    reached: tuple[Reached, ...] = ()
    struck_again_s: float | None = None
    under_way: float = 0.0
    other_end: float = 0.0


@dataclass(frozen=True, slots=True)
class NamesRead:
    """Later looks at the balls of the last stroke told say more of their names.

    `renamed`: pairs of a name as told before and the name from here on. `namings`: as in a record, of the new
    names. `final`: nothing more will be read before the next stroke.
    """

    t_s: float
    renamed: tuple[tuple[str, str], ...]
    namings: tuple[Naming, ...]
    final: bool


@dataclass(frozen=True, slots=True)
class HandMove:
    """A hand placed, moved or removed a ball between strokes.

    `own_sigma_mm`: one sigma of `to_mm` without calibration's share, for comparison with what was seen
    through the same camera; `mark_mm` (x, y, sigma): the visible mark of the spot where the ball was put,
    if it was seen free. Both None where not known.

    `respot`: a colour that was off the table lies on the table again; `in_hand`: the cue-ball placed
    after being off; `replaced`: back where it lay before the stroke; `moved`: anything else.
    """

    type: Literal["respot", "in_hand", "replaced", "moved"]
    ball: str
    from_mm: tuple[float, float] | None
    to_mm: tuple[float, float, float] | None  # x, y, sigma; None: lifted off and not seen again
    t_s: float
    own_sigma_mm: float | None = None
    mark_mm: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """A span in which the balls could not be followed: lost or repeated images, a cut, a picture gone."""

    start_s: float
    end_s: float
    reason: Literal[
        "images_lost",
        "images_repeated",
        "cut",
        "covered",
        "unusable",
        "camera_moved",
        "camera_healed",
        "corrupt",
        "clock_changed",
        "size_changed",
        "other_view",
        "no_colour",
        "rescaled",
    ]


@dataclass(frozen=True, slots=True)
class LayoutChange:
    """The balls were set anew (a rack, or a position that no stroke or hand explains)."""

    t_s: float
    layout: Layout
    rack: bool


@dataclass(frozen=True, slots=True)
class TrackRow:
    """One line of tracks.csv."""

    t_s: float
    ball: str
    x_mm: float
    y_mm: float
    sigma_mm: float
    state: TrackState


TrackerEvent = StrokeRecord | NamesRead | HandMove | Gap | LayoutChange | TrackRow


def with_stated_sigma(event: TrackerEvent, sigma_mm: Callable[[float, float, float], float]) -> TrackerEvent:
    """The event with the sigma of every ball at rest as the referee states it.

    `sigma_mm(x_mm, y_mm, own_mm)`: sigma per axis at a place, with all that looks at one place have in
    common; the tracker's own sigma leaves that out.
    """

    def stated(layout: Layout) -> Layout:
        return tuple(replace(b, sigma_mm=sigma_mm(b.x_mm, b.y_mm, b.sigma_mm)) for b in layout)

    if isinstance(event, StrokeRecord):
        return replace(event, before=stated(event.before), after=stated(event.after))
    if isinstance(event, LayoutChange):
        return replace(event, layout=stated(event.layout))
    if isinstance(event, HandMove) and event.to_mm is not None:
        x, y, own = event.to_mm
        return replace(event, to_mm=(x, y, sigma_mm(x, y, own)), own_sigma_mm=own)
    return event


def with_stated_turns(event: TrackerEvent, sigma_mm: Callable[[float, float, float], float]) -> TrackerEvent:
    """The event with the sigmas of its balls' turns at cushions as the referee states them.

    `sigma_mm(x_mm, y_mm, own_mm)`: as in `with_stated_sigma`, by the calibration alone.
    """
    if not isinstance(event, StrokeRecord):
        return event
    return replace(event, cushions=tuple(_with_stated_turn(c, sigma_mm) for c in event.cushions))


def _with_stated_turn(hit: CushionHit, sigma_mm: Callable[[float, float, float], float]) -> CushionHit:
    turn = hit.turn
    if turn is None:
        return hit
    table_mm = sigma_mm(turn.x_mm, turn.y_mm, 0.0)
    own_mm = math.sqrt(max(sigma_mm(turn.x_mm, turn.y_mm, turn.sigma_mm) ** 2 - table_mm**2, 0.0))
    return replace(hit, turn=replace(turn, sigma_mm=own_mm, table_mm=table_mm))
