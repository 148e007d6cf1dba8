"""A span opens when a ball leaves its place and closes when all is still: as a stroke, or as a hand's
doing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from shapely import LineString, Point

from calibration.table.specs import PointMm, TableSpec
from tracker.ball import Ball, BallState
from tracker.detections.tentative import STATIC_S, Tentative
from tracker.events import Gap, HandMove, Layout, LayoutChange, PossibleBall, Pot, StrokeRecord, TrackRow
from tracker.explain.before import with_layout, with_layout_after
from tracker.explain.facts import facts
from tracker.explain.posterior import (
    Named,
    fall_denied,
    gone_unexplained,
    lost_at_s,
    meetings,
    named,
    rest_denied,
    span_explanations,
    struck_again_s,
    struck_s,
    with_posterior,
    without_times,
)
from tracker.explain.solver import Explanation, solve
from tracker.explain.trajectory import LEAST_NUDGE_MM
from tracker.explain.window import BEFORE_S
from tracker.identity.identify import surely_a_ball
from tracker.identity.names import (
    doubts,
    known_by_now,
    lying,
    namings,
    one_of_each,
    placed,
    rename,
    with_names,
)
from tracker.identity.relabel import MARGIN, START_MARGIN, relabel
from tracker.identity.unnoticed import layout_renamed, name_cue, struck_unnoticed
from tracker.layout import hands
from tracker.machine import Signal, next_phase
from tracker.rows import leg_rows
from tracker.state import State
from tracker.stroke.contact_times import with_steady_times
from tracker.stroke.endings import MOST
from tracker.stroke.recovered import come_to_light, recover, roll_from_there, stays
from tracker.stroke.run_out import all_but_lies, let_stop, only_stops
from tracker.stroke.solve import Solved, solve_stroke, struck_as_well, struck_of
from tracker.stroke.span import Span, layout_before, lost_up_to_contact
from vision.detect.naming import likeliest, place_nats
from vision.observation import Observation

MAY_BE_MET = 0.02
"""Probability of a ball in the way of the struck one from which what it met first is asked."""
MAY_BE_HIDDEN = 1e-3
"""The same of a ball that was lifted, from which it is told that it may lie there still."""
UNSEEN_STRIKER_MOVES = 3
"""So many discs that run free at once were met by a striker, seen or not. Assumed."""


def open_span(s: State, t_s: float) -> None:
    """A ball has left its place, after `t_s`: keep the layout as it was before."""
    name_anew(s, t_s, final=True)
    possible = _possible(s, t_s)
    before = layout_before(s.follower.balls, t_s - BEFORE_S)
    unnamed = _unnamed_before(s, before, s.follower.t_s)
    s.span = Span(t_s, before, possible, unnamed, _down(s), last_motion_s=t_s, rolled_s=t_s)
    s.phase = next_phase(s.phase, Signal.BALL_LEFT)


def _possible(s: State, t_s: float) -> tuple[PossibleBall, ...]:
    """What lies there and may be a ball, and balls that were taken for lifted and may lie there hidden."""
    gone = (b for b in s.follower.balls if b.state is BallState.GONE and b.fate == "lifted")
    hidden = (PossibleBall(b.rest.x_mm, b.rest.y_mm, b.may_lie) for b in gone if b.may_lie > MAY_BE_HIDDEN)
    return *s.follower.tentatives.possible_balls(t_s), *hidden


def _down(s: State) -> dict[str, int]:
    """Of each kind how many are off the table: after the first stroke all that nobody has seen there, before
    it those that were seen to leave.
    """
    balls, pieces = s.follower.balls, s.follower.pieces
    gone = Counter(b.colour for b in balls if b.state is BallState.GONE)
    if s.strokes:
        there = Counter(b.colour for b in balls if b.state is not BallState.GONE)
        gone = Counter({kind: pieces.count(kind) for kind in pieces.names}) - there
    return dict(gone)


def _unnamed_before(s: State, before: Layout, t_s: float) -> tuple[Observation, ...]:
    """What lay there and is surely a ball, has no name yet, and may be one of which a piece is missing."""
    pieces, known = s.follower.pieces, Counter(b.colour for b in before)
    rolling = s.follower.tentatives.rolling(t_s)
    looks = (
        i.lay_before or (i.rolled_in if i in rolling else None)
        for i in s.follower.tentatives.items
        if not i.of_ball
    )
    sure = (o for o in looks if o is not None)
    return tuple(o for o in sure if known[k := likeliest(o.colour_logp, pieces)] < pieces.count(k))


def name_anew(s: State, t_s: float, final: bool) -> None:
    """Second thoughts about names, while all lies still."""
    if one_of_each(s.follower.pieces):
        s.read_names(t_s, final)
    else:
        relabel(s.follower.balls, MARGIN if s.strokes else START_MARGIN)


def close_before(s: State, t_s: float) -> None:
    """Close a span behind which the next stroke begins at once, about `t_s`."""
    images = [] if s.window is None else s.window.images
    close_span(s)
    if s.window is not None:
        s.window.go_on(images, t_s)


@dataclass(frozen=True, slots=True)
class _Moved:
    """The `balls` of a span, those `moving`, and the ball that was struck; `misnamed`: it has that name from
    now on.
    """

    balls: list[Ball]
    moving: list[Ball]
    cue: Ball | None
    misnamed: bool


def close_span(s: State) -> None:
    """All is still: solve what moved, say it, and what hands did meanwhile."""
    span = s.span
    assert span is not None
    _find_what_lies(s, span)
    _tell_repeated(s, span)
    moved = _what_moved(s, span)
    striker_unseen = by_an_unseen_striker(moved.moving, moved.balls)
    if striker_unseen or _is_struck(s, span, moved):
        doubtful = moved.misnamed or striker_unseen
        solved = _explained_stroke(s, span, moved.balls, moved.cue, doubtful)
        _finish_stroke(s, span, moved.moving, solved)
        _tell_put_back(s, moved.balls, solved.back)
    else:
        _finish_hand(s, span, moved.moving)
        _tell_lost_before(s, span, moved.moving)
    s.out.extend(span.later)
    _lie_still(s)


def _tell_repeated(s: State, span: Span) -> None:
    """Say that images were repeated while something moved.

    Once all lies still, a clip without noise shows the same image again, and nothing is amiss.
    """
    shown_again = [t_s for t_s in span.repeated if t_s < span.last_motion_s]
    if shown_again:
        s.out.append(Gap(shown_again[0], shown_again[-1], "images_repeated"))


def _find_what_lies(s: State, span: Span) -> None:
    """What was lost may lie on the table by now: under its own name, or seen as something without one."""
    f = s.follower
    f.let_lie()
    come_to_light(s, span)
    roll_from_there(s, span)
    span.before = known_by_now(span.before, f.balls)
    there = [b for b in f.balls if b.state is not BallState.GONE]
    if (
        span.rolled
        or came_to_lie(s, span)
        or any(b.state is BallState.LEFT or b.missed or b.shifted for b in there)
    ):
        _recover(s, span)
        if more := _more_than_known(s, span):
            span.unnamed += more
            span.explained.clear()
            _recover(s, span)
    for b in _taking_part(s, span):
        b.legs = [] if hands.came_back(b) else [leg for leg in b.legs if not hands.went_nowhere(leg)]


def _recover(s: State, span: Span) -> None:
    struck = struck_of([b for b in s.follower.balls if b.legs])
    recover(s, span, _named_explanations(s, span, struck))


def _more_than_known(s: State, span: Span) -> tuple[Observation, ...]:
    """Balls that rolled and lie there, of a kind of which more are on the table than were known: others hid
    them, and they lay where they were seen first.
    """
    f, known = s.follower, Counter(b.colour for b in s.follower.balls if b.state is not BallState.GONE)
    tracks = (i for i in f.tentatives.lying(s.last_s) if i.rolled_there and surely_a_ball(i))
    looks = (i.rolled_in for i in tracks if span.start_s <= i.began.t_s)
    return tuple(
        o
        for o in looks
        if o is not None and known[k := likeliest(o.colour_logp, f.pieces)] < f.pieces.count(k)
    )


def follow_ways(s: State, span: Span) -> None:
    """Note the ways of what moved until now, as explanations have them; nothing lies still yet."""
    span.rolling = True
    _find_what_lies(s, span)
    span.rolling = False
    span.explained.clear()


def _taking_part(s: State, span: Span) -> list[Ball]:
    return [b for b in s.follower.balls if b.name not in span.returned] + span.departed


def _what_moved(s: State, span: Span) -> _Moved:
    """What left its place, and which of it was struck."""
    balls = _taking_part(s, span)
    moving = [b for b in balls if b.legs]
    misnamed, cue = False, struck_of(moving)
    if cue is None and (cue := _struck_unnoticed(s, span, moving)) is not None:
        balls, misnamed = _taking_part(s, span), True
        moving = [b for b in balls if b.legs]
    return _Moved(balls, moving, cue, misnamed)


def _is_struck(s: State, span: Span, moved: _Moved) -> bool:
    """Whether it was a stroke, and no hand that went on with the ball that it had just put down."""
    cue, moving = moved.cue, moved.moving
    held = cue is not None and moving == [cue] and hands.still_held(cue, s.begun_s)
    if is_stroke(moving, cue, s.table) and not held:
        return True
    return _stopped_dead(s, span, moved) or _struck_over_lost_time(s, span, cue)


def _stopped_dead(s: State, span: Span, moved: _Moved) -> bool:
    """Whether what runs free was sent off by a cue-ball that was struck and stayed where it lay, as most of
    the weight of the explanations has it.
    """
    if moved.cue is not None or not any(map(hands.struck_first, moved.moving)):
        return False
    told = ((e.weight, facts(e)) for e, _ in _named_explanations(s, span, None))
    return sum(weight for weight, said in told if said.struck and said.met is not None) > MOST


def _struck_over_lost_time(s: State, span: Span, cue: Ball | None) -> bool:
    """Whether the cue-ball left its place and most explanations have it meet a ball, over time that is
    missing and that no clock tells: few images are left to show that it ran free.
    """
    if cue is None:
        return False
    found = _named_explanations(s, span, cue)
    met = (e.weight for e in span_explanations(found) if e.first_contact is not None)
    return lost_at_s(found) is not None and sum(met) > MOST


def _lie_still(s: State) -> None:
    """The span is over."""
    s.still_since_s = s.last_s
    for b in s.follower.balls:
        b.legs, b.before, b.told, b.track = [], None, b.name, None
    for i in s.follower.tentatives.items:
        i.of_ball = False
    s.span = None
    if s.window is not None:
        s.window.clear()
    s.phase = next_phase(s.phase, Signal.ALL_STILL)


def came_to_lie(s: State, span: Span) -> bool:
    """Whether something without a name has come to lie on the table in a span."""
    return any(i.static_since_s > span.start_s for i in s.follower.tentatives.lying(s.last_s))


OTHER_START_S = 0.1
"""Further from the strike than this, what was taken for the stroke's start was another thing: a cue or a hand
beside the cue-ball.
"""


def _explained_stroke(s: State, span: Span, balls: list[Ball], cue: Ball | None, doubtful: bool) -> Solved:
    """The stroke solved, and weighed by its explanations. `cue`: the ball that was struck, if that is not
    `doubtful`.
    """
    span.before = known_by_now(span.before, balls)
    explained = _explanations(s, span, cue)
    if s.hearing is not None:
        s.hearing.learn(explained)
    found = named(explained, span.before, s.follower.pieces)
    if (at_s := lost_at_s(found)) is not None:
        s.out.append(Gap(at_s, at_s, "images_lost"))
        span.unseen = True
    contacts, cushions = meetings(found, s.table, s.follower.pieces)
    solved = solve_stroke(s.table, balls, span, found, s.last_s, s.follower.gaps)
    start_s, by_explanation_s = solved.record.start_s, struck_s(found)
    if by_explanation_s is not None and abs(by_explanation_s - start_s) > OTHER_START_S:
        start_s = by_explanation_s
    record = with_posterior(
        replace(
            solved.record,
            start_s=start_s,
            contacts=with_steady_times(solved.world, contacts, cushions),
            cushions=cushions,
            cue_doubtful=doubtful or not found or met_unsure(cue, span, s.table),
            explanations=span_explanations(found, s.follower.pieces),
        )
    )
    denied = fall_denied(record) or rest_denied(record, found) or gone_unexplained(record)
    again_s = struck_again_s(found)
    unseen = record.unseen or lost_up_to_contact(span, record.explanations) or denied or again_s is not None
    record = replace(
        without_times(record) if record.gap_before else record, unseen=unseen, struck_again_s=again_s
    )
    return replace(solved, record=record)


def _tell_put_back(s: State, balls: Sequence[Ball], back: Mapping[str, Pot]) -> None:
    """Hands put balls back that fell, and that nothing had missed."""
    for ball in balls:
        if ball.name in back:
            since_s = max(back[ball.name].t_s, ball.covered_s)
            s.tell(hands.returned(ball, None, ball.rest, since_s))


def close_where_it_stops(s: State, most_mm: float = math.inf) -> None:
    """Close a span in which what still rolls can only come to rest, and no further on; others stay open."""
    if s.span is not None and only_stops(s.follower, most_mm):
        let_stop(s.follower, s.last_s)
        close_span(s)


def _explanations(s: State, span: Span, cue: Ball | None) -> tuple[Explanation, ...]:
    """The span explained as a whole, once, from its images and the layouts around it. `cue`: the ball that
    was struck.
    """
    pieces, cue_mm, rivals_mm = s.follower.pieces, None, list[PointMm]()
    if s.window is None:
        return ()
    if cue is not None and one_of_each(pieces):  # whose names are the tracker's
        cue_mm = cue.legs[0].x0_mm, cue.legs[0].y0_mm
        rivals_mm = [(b.legs[0].x0_mm, b.legs[0].y0_mm) for b in struck_as_well(s.follower.balls, cue)]
    if cue_mm in span.explained:
        return span.explained[cue_mm]
    resting = [b for b in s.follower.balls if b.state is BallState.REST and not span.rolling]
    hidden = {b.name for b in resting if b.missed or b.covered} | _maybe_nudged(resting)
    after = placed(resting, s.follower.balls)
    images = with_layout(
        s.window.span(span.before, span.repeated, span.unnamed), span.before, pieces, span.unnamed
    )
    hidden_mm = [(p.x_mm, p.y_mm) for p in after if p.ball in hidden]
    hidden_mm += [t.place_mm for t in _stopped(s) if t.misses]
    images = with_layout_after(
        images,
        [p for p in after if p.ball not in hidden],
        hidden_mm,
        pieces,
        () if span.rolling else _unnamed(s),
    )
    found = solve(images, s.table, pieces, cue_mm, span.down, rivals_mm, s.follower.looks)
    if s.hearing is not None:
        found = s.hearing.weighed(found)
    span.explained[cue_mm] = found
    return found


def _maybe_nudged(resting: Sequence[Ball]) -> set[str]:
    """The balls at rest that are seen beside their places, and may have been nudged: that is for the images
    to say. A shaken picture, or a camera that drifts, shows all of them beside.
    """
    shaken_mm = median(b.rest.aside_mm for b in resting) if resting else 0.0
    return {b.name for b in resting if b.rest.aside_mm > shaken_mm + LEAST_NUDGE_MM}


def _stopped(s: State) -> list[Tentative]:
    """The tracks on which balls left their places, and that were seen to lie still, or all but do."""
    tracks = (b.track for b in s.follower.balls if b.state is BallState.LEFT)
    return [
        t
        for t in tracks
        if t is not None and (t.seen_s - t.static_since_s >= STATIC_S or all_but_lies(t.points, s.table))
    ]


def _named_explanations(s: State, span: Span, cue: Ball | None) -> tuple[Named, ...]:
    """The same with the tracker's names."""
    return named(_explanations(s, span, cue), span.before, s.follower.pieces)


