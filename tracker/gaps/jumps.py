"""Jumps: a ball is where no ball can have come from its last place in the time."""

from __future__ import annotations

import math
from itertools import pairwise

from calibration.table.pockets import in_mouth, no_rest_place
from calibration.table.specs import TableSpec
from tracker.association.associator import CONTRADICTION
from tracker.association.follower import Follower
from tracker.association.motion import Motion, started
from tracker.ball import ALIKE_LOOKS, SURE, Ball, BallState, Leg, Point, Rest, mostly_doubtful
from tracker.detections.tentative import STATIC_S, Tentative
from tracker.detections.unseen import fell_and_put_back, fell_off_board
from tracker.explain.ghosts import MOST_GHOSTS
from tracker.identity.numbering import likely_colour, names_for
from tracker.params import SURE_FALLING
from vision.observation import ImageObservations, Observation

RECENT_S = 0.5
RETURN_LOOKS = 3
"""So many images of a track may give a lost ball back."""
FELL = 2.9
"""Log-odds of a fall of a ball that was lost on its straight way into a pocket near by: 19 in 20. Assumed."""
LEADS_RADII = 16
"""Ball radii from its last place within which a way leads into a pocket: an eighth of the table's length."""
EVEN_IMAGES, EVEN_MM_S, EVEN_SHARE = 3, 200.0, 0.3
"""So many images, so fast and so evenly, show that the clock of the images is right."""
MIN_JUMP_MM = 60.0
MIN_JUMP_CONFIDENCE = 0.6
CLEAR_IMAGES = 4
"""What came out from under a cover is a ball when it has been seen in so many images clear of it."""
MAX_SKIPPED = 3
SURE_ROLL = 0.7
MISSED_IMAGES = 6
MISSED_RUN_MM = 60.0
"""A red that no layout knew must be seen rolling in this many images and this far."""
LEFT_S = 0.5
"""What rolls away from a ball's place is seen this soon after it was last seen lying there."""
STILL_MM, STILL_SIGMAS = 0.5, 2.0
"""What is seen no further from its last place than that, the larger of both, has not moved. Television's end
view sees a far ball to 1.6 mm, and a repeated image that is coded anew shows it 0.9 mm off.
"""
EXPECTED_MM, EXPECTED_LIMITS, EXPECTED_SIGMAS = 8.0, 3.0, 2.0
"""A ball must have been about to move by so much, and by so many of these limits, however slow its speed may
have been: one that has just set off, or turned, may stand still at once.
"""
STRUCK_STEPS = 2.0
"""A ball that has just been struck goes on by half of its first step at least, unless it met something."""
REST_STILL_MM = 4.0


def stands_still(follower: Follower, image: ImageObservations, skipped: int) -> bool:
    """Whether the picture is the last one again although it does not say so: what rolls fast has not moved at
    all.

    Every sure observation must lie where a ball or a thing was seen last (within 0.5 mm, or as exactly as it
    is seen), and one moving ball must have been about to move 8 mm or more, and much further than that.
    `skipped`: pictures left out in a row so far; a ball that a hand puts down looks the same, so that only a
    few are.
    """
    if skipped >= MAX_SKIPPED or not any(_stopped(b, image) for b in follower.balls):
        return False
    last: list[tuple[Point | Rest, float]] = [(i.points[-1], STILL_MM) for i in follower.tentatives.items]
    last += [_last_place(b) for b in follower.balls if b.state is not BallState.GONE]
    return all(
        any(_same_place(o, place, least_mm) for place, least_mm in last)
        for o in follower.usable(image)
        if o.confidence > MIN_JUMP_CONFIDENCE
    )


def _last_place(ball: Ball) -> tuple[Point | Rest, float]:
    """Where a ball was seen last, and within how many mm it is there still, however exactly it is seen."""
    if ball.state is BallState.REST or not ball.legs or not ball.legs[-1].points:
        return ball.rest, REST_STILL_MM
    return ball.legs[-1].points[-1], STILL_MM


