"""The tracker: observations in, strokes, hands' moves, gaps and rows out. No I/O, no clock.

One state (`state.py`) holds the phase (`machine.py`), the balls (`association/follower.py`) and, while
something moves, the span (`stroke/spans.py`). A span is solved when all is still (`stroke/solve.py`), so that
contacts are read from whole paths. `identity/returns.py` names balls that reappear; `gaps/unusable.py` deals
with images that show nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from tracker.association.follower import Follower
from tracker.ball import BallState
from tracker.events import Gap, Layout, LayoutChange, StrokeRecord, TrackerEvent
from tracker.explain.sound import hearing
from tracker.explain.window import Window
from tracker.gaps.rewind import Rewind
from tracker.gaps.stands_still import stands_still
from tracker.gaps.unusable import came_back, never_back, out_of_sight
from tracker.gaps.waiting import Wait, set_off_s
from tracker.identity.identify import MISREAD, surely_a_ball, unlike
from tracker.identity.names import lying, placed
from tracker.identity.returns import take_up, tell_lifted
from tracker.layout import hands, rack
from tracker.layout.triangle import expected
from tracker.machine import Phase, Signal, next_phase
from tracker.params import CLOSE_S, MAX_SPAN_S
from tracker.rest.free_roll import tells_nothing
from tracker.rows import rest_row
from tracker.state import UNTIMED_S, State
from tracker.stroke.span import Span
from tracker.stroke.spans import (
    close_before,
    close_span,
    close_where_it_stops,
    name_anew,
    open_span,
)
from tracker.stroke.under_way import movers_since
from vision.observation import ImageObservations

HIDES_A_STROKE_S = 1.5
"""Over images lost for longer all may have come to rest and the next stroke been begun."""
NOTICED_S = 4.0
"""A cue-ball struck while images were lost, and itself lost by it, meets a ball within this of their end."""
BEGUN_S = 1.0
"""Until so long after the first image of all, what rolls tells whether it rolled in that one."""
MISSED_S = 1.0
"""The cue-ball, missed in the first image and seen rolling so soon after it, was rolling before it, if it was
not seen to lie there first.
"""
SETTLED_S = 1.3
"""All has been looked at again so long after the last motion (`vision.observer`: 0.2, 0.6 and 1.2 s)."""
NAMES_READ_S = 0.5
"""A doubt about names is told as it stands this long after the last look at the whole table."""
LIFTED_S = 8.0
"""A ball missed for this long was lifted; sooner it may still be found where it lay."""


class Tracker:
    """`feed` one image's observations after the other, then `close`; both return events in order.

    Deterministic: the same observations give the same events. Memory does not grow with the video.
    """

    def __init__(self, table: TableSpec, pieces: PieceSet = SNOOKER, explaining: bool = True) -> None:
        """`pieces`: the game's balls or discs; `colour_logp` of observations has the order of its kinds.
        `explaining`: strokes are explained as a whole; needless where only `tells_nothing` is asked.
        """
        self._state = State(table, Follower(table, pieces), window=Window() if explaining else None)
        self._rewind = Rewind() if explaining else Rewind.needless()
        self._wait: Wait | None = None

    def listen(self, clicks: Sequence[float], until_s: float) -> None:
        """Take the clicks (s) of a recording with sound, and its length; before the first image."""
        self._state.hearing = hearing(clicks, until_s)

    @property
    def pieces(self) -> PieceSet:
        """The set that is followed."""
        return self._state.follower.pieces

    @property
    def table(self) -> TableSpec:
        """The table whose balls are followed."""
        return self._state.table

    @property
    def follower(self) -> Follower:
        """The balls as they are known now."""
        return self._state.follower

    @property
    def span(self) -> Span | None:
        """What is under way, None while all is still."""
        return self._state.span

    @property
    def phase(self) -> Phase:
        """Where the machine stands."""
        return self._state.phase

    def feed(self, image: ImageObservations) -> list[TrackerEvent]:
        """Take one image; returns the events that it completes (mostly none)."""
        if self._wait is not None:
            self._wait.came.append(image)
        told = self._taken(image)
        return told + self._while_waiting(image.t_s)

    def _taken(self, image: ImageObservations) -> list[TrackerEvent]:
        """One more image, without going back."""
        if image.unusable is not None:
            if self._state.absence is None:
                self._follow_again()
            out_of_sight(self._state, image)
            return []
        s = self._state
        self._rewind.before(s, image)
        if s.absence is not None and (image.repeated or not came_back(s, s.absence, image)):
            return self._told()
        since, s.any_s = image.t_s - max(s.any_s, s.passed_s), image.t_s
        stands = not image.repeated and s.span is not None and stands_still(s.follower, image, s.skipped)
        if image.repeated or stands:
            s.skipped += stands
            if s.span is not None:
                s.span.repeated.append(image.t_s)
                s.follower.shown_again(image.t_s)
            return []
        s.skipped = 0
        lying = [b.place for b in s.follower.balls if b.state is BallState.REST]
        image = s.afterimages.without(image, lying, s.follower.pieces)
        if s.names_open and s.span is None and image.t_s - s.still_since_s > SETTLED_S + NAMES_READ_S:
            s.read_names(image.t_s, final=True)
        pause = image.t_s - max(s.last_s, s.passed_s)
        if s.span is None and self._nothing(image):
            self._tick(image.t_s, pause)
            s.follower.t_s = image.t_s
            return self._told()
        if s.window is not None:
            s.window.take(image, s.span is not None)
        if s.phase is Phase.EMPTY:
            self._begin(image)
        else:
            self._step(image, since)
        self._tick(image.t_s, pause)
        self._rewind.after(self._state, image)
        return self._told()

    def tells_nothing(self, t_s: float) -> bool:
        """Whether an image at that time need not be examined (`tracker.rest.free_roll`).

        It is then to be passed over.
        """
        s = self._state
        if s.span is not None and s.span.repeated:
            return False  # of a recording that repeats images the new ones are rare
        passed = s.passed_s > s.any_s
        return s.any_s > 0.0 and tells_nothing(s.follower, s.any_s, t_s, passed)

    def pass_over(self, t_s: float) -> None:
        """Take note of an image that is not examined: it is not lost, and rows of what moves are filled from
        the paths.
        """
        if self._wait is not None:
            self._wait.came.append(t_s)
        s = self._state
        s.passed_s = t_s
        if s.span is not None:
            s.span.times.append(t_s)
        self._rewind.passed_over(t_s)

    @property
    def waiting(self) -> bool:
        """Whether all in sight lies still and only a lost ball is waited for."""
        s = self._state
        return s.span is not None and not s.follower.stirs and s.last_s - s.span.rolled_s > CLOSE_S

    def foreseen(self) -> StrokeRecord | None:
        """What is `waiting`, if it is a stroke, as it would be told now.

        What is told in the end may differ: the ball may reappear. Nothing changes here.
        """
        twin = copy.deepcopy(self._state)
        twin.out = []
        close_span(twin)
        return next((e for e in twin.out if isinstance(e, StrokeRecord)), None)

    def close(self) -> list[TrackerEvent]:
        """The video is over: solve what is still open and give the last rows.

        What still rolled in the last image came to rest unseen: where, and what it met before, nobody saw,
        unless it could only come to rest.
        """
        if self._state.absence is None:
            self._follow_again()
        s = self._state
        if s.absence is not None:
            never_back(s, s.absence)
        close_where_it_stops(s)
        if s.span is not None:
            s.span.unseen = s.span.rolling = True
            close_span(s)
        tell_lifted(s, s.last_s)
        name_anew(s, s.last_s, final=True)
        self._end_rows()
        s.follower.balls = []
        s.phase = Phase.EMPTY
        return self._told()

    def settled_layout(self) -> Layout | None:
        """The balls at rest, where all has lain still and in sight for `SETTLED_S`; else None."""
        s = self._state
        if s.span is not None or s.absence is not None or s.last_s - s.still_since_s < SETTLED_S:
            return None
        return lying(s.follower.balls)

    def _end_rows(self) -> None:
        """The last rows of all balls that lie still: the layout ends here."""
        s = self._state
        for b in s.follower.balls:
            if b.state is BallState.REST:
                s.begin_row(b)
                s.out.append(rest_row(b, s.last_s))

    def _told(self) -> list[TrackerEvent]:
        """What is to be told; nothing of a span that may be followed again."""
        s = self._state
        if s.span is not None and (self._rewind.kept is not None or self._wait is not None):
            return []
        out, s.out = s.out, []
        return out

    def _while_waiting(self, t_s: float) -> list[TrackerEvent]:
        """Keep the state where a wait for a lost ball begins; go back there once the next stroke has."""
        s, wait = self._state, self._wait
        if s.span is None:
            self._wait = None
            return self._told() if wait is not None else []
        if wait is not None:
            next_s = set_off_s(s, wait)
            if next_s is not None:
                return self._go_back(wait, next_s)
        rolled_since = wait is None or wait.rolled_s < s.span.rolled_s
        if rolled_since and self.waiting and self._awaited(s.span, t_s):
            self._wait = Wait.begun(s)
        return []

    def _go_back(self, wait: Wait, next_s: float) -> list[TrackerEvent]:
        """Close the span in which a lost ball was waited for as the next stroke begins, and follow that."""
        self._state, self._wait = wait.kept, None
        self._rewind.back_to(wait.since_s)
        times_s = [x if isinstance(x, float) else x.t_s for x in wait.came]
        until = next((k for k, t in enumerate(times_s) if t >= next_s), len(times_s))
        told = self._again(wait.came[:until], self._taken)
        if self._state.span is not None and not self._follow_again():
            close_before(self._state, next_s)
        return told + self._told() + self._again(wait.came[until:], self.feed)

    def _again(
        self,
        came: Sequence[ImageObservations | float],
        take: Callable[[ImageObservations], list[TrackerEvent]],
    ) -> list[TrackerEvent]:
        """What comes of images that are taken, and of times (s) that are passed over, once more."""
        told = list[TrackerEvent]()
        for x in came:
            if isinstance(x, float):
                self.pass_over(x)
            else:
                told += take(x)
        return told

    def _follow_again(self) -> bool:
        """Follow the span under way again by the camera's clock, where the recording's is not even; whether
        that was done. It may still be under way then.
        """
        rewind, was = self._rewind, self._state
        images = rewind.retaken(was)
        if was.span is None or rewind.kept is None or not images:
            return False
        twin = Tracker(was.table, was.follower.pieces)
        twin._state, twin._rewind = rewind.kept, Rewind.needless()
        told: list[TrackerEvent] = [Gap(was.span.repeated[0], was.span.repeated[-1], "images_repeated")]
        for image, left_out, known in images:
            for t_s in left_out:
                twin.pass_over(t_s)
            said = twin.feed(image)
            told += [] if known else said
        s = self._state = twin._state
        s.out = [*told, *s.out]
        s.last_s, s.any_s, s.passed_s = was.last_s, was.any_s, was.passed_s
        rewind.kept = None
        return True

    def _nothing(self, image: ImageObservations) -> bool:
        s = self._state
        return (
            s.phase is Phase.STILL
            and not image.observations
            and image.looked is not None
            and not s.follower.tentatives.items
            and not image.looked.any
        )

    def _tick(self, t_s: float, pause: float) -> None:
        s = self._state
        if 0 < pause < 0.5:
            s.intervals.append(pause)
            if len(s.intervals) < 31 or s.intervals[0] != pause:
                s.nominal_s = sorted(s.intervals)[len(s.intervals) // 2]
        s.last_s = t_s

    def _begin(self, image: ImageObservations) -> None:
        s = self._state
        if not image.observations:
            return
        s.follower.begin(image)
        s.begun_s = image.t_s
        s.triangle.settled(s.follower.balls)
        s.phase = next_phase(s.phase, Signal.LAYOUT_SEEN)

    def _step(self, image: ImageObservations, pause: float) -> None:
        s = self._state
        f = s.follower
        if image.looked is None and s.span is None:
            name_anew(s, image.t_s, final=image.t_s - s.still_since_s > SETTLED_S)
        was = s.last_s
        if s.span is None and s.lost_images(pause):
            s.lost = image.t_s - pause, image.t_s
        stirred = f.stirs
        f.step(image)
        if rack.new_balls(f, image):
            self._new_layout(image)
            return
        fresh = s.triangle.look(s.table, s.follower.pieces, image) if s.span is None else None
        if fresh is not None:
            self._set_up(fresh, image.t_s)
            return
        self._open_span(image, was)
        if s.span is None:
            set_down = partial(hands.on_base_line, s.table)
            for item in f.tentatives.settled(image.t_s, image.covered, s.table.ball_radius_mm, set_down):
                take_up(s, item, image.t_s)
        if s.span is None:
            tell_lifted(s, image.t_s - LIFTED_S)
        else:
            self._in_span(image, pause, stirred)

    def _open_span(self, image: ImageObservations, was_s: float) -> None:
        """Open a span where something has begun to move, or had before the first image showed it. `was_s`:
        time of the image before.
        """
        s = self._state
        rolls_s = s.follower.tentatives.rolls_since_s(image.t_s)
        if s.span is not None:
            s.span.rolled = s.span.rolled or rolls_s is not None
        if s.span is not None or (rolls_s is None and not any(b.legs for b in s.follower.balls)):
            return
        open_span(s, was_s if rolls_s is None else min(rolls_s, was_s))
        if s.span is None:
            return
        s.span.rolled = rolls_s is not None
        if s.lost is not None and image.t_s - s.lost[1] < NOTICED_S:
            s.span.lost_before = s.lost
        missed = not any(b.is_cue for b in s.follower.balls) and any(
            i.began.t_s - s.begun_s < MISSED_S and i.lain is None
            for i in s.follower.tentatives.rolling(image.t_s)
        )
        if missed:
            s.span.gap = s.span.unseen = True

    def _in_span(self, image: ImageObservations, pause: float, stirred: bool) -> None:
        """One more image of a span. `stirred`: something moved in the one before."""
        s = self._state
        span, f = s.span, s.follower
        assert span is not None
        span.times.append(image.t_s)
        if image.t_s - s.begun_s < BEGUN_S:
            span.movers = movers_since(s.begun_s, f, image.t_s, s.nominal_s)
        stirs = f.stirs or any(b.legs and b.legs[-1].opened_s == image.t_s for b in f.balls)
        if stirred or stirs:
            self._note_losses(span, image.t_s, pause)
            span.last_motion_s = image.t_s
        if f.rolls or (stirs and not f.stirs) or (stirred and s.lost_images(pause)):
            span.rolled_s = image.t_s
        if not any(b.legs for b in f.balls) and not span.departed and not span.rolled:
            s.phase = next_phase(s.phase, Signal.CANCELLED)
            s.span = None
            s.out.extend(span.later)
            return
        quiet = (
            not (stirred or stirs)
            and image.t_s - span.rolled_s > CLOSE_S
            and not self._awaited(span, image.t_s)
        )
        if (quiet or image.t_s - span.start_s > MAX_SPAN_S) and not self._follow_again():
            close_span(s)

    def _note_losses(self, span: Span, t_s: float, pause: float) -> None:
        """Images that were lost while something moves."""
        s = self._state
        if s.lost_images(pause):
            s.out.append(Gap(t_s - pause, t_s, "images_lost"))
            span.losses.append((t_s - pause, t_s))
            span.gap = span.gap or pause > UNTIMED_S
            span.unseen = span.unseen or pause > HIDES_A_STROKE_S

    def _awaited(self, span: Span, t_s: float) -> bool:
        """Whether a lost ball may still come into sight, and nothing that came to lie there looks like it."""
        f = self._state.follower
        if f.tentatives.awaited(t_s, span.start_s):
            return True
        lying = [i for i in f.tentatives.lying(t_s) if i.static_since_s > span.start_s and surely_a_ball(i)]
        return any(all(unlike(i, b.colour, f.pieces) >= MISREAD for i in lying) for b in f.awaited(t_s))

    def _new_layout(self, image: ImageObservations) -> None:
        """The balls were set anew, or the picture shows another table: close what is open, name afresh."""
        s = self._state
        if s.span is not None:
            close_span(s)
        self._end_rows()
        s.phase = next_phase(s.phase, Signal.CUT)
        s.out.append(Gap(s.last_s, image.t_s, "cut"))
        s.follower.tentatives.items = []
        self._begin(image)
        layout = placed(s.follower.balls)
        s.out.append(LayoutChange(image.t_s, layout, rack.is_rack(s.table, layout, s.follower.pieces)))

    def _set_up(self, fresh: Follower, t_s: float) -> None:
        """Hands have set a new triangle: the balls have new names, and who is missing is still to come."""
        s = self._state
        self._end_rows()
        fresh.balls += expected(fresh, t_s)
        s.follower = fresh
        s.lifted, s.earlier = {}, {}
        s.triangle.settled(fresh.balls)
        layout = lying(fresh.balls)
        s.out.append(LayoutChange(t_s, layout, True))