def _unnamed(s: State) -> tuple[Observation, ...]:
    """What lies on the table and has no name yet, what all but lies still among it; where it lies tells a
    part of what it is.
    """
    lost = [(b.rest.x_mm, b.rest.y_mm) for b in s.follower.balls if b.state is BallState.LEFT]
    tracks = s.follower.tentatives
    lying = tracks.lying(s.last_s, lost)
    lying += [i for i in tracks.moving(s.last_s) if i.rolled_there and not i.misses and i not in lying]
    looks = [i.lies for i in lying]
    at = [place_nats(o.x_mm, o.y_mm, s.table, s.follower.pieces) for o in looks]
    return tuple(
        replace(o, colour_logp=tuple((o.colour_logp + nats).tolist()))
        for o, nats in zip(looks, at, strict=True)
    )


def _struck_unnoticed(s: State, span: Span, moving: Sequence[Ball]) -> Ball | None:
    """The ball that was struck by the explanations, where none that left its place has the cue-ball's name;
    it is called so from here on.
    """
    pieces = s.follower.pieces
    if len(pieces.struck) != 1 or not any(map(hands.struck_first, moving)):
        return None
    struck = struck_unnoticed(_explanations(s, span, None), span, s.follower.balls, s.table)
    renamed = {} if struck is None else name_cue(struck, s.follower.balls)
    span.before = layout_renamed(span.before, renamed)
    return struck if renamed else None


