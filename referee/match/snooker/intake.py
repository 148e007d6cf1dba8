"""From the tracker's events to the journal's entries (`Seen`), with what geometry says of their positions.

Pure: events in, entries out, time arrives as data. Lines of sight are computed here, once; the fold
(`referee.match.snooker.fold`) uses positions again only for the spots that colours are due on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from calibration.monitor.turns import MOST, Bounce, CushionOff, doubt_mm, weighed
from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import CushionName, TableSpec
from referee import geometry
from referee.facts.seen import (
    CueBallState,
    DuePlace,
    LineOfSight,
    Seen,
    SeenBall,
    SeenContact,
    SeenCushion,
    SeenCushionOff,
    SeenExplanation,
    SeenFirstContact,
    SeenGap,
    SeenHand,
    SeenLayout,
    SeenNaming,
    SeenPossibleBall,
    SeenPot,
    SeenReached,
    SeenStroke,
    SeenTouching,
    SeenTurn,
)
from referee.geometry import BallAt
from referee.match.later import SURE_POT, lies_in_d, with_next_layout
from referee.match.position import Settings
from referee.match.renaming import renamed
from referee.rules.snooker.facts import COLOURS
from tracker.events import (
    CushionHit,
    Gap,
    HandMove,
    Layout,
    LayoutChange,
    NamesRead,
    SpanExplanation,
    StrokeRecord,
    TrackerEvent,
    TrackRow,
)

ANY_BALL = "any_ball"
"""Key of the lines of sight when any object ball may be nominated: a free ball (snooker 3.10(a))."""


class Intake:
    """Turns tracker events into `Seen` values, in order.

    A stroke that leaves a doubt which balls fell is held until the next stroke or layout shows whether
    they are still there (hidden behind a person) or gone; `close` lets it go as it is.
    """

    def __init__(self, table: TableSpec, strict_spotting: bool = False, pieces: PieceSet = SNOOKER) -> None:
        self._table, self._pieces = table, pieces
        self._strict = strict_spotting
        self._held: list[Seen] = []
        self._drops_open = False
        self._renamed: dict[str, str] = {}  # told up to the last stroke, and not yet by one: old to new name
        self._bounces: tuple[Bounce, ...] = ()
        self._offs: tuple[CushionOff, ...] = ()
        self._said_off: tuple[str, ...] = ()  # cushions that were said to be off

    def feed(self, event: TrackerEvent) -> tuple[Seen, ...]:
        """What this event adds to the record; empty for track rows and while a stroke is held."""
        found = self._taken(event)
        if not isinstance(event, StrokeRecord):
            return found
        off = self._weighed(event)
        if self._held:
            self._held += off
            return found
        return (*found, *off)

    def table_doubt_mm(self, x_mm: float, y_mm: float) -> float:
        """One more sigma (mm) per axis of a place than the calibration states, by where balls have turned at
        cushions so far; 0 where nothing speaks against it.
        """
        return doubt_mm(self._offs, self._table, x_mm, y_mm)

    def _weighed(self, record: StrokeRecord) -> Iterator[SeenCushionOff]:
        """Cushions that a stroke's bounces show to be off, and that were not said to be so before."""
        new = tuple(b for hit in record.cushions if (b := bounce_of(_cushion(hit))) is not None)
        if not new:
            return
        self._bounces = (*self._bounces, *new)[-MOST:]
        self._offs = weighed(self._bounces)
        for c in self._offs:
            if c.is_off and c.cushion not in self._said_off:
                self._said_off = (*self._said_off, c.cushion)
                yield SeenCushionOff(record.end_s, c.cushion, c.off_mm, c.sigma_mm, round(c.bounces))

    def _taken(self, event: TrackerEvent) -> tuple[Seen, ...]:
        """What an event adds to the record, but for what its bounces say of the table."""
        if isinstance(event, TrackRow):
            return ()
        if isinstance(event, NamesRead):
            return self._named(event)
        if isinstance(event, StrokeRecord):
            before = self._release(event.before)
            seen = stroke_seen(event, self._table, self._strict, self._pieces)
            seen = replace(seen, renamed=tuple(sorted(self._renamed.items())))
            self._renamed = {}
            self._drops_open = bool(seen.vanished) or any(p.confidence < SURE_POT for p in event.pots)
            if self._drops_open or seen.namings:
                self._held = [seen]
                return before
            return (*before, seen)
        other = _other(event)
        if isinstance(event, LayoutChange):
            return (*self._release(() if event.rack else event.layout), other)
        if self._held:
            self._held.append(other)
            return ()
        return (other,)

    def _named(self, read: NamesRead) -> tuple[Seen, ...]:
        """Take what later looks say of the names of the last stroke's balls."""
        changed = dict(read.renamed)
        if not self._held:
            self._renamed = _followed(self._renamed, changed)
            return ()
        first, *rest = self._held
        assert isinstance(first, SeenStroke)
        namings = _namings(read)
        earlier = tuple(sorted(_followed(dict(first.renamed), changed).items()))
        first = replace(renamed(first, changed, self._pieces), namings=namings, renamed=earlier)
        self._held = [first, *(_hand_renamed(s, changed) for s in rest)]
        return () if self._drops_open or not (read.final or not namings) else self.close()

    @property
    def held(self) -> tuple[Seen, ...]:
        """What waits for the next stroke or layout, as it is known now."""
        return tuple(self._held)

    def close(self, layout: Layout | None = None) -> tuple[Seen, ...]:
        """What is still held, at the end of the recording. `layout`: what then lies on the table, where that
        was looked at for a while after the last stroke; else the doubts stay.
        """
        if layout is not None and self._pieces != SNOOKER:
            return self._release(layout)
        held, self._held = tuple(self._held), []
        return held

    def _release(self, layout: Layout) -> tuple[Seen, ...]:
        if not self._held:
            return ()
        first, *rest = self.close()
        assert isinstance(first, SeenStroke)
        back = frozenset(h.ball for h in rest if isinstance(h, SeenHand) and h.type in ("respot", "in_hand"))
        if not self._drops_open:
            return (first, *rest)
        resolved = with_next_layout(first, _balls(layout), back, self._table, self._pieces)
        return (located(resolved, self._table, self._strict, self._pieces), *rest)


