"""What is certain in a recording at a time, and what is in doubt there.

A ball that rests is known by what was seen before and after: several looks at one place, under one name. A
ball on its way is known where its stroke has one explanation. All else is in doubt, and no label comes
from there.
"""

from __future__ import annotations

import bisect
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from referee.quality.room.watched import Watched
from tracker.ball import SURELY_A_PIECE
from tracker.events import (
    Gap,
    HandMove,
    Layout,
    LayoutChange,
    NamesRead,
    StrokeRecord,
    TrackerEvent,
    TrackRow,
)
from vision.observation import ImageObservations, Observation

PlaceMm = tuple[float, float]
SpanS = tuple[float, float]

SAME_REST_DIAMETERS = 0.1
"""Two rows of one rest lie this near together: a rest's mean moves by less."""
LEAST_LOOKS = 3
"""So many looks at one place, the first before and the last after an image, say that a ball lay there."""
SEEN_AT_DIAMETERS = 0.15
"""A look belongs to a rest within this distance: a third of what parts two names of touching balls."""
CERTAIN_NAME, CERTAIN_WAY = 0.999, 0.99
"""Least confidence of a name, and least weight of a stroke's heaviest explanation."""
ROLLED_DIAMETERS = 2.0
"""What was seen to roll so far is a ball, however unsurely it is seen at rest."""
WAY_SIGMA_DIAMETERS = 0.1
"""A way known less exactly than that is no label: a pixel and more at 12 px a diameter."""
AFTER_HANDS_S = 1.0
"""Hands that put a ball down leave the table in this time. Assumed."""
AROUND_GAP_S = 1.0
"""On both sides of images that were lost or showed another view nothing is certain for so long."""
RETIMED_S, SAME_IMAGE_S = 0.1, 1e-4
"""Images of a recording that repeats some are up to so far from their times; rows of `tracks.csv` are given
the camera's. A row within the second time is of the image itself.
"""


@dataclass(frozen=True, slots=True)
class Rest:
    """A ball at one place. `since_s` to `until_s`: the rest as tracked; `first_s` to `last_s`: between its
    first and last look (the end, of its last rest), None where there are too few. `kind` None: its name is in
    doubt.
    """

    ball: str
    kind: str | None
    x_mm: float
    y_mm: float
    since_s: float
    until_s: float
    first_s: float | None
    last_s: float | None

    def sure_at(self, t_s: float) -> bool:
        """Whether the ball lay here for certain at a time."""
        return self.first_s is not None and self.last_s is not None and self.first_s <= t_s <= self.last_s


@dataclass(frozen=True, slots=True)
class OnItsWay:
    """A ball in one image of its way. `sure`: its place and its name are."""

    ball: str
    kind: str | None
    t_s: float
    x_mm: float
    y_mm: float
    vx_mm_s: float
    vy_mm_s: float
    sure: bool


@dataclass(frozen=True, slots=True)
class ImageTruth:
    """What is known of one image. `resting` and `rolling` are certain; `doubtful`: places (mm) of balls that
    may be there. `quiet`: no ball is in a hand or on its way, so that whatever else is seen is no ball.
    `fallen_into`: pockets in which balls may lie in sight.
    """

    resting: tuple[Rest, ...]
    rolling: tuple[OnItsWay, ...]
    doubtful: tuple[PlaceMm, ...]
    quiet: bool
    fallen_into: frozenset[str]