def is_stroke(moving: list[Ball], cue: Ball | None, table: TableSpec) -> bool:
    """The cue-ball runs free; or it has left its place and what it can have struck runs free."""
    if cue is None:
        return False
    free = [b for b in moving if hands.struck_first(b)]
    if free == [cue] and not hands.set_to_play(table, cue):
        return False
    if free == [cue] and all(hands.flies_apart(leg) for leg in cue.legs):
        return False
    return bool(free)


def by_an_unseen_striker(moving: list[Ball], balls: list[Ball]) -> bool:
    """Whether several discs run free at once while the striker lies nowhere: under a finger it took no name.

    A hand takes discs one after the other. What the striker met and what became of it is not known.
    """
    striker = next((b for b in balls if b.is_cue and b.pieces.discs), None)
    if striker is None or striker in moving or striker.state is not BallState.GONE:
        return False
    return sum(hands.struck_first(b) for b in moving) >= UNSEEN_STRIKER_MOVES


def met_unsure(cue: Ball | None, span: Span, table: TableSpec) -> bool:
    """Whether the struck ball passed what may be a ball and was taken for none: a man as pale as wood."""
    if cue is None or not span.possible or not any(leg.points for leg in cue.legs):
        return False
    way, reach_mm = LineString(cue.way_mm()), table.ball_diameter_mm
    near = (b for b in span.possible if way.distance(Point(b.x_mm, b.y_mm)) < reach_mm)
    return sum(b.probability for b in near) > MAY_BE_MET