def _namings(told: StrokeRecord | NamesRead) -> tuple[SeenNaming, ...]:
    return tuple(SeenNaming(n.weight, n.names) for n in told.namings)


def _followed(known: Mapping[str, str], changed: Mapping[str, str]) -> dict[str, str]:
    """Old names with what they are now: those `known` to be another, with what has `changed` since."""
    now = {old: changed.get(new, new) for old, new in known.items()}
    return now | {old: new for old, new in changed.items() if old not in known.values()}


def _hand_renamed(seen: Seen, changed: Mapping[str, str]) -> Seen:
    """What a hand did, with the name that its ball has now."""
    if isinstance(seen, SeenHand):
        return replace(seen, ball=changed.get(seen.ball, seen.ball))
    return seen


def _other(event: HandMove | Gap | LayoutChange) -> Seen:
    if isinstance(event, HandMove):
        return SeenHand(
            event.type, event.ball, event.from_mm, event.to_mm, event.t_s, event.own_sigma_mm, event.mark_mm
        )
    if isinstance(event, Gap):
        return SeenGap(event.start_s, event.end_s, event.reason)
    return SeenLayout(event.t_s, _balls(event.layout), event.rack)


def _balls(layout: Layout) -> tuple[SeenBall, ...]:
    return tuple(SeenBall(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm, b.confidence) for b in layout)


def stroke_seen(
    record: StrokeRecord, table: TableSpec, strict_spotting: bool = False, pieces: PieceSet = SNOOKER
) -> SeenStroke:
    """One stroke as seen, with its lines of sight for every ball that may be on before or after it.

    Where no ball is the cue-ball by itself, `pots` and `off_table` hold all balls.
    """
    cue = pieces.only_cue
    cue_ball, cue_ball_pocket, confidence = _fate(record, cue)
    white = next((b for b in record.before if b.ball == cue), None)
    seen = SeenStroke(
        start_s=record.start_s,
        end_s=record.end_s,
        before=_balls(record.before),
        after=_balls(record.after),
        first_contact=_first_contact(record, pieces),
        contacts=tuple(
            SeenContact(c.balls, None if record.gap_before else c.t_s, c.confidence) for c in record.contacts
        ),
        cushions=tuple(map(_cushion, record.cushions)),
        pots=tuple(
            SeenPot(p.ball, p.pocket, p.t_s, p.confidence, p.pocket_confidence)
            for p in record.pots
            if p.ball != cue
        ),
        cue_ball=cue_ball,
        cue_ball_pocket=cue_ball_pocket,
        cue_ball_confidence=confidence,
        off_table=tuple(b for b in record.off_table if b != cue),
        vanished=record.vanished or tuple(_gone_unsaid(record, cue)),
        touching=tuple(_touching(record, pieces)),
        sights=(),
        places=(),
        in_d=lies_in_d(white, table) if pieces == SNOOKER else None,
        gap_before=record.gap_before,
        unseen=record.unseen,
        cue_doubtful=record.cue_doubtful,
        explanations=tuple(_explanation(e) for e in record.explanations),
        namings=_namings(record),
        unmet=sum(f.weight for f in record.first_contact if f.ball is None),
        possible=tuple(SeenPossibleBall(b.x_mm, b.y_mm, b.probability) for b in record.possible),
        reached=tuple(SeenReached(r.ball, r.low_y_mm, r.high_y_mm) for r in record.reached),
        struck_again_s=record.struck_again_s,
        under_way=record.under_way,
        other_end=record.other_end,
    )
    return located(seen, table, strict_spotting, pieces)