@dataclass(frozen=True)
class Certain:
    """A recording's truth by time (`at`).

    `busy`: spans between a stroke's end and the last hand's move after it; `strokes`: spans, each with
    whether what happened in it is certain; `blind`: spans of which nothing is known.
    """

    rests: tuple[Rest, ...]
    ways: tuple[OnItsWay, ...]
    strokes: tuple[tuple[SpanS, bool], ...]
    busy: tuple[SpanS, ...]
    blind: tuple[SpanS, ...]
    pots: tuple[tuple[str, float], ...]

    @cached_property
    def _by_time(self) -> tuple[list[float], list[OnItsWay]]:
        ways = sorted(self.ways, key=lambda w: w.t_s)
        return [w.t_s for w in ways], ways

    def _ways_about(self, t_s: float) -> list[OnItsWay]:
        times, ways = self._by_time
        return ways[bisect.bisect_left(times, t_s - RETIMED_S) : bisect.bisect_right(times, t_s + RETIMED_S)]

    def at(self, t_s: float) -> ImageTruth | None:
        """What is known of the image at a time; None where that is not enough to learn from."""
        stroke = next((sure for (since_s, until_s), sure in self.strokes if since_s <= t_s <= until_s), None)
        if stroke is False or _in_any(self.blind, t_s):
            return None
        about = self._ways_about(t_s)
        ways = [w for w in about if abs(w.t_s - t_s) < SAME_IMAGE_S]
        rolling = [w for w in ways if w.sure and stroke]
        here = [r for r in self.rests if r.since_s <= t_s <= r.until_s]
        resting = [r for r in here if r.sure_at(t_s)]
        timed = {w.ball for w in ways}
        # by another clock than the images' it is on its way near here, nobody knows where
        doubtful: list[OnItsWay | Rest] = [w for w in about if w.ball not in timed]
        doubtful += [w for w in ways if w not in rolling]
        doubtful += [r for r in here if r not in resting]
        quiet = stroke is None and not about and not _in_any(self.busy, t_s)
        fallen = frozenset(pocket for pocket, fell_s in self.pots if fell_s <= t_s)
        places = tuple((b.x_mm, b.y_mm) for b in doubtful)
        return ImageTruth(tuple(resting), tuple(rolling), places, quiet, fallen)


def _in_any(spans: Iterable[SpanS], t_s: float) -> bool:
    return any(begin_s <= t_s <= end_s for begin_s, end_s in spans)


def certain(watched: Watched, pieces: PieceSet) -> Certain:
    """What is certain in a recording that was watched to its end."""
    return certain_in(
        watched.events, watched.images, watched.layout, watched.calibration.table, pieces, watched.duration_s
    )


def certain_in(
    events: Sequence[TrackerEvent],
    images: Sequence[ImageObservations],
    layout: Layout,
    table: TableSpec,
    pieces: PieceSet,
    duration_s: float,
) -> Certain:
    """The same, of the tracker's events, the images' observations and the `layout` at the end."""
    rows = defaultdict[str, list[TrackRow]](list)
    for event in sorted((e for e in events if isinstance(e, TrackRow)), key=lambda r: r.t_s):
        rows[event.ball].append(event)
    records = [e for e in events if isinstance(e, StrokeRecord)]
    strokes = tuple(((r.start_s, r.end_s), _is_sure(r)) for r in records)
    kinds = _certain_kinds(events, layout, pieces)
    looks = _Looks.of(images, SEEN_AT_DIAMETERS * table.ball_diameter_mm)
    rolled_mm = ROLLED_DIAMETERS * table.ball_diameter_mm
    sure_spans = [span for span, sure in strokes if sure]
    ways, away = list[OnItsWay](), list[SpanS]()
    spans, twisted = _rest_spans(rows, SAME_REST_DIAMETERS * table.ball_diameter_mm, duration_s)
    kinds = {b: k for b, k in kinds.items() if b not in twisted}
    rolled = {b for b, r in rows.items() if _furthest_mm(r, sure_spans) > rolled_mm} - twisted
    for ball, of_ball in rows.items():
        away += _away(of_ball, kinds.get(ball) not in pieces.stay_down)
        ways += _ways(ball, kinds.get(ball), of_ball, WAY_SIGMA_DIAMETERS * table.ball_diameter_mm)
    rests = [_rest(span, kinds.get(span.ball), looks, span.ball in rolled) for span in spans]
    return Certain(
        tuple(rests),
        tuple(ways),
        strokes,
        _busy(records, [e for e in events if isinstance(e, HandMove)], away),
        _blind(events, duration_s),
        tuple((p.pocket, p.t_s) for r in records for p in r.pots),
    )


def sure_strokes(events: Iterable[TrackerEvent]) -> int:
    """How many strokes have one explanation."""
    return sum(_is_sure(e) for e in events if isinstance(e, StrokeRecord))


def _is_sure(record: StrokeRecord) -> bool:
    """Whether a stroke has one explanation and everything in it was seen."""
    whole = not (record.gap_before or record.unseen or record.cue_doubtful or record.vanished)
    first = next(iter(record.explanations), None)
    return whole and not record.off_table and first is not None and first.weight >= CERTAIN_WAY


def _certain_kinds(events: Iterable[TrackerEvent], layout: Layout, pieces: PieceSet) -> dict[str, str]:
    """The kind of each ball whose name was never in doubt."""
    sure, doubtful = dict[str, str](), set[str]()

    def take(placed: Layout) -> None:
        for b in placed:
            sure.setdefault(b.ball, b.colour)
            if b.confidence < CERTAIN_NAME or sure[b.ball] != b.colour:
                doubtful.add(b.ball)

    take(layout)
    for event in events:
        for placed in _layouts(event):
            take(placed)
        for pair in _exchanged(event):
            doubtful.update(pair)
    return {b: k for b, k in sure.items() if b not in doubtful and k in pieces.index}


