"""Spoken rulings, as a referee says them: "Foul, 4; free ball", the break after each pot, the score at its
end.

`Announcer` turns events of the live stream into sentences (pure); `Voice` is an outlet of the fan-out that
speaks them with the system's speech synthesis (speech-dispatcher's `spd-say`, or `espeak-ng`). Refereeing
never waits for it: the outlet has a thread of its own, and sentences that would come late are dropped.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from calibration.table.games import GAMES
from calibration.texts import Texts, unusable_input
from referee.live.engine.state import EventType
from referee.match.questions import texts_of

LATE_S = 4.0
"""A ruling that is older than this is not spoken any more: the next stroke may be under way."""
LONGEST_S = 12.0
"""A synthesizer that takes longer for one sentence hangs, and is ended."""
PROGRAMS = ("spd-say", "espeak-ng")

Json = Mapping[str, Any]


class Announcer:
    """The sentences of a referee for events in order. Events are plain JSON values as in the stream."""

    def __init__(self, texts: Texts) -> None:
        self._plain = self._texts = texts
        self._names = {"A": "A", "B": "B"}
        self._frames_won = {"A": 0, "B": 0}
        self._ruled: tuple[int, str] = (0, "")
        self._frame: tuple[int, str | None] | None = None
        self._respots: set[tuple[int, str]] = set()
        self._lost = False
        self._winner: str | None = None
        self._match: str | None = None
        self._snooker = True

    def hear(self, event: Json) -> str | None:
        """The sentence for this event; None when nothing is to be said."""
        body = event["body"]
        found = {
            "state": self._state,
            "ruling": self._ruling,
            "frame": self._frame_event,
            "status": self._status,
        }.get(event["type"])
        parts = [p for p in found(body) if p] if found else []
        return "; ".join(parts) or None

    def _state(self, state: Json) -> list[str]:
        first = self._match != state["match_id"]
        game = GAMES.get(state["game"])
        self._texts = texts_of(state["game"], self._plain)
        self._snooker = game is None or game.family == "snooker"
        for player in state["players"]:
            self._names[player["side"]] = player["name"]
            self._frames_won[player["side"]] = player["frames"]
        if first:  # the state at the beginning of the voice or of a match is not announced
            self._match, self._frame, self._ruled = (
                state["match_id"],
                (state["frame"], None),
                (state["strokes"], ""),
            )
            self._respots = {(state["strokes"], d["ball"]) for d in state["respots"]}
            self._winner = state["winner"]
            return []
        won, self._winner = state["winner"] if state["winner"] != self._winner else None, state["winner"]
        if won is not None:
            return [self._texts.say("voice.match_won", name=self._names[won])]
        return [self._respot(state["strokes"], due) for due in state["respots"] if not due["own_spot_free"]]

    def _respot(self, stroke: int, due: Json) -> str:
        if (stroke, due["ball"]) in self._respots or due["placed"]:
            return ""
        self._respots = {(n, b) for n, b in self._respots if n == stroke} | {(stroke, due["ball"])}
        t, ball = self._texts, self._texts.ball(due["ball"])
        return (
            t.say("voice.respot", ball=ball, spot=t.ball(due["spot"]))
            if due["spot"]
            else t.say("voice.respot_beside", ball=ball)
        )

    def _ruling(self, r: Json) -> list[str]:
        stroke, before = self._ruled
        if r["stroke"] < stroke:  # an earlier stroke's score, after a correction
            return []
        said = "; ".join(p for p in self._ruling_parts(r) if p)
        self._ruled = (r["stroke"], said)
        if r["stroke"] != stroke or not before:
            return [said]
        return [] if said == before else [self._texts.say("voice.corrected"), said]

    def _ruling_parts(self, r: Json) -> list[str]:
        t = self._texts
        if r["kind"] == "unruled":
            return []
        if r["verdict"] == "call":  # said once, not at every stroke that hangs on it
            return [] if r.get("hangs_on") else [t.say("voice.question")]
        if r["foul"] and not self._snooker:  # with its reason and what follows, as the pages say it
            own = [w["text"] for w in r.get("said", ()) if w["language"] == t.language]
            return own or [r["text"]]
        touching = t.say("voice.touching") if r["touching"] else ""
        if r["foul"]:
            return [*self._foul_parts(r), touching, self._end_of_break(r), self._score(r["score"])]
        if r["points"]:
            return [t.say("voice.points", total=r["break_points"] or r["points"]), touching]
        if r["break_points"]:
            return [self._end_of_break(r), self._score(r["score"]), touching]
        return [touching]

    def _foul_parts(self, r: Json) -> list[str]:
        foul = "voice.foul_and_miss" if r["miss"] else "voice.foul"
        free = self._texts.say("voice.free_ball") if r["free_ball"] else ""
        return [self._texts.say(foul, points=r["foul"]["penalty"]), free]

    def _end_of_break(self, r: Json) -> str:
        if not r["break_points"] or not r["striker"]:
            return ""
        return self._texts.say("voice.end_of_break", name=self._names[r["striker"]], points=r["break_points"])

    def _score(self, score: Sequence[int]) -> str:
        a, b = score
        if a == b:
            return self._texts.say("voice.score_level", points=a)
        first, second = ("A", "B") if a > b else ("B", "A")
        return self._texts.say(
            "voice.score",
            leader=self._names[first],
            more=max(a, b),
            other=self._names[second],
            less=min(a, b),
        )

    def _frame_event(self, frame: Json) -> list[str]:
        now = (frame["n"], frame["ended"])
        if now == self._frame or (self._frame is not None and now[0] < self._frame[0]):
            return []
        self._frame = now
        t, winner = self._texts, frame["winner"]
        if frame["ended"] is None:
            name = self._names[frame["starter"]] if frame["starter"] else None
            return [
                t.say("voice.frame_begins", n=frame["n"], name=name)
                if name
                else t.say("voice.frame_begins_unknown", n=frame["n"])
            ]
        if frame["ended"] == "reracked":
            return [t.say("voice.frame_reracked")]
        if winner is None:
            return []
        key = "voice.frame_conceded" if frame["ended"] == "conceded" else "voice.frame_won"
        won = {
            side: n + (side == winner) for side, n in self._frames_won.items()
        }  # the state follows the event
        return [t.say(key, name=self._names[winner]), t.say("voice.frames", a=won["A"], b=won["B"])]

    def _status(self, condition: Json) -> list[str]:
        if condition["code"] != "camera_lost" or condition["active"] == self._lost:
            return []
        self._lost = condition["active"]
        return [self._texts.say("voice.camera_lost" if self._lost else "voice.camera_back")]


class Voice:
    """The outlet that speaks. `speak` gets each sentence and returns when it has been spoken (tests pass
    their own).
    """

    name = "voice"

    def __init__(self, texts: Texts, speak: Callable[[str], bool] | None = None) -> None:
        """Raises UnusableInput when no speech synthesis is installed on this machine."""
        self._announcer = Announcer(texts)
        self._synthesizer = None if speak else Synthesizer(texts.voice)
        self._speak = speak or self._spoken

    def send(self, kind: EventType, body: bytes) -> bool:
        """Speak the sentence for this event, unless it would come too late."""
        event = json.loads(body)
        words = self._announcer.hear(event)
        if words is None or _age_s(event["utc"]) > LATE_S:
            return True
        return self._speak(words)

    def close(self) -> None:
        """Stop in the middle of a sentence if need be."""
        if self._synthesizer is not None:
            self._synthesizer.close()

    def _spoken(self, words: str) -> bool:
        assert self._synthesizer is not None
        return self._synthesizer.speak(words)


class Synthesizer:
    """The system's speech synthesis, called as a command."""

    def __init__(self, language: str) -> None:
        """`language`: as the synthesizers name it (`en`, `de`). Raises UnusableInput when none is
        installed.
        """
        self._language = language
        self._programs = [found for name in PROGRAMS if (found := shutil.which(name))]
        if not self._programs:
            raise unusable_input("errors.spd_say_or_espeak_ng_on_this")
        self._running: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def speak(self, words: str) -> bool:
        """Say it and return when it was said; False when no synthesizer could."""
        # the next program is tried where one fails, as speech-dispatcher does without a user's session
        return any(self._said(program, words) for program in self._programs)

    def close(self) -> None:
        """End a sentence that is being spoken, and speak no more."""
        with self._lock:
            self._closed = True
            if self._running is not None:
                self._running.kill()

    def _said(self, program: str, words: str) -> bool:
        # never as an option: a player may be named "--help"
        speechd = program.endswith("spd-say")
        command = (
            [program, "-w", "-l", self._language, "--", words]
            if speechd
            else [program, "-v", self._language, "--stdin"]
        )
        with self._lock:
            if self._closed:
                return False
            try:
                process = self._running = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
            except OSError:
                return False
        try:
            process.communicate(b"" if speechd else words.encode(), timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2.0)
        finally:
            self._running = None
        return process.returncode == 0


def _age_s(utc: str) -> float:
    """Seconds since an event; 0 for a time that cannot be read, so that the event is spoken."""
    try:
        then = datetime.fromisoformat(utc.replace("Z", "+00:00"))
    except ValueError:
        return 0.0
    return (datetime.now(UTC) - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()
