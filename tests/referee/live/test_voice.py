"""The voice says what a referee says, once, in time, and never keeps anyone waiting."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from live_script import BLACKBALL_FOUL, RULING, STATE, frame, occupied

from calibration.errors import UnusableInput
from calibration.texts import fields_of, languages, load_texts
from referee.live.engine.state import Condition, LiveFoul, document, event
from referee.live.feeds.fanout import Fanout
from referee.live.pages.voice import Announcer, Synthesizer, Voice

TEXTS = load_texts()


def now(back_s: float = 0.0) -> str:
    return (datetime.now(UTC) - timedelta(seconds=back_s)).isoformat()


def heard(*bodies: Any) -> list[str | None]:
    announcer = Announcer(TEXTS)
    announcer.hear(document(event(1, 0.0, now(), "t", replace(STATE, strokes=13))))
    return [announcer.hear(document(event(2, 0.0, now(), "t", b))) for b in bodies]


FOUL = replace(
    RULING,
    kind="foul",
    foul=LiveFoul("snooker 3.12(b)(iv)", "ball_not_on_hit_first", 5, "B"),
    points=0,
    break_points=0,
    score=(9, 17),
)


@pytest.mark.parametrize(
    ("ruling", "words"),
    [
        (RULING, "9"),  # the break after each pot, nothing else
        (
            replace(RULING, kind="no_score", points=0, break_points=32, score=(45, 12)),
            "Ann, 32; Ann 45, Bo 12",
        ),
        (replace(RULING, kind="no_score", points=0, break_points=0), None),
        (replace(RULING, kind="no_score", points=0, break_points=0, touching=("red_4",)), "Touching ball"),
        (FOUL, "Foul, 5; Bo 17, Ann 9"),
        (replace(FOUL, miss=True, free_ball=True), "Foul and a miss, 5; free ball; Bo 17, Ann 9"),
        (replace(FOUL, score=(9, 9)), "Foul, 5; 9 all"),
        (replace(RULING, verdict="call"), "Referee's call"),
        (replace(RULING, verdict="call", hangs_on=3), None),
        (replace(RULING, kind="unruled"), None),
    ],
)
def test_a_ruling_in_a_referees_words(ruling: Any, words: str | None) -> None:
    assert heard(ruling) == [words]


def test_the_confirmed_ruling_is_said_only_when_it_differs() -> None:
    soon = replace(RULING, provisional=True)
    assert heard(soon, RULING) == ["9", None]
    assert heard(soon, replace(RULING, break_points=8)) == ["9", "Correction; 8"]


def test_a_correction_of_an_old_stroke_is_not_announced() -> None:
    last = replace(RULING, stroke=18)
    assert heard(
        last,
        replace(RULING, stroke=16, score=(46, 12)),
        replace(RULING, stroke=17, score=(46, 12)),
        replace(last, score=(46, 12)),
    ) == ["9", None, None, None]
    another = replace(STATE, match_id="m2", strokes=0)
    assert heard(last, another, replace(RULING, stroke=1, break_points=1)) == ["9", None, "1"]


def test_frames_respots_and_the_camera() -> None:
    said = heard(
        frame(2, "won"),
        frame(2, "won"),
        frame(3),
        replace(STATE, respots=(occupied(),)),
        replace(STATE, respots=(occupied(),)),
    )
    assert said == [
        "Frame to Ann; 2 frames to 1",
        None,
        "Frame 3, Bo to break",
        "pink on the black spot",
        None,
    ]
    over = replace(STATE, winner="A", phase="match_over")
    assert heard(over, over) == ["Match to Ann", None]
    lost = Condition("camera_lost", 1.0, now(), "gone")
    assert heard(lost, lost, replace(lost, active=False)) == [
        TEXTS.say("voice.camera_lost"),
        None,
        TEXTS.say("voice.camera_back"),
    ]
    moved = Condition("camera_moved", 1.0, now(), "moved")
    assert heard(moved) == [None]


def test_late_sentences_are_dropped_and_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.live.pages.voice.LATE_S", 1.0)
    said: list[str] = []
    gate = threading.Event()

    def slow(words: str) -> bool:
        said.append(words)
        gate.wait(20)
        return True

    fan = Fanout([Voice(TEXTS, slow)])
    fan.publish(event(1, 0.0, now(), "t", STATE))
    fan.publish(event(2, 1.0, now(60.0), "t", RULING))  # caught up with after a pause
    begun = time.monotonic()
    for k in range(600):  # the first is being spoken all the while
        fan.publish(event(3 + k, 1.0, now(), "t", replace(RULING, stroke=20 + k, break_points=k)))
    assert time.monotonic() - begun < 5.0  # publishing does not wait for speech
    deadline = time.monotonic() + 10
    while not said and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(1.1)  # all that waits has become late
    gate.set()
    fan.close()
    assert len(said) == 1 and said[0] != "9"


def test_the_synthesizer_gets_the_words_as_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, body in (
        ("spd-say", "exit 1"),
        ("espeak-ng", f'printf "%s|" "$@" >{tmp_path}/args; cat >{tmp_path}/words'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert Synthesizer("en").speak("--help $(touch x); Ann, 32")
    assert (tmp_path / "words").read_text() == "--help $(touch x); Ann, 32"
    assert (tmp_path / "args").read_text() == "-v|en|--stdin|"
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(UnusableInput, match="espeak-ng"):
        Synthesizer("en")


def test_every_language_fills_in_only_what_english_does() -> None:
    with pytest.raises(UnusableInput, match="expected one of"):
        load_texts("../en")
    for language in languages():
        for section, texts in load_texts(language).sections.items():
            for key, text in texts.items():
                assert fields_of(text) <= fields_of(TEXTS.sections[section][key]), (language, section, key)
    assert TEXTS.say("voice.score", leader="{more}", more=3, other="B", less=1) == "{more} 3, B 1"
    assert json.dumps(TEXTS.document())


def test_a_foul_of_another_game_is_said_with_its_reason() -> None:
    for language, words in (
        ("en", "Foul, wrong ball first, Free shot; next Bo"),
        ("de", "Foul, falsche Kugel zuerst, Freistoß; weiter Bo"),
    ):
        announcer = Announcer(load_texts(language))
        announcer.hear(document(event(1, 0.0, now(), "t", replace(STATE, game="blackball", strokes=13))))
        assert announcer.hear(document(event(2, 0.0, now(), "t", BLACKBALL_FOUL))) == words


@pytest.mark.parametrize(
    ("game", "won", "points", "run"),
    [
        ("snooker", "Frame to Ann; 2 frames to 1", 7, 9),
        ("wpa_9ball", "Rack to Ann; 2 racks to 1", 0, 0),
        ("wpa_14_1", "Game to Ann; 2 games to 1", 1, 4),
        ("carrom", "Board to Ann; 2 boards to 1", 6, 0),
    ],
)
def test_what_is_won_and_scored_is_said_in_the_games_own_words(
    game: str, won: str, points: int, run: int
) -> None:
    announcer = Announcer(TEXTS)
    announcer.hear(document(event(1, 0.0, now(), "t", replace(STATE, game=game, strokes=13))))
    assert announcer.hear(document(event(2, 0.0, now(), "t", frame(2, "won")))) == won
    scored = replace(RULING, points=points, break_points=run)
    said = announcer.hear(document(event(3, 0.0, now(), "t", scored)))
    assert said == (str(run or points) if points else None)