def _layouts(event: TrackerEvent) -> tuple[Layout, ...]:
    """The layouts that an event tells."""
    if isinstance(event, StrokeRecord):
        return event.before, event.after
    return (event.layout,) if isinstance(event, LayoutChange) else ()


def _exchanged(event: TrackerEvent) -> Iterator[tuple[str, str]]:
    """Pairs of names that an event exchanges, or may."""
    if isinstance(event, StrokeRecord | NamesRead):
        for naming in event.namings:
            yield from naming.names
    if isinstance(event, NamesRead):
        yield from event.renamed


def _furthest_mm(rows: Sequence[TrackRow], spans: Sequence[SpanS]) -> float:
    """How far from where it set off a ball was seen to roll in certain strokes."""
    best, origin = 0.0, None
    for row in rows:
        if row.state != "moving":
            origin = (row.x_mm, row.y_mm)
        elif origin is not None and _in_any(spans, row.t_s):
            best = max(best, math.dist(origin, (row.x_mm, row.y_mm)))
    return best


@dataclass(frozen=True, slots=True)
class _RestSpan:
    """A ball between two rows at one place; `last`: no row follows. `whole` is False where one row has no
    other: where the ball is after it or was before it nobody knows.
    """

    ball: str
    first: TrackRow
    until: TrackRow
    last: bool
    whole: bool = True


def _rest_spans(
    rows: Mapping[str, Sequence[TrackRow]], same_mm: float, duration_s: float
) -> tuple[list[_RestSpan], set[str]]:
    """All rests, and the balls of which one's rest ended as another's: their names were exchanged."""
    found, single = list[_RestSpan](), list[tuple[TrackRow, bool]]()
    for ball, of_ball in rows.items():
        paired = set[int]()
        for k, (a, b) in enumerate(pairwise(of_ball)):
            if _lies(a) and _lies(b) and _apart_mm(a, b) <= same_mm:
                found.append(_RestSpan(ball, a, b, k + 2 == len(of_ball)))
                paired |= {k, k + 1}
        single += [(r, k + 1 == len(of_ball)) for k, r in enumerate(of_ball) if _lies(r) and k not in paired]
    twisted = set[str]()
    single.sort(key=lambda s: s[0].t_s)
    while single:
        row, _ = single.pop(0)
        other = next((s for s in single if _apart_mm(row, s[0]) <= same_mm), None)
        if other is not None:
            single.remove(other)
            twisted |= {row.ball, other[0].ball}
            found.append(_RestSpan(row.ball, row, other[0], other[1]))
        elif not _moves_on(row, rows[row.ball]):
            twisted.add(row.ball)
            ever = replace(row, t_s=duration_s)
            found.append(_RestSpan(row.ball, replace(row, t_s=0.0), ever, True, whole=False))
    return found, twisted


def _lies(row: TrackRow) -> bool:
    return row.state in ("rest", "hidden")


def _moves_on(row: TrackRow, rows: Sequence[TrackRow]) -> bool:
    """Whether a single row at rest is a way's beginning or end, beside a row of that way."""
    k = rows.index(row)
    return any(r.state == "moving" for r in rows[max(k - 1, 0) : k + 2])


def _apart_mm(a: TrackRow, b: TrackRow) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _rest(span: _RestSpan, kind: str | None, looks: _Looks, has_rolled: bool) -> Rest:
    a, b = span.first, span.until
    at = (b.x_mm, b.y_mm)
    seen = looks.at(at, a.t_s, b.t_s)
    mean = sum(o.confidence for _, o in seen) / max(len(seen), 1)
    known = span.whole and len(seen) >= LEAST_LOOKS and (has_rolled or mean >= SURELY_A_PIECE)
    first, last = (seen[0][0], seen[-1][0]) if known else (None, None)
    if known and span.last:
        last = b.t_s  # it lay there to the end, looked at or not; whether it is in sight the image says
    return Rest(span.ball, kind, *at, a.t_s, b.t_s, first, last)


