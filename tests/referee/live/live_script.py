"""A live table's state for the tests of voice and pages: the middle of a frame."""

from __future__ import annotations

from typing import Any

from referee.live.engine.state import (
    DueColour,
    LiveAnswer,
    LiveBall,
    LiveCamera,
    LiveFoul,
    LiveFrame,
    LiveMachine,
    LivePlayer,
    LiveQuestion,
    LiveRuling,
    LiveState,
    LiveWords,
)

UTC = "2026-11-21T20:00:00+00:00"


def ruling(stroke: int, **more: Any) -> LiveRuling:
    base: dict[str, Any] = {
        "stroke": stroke,
        "frame": 2,
        "entry": 10 + stroke,
        "provisional": False,
        "start_s": 30.0 * stroke,
        "end_s": 30.0 * stroke + 6.0,
        "ready_s": 30.0 * stroke + 6.8,
        "end_utc": UTC,
        "kind": "points",
        "striker": "A",
        "ball_on": "red",
        "nominated": None,
        "first_contact": "red_3",
        "potted": ("red_3",),
        "foul": None,
        "miss": None,
        "points": 1,
        "score": (45, 12),
        "break_points": 9,
        "free_ball": False,
        "touching": (),
        "next_striker": "A",
        "next_ball_on": "any_colour",
        "options": (),
        "verdict": "certain",
        "text": "9",
    }
    return LiveRuling(**{**base, **more})


RULING = ruling(14)
FOUL = ruling(
    15,
    kind="foul",
    foul=LiveFoul("snooker 3.12(b)(iv)", "ball_not_on_hit_first", 5, "B"),
    miss=True,
    points=0,
    first_contact="blue",
    potted=(),
    score=(45, 17),
    break_points=0,
    free_ball=True,
    next_striker="B",
    next_ball_on="red",
    ball_on="red",
    text="Foul and a miss, 5. Free ball",
    options=("play_self", "nominate_free_ball", "ask_offender_to_play_again_from_position_left"),
)
BLACKBALL_FOUL = ruling(
    15,
    kind="foul",
    foul=LiveFoul("6.2", None, 0, None),
    points=0,
    potted=(),
    next_striker="B",
    next_ball_on=None,
    text="Foul, wrong ball first, Free shot; next Bo",
    options=("play_from_position", "cue_in_hand_in_baulk"),
    said=(
        LiveWords("de", "Foul, falsche Kugel zuerst, Freistoß; weiter Bo"),
        LiveWords("en", "Foul, wrong ball first, Free shot; next Bo"),
    ),
)
CALL = ruling(
    15,
    provisional=True,
    entry=None,
    kind="no_score",
    points=0,
    first_contact="red_2",
    potted=(),
    score=(45, 17),
    break_points=0,
    next_striker="B",
    next_ball_on="red",
    verdict="call",
    text="no score",
    alternatives=(
        LiveAnswer(
            0,
            "hit red first",
            "no score; next Bo, red on",
            0.86,
            (45, 17),
            (LiveWords("de", "zuerst Rot getroffen"), LiveWords("en", "hit red first")),
            (
                LiveWords("de", "keine Punkte; weiter Bo auf Rot"),
                LiveWords("en", "no score; next Bo, red on"),
            ),
        ),
        LiveAnswer(
            1,
            "hit pink first",
            "Foul, 6 to Bo; a miss; next Bo, red on",
            0.14,
            (45, 23),
            (LiveWords("de", "zuerst Pink getroffen"), LiveWords("en", "hit pink first")),
            (
                LiveWords("de", "Foul, 6 für Bo; ein Miss; weiter Bo auf Rot"),
                LiveWords("en", "Foul, 6 to Bo; a miss; next Bo, red on"),
            ),
        ),
    ),
)
"""Which ball was hit first is open; published before the question is."""
QUESTION = LiveQuestion(
    "facts-12",
    "facts",
    12,
    22,
    "Which ball was hit first?",
    (
        LiveAnswer(0, "first contact pink", "foul, 6 to Bo", 0.6, (45, 18)),
        LiveAnswer(1, "first contact red", "no score, no foul", 0.4, (45, 12)),
    ),
    355.0,
    368.0,
    None,
    UTC,
    striker="B",
)
BALLS = tuple(
    LiveBall(name, name.partition("_")[0], x, y, 0.5, "rest")
    for name, x, y in (
        ("white", 210.0, 900.0),
        ("red_1", -300.0, 2500.0),
        ("red_2", 80.0, 2900.0),
        ("red_3", 400.0, 2200.0),
        ("yellow", 292.0, 737.0),
        ("green", -292.0, 737.0),
        ("brown", 0.0, 737.0),
        ("blue", 0.0, 1784.5),
        ("pink", 0.0, 2676.8),
        ("black", 0.0, 3245.0),
    )
)


def occupied() -> DueColour:
    return DueColour(
        "pink", "black", 0.0, 3245.0, "3.7(b)", False, ("red_2",), False, "pink on the black spot"
    )


def frame(n: int, ended: Any = None) -> LiveFrame:
    return LiveFrame(n, 1, "B" if n % 2 else "A", (45, 17), "A" if ended else None, ended)


STATE = LiveState(
    version=1,
    seq=100,
    t_s=470.0,
    utc=UTC,
    table="Table 3",
    match_id="m1",
    game="snooker",
    started_utc=UTC,
    status="running",
    conditions=(),
    phase="frame",
    players=(LivePlayer("A", "Ann", 45, 1, 61), LivePlayer("B", "Bo", 17, 1, 38)),
    best_of=7,
    winner=None,
    frames=(frame(1, "won"), frame(2)),
    frame=2,
    score=(45, 17),
    break_points=0,
    striker="B",
    ball_on="red",
    balls_on=("red",),
    free_ball=True,
    touching=(),
    in_hand=False,
    reds=3,
    remaining=51,
    lead=28,
    leader="A",
    snookers_required=0,
    strokes=15,
    moving=False,
    last_ruling=FOUL,
    rulings=(ruling(13, points=7, break_points=8, potted=("black",), first_contact="black"), RULING, FOUL),
    options=FOUL.options,
    respots=(),
    questions=(QUESTION,),
    balls=BALLS,
    camera=LiveCamera(True, 1920, 1080, 25.0, 60.0, 11750, 0, 0),
    machine=LiveMachine(0.4, 400.0, 20000.0),
)