def _stopped(ball: Ball, image: ImageObservations) -> bool:
    """Whether a moving ball that should have gone on is seen where it was seen last."""
    if ball.state is not BallState.MOVING or ball.motion is None or not ball.legs or not ball.legs[-1].points:
        return False
    last = ball.legs[-1].points[-1]
    way_mm = _least_way_mm(ball.legs[-1], ball.motion, image.t_s)
    return way_mm > EXPECTED_MM and any(
        _same_place(o, last, STILL_MM) and way_mm > EXPECTED_LIMITS * _still_mm(o, last, STILL_MM)
        for o in image.observations
    )


def _least_way_mm(leg: Leg, motion: Motion, t_s: float) -> float:
    """How far a ball goes on at least until a time, from where it was seen last."""
    first, last = leg.points[0], leg.points[-1]
    if len(leg.points) == 1:  # it has just been struck: it goes on at least half as far as it came here
        return math.hypot(first.x_mm - leg.x0_mm, first.y_mm - leg.y0_mm) / STRUCK_STEPS
    slowest = motion.speed_mm_s - EXPECTED_SIGMAS * math.sqrt(motion.p_vv)
    return slowest * (t_s - last.t_s)


def _same_place(obs: Observation, last: Point | Rest, least_mm: float) -> bool:
    return math.hypot(obs.x_mm - last.x_mm, obs.y_mm - last.y_mm) < _still_mm(obs, last, least_mm)


def _still_mm(obs: Observation, last: Point | Rest, least_mm: float) -> float:
    """How far apart two looks at one place may lie: as exactly as both were seen, and at least so much."""
    return max(least_mm, STILL_SIGMAS * math.hypot(obs.sigma_mm, last.sigma_mm))


def find_jump(follower: Follower) -> float | None:
    """Attach balls that jumped to where they are now; returns when the first of them was seen last before.
    Whether images were lost in between is for the explanations of the stroke to say.

    Needs two images that show the ball at the new place and two looks that miss it at the old one, no
    cover near either, and the time between too short for the fastest ball, or no path at all.
    """
    found: float | None = None
    for item in list(follower.tentatives.items):
        if len(item.points) < 2 or item.misses or item.confidence < MIN_JUMP_CONFIDENCE:
            continue
        if any(p.near_cover for p in item.points[-CLEAR_IMAGES:]):
            continue
        if _doubled(follower, item):
            continue
        ball = _owner(follower, item)
        if ball is None or (ball.state is BallState.REST and _rolls_on(follower, ball.seen_s)):
            continue
        if _fell(follower, ball):
            continue
        since_s = ball.seen_s
        own = _rolled_there(ball, item)
        _attach(follower, ball, item)
        if own:
            ball.legs[-1].jumped = False
            continue
        found = since_s if found is None else min(since_s, found)
    return found


def _rolls_on(follower: Follower, since_s: float) -> bool:
    """Whether some ball has rolled evenly from before a time until now: no images are lost in between."""
    for b in follower.balls:
        if b.state is not BallState.MOVING or b.missed or not b.legs:
            continue
        points = b.legs[-1].points
        first = next((k for k in range(len(points) - 1, -1, -1) if points[k].t_s < since_s), None)
        if first is None or len(points) - first < EVEN_IMAGES:
            continue
        steps = [
            ((q.x_mm - p.x_mm) / (q.t_s - p.t_s), (q.y_mm - p.y_mm) / (q.t_s - p.t_s))
            for p, q in pairwise(points[first:])
        ]
        least = min(math.hypot(*v) for v in steps)
        if least > EVEN_MM_S and all(math.dist(u, v) < EVEN_SHARE * least for u, v in pairwise(steps)):
            return True
    return False


def reattach(follower: Follower) -> None:
    """Give lost balls back what is seen of them again: three images that fit the colour and the reach."""
    for item in list(follower.tentatives.items):
        if len(item.points) < RETURN_LOOKS or item.misses or item.is_mark:
            continue
        costs = [(cost, b) for b in follower.balls if (cost := _return_cost(follower, b, item)) is not None]
        if costs:
            ball = min(costs, key=lambda c: c[0])[1]
            _attach(follower, ball, item)
            ball.legs[-1].jumped = False