def _ways(ball: str, kind: str | None, rows: Sequence[TrackRow], most_sigma_mm: float) -> list[OnItsWay]:
    """A ball in each image of its ways; sure where both neighbours say how fast it was."""
    found = []
    for k, row in enumerate(rows):
        if row.state != "moving":
            continue
        before, after = rows[max(k - 1, 0)], rows[min(k + 1, len(rows) - 1)]
        took_s = max(after.t_s - before.t_s, 1e-6)
        inside = before.state == after.state == "moving" and before.t_s < row.t_s < after.t_s
        vx, vy = (after.x_mm - before.x_mm, after.y_mm - before.y_mm) if inside else (0.0, 0.0)
        turns = inside and _turns(before, row, after)
        sure = inside and not turns and kind is not None and row.sigma_mm <= most_sigma_mm
        found.append(OnItsWay(ball, kind, row.t_s, row.x_mm, row.y_mm, vx / took_s, vy / took_s, sure))
    return found


_TURN = 0.25
"""Share of its step by which a ball's next step may differ: more, and it has met something meanwhile."""


def _turns(a: TrackRow, b: TrackRow, c: TrackRow) -> bool:
    one = (b.x_mm - a.x_mm) / (b.t_s - a.t_s), (b.y_mm - a.y_mm) / (b.t_s - a.t_s)
    two = (c.x_mm - b.x_mm) / (c.t_s - b.t_s), (c.y_mm - b.y_mm) / (c.t_s - b.t_s)
    return math.dist(one, two) > _TURN * max(math.hypot(*one), math.hypot(*two))


def _busy(
    records: Sequence[StrokeRecord], moves: Sequence[HandMove], away: Sequence[SpanS]
) -> tuple[SpanS, ...]:
    """Spans in which a ball may be in a hand: while one that may come back is away, and from a stroke's end
    to the last move of a hand before the next stroke.
    """
    ends = [0.0, *(r.end_s for r in records)]
    starts = [*(r.start_s for r in records), math.inf]
    found = [(a, b + AFTER_HANDS_S) for a, b in away]
    for end, start in zip(ends, starts, strict=True):
        within = [m.t_s for m in moves if end - AFTER_HANDS_S <= m.t_s <= start]
        if within:
            found.append((end, max(within) + AFTER_HANDS_S))
    return tuple(found)


def _away(rows: Sequence[TrackRow], comes_back: bool) -> list[SpanS]:
    """Spans in which a ball was not on the table and may be in a hand. `comes_back`: its kind is put back."""
    spans = [(-math.inf, rows[0].t_s)] if rows[0].t_s > AFTER_HANDS_S else []
    for a, b in zip(rows, (*rows[1:], None), strict=True):
        if a.state in ("off", "hidden") or (a.state == "potted" and comes_back):
            rests_on = a.state == "hidden" and b is not None and b.state in ("rest", "hidden")
            if not rests_on:
                spans.append((a.t_s, math.inf if b is None else b.t_s))
    return spans


def _blind(events: Iterable[TrackerEvent], duration_s: float) -> tuple[SpanS, ...]:
    """Spans about lost and unusable images, and all behind a knock of the camera."""
    found = []
    for e in events:
        if isinstance(e, Gap) and e.reason in ("camera_moved", "camera_healed", "rescaled"):
            found.append((e.start_s - AROUND_GAP_S, duration_s + 1.0))
        elif isinstance(e, Gap) and e.reason != "images_repeated":
            found.append((e.start_s - AROUND_GAP_S, e.end_s + AROUND_GAP_S))
        elif isinstance(e, LayoutChange):
            found.append((e.t_s - AFTER_HANDS_S, e.t_s + AFTER_HANDS_S))
    return tuple(found)


@dataclass(frozen=True)
class _Looks:
    """All observations of a recording by time. `reach_mm`: how near to a place a look at it lies."""

    times: list[float]
    seen: list[tuple[Observation, ...]]
    reach_mm: float

    @staticmethod
    def of(images: Sequence[ImageObservations], reach_mm: float) -> _Looks:
        shown = [i for i in images if i.observations]
        return _Looks([i.t_s for i in shown], [i.observations for i in shown], reach_mm)

    def at(self, place_mm: PlaceMm, since_s: float, until_s: float) -> list[tuple[float, Observation]]:
        """The looks at a place in a span, with their times."""
        lo, hi = bisect.bisect_left(self.times, since_s), bisect.bisect_right(self.times, until_s)
        return [
            (self.times[k], o)
            for k in range(lo, hi)
            for o in self.seen[k]
            if math.dist(place_mm, (o.x_mm, o.y_mm)) <= self.reach_mm
        ]