def _cushion(hit: CushionHit) -> SeenCushion:
    turn = hit.turn
    told = None
    if turn is not None and turn.table_mm is not None:
        told = SeenTurn(turn.x_mm, turn.y_mm, turn.off_mm, turn.sigma_mm, turn.into_mm_s, turn.table_mm)
    return SeenCushion(hit.ball, hit.cushion, hit.t_s, hit.y_mm, hit.y_sigma_mm, hit.confidence, told)


def bounce_of(hit: SeenCushion) -> Bounce | None:
    """A cushion hit as it tells where the cushion is; None where it does not."""
    turn = hit.turn
    if turn is None:
        return None
    cushion = cast("CushionName", hit.cushion)
    return Bounce(cushion, turn.off_mm, turn.sigma_mm, turn.into_mm_s, turn.table_mm, hit.confidence)


def _gone_unsaid(record: StrokeRecord, cue: str | None) -> Iterator[str]:
    """Balls that lay there before a stroke whose images do not show it whole, and neither lie there nor are
    told to be gone after it. Balls that look alike may have exchanged their names.
    """
    if not (record.unseen or record.gap_before) or not record.after:
        return
    told = {b.ball for b in record.after} | {p.ball for p in record.pots} | set(record.off_table)
    gone = [b for b in record.before if b.ball not in told and b.ball != cue]
    known = {b.ball for b in record.before}
    new = Counter(b.colour for b in record.after if b.ball not in known)
    for b in gone:
        if new[b.colour] > 0:
            new[b.colour] -= 1
        else:
            yield b.ball


def _fate(record: StrokeRecord, cue: str | None) -> tuple[CueBallState, str | None, float]:
    """What became of the cue-ball, the pocket that it fell into, and the weight of that."""
    fell = next((p for p in record.pots if p.ball == cue), None)
    if fell is not None:
        return "pocketed", fell.pocket, fell.confidence
    return ("off_table" if cue in record.off_table else "on_table"), None, 1.0


def _explanation(e: SpanExplanation) -> SeenExplanation:
    return SeenExplanation(
        e.weight,
        e.first_contact,
        e.first_known,
        e.first_t_s,
        e.pots,
        e.cue_ball,
        e.gone,
        e.nats,
        e.over,
        e.may_have_met,
    )


def located(
    seen: SeenStroke, table: TableSpec, strict_spotting: bool = False, pieces: PieceSet = SNOOKER
) -> SeenStroke:
    """The stroke with what geometry says of it in snooker: due places and lines of sight."""
    if not table.spots or pieces != SNOOKER:
        return seen
    after = at(seen.after)
    places = due_places(seen, table, strict_spotting)
    after += [BallAt(p.ball, p.ball, p.x_mm, p.y_mm) for p in places]
    return replace(seen, places=places, sights=lines_of_sight(seen, after, table))


def _first_contact(record: StrokeRecord, pieces: PieceSet) -> tuple[SeenFirstContact, ...]:
    """The tracker's hypotheses. Where nothing explains the stroke, and object balls moved though no contact
    was seen, one of them or none was met first: nobody knows.
    """
    seen = [SeenFirstContact(f.ball, f.t_s, f.weight) for f in record.first_contact]
    moved = [] if record.explanations else _moved(record, pieces)
    known = {f.ball for f in seen if f.ball is not None}
    if not moved or known & set(moved):
        return tuple(seen)
    none = sum(f.confidence for f in seen if f.ball is None)
    shared = (SeenFirstContact(b, None, none / (len(moved) + 1)) for b in (*moved, None))
    return (*(f for f in seen if f.ball is not None), *shared)


MOVED_MM = 8.0
"""A ball that lies this much elsewhere after a stroke, and beyond six sigmas, was moved in it."""