def _finish_stroke(s: State, span: Span, moving: list[Ball], solved: Solved) -> None:
    s.strokes += 1
    s.triangle.settled(s.follower.balls)
    rows: list[TrackRow] = []
    for b in moving:
        s.begin_row(b, b.before)
        end = solved.endings.get(b.name)
        legs = solved.world.paths.get(b.name, [])
        for k, path in enumerate(legs):
            rows.extend(leg_rows(b, path, span.times, end if k == len(legs) - 1 else None))
        if b.before is not None:
            s.earlier[b.name] = (b.before.x_mm, b.before.y_mm)
        b.taken_from = None
        if b.state is BallState.LEFT:
            b.state = BallState.GONE
            b.fate = "unknown" if end is None else "potted" if end.pot else "off" if end.off else "unknown"
    record, rows = _with_names(s, solved.record, rows)
    rows.sort(key=lambda r: (r.t_s, r.ball))
    s.out.extend(rows)
    start_s = max(record.start_s, s.begun_s)  # a path leads back beyond it
    possible = _possible(s, s.last_s)
    s.out.append(replace(record, start_s=start_s, possible=possible))


def _with_names(s: State, record: StrokeRecord, rows: list[TrackRow]) -> tuple[StrokeRecord, list[TrackRow]]:
    """The stroke with the names that are likeliest by now, and what else the balls may be called."""
    balls = s.follower.balls
    if not one_of_each(s.follower.pieces):
        return record, rows
    changed = rename(balls)
    s.earlier = {changed.get(b, b): place for b, place in s.earlier.items()}
    s.read_names(s.last_s, final=False)
    found = namings(balls)
    s.names_open = bool(doubts(found))
    told = replace(with_names(record, changed), namings=doubts(found))
    return told, [replace(r, ball=changed.get(r.ball, r.ball)) for r in rows]