def _return_cost(follower: Follower, ball: Ball, item: Tentative) -> float | None:
    """What speaks against a track being a lost ball that is seen again; None where it cannot be."""
    first, table = item.points[0], follower.table
    if ball.state is not BallState.LOST or first.t_s <= ball.seen_s:
        return None
    if fell_and_put_back(ball, follower.balls, first.t_s, table):
        return None  # a hand brings it: `returns.take_up` says so
    if fell_off_board(ball, (first.x_mm, first.y_mm), first.t_s, table):
        return None
    beside_cover = all(p.near_cover for p in item.points)
    unsure = item.confidence < SURE or mostly_doubtful(item.points) or beside_cover
    unlike = -item.logp[ball.own] / len(item.points)  # each look's own best, which clutter changes
    if unsure and unlike > CONTRADICTION:
        return None  # of another colour: a pocket's leather, a reflection, a cuff
    x, y = ball.place
    at_pocket = in_mouth(x, y, table) or no_rest_place(x, y, table)  # where it fell from sight
    if at_pocket and item.confidence < SURE_FALLING:
        return None  # leather, or a net that still swings
    cost = colour_against(item, ball, follower)
    cost += FELL / RETURN_LOOKS if leads_into_pocket(ball, table) else 0.0
    speed = ball.motion.speed_mm_s if ball.motion is not None else 0.0
    near = at_pocket or item.confidence < SURE
    reach = 100.0 if near else 1.2 * speed * (first.t_s - ball.seen_s) + 100.0
    far = math.hypot(first.x_mm - x, first.y_mm - y)
    return cost + far / reach if far < reach and cost < 2.0 else None


def colour_against(item: Tentative, ball: Ball, follower: Follower) -> float:
    """What a track's colour says against a lost ball, log-likelihood over what three looks may say.

    Looks at one track are alike, so that many say no more than `ALIKE_LOOKS`, but more than three.
    """
    likely = likely_colour(item.logp, follower.balls, follower.pieces)[0]
    mean = (item.logp[follower.pieces.index[likely]] - item.logp[ball.own]) / len(item.points)
    return mean * min(len(item.points), ALIKE_LOOKS) / RETURN_LOOKS


def leads_into_pocket(ball: Ball, table: TableSpec) -> bool:
    """Whether the way of a ball, as it was seen last, goes straight on into a pocket's mouth."""
    motion = ball.motion
    if motion is None or motion.speed_mm_s < EVEN_MM_S:
        return False
    step_s = table.ball_radius_mm / motion.speed_mm_s
    ways = (
        (motion.x_mm + k * step_s * motion.vx_mm_s, motion.y_mm + k * step_s * motion.vy_mm_s)
        for k in range(LEADS_RADII)
    )
    for x, y in ways:
        if in_mouth(x, y, table):
            return True
        if abs(x) > table.half_width_mm or not 0.0 <= y <= table.length_mm:
            return False  # a cushion first
    return False


def rolled_away(follower: Follower) -> None:
    """Give a ball that has left its place unseen what rolls away from there, whatever colour it seems to
    have.

    Red on red cloth, blurred, is read as anything: that the way leads back to where a ball is missing says
    more.
    """
    for item in list(follower.tentatives.items):
        if len(item.points) < 4 or item.misses or not _struck(follower):
            continue
        run, since_s = _run_mm(item), item.points[0].t_s
        if run < MISSED_RUN_MM:
            continue
        left = [x for x in follower.balls if _left_unseen(x, since_s) and _leads_back(x, item, run)]
        if len(left) == 1:
            _attach(follower, left[0], item)
            left[0].legs[-1].jumped = False


def _struck(follower: Follower) -> bool:
    """Whether a stroke is under way: the cue-ball has left its place."""
    return any(b.is_cue and b.legs for b in follower.balls)


def _left_unseen(ball: Ball, t_s: float) -> bool:
    """Whether a ball that lay at rest was gone when something else was first seen at a time."""
    if ball.is_cue or not 0.0 < t_s - ball.seen_s < LEFT_S:
        return False
    if ball.state is BallState.REST:
        return ball.missed >= 2 and not ball.covered
    return ball.state is BallState.LOST and bool(ball.legs) and not ball.legs[-1].points


