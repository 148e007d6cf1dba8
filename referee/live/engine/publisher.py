"""What a live table publishes and when: states, rulings, conditions. Reads the match, changes nothing in
it.
"""

from __future__ import annotations

import time

from referee.live.engine.board import Board, Change
from referee.live.engine.conditions import Conditions
from referee.live.engine.health import Health
from referee.live.engine.log import LiveLog
from referee.live.engine.picture import now_lying
from referee.live.engine.session import LiveMatch
from referee.live.engine.standing import standing_of
from referee.live.engine.state import Condition, LiveCamera, LiveState, StatusCode
from referee.live.feeds.stream import EventStream, utc_text

_TICK_S = 0.5  # states while balls move
_REST_S = 5.0  # states while nothing happens
_KEEP_S = 60.0  # a state goes into the file at least this often


class Publisher:
    """Brings what happens to the stream and the log. For the engine's thread.

    `t_s`: the match clock now; `size_px`: of the camera's images; `match` None until there is one;
    `moving`: a stroke was under way when a state was last published; `zero_unix_s`: of the camera's clock,
    once known.
    """

    def __init__(self, table: str, stream: EventStream, log: LiveLog) -> None:
        self.table, self.stream, self.log = table, stream, log
        self.health, self.conditions = Health(), Conditions()
        self.match: LiveMatch | None = None
        self.board = Board(self.utc)
        self.size_px = (0, 0)
        self.t_s = 0.0
        self.zero_unix_s: float | None = None
        self.moving = False
        self._told_s = self._kept_s = float("-inf")

    def utc(self, t_s: float) -> str:
        """The time of day of a moment of the match clock; of now where that is not known."""
        return utc_text(self.zero_unix_s + t_s if self.zero_unix_s is not None else time.time())

    def open(self, match: LiveMatch) -> None:
        """From now on this match is published."""
        self.match, self.board = match, Board(self.utc)

    def say(self, changes: list[Change]) -> None:
        """Publish what has changed, and the state that follows from it."""
        for change in changes:
            self.stream.publish(change, self.t_s, time.time())
            kind = type(change).__name__.removeprefix("Live").lower()
            text, stroke = getattr(change, "text", ""), getattr(change, "stroke", None)
            self.log(kind, text=text, stroke=stroke, t_s=round(self.t_s, 3))
        self.publish()

    def due(self) -> None:
        """Publish a state if it is time for one."""
        now = time.monotonic()
        if now - self._told_s >= (_TICK_S if self.moving else _REST_S):
            self.publish(keep=now - self._kept_s >= _KEEP_S)

    def hold(self, code: StatusCode, holds: bool, text: str) -> None:
        """A condition holds, or does not (any more)."""
        if holds:
            self.begin(code, text, self.t_s)
        else:
            self.end(code, text)

    def begin(self, code: StatusCode, text: str, since_s: float | None) -> bool:
        """A condition holds; whether that is news."""
        return self._tell(self.conditions.begin(code, text, since_s, utc_text(time.time())))

    def end(self, code: StatusCode, text: str) -> bool:
        """A condition is over; whether that is news."""
        return self._tell(self.conditions.end(code, text))

    def _tell(self, told: Condition | None) -> bool:
        if told is None:
            return False
        self.log("status", code=told.code, active=told.active, text=told.text)
        self.stream.publish(told, self.t_s, time.time())
        self.publish()
        return True

    def publish(self, keep: bool = True) -> None:
        """The state now, also into the file if `keep`; before there is a match there is none."""
        now = time.monotonic()
        self._told_s = now
        self._kept_s = now if keep else self._kept_s
        if self.match is not None:
            self.stream.publish(self._state(self.match), self.t_s, time.time(), keep)

    def _state(self, match: LiveMatch) -> LiveState:
        watch, board, unix_s = match.watch, self.board, time.time()
        position = (watch.outlook() or watch.referee.standing)[0]
        balls, layout = now_lying(watch)
        now = standing_of(
            position, match.names, match.terms.best_of, board.best_breaks, match.calibration.table, layout
        )
        return LiveState(
            version=1,
            seq=self.stream.next_seq(),
            t_s=self.t_s,
            utc=utc_text(unix_s),
            table=self.table,
            match_id=match.terms.match_id,
            game=match.terms.game,
            started_utc=match.terms.started_utc,
            status=self.conditions.status,
            conditions=self.conditions.now,
            best_of=match.terms.best_of,
            strokes=position.strokes,
            moving=watch.tracker.span is not None,
            last_ruling=board.rulings[-1] if board.rulings else None,
            rulings=board.rulings,
            questions=board.questions,
            balls=balls,
            camera=self._camera(),
            machine=self.health.machine(match.folder),
            **{name: getattr(now, name) for name in now.__slots__},
        )

    def _camera(self) -> LiveCamera:
        h = self.health
        lost = self.conditions.holds("camera_lost") is not None
        return LiveCamera(not lost, *self.size_px, h.rate_hz, h.delay_ms, h.images, h.skipped, h.reconnects)
