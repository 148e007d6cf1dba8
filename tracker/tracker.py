"""The tracker: observations in, strokes, hands' moves, gaps and rows out. No I/O, no clock.

One object holds the phase (`machine.py`), the balls (`follower.py`) and, while something moves, the
span. A span is solved when all is still (`stroke.py`), so that contacts are read from whole paths.
Over 400 lines: one machine over one state; halves of it would share every field.
"""

from __future__ import annotations

import copy
import math
from collections import deque

from calibration.table import TableSpec
from tracker import hands, rack
from tracker.absence import Absence, Found, found_again, lay_still, unchanged
from tracker.adoption import NEW_S, NEW_START_S, Adoption, adopt
from tracker.ball import Ball, BallState, Rest
from tracker.events import Gap, HandMove, LayoutChange, StrokeRecord, TrackerEvent, TrackRow
from tracker.follower import Follower
from tracker.free_roll import tells_nothing
from tracker.identity import names_for
from tracker.jumps import emerged, find_jump, reattach, rolled_away, stands_still
from tracker.machine import Phase, Signal, next_phase
from tracker.params import CLOSE_S, MAX_SPAN_S
from tracker.paths import solve_leg
from tracker.pots import ending
from tracker.relabel import MARGIN, START_MARGIN, relabel, usurper
from tracker.rows import leg_rows, rest_row
from tracker.span import Span, layout_before
from tracker.stroke import Solved, solve_stroke
from tracker.tentative import Tentative
from tracker.triangle import TriangleWatch, expected
from tracker.wobble import begin_for_good
from tracker.world import World
from vision.observation import BALL_CLASSES, ImageObservations, UnusableReason

LOST_INTERVALS = 2.6
"""A pause of this many image intervals while balls move means lost images."""
LIFTED_S = 8.0
"""A ball missed for this long was lifted; sooner it may still be found where it lay."""
UNMOVED_MM = 6.0
"""A ball that comes to light within this of where it was lost sight of had lain there."""
PUT_BACK_MM = 250.0
"""A ball that comes to rest further than this from the pocket that it ran into was put there."""
SURELY, SURE_LOOKS = 0.8, 3
"""What takes a name from another ball is seen so surely, and so often."""
UNTIMED_S = 0.2
"""After a pause this long inside a stroke no contact time is claimed."""
HIDES_A_STROKE_S = 1.5
"""Over images lost for longer all may have come to rest and the next stroke been begun."""