def _leads_back(ball: Ball, item: Tentative, run_mm: float) -> bool:
    """Whether a smooth way, drawn backwards, passes the ball's place; no longer than it takes to come from
    there.
    """
    a, b = item.points[0], item.points[-1]
    ux, uy = (b.x_mm - a.x_mm) / run_mm, (b.y_mm - a.y_mm) / run_mm
    if any(abs((p.x_mm - a.x_mm) * uy - (p.y_mm - a.y_mm) * ux) > 0.1 * run_mm for p in item.points):
        return False
    dx, dy = a.x_mm - ball.rest.x_mm, a.y_mm - ball.rest.y_mm
    along, aside = dx * ux + dy * uy, abs(dx * uy - dy * ux)
    speed = run_mm / max(b.t_s - a.t_s, 1e-3)
    return -10.0 < along < 1.5 * speed * (a.t_s - ball.seen_s) + 20.0 and aside < 15.0 + 0.1 * max(along, 0.0)


def _rolled_there(ball: Ball, item: Tentative) -> bool:
    """Whether the track's own speed explains the way from the ball's last place: missed, not lost images."""
    a, b = item.points[0], item.points[-1]
    speed = _run_mm(item) / max(b.t_s - a.t_s, 1e-3)
    x, y = ball.place
    return math.hypot(a.x_mm - x, a.y_mm - y) < 1.5 * speed * (a.t_s - ball.seen_s) + MIN_JUMP_MM


def _fell(follower: Follower, ball: Ball) -> bool:
    """Whether a ball out of sight was last seen over a drop: what shows it elsewhere is a hand that brings it
    back.
    """
    return ball.state is BallState.LOST and no_rest_place(*ball.place, follower.table)


def _doubled(follower: Follower, item: Tentative) -> bool:
    """Give a ball that runs on the table to the one ball of its colour, wherever that was thought to be.

    There is one white and one of each colour: when one is seen moving in four images and its owner is
    not seen at all meanwhile, the owner's last place was a mistake (a cover, a false observation).
    """
    if len(item.points) < 4:
        return False
    colour, margin = likely_colour(item.logp, follower.balls, follower.pieces)
    run = _run_mm(item)
    if colour in follower.pieces.alike or margin < 6.0 or run < 20.0:
        return False
    owners = [b for b in follower.balls if b.colour == colour and b.state is not BallState.GONE]
    if len(owners) != 1:
        return False
    ball = owners[0]
    if ball.seen_s >= item.points[MOST_GHOSTS].t_s or _fell(follower, ball):
        return False  # a ghost of it may be seen where it lay
    leg = ball.legs[-1] if ball.legs else None
    if (
        leg is not None
        and leg.points
        and math.hypot(leg.points[-1].x_mm - leg.x0_mm, leg.points[-1].y_mm - leg.y0_mm) < 5
    ):
        leg.points.clear()
    speed = max(ball.motion.speed_mm_s if ball.motion is not None else 0.0, 1000.0)
    first = item.points[0]
    far = math.hypot(first.x_mm - ball.place[0], first.y_mm - ball.place[1])
    possible = far < 1.3 * speed * (first.t_s - ball.seen_s) + 100.0
    _attach(follower, ball, item)
    if possible:
        ball.legs[-1].jumped = False
    return True


def emerged(follower: Follower) -> list[tuple[Ball, Tentative, bool]]:
    """Colours that are off the table, or never seen yet, and roll on it in four images, uncovered.

    A hand had put them back unseen; or the first picture missed them, or they were thought lifted and roll
    away from where they lay, hidden (third value True). Reds do not come back: one that rolls and that
    nothing explains was missed so far.
    """
    out: list[tuple[Ball, Tentative, bool]] = []
    for item in list(follower.tentatives.items):
        colour = _colour_that_rolls(follower, item)
        if colour is None:
            continue
        owners = [b for b in follower.balls if b.colour == colour and colour not in follower.pieces.alike]
        new = not owners
        if new:
            name = names_for([colour], [b.name for b in follower.balls], follower.pieces)[0]
            if name is None:
                continue
            owners = [follower.new_ball(name, colour, item.points[0].t_s)]
            owners[0].state = BallState.GONE
            follower.balls.extend(owners)
        out += [
            (b, item, _back_on_table(follower, b, item, new) or new)
            for b in owners
            if b.state is BallState.GONE
        ]
    return out


