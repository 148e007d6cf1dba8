"""When a live table publishes what: states, rulings, conditions. Reads the match and changes nothing in
it."""

from __future__ import annotations

import time
from dataclasses import replace

from calibration.texts import Sentence
from referee.facts.judged import Asked, asks
from referee.live.engine.game_board import phase_now, rack_now
from referee.live.engine.live_match import LiveMatch
from referee.live.engine.log import LiveLog
from referee.live.engine.machine import MachineLoad
from referee.live.engine.rulings import Change, PublishedRulings
from referee.live.engine.scoreboard import (
    balls_now,
    frames_of,
    frames_won,
    leader_of,
    match_winner,
    players_of,
)
from referee.live.engine.state import Condition, LiveCamera, LiveState, StatusCode
from referee.live.feeds.stream import EventStream, utc_text
from referee.match.open_calls import calls_now

_TICK_S = 0.5  # states while balls move
_REST_S = 5.0  # states while nothing happens
_KEEP_S = 60.0  # a state goes into the file at least this often


_GRAVE: tuple[StatusCode, ...] = (
    "stopped",
    "camera_lost",
    "view_wrong",
    "picture_covered",
    "camera_moved",
    "journal_in_memory",
    "match_may_be_over",
    "recording_stopped",
    "slow",
    "disk_nearly_full",
    "starting",
)
"""Gravest first; `running` is none of them."""


class Conditions:
    """The conditions that hold now."""

    def __init__(self) -> None:
        self._now: dict[StatusCode, Condition] = {}

    @property
    def now(self) -> tuple[Condition, ...]:
        """Gravest first."""
        return tuple(sorted(self._now.values(), key=lambda c: _GRAVE.index(c.code)))

    @property
    def status(self) -> StatusCode:
        return self.now[0].code if self._now else "running"

    def holds(self, code: StatusCode) -> Condition | None:
        return self._now.get(code)

    def begin(self, code: StatusCode, text: str, since_s: float | None, utc: str) -> Condition | None:
        """Note that a condition holds; the condition to publish, None when it was published in the same
        words.
        """
        known = self._now.get(code)
        if known is not None and known.text == text:
            return None
        made = known or Condition(code, since_s, utc, text)
        found = replace(made, text=text, said=_said(text))
        self._now[code] = found
        return found

    def end(self, code: StatusCode, text: str) -> Condition | None:
        """Note that a condition is over; the condition to publish, None when it did not hold."""
        known = self._now.pop(code, None)
        return None if known is None else replace(known, text=text, said=_said(text), active=False)


def _said(text: str) -> Asked | None:
    """A sentence as its text and values; None for words that are no text."""
    if not isinstance(text, Sentence):
        return None
    return asks(text.key.partition(".")[2], **{k: str(v) for k, v in text.values.items()})


class Publisher:
    """Publishes on the stream and writes the log. For the engine's thread.

    `t_s`: the match clock now; `size_px`: of the camera's images; `match` None until there is one;
    `moving`: a stroke was under way when a state was last published; `zero_unix_s`: of the camera's clock,
    once known.
    """

    def __init__(self, table: str, stream: EventStream, log: LiveLog) -> None:
        self.table, self.stream, self.log = table, stream, log
        self.load, self.conditions = MachineLoad(), Conditions()
        self.match: LiveMatch | None = None
        self.published = PublishedRulings(self.utc)
        self.size_px = (0, 0)
        self.t_s = 0.0
        self.zero_unix_s: float | None = None
        self.moving = False
        self._told_s = self._kept_s = float("-inf")

    def utc(self, t_s: float) -> str:
        """The time of day at a moment of the match clock; the present time where the clock is not
        known yet.
        """
        return utc_text(self.zero_unix_s + t_s if self.zero_unix_s is not None else time.time())

    def open(self, match: LiveMatch) -> None:
        """Publish this match from now on."""
        self.match, self.published = match, PublishedRulings(self.utc)

    def say(self, changes: list[Change]) -> None:
        """Publish changes, then the state after them."""
        for change in changes:
            self.stream.publish(change, self.t_s, time.time())
            kind = type(change).__name__.removeprefix("Live").lower()
            text, stroke = getattr(change, "text", ""), getattr(change, "stroke", None)
            self.log(kind, text=text, stroke=stroke, t_s=round(self.t_s, 3))
        self.publish()

    def due(self) -> None:
        """Publish a state if one is due."""
        now = time.monotonic()
        if now - self._told_s >= (_TICK_S if self.moving else _REST_S):
            self.publish(keep=now - self._kept_s >= _KEEP_S)

    def hold(self, code: StatusCode, holds: bool, text: str) -> None:
        """Note whether a condition holds, and publish a change of it."""
        if holds:
            self.begin(code, text, self.t_s)
        else:
            self.end(code, text)

    def begin(self, code: StatusCode, text: str, since_s: float | None) -> bool:
        """Note that a condition holds; whether that was published as news."""
        return self._tell(self.conditions.begin(code, text, since_s, utc_text(time.time())))

    def end(self, code: StatusCode, text: str) -> bool:
        """Note that a condition is over; whether that was published as news."""
        return self._tell(self.conditions.end(code, text))

    def _tell(self, told: Condition | None) -> bool:
        if told is None:
            return False
        self.log("status", code=told.code, active=told.active, text=told.text)
        self.stream.publish(told, self.t_s, time.time())
        self.publish()
        return True

    def publish(self, keep: bool = True) -> None:
        """Publish the state, and write it to the file if `keep`. Without a match there is none."""
        now = time.monotonic()
        self._told_s = now
        self._kept_s = now if keep else self._kept_s
        if self.match is not None:
            self.stream.publish(self._state(self.match), self.t_s, time.time(), keep)

    def _state(self, match: LiveMatch) -> LiveState:
        watch, published, unix_s = match.watch, self.published, time.time()
        position = (watch.outlook() or watch.referee.standing)[0]
        balls, at_rest = balls_now(watch)
        frame, frames = rack_now(position, match.calibration.table, at_rest), frames_of(position)
        winner = match_winner(frames_won(position), match.terms.best_of)
        score = position.score
        offered, called = calls_now(watch.referee, position, at_rest)
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
            phase=phase_now(position, winner),
            players=players_of(position, match.names, published.best_breaks),
            best_of=match.terms.best_of,
            winner=winner,
            frames=frames,
            frame=frames[-1].n if frames else 0,
            score=score,
            break_points=frame.break_points,
            striker=frame.striker,
            ball_on=frame.ball_on,
            balls_on=frame.balls_on,
            free_ball=frame.free_ball,
            touching=frame.touching,
            in_hand=frame.in_hand,
            reds=frame.reds,
            remaining=frame.remaining,
            lead=abs(score[0] - score[1]),
            leader=leader_of(score),
            snookers_required=frame.snookers_required,
            strokes=position.strokes,
            moving=watch.tracker.span is not None,
            last_ruling=published.rulings[-1] if published.rulings else None,
            rulings=published.rulings,
            options=frame.options,
            respots=frame.respots,
            questions=published.questions,
            balls=balls,
            camera=self._camera(),
            machine=self.load.machine(match.folder),
            questions_more=published.questions_more,
            open_calls=offered,
            called=called,
        )

    def _camera(self) -> LiveCamera:
        load = self.load
        lost = self.conditions.holds("camera_lost") is not None
        return LiveCamera(
            not lost, *self.size_px, load.rate_hz, load.delay_ms, load.images, load.skipped, load.reconnects
        )