class Tracker:
    """`feed` one image's observations after the other, then `close`; both return events in order.

    Deterministic: the same observations give the same events. Memory does not grow with the video.
    """

    def __init__(self, table: TableSpec) -> None:
        self.table = table
        self.phase = Phase.EMPTY
        self.follower = Follower(table)
        self.span: Span | None = None
        self._intervals: deque[float] = deque(maxlen=31)
        self._nominal_s = 0.0
        self._strokes = 0
        self._earlier: dict[str, tuple[float, float]] = {}
        self._last_s = 0.0
        self._skipped = 0
        self._any_s = 0.0  # last image of any kind, repeated ones too
        self._passed_s = 0.0  # last image that was passed over
        self._absence: Absence | None = None
        self._triangle = TriangleWatch()
        self._lifted: dict[str, HandMove] = {}  # told when the ball has not come back where it lay
        self._out: list[TrackerEvent] = []

    def feed(self, image: ImageObservations) -> list[TrackerEvent]:
        """Take one image; returns the events that it completes (mostly none)."""
        if image.unusable is not None:
            self._out_of_sight(image)
            return []
        if self._absence is not None and (image.repeated or not self._came_back(self._absence, image)):
            return self._told()
        since, self._any_s = image.t_s - max(self._any_s, self._passed_s), image.t_s
        if image.repeated:
            if self.span is not None:
                self.span.repeated.append(image.t_s)
            return []
        if self.span is not None and stands_still(self.follower, image, self._skipped):
            self.span.repeated.append(image.t_s)
            self._skipped += 1
            return []
        self._skipped = 0
        pause = image.t_s - max(self._last_s, self._passed_s)
        if self.span is None and self._nothing(image):
            self._tick(image.t_s, pause)
            self.follower.t_s, self.follower.index = image.t_s, image.index
            return self._told()
        if self.phase is Phase.EMPTY:
            self._begin(image)
        else:
            self._step(image, since)
        self._tick(image.t_s, pause)
        return self._told()

    def tells_nothing(self, t_s: float) -> bool:
        """Whether an image at that time need not be examined (`tracker.free_roll`); it is then to be passed over."""
        if self.span is not None and self.span.repeated:
            return False  # of a recording that repeats images the new ones are rare
        passed = self._passed_s > self._any_s
        return self._any_s > 0.0 and tells_nothing(self.follower.balls, self.table, self._any_s, t_s, passed)

    def pass_over(self, t_s: float) -> None:
        """Take note of an image that is not examined: it is not lost, and rows of what moves are filled from the paths."""
        self._passed_s = t_s
        if self.span is not None:
            self.span.times.append(t_s)

    @property
    def waiting(self) -> bool:
        """Whether all in sight lies still and only a lost ball is waited for."""
        still = self.span is not None and not self.follower.busy
        return still and self.span is not None and self._last_s - self.span.last_motion_s > CLOSE_S

    def foreseen(self) -> StrokeRecord | None:
        """What is `waiting`, if it is a stroke, as it would be told now.

        What is told in the end may differ: the ball may come to light. Nothing changes here.
        """
        twin = copy.deepcopy(self)
        twin._out = []
        twin._close_span()
        return next((e for e in twin._out if isinstance(e, StrokeRecord)), None)

    def close(self) -> list[TrackerEvent]:
        """The video is over: solve what is still open and give the last rows."""
        if self._absence is not None:
            self._never_back(self._absence)
        if self.span is not None:
            for b in self.follower.balls:
                if b.state is BallState.MOVING:
                    self.follower.to_rest(b, self._last_s)
            self._close_span()
        self._tell_lifted(self._last_s)
        for b in self.follower.balls:
            if b.state is BallState.REST:
                self._begin_row(b)
                self._out.append(rest_row(b, self._last_s))
        self.follower.balls = []
        self.phase = Phase.EMPTY
        return self._told()

    def _told(self) -> list[TrackerEvent]:
        out, self._out = self._out, []
        return out

    # -- spans without usable images ------------------------------------------------------------------

    def _out_of_sight(self, image: ImageObservations) -> None:
        assert image.unusable is not None
        if self._absence is None:
            self._absence = Absence(self._any_s, image.t_s, image.unusable)
        self._absence.prolong(image)

    def _came_back(self, absence: Absence, image: ImageObservations) -> bool:
        """Whether balls can be followed on from this image; until then the layout is being read anew."""
        f = self.follower
        brief = absence.fresh is None and absence.brief(image.t_s)
        if self.phase is Phase.EMPTY or brief or (absence.fresh is None and unchanged(f, image)):
            self._end_absence(absence.start_s, image.t_s, absence.reason)
            if self.span is not None:
                self.span.losses.append((absence.start_s, image.t_s))
                if brief:  # else all lay still over it, and the stroke has ended
                    self.span.last_motion_s += image.t_s - absence.start_s
                self.span.gap = self.span.gap or image.t_s - absence.start_s > UNTIMED_S
            self._any_s = image.t_s - self._nominal_s  # the pause is accounted for
            return True
        if absence.follow(self.table, image):
            self._read_anew(absence, image)
        self._any_s = image.t_s
        return False

    def _end_absence(self, start_s: float, end_s: float, reason: UnusableReason) -> None:
        self._out.append(Gap(start_s, end_s, reason))
        self._absence = None

    def _never_back(self, absence: Absence) -> None:
        self._end_absence(absence.start_s, max(absence.end_s, self._any_s), absence.reason)
        if self.span is not None:
            self.span.gap = self.span.unseen = True

    def _read_anew(self, absence: Absence, image: ImageObservations) -> None:
        """The layout after a span as it is found: a stroke under way is closed with it, nothing else concluded."""
        f, fresh = self.follower, absence.fresh
        assert fresh is not None
        lay_still(f.balls)
        found = found_again(f.balls, fresh, image)
        end_s = absence.over_s(image.t_s)
        self._end_absence(absence.start_s, end_s, absence.reason)
        for b in f.balls:
            self._place_anew(b, found, image.t_s)
        if self.span is not None:
            self._close_cut_off(self.span, found, absence.start_s, end_s)
        else:
            self._give_up_gone(found)
        known = {b.name for b in f.balls}
        for name, ball in found.elsewhere.items():
            if name not in known:
                ball.name, ball.row_since_s, ball.row_owed = name, end_s, True
                ball.legs, ball.before = [], None
                f.balls.append(ball)
        f.tentatives, f.t_s, f.index = fresh.tentatives, fresh.t_s, fresh.index
        self._last_s = image.t_s
        if found.changed:
            layout = tuple(b.placed() for b in f.balls if b.state is BallState.REST)
            self._out.append(LayoutChange(end_s, layout, rack.is_rack(self.table, layout)))

    def _place_anew(self, ball: Ball, found: Found, t_s: float) -> None:
        """A known ball where it lies after a span, or lost."""
        new = found.elsewhere.get(ball.name)
        if new is None and ball.name not in found.gone:
            if ball.name in found.stayed:
                ball.seen_s, ball.missed = t_s, 0
            return
        if ball.state is BallState.REST and not ball.legs:
            self._begin_row(ball)
        if new is None:
            ball.state = BallState.LOST
            return
        ball.rest, ball.logp, ball.state, ball.motion = new.rest, list(new.logp), BallState.REST, None
        ball.missed, ball.covered, ball.seen_s = 0, False, t_s
        ball.row_since_s, ball.row_owed = new.rest.since_s, True

    def _give_up_gone(self, found: Found) -> None:
        for b in self.follower.balls:
            if b.name in found.gone:
                b.state, b.fate, b.legs, b.before = BallState.GONE, "unknown", [], None

    def _close_cut_off(self, span: Span, found: Found, start_s: float, end_s: float) -> None:
        """The span that was under way when images failed: what was seen of it, and what lay there after it."""
        span.gap = span.unseen = True
        span.losses.append((start_s, end_s))
        unseen = [b for b in self.follower.balls if b.name in found.gone and not b.legs]
        for b in unseen:
            b.state, b.fate = BallState.GONE, "unknown"
        span.vanished = tuple(b.name for b in unseen)
        moved = [b for b in self.follower.balls if b.legs]
        if self._is_stroke(moved, next((b for b in moved if b.colour == "white"), None)):
            self._close_span()
        else:
            self.span = None
            self.phase = next_phase(self.phase, Signal.ALL_STILL)
            self._out.extend(span.later)
        self._give_up_gone(found)
        for b in self.follower.balls:
            b.legs, b.before = [], None

    # -- one image ----------------------------------------------------------------------------------

    def _nothing(self, image: ImageObservations) -> bool:
        return (
            self.phase is Phase.STILL
            and not image.observations
            and image.looked is not None
            and not self.follower.tentatives.items
            and not image.looked.any
        )

    def _tick(self, t_s: float, pause: float) -> None:
        if 0 < pause < 0.5:
            self._intervals.append(pause)
            if len(self._intervals) < 31 or self._intervals[0] != pause:
                self._nominal_s = sorted(self._intervals)[len(self._intervals) // 2]
        self._last_s = t_s

    def _begin(self, image: ImageObservations) -> None:
        if not image.observations:
            return
        self.follower.begin(image)
        self._triangle.settled(self.follower.balls)
        self.phase = next_phase(self.phase, Signal.LAYOUT_SEEN)

    def _step(self, image: ImageObservations, pause: float) -> None:
        f = self.follower
        if image.looked is None and self.span is None:
            relabel(f.balls, MARGIN if self._strokes else START_MARGIN)
        was = self._last_s
        f.step(image)
        if rack.new_balls(f, image):
            self._new_layout(image)
            return
        fresh = self._triangle.look(self.table, image) if self.span is None else None
        if fresh is not None:
            self._set_up(fresh, image.t_s)
            return
        reattach(f)
        rolled_away(f)
        jump = find_jump(f)
        for ball, item, new in emerged(f):
            if not new:
                self._tell_returned(ball, ball.before or ball.rest, item.points[0].t_s)
                continue
            self._lifted.pop(ball.name, None)
            if self.span is not None:
                self.span.before = (*self.span.before, *layout_before([ball]))
        if self.span is None and any(b.legs for b in f.balls):
            self._open_span(jump[0] if jump is not None else was)
        if jump is not None and self.span is not None:
            self._out.append(self.span.lose(*jump))
        for item in f.tentatives.settled(image.t_s, image.covered, self.table.ball_radius_mm):
            self._adopt(item, image.t_s)
        self._tell_lifted(image.t_s - LIFTED_S)
        if self.span is not None:
            self._in_span(image, pause)

    def _tell_returned(self, ball: Ball, rest: Rest, t_s: float) -> None:
        """A ball that was off the table rolls on it: put back unseen, or never gone where it was only thought lifted."""
        lifted = self._lifted.pop(ball.name, None)
        if lifted is None or lifted.from_mm is None:
            self._tell(hands.returned(ball.name, ball.colour, None, rest, t_s))
        elif math.hypot(rest.x_mm - lifted.from_mm[0], rest.y_mm - lifted.from_mm[1]) > UNMOVED_MM:
            self._tell(hands.moved(self.table, ball.name, lifted.from_mm, rest, t_s, self._earlier.get(ball.name)))

    def _tell_lifted(self, until_s: float) -> None:
        """Balls that were lifted and have stayed away: said now."""
        for name, move in list(self._lifted.items()):
            if move.t_s <= until_s:
                self._out.append(self._lifted.pop(name))

    def _open_span(self, t_s: float) -> None:
        relabel(self.follower.balls, MARGIN if self._strokes else START_MARGIN)
        self.span = Span(t_s, layout_before(self.follower.balls), last_motion_s=t_s)
        self.phase = next_phase(self.phase, Signal.BALL_LEFT)

    def _in_span(self, image: ImageObservations, pause: float) -> None:
        span, f = self.span, self.follower
        assert span is not None
        span.times.append(image.t_s)
        stood_s = image.t_s - span.last_motion_s - max(pause - self._nominal_s, 0.0)
        if f.busy and stood_s > CLOSE_S:
            self._split_span(image.t_s)
            return
        if f.busy:
            if self._nominal_s > 0 and pause > LOST_INTERVALS * self._nominal_s:
                self._out.append(Gap(image.t_s - pause, image.t_s, "images_lost"))
                span.losses.append((image.t_s - pause, image.t_s))
                span.gap = span.gap or pause > UNTIMED_S
                span.unseen = span.unseen or pause > HIDES_A_STROKE_S
            span.last_motion_s = image.t_s
        if not any(b.legs for b in f.balls) and not span.departed:
            self.phase = next_phase(self.phase, Signal.CANCELLED)
            self.span = None
            self._out.extend(span.later)
            return
        quiet = image.t_s - span.last_motion_s > CLOSE_S and not f.awaited(image.t_s)
        if quiet or image.t_s - span.start_s > MAX_SPAN_S:
            self._close_span()

    def _split_span(self, t_s: float) -> None:
        """All was still, only a hidden ball was waited for, and now something moves: the next stroke."""
        f = self.follower
        fresh = [(b, b.legs.pop(), b.motion) for b in f.balls if b.state is BallState.MOVING and b.legs]
        for b, _, _ in fresh:
            b.state, b.motion = BallState.REST, None
        self._close_span()
        for b, leg, motion in fresh:
            b.before, b.legs, b.state, b.motion = b.rest, [leg], BallState.MOVING, motion
        self._open_span(min((leg.t_rest_s for _, leg, _ in fresh), default=t_s))
        assert self.span is not None
        self.span.times.append(t_s)
        self.span.last_motion_s = t_s

    # -- balls that come back -------------------------------------------------------------------------

    def _adopt(self, item: Tentative, t_s: float) -> None:
        f = self.follower
        usurped = usurper(f.balls, item.logp) if item.confidence > SURELY and item.rest.n >= SURE_LOOKS else None
        if usurped is not None:
            if self.span is None and t_s - item.static_since_s > (NEW_S if self._strokes else NEW_START_S):
                self._give_name(usurped, item, t_s)
            return
        spotted = next((c for c in BALL_CLASSES if f.at_spot(c, item.rest.x_mm, item.rest.y_mm)), None)
        expected = hands.put_back_there(self.table, item.rest.x_mm, item.rest.y_mm)
        found = adopt(item, f.balls, t_s, self._strokes == 0 and self.span is None, spotted, f.tentatives.items, expected)
        if found is None:
            return
        fell = found.ball is not None and found.kind == "found" and self._was_potted(found.ball, item)
        if fell and found.colour == "red":
            return  # nobody puts a red back: it is something else
        f.tentatives.remove(item)
        if found.ball is None:
            self._adopt_new(item, found, t_s)
        elif found.kind == "returned":
            self._return(found.ball, item)
        elif fell:
            self._return_in_span(found.ball, item)
        else:
            self._put(found.ball, item)

    def _give_name(self, usurped: tuple[Ball, str], item: Tentative, t_s: float) -> None:
        """What has come to light is the ball whose name another one had."""
        owner, instead = usurped
        name, colour = names_for([instead], [b.name for b in self.follower.balls])[0], owner.colour
        if name is None:
            return
        owner.name, owner.colour, owner.rest.agreed = name, instead, 0
        self.follower.tentatives.remove(item)
        self._adopt_new(item, Adoption("new", None, colour), t_s)

    def _adopt_new(self, item: Tentative, found: Adoption, t_s: float) -> None:
        f = self.follower
        name = names_for([found.colour], [b.name for b in f.balls])[0]
        if name is None:
            return
        ball = f.new_ball(name, found.colour, item.static_since_s)
        self._lay(ball, item)
        f.balls.append(ball)
        if self._strokes:
            self._tell_layout(t_s)

    def _tell_layout(self, t_s: float) -> None:
        """A ball lies where neither a stroke nor a hand was seen to bring it."""
        balls = self.follower.balls
        self._tell(LayoutChange(t_s, tuple(b.placed() for b in balls if b.state is BallState.REST), False))

    def _lay(self, ball: Ball, item: Tentative) -> None:
        """Put the ball where the settled thing lies."""
        ball.rest, ball.state, ball.motion = item.rest, BallState.REST, None
        ball.rest.since_s = ball.row_since_s = item.static_since_s
        ball.row_owed = True
        ball.logp = list(item.logp)
        ball.missed, ball.covered = 0, False
        ball.seen_s = item.seen_s

    def _return(self, ball: Ball, item: Tentative) -> None:
        was = ball.rest.x_mm, ball.rest.y_mm
        same = math.hypot(item.rest.x_mm - was[0], item.rest.y_mm - was[1]) < max(UNMOVED_MM, 5 * item.rest.sigma_mm)
        self._lay(ball, item)
        ball.legs, ball.before = [], None
        lifted = self._lifted.pop(ball.name, None)
        if same and ball.fate in ("unknown", "lifted") and self.span is not None and ball.name not in self.span.returned:
            self.span.before = (*self.span.before, ball.placed())  # in the stroke it lay there, and can have been met
        if ball.fate in ("unknown", "lifted") and same and (lifted is not None or ball.fate == "unknown"):
            return  # it had lain there all the time, out of sight
        if ball.fate == "lifted":
            rest, at = ball.rest, item.static_since_s
            self._tell(hands.moved(self.table, ball.name, was, rest, at, self._earlier.get(ball.name)))
            return
        if ball.fate == "unknown":  # it rolled under a cover and comes to light
            self._tell_layout(item.static_since_s)
            return
        if self.span is not None and item.points[0].t_s < self.span.start_s and ball.name not in self.span.returned:
            self.span.before = (*self.span.before, ball.placed())  # it lay there before the stroke began
        self._tell(hands.returned(ball.name, ball.colour, None, ball.rest, item.static_since_s))

    def _was_potted(self, ball: Ball, item: Tentative) -> bool:
        """Whether a lost ball fell before a hand put it back: it ended at a pocket and came back elsewhere."""
        x, y = ball.place
        far = math.hypot(item.rest.x_mm - x, item.rest.y_mm - y) > PUT_BACK_MM
        if self.span is None or not far or item.static_since_s - ball.seen_s < 0.2:
            return False
        path = solve_leg(ball.name, ball.legs[-1]) if ball.legs else None
        world = World(self.table, None, {}, {})
        return ending(world, ball, path, False).pot is not None

    def _return_in_span(self, ball: Ball, item: Tentative) -> None:
        assert self.span is not None
        f = self.follower
        fresh = f.new_ball(ball.name, ball.colour, item.static_since_s)
        f.balls[f.balls.index(ball)] = fresh
        fresh.fate, fresh.rest = "potted", ball.rest
        self.span.departed.append(ball)
        self.span.returned.add(ball.name)
        self._return(fresh, item)

    def _put(self, ball: Ball, item: Tentative) -> None:
        """A ball that was lost, or that a hand carried, lies here now: the end of a leg."""
        f = self.follower
        if ball.state is BallState.REST:
            f.set_off(ball)
        if self.span is None:
            self._open_span(ball.legs[-1].t_rest_s)
        assert self.span is not None
        leg = ball.legs[-1]
        after = leg.points[-1].t_s if leg.points else -1.0
        leg.points.extend(p for p in item.points if p.t_s > after)
        f.to_rest(ball, item.static_since_s, item.points[-8:])
        ball.seen_s = item.seen_s
        self.span.last_motion_s = max(self.span.last_motion_s, item.static_since_s)

    def _tell(self, event: TrackerEvent) -> None:
        if self.span is not None:
            self.span.later.append(event)
        else:
            self._out.append(event)

    # -- closing --------------------------------------------------------------------------------------

    def _close_span(self) -> None:
        span, f = self.span, self.follower
        assert span is not None
        balls = [b for b in f.balls if b.name not in span.returned] + span.departed
        for b in balls:
            legs = [] if hands.came_back(b) else [leg for leg in b.legs if not hands.went_nowhere(leg)]
            b.legs = begin_for_good(legs)
        if span.repeated:
            self._out.append(Gap(span.repeated[0], span.repeated[-1], "images_repeated"))
        moving = [b for b in balls if b.legs]
        cue = next((b for b in moving if b.colour == "white"), None)
        if self._is_stroke(moving, cue):
            solved = solve_stroke(self.table, balls, span, self._last_s)
            self._finish_stroke(span, moving, solved)
        else:
            self._finish_hand(moving)
        self._out.extend(span.later)
        for b in f.balls:
            b.legs, b.before = [], None
            b.trail.clear()
        self.span = None
        self.phase = next_phase(self.phase, Signal.ALL_STILL)

    @staticmethod
    def _is_stroke(moving: list[Ball], cue: Ball | None) -> bool:
        """The cue-ball runs free; or it has left its place and what it can have struck runs free."""
        if cue is None:
            return False
        free = [b for b in moving if hands.struck_first(b)]
        if free == [cue] and all(hands.flies_apart(leg) for leg in cue.legs):
            return False
        return bool(free)

    def _begin_row(self, ball: Ball, place: Rest | None = None) -> None:
        if ball.row_owed:
            r = place or ball.rest
            self._out.append(TrackRow(ball.row_since_s, ball.name, r.x_mm, r.y_mm, r.sigma_mm, "rest"))
            ball.row_owed = False

    def _finish_stroke(self, span: Span, moving: list[Ball], solved: Solved) -> None:
        self._strokes += 1
        self._triangle.settled(self.follower.balls)
        rows: list[TrackRow] = []
        for b in moving:
            self._begin_row(b, b.before)
            end = solved.endings.get(b.name)
            legs = solved.world.paths.get(b.name, [])
            for k, path in enumerate(legs):
                rows.extend(leg_rows(b, path, span.times, end if k == len(legs) - 1 else None))
            if b.before is not None:
                self._earlier[b.name] = (b.before.x_mm, b.before.y_mm)
            if b.state is BallState.LOST:
                b.state = BallState.GONE
                b.fate = "unknown" if end is None else "potted" if end.pot else "off" if end.off else "unknown"
        rows.sort(key=lambda r: (r.t_s, r.ball))
        self._out.extend(rows)
        self._out.append(solved.record)

    def _finish_hand(self, moving: list[Ball]) -> None:
        """No ball ran free from the cue-ball: whatever changed, a hand did it."""
        for b in moving:
            self._begin_row(b, b.before)
            first = b.legs[0]
            if b.state is BallState.LOST and b.covered:
                b.rest = b.before or b.rest  # hidden: it stays where it was
                b.state, b.motion = BallState.REST, None
                continue
            self._out.append(
                TrackRow(first.t_rest_s, b.name, first.x0_mm, first.y0_mm, first.sigma0_mm, "rest")
            )
            if b.state is BallState.LOST:
                b.state, b.fate = BallState.GONE, "lifted"
                move = hands.moved(self.table, b.name, (first.x0_mm, first.y0_mm), None, b.seen_s, None)
                self._lifted[b.name] = move
            else:
                self._out.append(self._hand_move(b))

    def _hand_move(self, b: Ball) -> HandMove | TrackRow:
        first, last = b.legs[0], b.legs[-1]
        was = first.x0_mm, first.y0_mm
        t = last.t_end_s if last.t_end_s is not None else b.seen_s
        b.row_since_s, b.row_owed = t, True
        if math.hypot(b.rest.x_mm - was[0], b.rest.y_mm - was[1]) < max(2.0, 4 * b.rest.sigma_mm):
            return TrackRow(t, b.name, b.rest.x_mm, b.rest.y_mm, b.rest.sigma_mm, "rest")
        return hands.moved(self.table, b.name, was, b.rest, t, self._earlier.get(b.name))

    def _new_layout(self, image: ImageObservations) -> None:
        """The balls were set anew, or the picture shows another table: close what is open, name afresh."""
        if self.span is not None:
            self._close_span()
        for b in self.follower.balls:
            if b.state is BallState.REST:
                self._begin_row(b)
                self._out.append(rest_row(b, self._last_s))
        self.phase = next_phase(self.phase, Signal.CUT)
        self._out.append(Gap(self._last_s, image.t_s, "cut"))
        self.follower.tentatives.items = []
        self._begin(image)
        layout = tuple(b.placed() for b in self.follower.balls)
        self._out.append(LayoutChange(image.t_s, layout, rack.is_rack(self.table, layout)))

    def _set_up(self, fresh: Follower, t_s: float) -> None:
        """Hands have set a new triangle: the balls have new names, and who is missing is still to come."""
        for b in self.follower.balls:
            if b.state is BallState.REST:
                self._begin_row(b)
                self._out.append(rest_row(b, self._last_s))
        fresh.balls += expected(fresh, t_s)
        self.follower = fresh
        self._lifted, self._earlier = {}, {}
        self._triangle.settled(fresh.balls)
        layout = tuple(b.placed() for b in fresh.balls if b.state is BallState.REST)
        self._out.append(LayoutChange(t_s, layout, True))