def _colour_that_rolls(follower: Follower, item: Tentative) -> str | None:
    """The colour of a track that is surely a ball and rolls; of several alike, only during a stroke."""
    if len(item.points) < 4 or item.misses or any(p.near_cover for p in item.points[1:]):
        return None
    colour, margin = likely_colour(item.logp, follower.balls, follower.pieces)
    run = _run_mm(item)
    lies = item.seen_s - item.static_since_s >= STATIC_S  # it rolled once: `returns.take_up` names it
    if lies or margin < 6.0 or run < 20.0 or item.confidence < SURE_ROLL:
        return None
    missed = len(item.points) >= MISSED_IMAGES and run >= MISSED_RUN_MM and _struck(follower)
    return colour if missed or colour not in follower.pieces.alike else None


def _run_mm(item: Tentative) -> float:
    """How far a track has come since it was first seen."""
    a, b = item.points[0], item.points[-1]
    return math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm)


def _back_on_table(follower: Follower, ball: Ball, item: Tentative, new: bool) -> bool:
    """Give a ball that was off the table the track that rolls; returns whether it had lain there, hidden."""
    hidden = not new and ball.fate == "lifted" and _leads_back(ball, item, _run_mm(item))
    if hidden:
        ball.legs, ball.before, ball.motion, ball.state = [], None, None, BallState.REST
    else:
        _revive(ball, item)
    _attach(follower, ball, item)
    ball.legs[-1].jumped = False
    return hidden


def _revive(ball: Ball, item: Tentative) -> None:
    first = item.points[0]
    ball.rest = Rest(since_s=first.t_s)
    ball.rest.add(first.t_s, first.x_mm, first.y_mm, first.sigma_mm)
    ball.legs, ball.before, ball.motion = [], None, None
    ball.state, ball.missed, ball.covered = BallState.REST, 0, False
    ball.seen_s, ball.row_since_s, ball.row_owed = first.t_s - 1e-3, first.t_s, True


def _owner(follower: Follower, item: Tentative) -> Ball | None:
    colour, margin = likely_colour(item.logp, follower.balls, follower.pieces)
    if margin < 2.0:
        return None
    rolls = len(item.points) >= 4 and _run_mm(item) > 20.0  # a ball without doubt: somebody's
    jumps = [
        (far, b)
        for b in follower.balls
        if b.colour == colour and (far := _jump_mm(follower, b, item, rolls)) is not None
    ]
    return min(jumps, key=lambda j: j[0])[1] if jumps else None


def _jump_mm(follower: Follower, ball: Ball, item: Tentative, rolls: bool) -> float | None:
    """How far a ball jumped if the track is its; None where it did not, or was seen or covered meanwhile."""
    first, at_rest = item.points[0], ball.state is BallState.REST
    if ball.state is BallState.GONE or ball.covered or ball.missed < (2 if at_rest and not rolls else 1):
        return None
    away_s = first.t_s - ball.seen_s
    if not 0.0 < away_s <= (4 * RECENT_S if rolls else RECENT_S):
        return None
    x, y = ball.place
    if not at_rest and in_mouth(x, y, follower.table):
        return None  # it fell
    far = math.hypot(first.x_mm - x, first.y_mm - y)
    # what lay still and can have been struck was followed by the association already
    struck = follower.pieces.fastest_mm_s if ball.is_cue else 0.0
    possible = 1.5 * (ball.motion.speed_mm_s if ball.motion is not None else struck)
    reachable = far < max(MIN_JUMP_MM, possible * away_s)
    if (reachable and not rolls) or (ball.colour in follower.pieces.alike and far > 2500.0):
        return None
    return far


def _attach(follower: Follower, ball: Ball, item: Tentative) -> None:
    if ball.state is BallState.REST:
        ball.set_off(item.points[-1].t_s)
    leg = ball.legs[-1]
    leg.jumped = True
    after = leg.points[-1].t_s if leg.points else -1.0
    leg.points.extend(p for p in item.points if p.t_s > after)
    a, b = item.points[-2], item.points[-1]
    ball.motion = started(a.t_s, a.x_mm, a.y_mm, b.t_s, b.x_mm, b.y_mm, b.sigma_mm)
    ball.state = BallState.MOVING
    ball.seen_s = b.t_s
    ball.missed, ball.covered = 0, False
    follower.tentatives.remove(item)
