"""Which ball a settled tentative track is: one brought or moved by a hand, or a new one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from tracker.ball import ALIKE_LOOKS, Ball, BallState, piece_nats
from tracker.detections.tentative import SURE_CONFIDENCE, SURE_LOOKS, Tentative
from tracker.explain.priors import MISSED_NEAR_COVER
from tracker.identity.names import one_of_each
from tracker.identity.numbering import likely_colour
from tracker.layout import hands
from tracker.params import MUCH_SURER
from vision.detect.naming import place_nats

Kind = Literal["returned", "carried", "new"]
MAX_COST = 9.0
NEW_START_S = 1.0
NEW_S = 3.0
"""A ball that nobody knew of must lie for this long: hands and cues lie still for a while too."""


SPOTTED_LOOKS = 3
UNMOVED_MM = 6.0
"""A ball that reappears within this of where it was lost sight of had lain there."""
OVERLAP = 0.8
"""Of a diameter: nearer to each other than this no two tracks are both balls, however they are measured."""
MISREAD, MISREAD_SURE = 2.5, 0.8
"""A track that looks this much more like another colour, and is no surer than this, is not the ball that is
missing.
"""


READY_LOOKS, READY = 3, 0.5
"""A striker on the base lines, a finger at it, is seen this often and this surely before it is played."""
PLACED_MAN = 4.0
"""Nats against a C/m: a striker is put on a carrom board before each stroke, a C/m about once in fifty."""
OFF_LINES = 4.0
"""Nats against a striker that a hand sets down elsewhere than between base lines, where it is played from
(ICF law 130(a)). One in fifty, assumed."""
OFF_CIRCLE = 3.0
"""Nats against a C/m that a hand sets down between base lines: dues belong into the outer circle (ICF law
85). One in twenty, assumed."""
CLUTTER_NATS = 4.6
"""Nats against a thing beside a hand that lies still like a C/m: once in a hundred hands, assumed."""
STILL_THERE_NATS = 6.0
"""Nats for a track that lies within `UNMOVED_MM` of where a hand seemed to take a piece away: a hundredth of
the chance against it, since marks lie where pieces do."""
NOT_SEEN_NATS = -math.log(MISSED_NEAR_COVER)
"""Nats against a piece at a place at which the last look, a hand nearby, did not show it."""
OTHER_PIECE_NATS = 6.0
"""By so much another track has to be likelier the piece (as in `tracker.identity.relabel`)."""
BESIDE_LOOKS = 6.0
"""Nats for the name that `identify` gives in a set with each piece once: which pieces can have come there at
all is no matter of looks."""


@dataclass(frozen=True, slots=True)
class Identity:
    """`ball` None: a ball never named before, of `colour`."""

    kind: Kind
    ball: Ball | None
    colour: str


def identify(
    item: Tentative,
    balls: list[Ball],
    t_s: float,
    settled_start: bool,
    spotted: str | None = None,
    all_seen: Sequence[Tentative] = (),
    expected: bool = True,
    pieces: PieceSet = SNOOKER,
    to_play: bool = False,
    in_hand: bool = True,
    in_circle: bool = True,
) -> Identity | None:
    """The best identity for a settled track, or None while no identity is likely.

    `settled_start`: no stroke has been seen yet, so that a ball hidden in the first picture is expected.
    `spotted`: the colour whose spot it lies on; there it need not look sure.
    `expected`: it lies where balls are put back: on or near a spot, or in the D. `in_hand`: where a game's
    only cue-ball is put.
    `to_play`: it lies where a striker is set down; `in_circle`: where dues are.
    `all_seen`: everything unexplained that is in sight; what is surer and looks more like the ball goes
    before.
    """
    track = _Track(
        item,
        t_s,
        pieces,
        settled_start,
        to_play=to_play,
        ready=to_play and item.rest.n >= READY_LOOKS and item.confidence >= READY,
        lasting=t_s - item.static_since_s > (NEW_START_S if settled_start else NEW_S),
        expected=expected,
        in_hand=in_hand,
        in_circle=in_circle,
        hand_was_there=any(_lies_at(item, b.taken_from) for b in balls),
        surer=[o for o in all_seen if o.confidence > item.confidence + MUCH_SURER],
    )
    costs = _colour_costs(item, balls, pieces)
    options = [*_as_known(track, balls, costs), *_as_new(track, balls, costs, spotted)]
    cost, best = min(options, key=lambda o: o[0], default=(MAX_COST, None))
    return best if cost < MAX_COST else None


@dataclass(frozen=True, slots=True)
class _Track:
    """A settled track, and what is asked of it for every ball that it may be (arguments of `identify`).

    `to_play`: it lies where a striker is set down; `ready`: as one does before it is played; `in_circle`: it
    lies where dues are set down. `hand_was_there`: a hand seemed to take a piece from just there: it may have
    put one down beside it instead. `lasting`: it has lain long enough for a ball that nobody knew of.
    `surer`: what else is unexplained in sight, and more surely a ball.
    """

    item: Tentative
    t_s: float
    pieces: PieceSet
    settled_start: bool
    to_play: bool
    ready: bool
    lasting: bool
    expected: bool
    in_hand: bool
    in_circle: bool
    hand_was_there: bool
    surer: list[Tentative]

    @property
    def sure(self) -> bool:
        """Whether it is surely a ball, whichever."""
        return surely_a_ball(self.item)


_Option = tuple[float, Identity]


def _colour_costs(item: Tentative, balls: Sequence[Ball], pieces: PieceSet) -> dict[str, float]:
    """Nats against each kind of the set, as far as looks go; the likeliest has none."""
    n = max(item.rest.n, 1)
    top = item.logp[pieces.index[likely_colour(item.logp, balls, pieces)[0]]]
    return {c: max(top - item.logp[i], 0.0) / n * min(n, 4) for i, c in enumerate(pieces.names)}


def _as_known(track: _Track, balls: Sequence[Ball], costs: dict[str, float]) -> Iterator[_Option]:
    """The known balls that the track may be, each with its cost in nats."""
    for b in balls:
        status = _status_cost(track, b)
        if (
            status is not None
            and _may_lie_here(track, b)
            and _seen_enough(track, b, status[1], costs[b.colour])
            and _looks_like(track, b.colour)
            and (track.sure or track.ready or status[1] != "returned" or not b.stays_down)
        ):
            yield costs[b.colour] + status[0], Identity(status[1], b, b.colour)


def _may_lie_here(track: _Track, b: Ball) -> bool:
    """Whether a ball can have come here from where it was seen last, or from where it fell."""
    item = track.item
    if item.points[0].t_s <= b.seen_s:
        return False  # it was here while the ball was still seen elsewhere
    if _fell(b) and not (track.lasting and item.seen_s - item.static_since_s > NEW_START_S):
        return False  # seen again later, not only in a moment's passing of something
    there = track.in_hand if b.is_cue else track.expected
    if b.state is BallState.GONE and b.fate == "potted" and not there and not _stays_uncovered(item):
        return False  # beside an arm, where nobody puts back what has fallen
    return track.hand_was_there or not _fell_without_hand(b, item, there)


def _seen_enough(track: _Track, b: Ball, kind: Kind, cost: float) -> bool:
    """Whether the track was seen often and surely enough to be this ball."""
    discs = track.pieces.discs
    if track.item.rest.n < 2 and (discs or kind != "returned" or cost > 0.5):
        return False  # one look is enough only for a colour that is known to be off the table
    # hidden, a ball stays where it was; what a hand brought is seen surely once the hand is gone
    unsure = not (track.sure or (track.ready and b.is_cue))
    return not (unsure and _never_moved(b) and not (discs and b.is_cue))


def _looks_like(track: _Track, colour: str) -> bool:
    """Whether the track looks like a colour, and nothing surer in sight looks more like it."""
    nats = unlike(track.item, colour, track.pieces)
    if nats > MISREAD and track.item.confidence < MISREAD_SURE:
        return False  # a cuff or a sleeve, of no colour that is missing
    return track.sure or not any(unlike(o, colour, track.pieces) < nats for o in track.surer)


def _as_new(
    track: _Track, balls: Sequence[Ball], costs: dict[str, float], spotted: str | None
) -> Iterator[_Option]:
    """The kinds of which the track may be a piece that nobody knew of, each with its cost in nats."""
    item, pieces = track.item, track.pieces
    for c in pieces.names:
        set_down = track.ready and c in pieces.struck
        known = track.sure or set_down or (c == spotted and item.rest.n >= SPOTTED_LOOKS)
        left = sum(b.colour == c for b in balls) < pieces.count(c)
        if not (known and left and (track.lasting or set_down) and unlike(item, c, pieces) < MISREAD):
            continue
        if track.settled_start or not _came_from_nowhere(item, c, pieces):
            yield (
                costs[c] + (3.0 if track.settled_start else 5.0 if c in pieces.alike else 7.0),
                Identity("new", None, c),
            )


def mistaken(item: Tentative, balls: Sequence[Ball], to_play: bool) -> Identity | None:
    """The piece with a kind of its own that is followed elsewhere, where something far less like it lies.

    A striker is lifted, and a printed mark or a finger beside the hand is taken for it; a sleeve covers a
    ball, and what looks like one beyond it takes its name. Two things claim one name, and one of them is no
    piece. `to_play`: the track lies where a striker is set down.
    """
    n = max(item.rest.n, 1)
    for b in balls:
        if b.state is not BallState.REST or b.colour in b.pieces.alike or item.rest.n < READY_LOOKS:
            continue
        own = b.own
        nats = piece_nats(item.confidence) - piece_nats(b.sure) + max(b.logp) - b.logp[own]
        nats -= (max(item.logp) - item.logp[own]) / n * min(n, ALIKE_LOOKS)
        nats += PLACED_MAN if to_play and b.is_cue and b.pieces.discs else 0.0
        nats += STILL_THERE_NATS if _lies_at(item, b.taken_from) else 0.0
        nats += NOT_SEEN_NATS if b.missed else 0.0
        if nats > OTHER_PIECE_NATS:
            return Identity("carried", b, b.colour)
    return None


def _lies_at(item: Tentative, place_mm: tuple[float, float] | None) -> bool:
    return place_mm is not None and math.dist(place_mm, (item.rest.x_mm, item.rest.y_mm)) < UNMOVED_MM


def unmoved(item: Tentative, balls: Sequence[Ball]) -> Identity | None:
    """The ball that lay just there when it was thought taken, if it looks like it: none else is put there to
    a few millimetres.
    """
    for b in balls:
        away = b.state is BallState.GONE and b.fate in ("lifted", "unknown") and item.points[0].t_s > b.seen_s
        if (
            away
            and surely_a_ball(item)
            and unlike(item, b.colour, b.pieces) < MISREAD
            and _apart_mm(b, item) < UNMOVED_MM
        ):
            return Identity("returned", b, b.colour)
    return None


def outline_of_known(item: Tentative, balls: Sequence[Ball], diameter_mm: float) -> bool:
    """Whether the track lies where a ball is seen at rest: an outline of that ball, cut or before it was
    nudged.
    """
    return any(
        b.state is BallState.REST
        and not b.missed
        and not b.covered
        and _apart_mm(b, item) < OVERLAP * diameter_mm
        for b in balls
    )


def _apart_mm(b: Ball, item: Tentative) -> float:
    return math.dist((b.rest.x_mm, b.rest.y_mm), (item.rest.x_mm, item.rest.y_mm))


def surely_a_ball(item: Tentative) -> bool:
    """Whether it is surely a ball, whichever."""
    often = item.rest.n >= SURE_LOOKS or (item.rest.n >= 2 and item.confidence >= 0.8)
    return item.confidence >= SURE_CONFIDENCE and often


def unlike(item: Tentative, colour: str, pieces: PieceSet) -> float:
    """How much less a track looks like a colour than like another, nats a look."""
    return (max(item.logp) - item.logp[pieces.index[colour]]) / max(item.rest.n, 1)


def _came_from_nowhere(item: Tentative, kind: str, pieces: PieceSet) -> bool:
    """Whether it would be the one piece of a kind that nobody puts back, and was not there before.

    What lay there all the time reappears from behind somebody; else something is taken for it.
    """
    down = kind in pieces.stay_down and kind not in pieces.alike
    return down and not item.hand_was_near


def _fell_without_hand(b: Ball, item: Tentative, expected: bool) -> bool:
    """Whether a ball that fell would lie, with no hand seen, where none is put back, or though none ever is.

    Snooker's colours are taken out by hands in gloves and sleeves of the cloth's colour, and put on spots
    that are known; elsewhere a track beside a pocket is no ball out of it. A man or queen is put back
    anywhere on a board, by a hand that stands out from its wood.
    """
    if b.state is not BallState.GONE or b.fate != "potted" or b.pieces == SNOOKER:
        return False
    man = b.pieces.discs and not b.is_cue
    return (b.stays_down or man or not expected) and not item.hand_was_near


def _stays_uncovered(item: Tentative) -> bool:
    """Whether it was seen again after a while, no cover near."""
    return item.seen_s - item.static_since_s > NEW_START_S and not item.points[-1].near_cover


def _never_moved(b: Ball) -> bool:
    """Whether a known ball is hidden, or thought lifted, where it lay."""
    return b.state is not BallState.GONE or b.fate == "lifted"


def _fell(b: Ball) -> bool:
    """A ball that was potted and that nobody puts back, such as a red (snooker 3.7): a red that comes to
    light is another.
    """
    return b.state is BallState.GONE and b.stays_down and b.fate == "potted"


def _placed_cost(track: _Track, b: Ball) -> float:
    """Nats against a disc that a hand would have set down there; it must be likelier than clutter."""
    if not b.pieces.discs:
        return 0.0
    if b.is_cue:
        return 0.0 if track.to_play else OFF_LINES
    if b.fate != "potted":
        return PLACED_MAN
    placed = PLACED_MAN if track.in_circle else PLACED_MAN + OFF_CIRCLE
    return placed if placed - piece_nats(track.item.confidence) < CLUTTER_NATS else math.inf


def _status_cost(track: _Track, b: Ball) -> tuple[float, Kind] | None:
    t_s = track.t_s
    if b.state is BallState.GONE:
        down = 3.0 if b.stays_down and b.fate != "unknown" else _placed_cost(track, b)
        return 6.0 if _fell(b) else down, "returned"
    if b.state is BallState.REST and b.missed >= 2:
        return 2.0, "carried"
    if b.state is BallState.REST and b.covered and t_s - b.seen_s > 0.3:
        return 5.0, "carried"
    return None


def lay(table: TableSpec, ball: Ball, item: Tentative) -> None:
    """Put the ball where the settled track lies."""
    ball.rest, ball.state, ball.track = item.rest, BallState.REST, None
    ball.rest.since_s = ball.row_since_s = item.static_since_s
    ball.row_owed = True
    ball.take_identity(item.logp, item.rest.n, _beside_looks(table, ball))
    ball.by_place = place_nats(item.rest.x_mm, item.rest.y_mm, table, ball.pieces).tolist()
    ball.missed, ball.covered = 0, False
    ball.seen_s = item.seen_s


def _beside_looks(table: TableSpec, ball: Ball) -> float:
    """Nats for a ball's name by how it came to lie where it does."""
    if one_of_each(ball.pieces):
        return BESIDE_LOOKS
    set_down = ball.is_cue and hands.on_base_line(table, ball.rest.x_mm, ball.rest.y_mm)
    return PLACED_MAN + OFF_CIRCLE if set_down else 0.0