def _finish_hand(s: State, span: Span, moving: list[Ball]) -> None:
    """No ball ran free from the cue-ball: whatever changed, a hand did it."""
    lost = [b for b in moving if b.state is BallState.LEFT and not b.covered]
    found = _named_explanations(s, span, None) if lost else ()
    for b in lost:
        b.may_lie = stays(b, found)
    for b in moving:
        s.begin_row(b, b.before)
        first = b.legs[0]
        if b.state is BallState.LEFT and b.covered:
            b.rest = b.before or b.rest  # hidden: it stays where it was
            b.state, b.track = BallState.REST, None
            continue
        s.out.append(TrackRow(first.t_rest_s, b.name, first.x0_mm, first.y0_mm, first.sigma0_mm, "rest"))
        if b.state is BallState.LEFT:
            b.state, b.fate = BallState.GONE, "lifted"
            move = hands.moved(s.table, b.name, (first.x0_mm, first.y0_mm), None, b.seen_s, None)
            s.lifted[b.name] = move
        else:
            s.out.append(_hand_move(s, b))


def _tell_lost_before(s: State, span: Span, moving: list[Ball]) -> None:
    """Balls lie otherwise since images were lost: a hand did it, or a stroke that nobody saw begin."""
    if span.lost_before is None or not moving:
        return
    start_s, end_s = span.lost_before
    s.out.append(Gap(start_s, end_s, "images_lost"))
    layout = lying(s.follower.balls)
    s.out.append(LayoutChange(end_s, layout, rack=False))


def _hand_move(s: State, b: Ball) -> HandMove | TrackRow:
    first, last = b.legs[0], b.legs[-1]
    was = first.x0_mm, first.y0_mm
    t = last.t_end_s if last.t_end_s is not None else b.seen_s
    b.row_since_s, b.row_owed = t, True
    if math.hypot(b.rest.x_mm - was[0], b.rest.y_mm - was[1]) < max(2.0, 4 * b.rest.sigma_mm):
        return TrackRow(t, b.name, b.rest.x_mm, b.rest.y_mm, b.rest.place_sigma_mm, "rest")
    b.taken_from = was
    return hands.moved(s.table, b.name, was, b.rest, t, s.earlier.get(b.name))