def _moved(record: StrokeRecord, pieces: PieceSet) -> list[str]:
    """Object balls that fell, left the table or lie elsewhere after a stroke."""
    lying = {b.ball: b for b in record.after}
    elsewhere = []
    for a in record.before:
        if (b := lying.get(a.ball)) is not None:
            least_mm = max(MOVED_MM, 6 * math.hypot(a.sigma_mm, b.sigma_mm))
            if math.dist((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)) > least_mm:
                elsewhere.append(a.ball)
    found = dict.fromkeys((*(p.ball for p in record.pots), *record.off_table, *elsewhere))
    return [b for b in found if pieces.kind_of.get(b) not in pieces.struck]


def _touching(record: StrokeRecord, pieces: PieceSet) -> Iterable[SeenTouching]:
    cue = pieces.cue
    for pair in record.touching:
        if cue in pair.balls:
            (other,) = [b for b in pair.balls if b != cue]
            yield SeenTouching(other, pair.gap_mm, pair.sigma_mm)


def at(balls: Iterable[SeenBall]) -> list[BallAt]:
    """Seen balls as geometry takes them."""
    return [BallAt(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm) for b in balls]


def due_places(
    seen: SeenStroke, table: TableSpec, strict_spotting: bool = False, only: Iterable[str] | None = None
) -> tuple[DuePlace, ...]:
    """Where the colours that dropped in this stroke are due (snooker 3.7); `only` some of them."""
    lying = {b.ball for b in seen.after}
    dropped = [b for b in (*(p.ball for p in seen.pots), *seen.off_table) if b in COLOURS and b not in lying]
    due = [c for c in dict.fromkeys(dropped) if only is None or c in only]
    try:
        places = geometry.spot_colours(due, at(seen.after), table, strict_spotting)
    except ValueError:  # no room on the line: the referee decides, geometry does not
        return ()
    return tuple(DuePlace(p.ball, p.spot, p.x_mm, p.y_mm, p.clause, p.certainty) for p in places)


def due_in(settings: Settings) -> Callable[[SeenStroke, tuple[str, ...]], tuple[DuePlace, ...]]:
    """Due places of some of the colours that dropped in a stroke, on this table."""

    def places(seen: SeenStroke, balls: tuple[str, ...]) -> tuple[DuePlace, ...]:
        return due_places(seen, settings.table, settings.options.strict_spotting_order, balls)

    return places


def lines_of_sight(seen: SeenStroke, after: Sequence[BallAt], table: TableSpec) -> tuple[LineOfSight, ...]:
    """Geometry for each ball that may be on: from the position before, and from `after`, the position
    after the stroke with the colours that dropped back on their spots (snooker 2.17, 3.14)."""
    before = at(seen.before)
    found = []
    for ball_on in ("red", *COLOURS, "any_colour", ANY_BALL):
        old, new = _on(ball_on, before), _on(ball_on, after)
        if not old and not new:
            continue
        one = ball_on not in ("any_colour", ANY_BALL)
        hidden, by = _hidden(seen, after, new, table) if new and one else (None, ())
        found.append(LineOfSight(ball_on, hidden, by, *_paths(before, old, table)))
    return tuple(found)


def _on(ball_on: str, layout: Sequence[BallAt]) -> list[str]:
    """Names of the balls of a layout that are on."""
    if ball_on == ANY_BALL:
        return [b.ball for b in layout if b.colour != "white"]
    wanted = COLOURS if ball_on == "any_colour" else (ball_on,)
    return [b.ball for b in layout if b.colour in wanted]


def _hidden(
    seen: SeenStroke, after: Sequence[BallAt], on: Sequence[str], table: TableSpec
) -> tuple[float | None, tuple[str, ...]]:
    """(weight that the next player is snookered on these balls, effective snookering colours)."""
    cue = next((b for b in after if b.colour == "white"), None)
    if cue is None and seen.cue_ball == "on_table":
        return None, ()
    if cue is None or seen.cue_ball != "on_table":
        result = geometry.snookered_in_hand(after, on, table)
    else:
        result = geometry.snookered(cue, after, on, table)
    colour = {b.ball: b.colour for b in after}
    return result.answer.probability, tuple(dict.fromkeys(colour[b] for b in result.effective))


def _paths(
    before: Sequence[BallAt], on: Sequence[str], table: TableSpec
) -> tuple[float | None, float | None]:
    cue = next((b for b in before if b.colour == "white"), None)
    if cue is None or not on:
        return None, None
    clear, full = geometry.best_paths(cue, before, on, table)
    return clear.probability, full.probability
