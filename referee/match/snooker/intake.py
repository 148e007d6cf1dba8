"""From the tracker's events to the journal's entries (`Seen`), with what geometry says of their positions.

Pure: events in, entries out, time arrives as data. Lines of sight are computed here, once; the fold
(`referee.match.snooker.fold`) uses positions again only for the spots that colours are due on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from calibration.table.pieces import SNOOKER, PieceSet, colour_of
from calibration.table.specs import PointMm, TableSpec
from referee import geometry
from referee.facts.seen import (
    CueBallState,
    DuePlace,
    LineOfSight,
    Seen,
    SeenBall,
    SeenContact,
    SeenCushion,
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
)
from referee.geometry import BallAt
from referee.match.renaming import renamed
from referee.match.weighing import CERTAIN
from referee.rules.snooker.facts import COLOURS
from tracker.events import (
    Gap,
    HandMove,
    Layout,
    LayoutChange,
    NamesRead,
    PlacedBall,
    SpanExplanation,
    StrokeRecord,
    TrackerEvent,
    TrackRow,
)

ANY_BALL = "any_ball"
"""Key of the lines of sight when any object ball may be nominated: a free ball (snooker 3.10(a))."""
SURE_POT = 0.9995
"""A pot seen with less confidence waits for the next layout: a ruling is certain only where all else weighs
less than 1 in 1,000."""
LIKELY_POT = 0.5
"""A ball seen to go to a pocket with at least this confidence did not stay where it lay."""
STILL_HIDDEN = 0.004
"""How likely a ball that did not fall is not found before the next stroke either: doubts shrink by this.
Layouts of sixteen balls are wholly right 97 times in 100 (issue 22)."""
LIKELY_FALL, CONTRADICTED = 0.95, 0.5
"""A pot seen so surely is not taken back by a ball of its name that lies on the table: it is asked."""
NEAR_SPOT_MM = 60.0
FAR_FROM_D_MM = 150.0
"""Nobody places a cue-ball in-hand this far outside the D: it was not in-hand at all."""
VANISHED_POTTED = 0.9
"""Weight that a ball which is gone before the next stroke too, and was not seen to leave, was potted; where
no explanation of the stroke has it fall.
"""
MOVED_MM = 8.0
"""A ball that lies this much elsewhere after a stroke, and beyond six sigmas, was moved in it."""
FELL_FIRST = 0.9
"""Weight that the ball which fell was hit first, where several balls moved and no contact was seen."""


BREAK_MOVES = 5
"""Where so many balls moved, a pack was broken."""
UNEXPLAINED = 0.5
"""Weight of no contact at all where a ball moved, every image is there and no contact was seen."""


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

    def feed(self, event: TrackerEvent) -> tuple[Seen, ...]:
        """What this event adds to the record; empty for track rows and while a stroke is held."""
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
        resolved = resolve_drops(first, _balls(layout), back, self._table, self._pieces)
        return (located(resolved, self._table, self._strict, self._pieces), *rest)


def resolve_drops(
    stroke: SeenStroke,
    layout: tuple[SeenBall, ...],
    back: frozenset[str],
    table: TableSpec,
    pieces: PieceSet = SNOOKER,
) -> SeenStroke:
    """The stroke once the layout before the next one is known.

    A doubtful ball that lies there did not fall, unless a hand put it back (`back`) or it came to its
    spot from elsewhere. One that does not fell; more surely so than was seen, but for explanations of the
    stroke that deny it: what fell by the tracker lies nowhere by the tracker.
    """
    cue = cue_of(pieces)
    there = _lying(stroke, layout, back, table.spots if pieces == SNOOKER else {})
    gone = [b for b in stroke.vanished if b not in there]
    unsure_fall = stroke.cue_ball == "pocketed" and stroke.cue_ball_confidence < SURE_POT
    if cue is not None and (unsure_fall or cue in stroke.vanished):
        lies = next((b for b in layout if b.ball == cue), None)
        fell = _fell(stroke, cue, lies, cue in back, table, pieces)
        stroke = _with_fate(stroke, fell)
        if lies is not None and stroke.cue_ball == "on_table":
            there |= {cue}
    pots = _resolved_pots(stroke, there, back, pieces)
    pots += [_gone_since(stroke, b) for b in gone if b != cue]
    lying = tuple(b for b in layout if b.ball in there and b.ball in stroke.vanished)
    return replace(
        stroke,
        vanished=(),
        after=(*stroke.after, *lying),
        pots=tuple(pots),
        sights=(),
        places=(),
    )


def _with_fate(stroke: SeenStroke, fell: float) -> SeenStroke:
    """The stroke with its cue-ball fallen with that probability."""
    if fell < 0.5:
        return replace(stroke, cue_ball="on_table", cue_ball_pocket=None, cue_ball_confidence=1.0 - fell)
    return replace(stroke, cue_ball="pocketed", cue_ball_confidence=fell)


def _fell(
    stroke: SeenStroke, cue: str, lies: SeenBall | None, placed: bool, table: TableSpec, pieces: PieceSet
) -> float:
    """Probability that the cue-ball fell, as the stroke's explanations and the next layout have it.

    `lies`: where it lies then; `placed`: a hand put it there. One that fell is put back by a hand, in snooker
    within the D. One that reappears from under a cover may be taken for put down.
    """
    fall = stroke.explained_fall(cue)
    before = 0.0 if fall is None else fall.confidence
    if stroke.cue_ball == "pocketed":
        before = stroke.cue_ball_confidence
    elif not stroke.explanations:
        before = VANISHED_POTTED
    if lies is None:
        return before / (before + (1.0 - before) * STILL_HIDDEN)
    if pieces.discs:
        return before  # a striker is put down before every stroke
    fallen, lay = (
        (1.0, TAKEN_FOR_PLACED if pieces == SNOOKER else IN_HAND) if placed else (PLACED_UNSEEN, 1.0)
    )
    within = _in_d(lies, table) if pieces == SNOOKER else None
    if within is not None:
        fallen, lay = fallen * max(within, PLACED_OUTSIDE), lay * CHANCE_IN_D
    elif pieces == SNOOKER:
        fallen, lay = fallen * PLACED_OUTSIDE, lay * (1.0 - CHANCE_IN_D)
    return before * fallen / (before * fallen + (1.0 - before) * lay)


TAKEN_FOR_PLACED = 0.1
"""A ball that reappears is told as put down by a hand. Assumed."""
IN_HAND = 0.5
"""In games in which every foul gives the cue-ball in hand, it is put down that did not fall. Assumed."""
PLACED_UNSEEN = 1e-3
"""A hand puts the cue-ball back in no image. Assumed, as in `tracker.explain.priors`."""
PLACED_OUTSIDE = 1e-3
"""A cue-ball in-hand is played from far outside the D (a foul, snooker 3.12). Assumed."""
CHANCE_IN_D = 0.1
"""A cue-ball that comes to rest does so in or near the D: 4 in 100 of the bed, and strikers like it there."""


def _gone_since(stroke: SeenStroke, ball: str) -> SeenPot:
    """A ball that was not seen to leave, once it is gone before the next stroke too: the explanations of the
    stroke weighed anew, those in which it is only hidden by how seldom it would be hidden still.
    """
    fall = stroke.explained_fall(ball)
    if fall is None:
        return SeenPot(ball, None, None, VANISHED_POTTED)
    fell = fall.confidence
    hidden = max(sum(e.weight for e in stroke.explanations) - fell, 0.0) * STILL_HIDDEN
    return replace(fall, confidence=fell / (fell + hidden))


def _resolved_pots(
    stroke: SeenStroke, there: Collection[str], back: Collection[str], pieces: PieceSet
) -> list[SeenPot]:
    """The pots as a later layout leaves them; `there`: the balls that lie on the table after all, `back`:
    those that hands put there.
    """
    left = [p for p in stroke.pots if p.ball not in there]
    stand, contradicted = [], []
    for pot in stroke.pots:
        if pot.confidence >= SURE_POT:
            stand.append(pot)
        elif pot.ball not in there:
            hidden = STILL_HIDDEN * (TAKEN_FOR_PLACED if pot.ball in back else 1.0)
            stand.append(_weighed_anew(pot, left, stroke.explanations, hidden))
        elif pieces != SNOOKER and pot.confidence >= LIKELY_FALL:
            # seen to fall, and one of its name seen to lie: which is wrong nobody knows
            contradicted.append(replace(pot, confidence=CONTRADICTED))
    return stand + contradicted


def _weighed_anew(
    pot: SeenPot, left: Sequence[SeenPot], explanations: Sequence[SeenExplanation], hidden: float
) -> SeenPot:
    """A pot once its ball lies in no later layout: explanations in which fewer balls of its colour fell than
    have `left` the table weigh by how seldom one is `hidden` still. It gets no less sure.
    """

    def count(balls: Iterable[tuple[str, str | None]], pocket: str | None) -> int:
        return sum(colour_of(b) == colour_of(pot.ball) and pocket in (None, p) for b, p in balls)

    gone = [(p.ball, p.pocket) for p in left]
    into, elsewhere = 0.0, 0.0
    for e in explanations:
        fell = [(ball, pocket) for ball, pocket, _ in e.pots]
        if count(fell, pot.pocket) >= count(gone, pot.pocket):
            into += e.weight
        elif count(fell, None) >= count(gone, None):
            elsewhere += e.weight
    anyhow = into + elsewhere if explanations else pot.confidence
    surer = anyhow / (anyhow + max(1.0 - anyhow, 0.0) * hidden) if anyhow else 0.0
    there = into / anyhow if explanations and into else pot.pocket_confidence
    return replace(pot, confidence=max(pot.confidence, surer), pocket_confidence=there)


def _lying(
    stroke: SeenStroke, layout: tuple[SeenBall, ...], back: frozenset[str], spots: Mapping[str, PointMm]
) -> frozenset[str]:
    """Balls of the next layout that have been on the table all the time.

    A colour that was on its spot before the stroke and is again: back from a pocket if it was seen to go to
    one.
    """
    earlier = {b.ball: b for b in stroke.before}
    left = {p.ball for p in stroke.pots if p.pocket is not None and p.confidence >= LIKELY_POT}
    found = set()
    for b in layout:
        spot, was = spots.get(b.ball), earlier.get(b.ball)
        spotted = spot is not None and math.dist((b.x_mm, b.y_mm), spot) < NEAR_SPOT_MM
        stayed = was is not None and math.dist((b.x_mm, b.y_mm), (was.x_mm, was.y_mm)) < NEAR_SPOT_MM
        if b.ball not in back and (not spotted or (stayed and b.ball not in left)):
            found.add(b.ball)
    return frozenset(found)


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


def cue_of(pieces: PieceSet) -> str | None:
    """The cue-ball's name; None where either player's ball is one (billiards): the fold knows who played."""
    return pieces.cue if len(pieces.struck) == 1 else None


def stroke_seen(
    record: StrokeRecord, table: TableSpec, strict_spotting: bool = False, pieces: PieceSet = SNOOKER
) -> SeenStroke:
    """One stroke as seen, with its lines of sight for every ball that may be on before or after it.

    Where no ball is the cue-ball by itself, `pots` and `off_table` hold all balls.
    """
    cue = cue_of(pieces)
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
        cushions=tuple(SeenCushion(c.ball, c.cushion, c.t_s, c.y_mm, c.y_sigma_mm) for c in record.cushions),
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
        in_d=_in_d(white, table) if pieces == SNOOKER else None,
        gap_before=record.gap_before,
        unseen=record.unseen,
        cue_doubtful=record.cue_doubtful,
        explanations=tuple(_explanation(e) for e in record.explanations),
        namings=_namings(record),
        unmet=sum(f.weight for f in record.first_contact if f.ball is None),
        possible=tuple(SeenPossibleBall(b.x_mm, b.y_mm, b.probability) for b in record.possible),
        reached=tuple(SeenReached(r.ball, r.low_y_mm, r.high_y_mm) for r in record.reached),
    )
    return located(seen, table, strict_spotting, pieces)


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
        e.weight, e.first_contact, e.first_known, e.first_t_s, e.pots, e.cue_ball, e.gone, e.nats, e.over
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
    """The tracker's hypotheses, less "no ball" where object balls moved: something hit them. It keeps the
    weight of explanations that do not know what was met.

    Where nothing remains and images were lost, the only ball that moved was hit first; among several the one
    that fell most likely was. Where all was seen, a ball that moved without a contact is as likely a hand's
    doing or a mistake: "no ball" keeps half.
    """
    seen = tuple(SeenFirstContact(f.ball, f.t_s, f.weight) for f in record.first_contact)
    moved = _moved(record, pieces)
    if not moved:
        return seen
    hit = tuple(f for f in seen if f.ball is not None)
    total = sum(f.confidence for f in hit)
    if total > 0 and any(f.ball in moved for f in hit):
        unmet = sum(f.confidence for f in seen if f.ball is None)
        unknown = min(unmet, sum(e.weight for e in record.explanations if not e.first_known))
        known = tuple(replace(f, confidence=(1.0 - unknown) * f.confidence / total) for f in hit)
        if unknown <= 1.0 - CERTAIN:
            return known
        both = (*known, SeenFirstContact(None, None, unknown))
        return tuple(sorted(both, key=lambda f: -f.confidence))
    rest = 1.0 - total  # what was met, if anything, is not among the balls that moved
    if record.gap_before or record.unseen:
        return (*hit, *_shared(record, moved, rest, pieces))
    # that hands or mistakes moved every one of several balls is unlikelier with each
    unexplained = UNEXPLAINED if pieces == SNOOKER else UNEXPLAINED ** len(moved)
    none = SeenFirstContact(None, None, unexplained * rest)
    return (*hit, *_shared(record, moved, (1.0 - unexplained) * rest, pieces), none)


def _shared(
    record: StrokeRecord, moved: tuple[str, ...], weight: float, pieces: PieceSet
) -> Iterator[SeenFirstContact]:
    """A weight shared out among the balls that moved: the first of them, which fell if any did, has most."""
    if len(moved) >= BREAK_MOVES and pieces != SNOOKER:
        moved = _nearest_first(record, moved, pieces)
    if len(moved) == 1:
        yield SeenFirstContact(moved[0], None, weight)
        return
    others = (1 - FELL_FIRST) / (len(moved) - 1)
    for k, ball in enumerate(moved):
        yield SeenFirstContact(ball, None, weight * (FELL_FIRST if k == 0 else others))


def _nearest_first(record: StrokeRecord, moved: tuple[str, ...], pieces: PieceSet) -> tuple[str, ...]:
    """The same balls, the one nearest to the cue-ball first: of a pack that bursts it was met."""
    at = {b.ball: (b.x_mm, b.y_mm) for b in record.before}
    cue = next((at[b.ball] for b in record.before if b.colour in pieces.struck), None)
    if cue is None:
        return moved
    return tuple(sorted(moved, key=lambda b: math.dist(cue, at[b]) if b in at else math.inf))


def _moved(record: StrokeRecord, pieces: PieceSet) -> tuple[str, ...]:
    """Object balls that fell, left the table or lie elsewhere after the stroke, in this order."""
    fell = [p.ball for p in record.pots if p.confidence >= 0.5]
    lying = {b.ball: b for b in record.after}
    elsewhere = []
    for b in record.before:
        now = lying.get(b.ball)
        if now is not None:
            far = math.hypot(now.x_mm - b.x_mm, now.y_mm - b.y_mm)
            if far > max(MOVED_MM, 6 * math.hypot(now.sigma_mm, b.sigma_mm)):
                elsewhere.append(b.ball)
    return tuple(
        b
        for b in dict.fromkeys((*fell, *record.off_table, *elsewhere))
        if pieces.kind_of.get(b) not in pieces.struck
    )


def _touching(record: StrokeRecord, pieces: PieceSet) -> Iterable[SeenTouching]:
    cue = pieces.cue
    for pair in record.touching:
        if cue in pair.balls:
            (other,) = [b for b in pair.balls if b != cue]
            yield SeenTouching(other, pair.gap_mm, pair.sigma_mm)


def _in_d(white: SeenBall | PlacedBall | None, table: TableSpec) -> float | None:
    """Weight that the cue-ball lies on or within the lines of the D; None without a D or cue-ball.

    None too when it lies so far away that it cannot have been placed for a stroke from in-hand.
    """
    if white is None or table.baulk_line_mm is None:
        return None
    answer = geometry.in_d(BallAt("white", "white", white.x_mm, white.y_mm, white.sigma_mm), table)
    return answer.probability if answer.margin_mm > -FAR_FROM_D_MM else None


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
