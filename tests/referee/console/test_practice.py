"""Practice: positions that can be set up, tries counted from the strokes, results kept a player."""

from __future__ import annotations

import itertools
import json
import math
import stat
from pathlib import Path
from typing import Any

import pytest
from console_fixture import make_review, serving
from console_sites import httpx
from hypothesis import given
from hypothesis import strategies as st
from match_fixture import stroke
from script import Scene

from calibration.errors import UnusableInput
from calibration.table.games import GAMES
from calibration.table.specs import SNOOKER_TABLE
from referee.console.practice.book import PRACTICE_FILE, PracticeBook, as_text, parsed
from referee.console.practice.counting import Try, from_position, tries_of
from referee.console.practice.positions import MOST_BALLS, Position, layout_of, standard_positions
from referee.console.practice.routes import TryBody, merged, with_try
from referee.facts.calls import FrameCall
from referee.journal import Journal
from referee.match.referee import Referee
from referee.outputs.convert import calibration_json, match_document
from referee.season.deletion import delete_name

RED: Position = Position("p", "my red", "tries", (("red", 300.0, 2000.0), ("white", 0.0, 1000.0)))
PLACED = {"red": [[310.0, 1995.0, 0.5]], "white": [[5.0, 990.0, 0.5]]}
POT = {"ball": "red_1", "pocket": "TR", "t_s": 1.0, "confidence": 1.0}


def shot(n: int, made: bool, before: Any = None, **more: Any) -> Any:
    return stroke(n, before=before or PLACED, potted=[POT] if made else [], striker=None, **more)


@pytest.mark.parametrize("position", standard_positions(SNOOKER_TABLE), ids=lambda p: p.id)
def test_a_position_that_every_table_knows_can_be_set_up(position: Position) -> None:
    """On the table, one cue-ball, and no ball inside another."""
    assert layout_of(position.by_colour(), SNOOKER_TABLE) == position.layout
    assert sum(c == "white" for c, _, _ in position.layout) == 1 and len(position.layout) <= MOST_BALLS
    r = SNOOKER_TABLE.ball_radius_mm
    for (_, ax, ay), (_, bx, by) in itertools.combinations(position.layout, 2):
        assert math.hypot(ax - bx, ay - by) >= 2 * r
    for _, x, y in position.layout:
        assert abs(x) <= SNOOKER_TABLE.half_width_mm - r and r <= y <= SNOOKER_TABLE.length_mm - r


def test_a_carrom_position_counts_from_the_boards_centre_as_its_records_do() -> None:
    table = GAMES["carrom"].table()
    kept = layout_of({"queen": [[0.0, -0.9 * table.length_mm / 2]]}, table)
    assert [c for c, _, _ in kept] == ["queen"]
    with pytest.raises(UnusableInput):
        layout_of({"queen": [[0.0, 0.9 * table.length_mm]]}, table)


def test_tries_are_strokes_from_the_position_and_a_made_one_pots_without_in_off() -> None:
    elsewhere = {"red": [[300.0, 2400.0, 0.5]], "white": [[0.0, 1000.0, 0.5]]}
    another = {**PLACED, "black": [[0.0, 3245.0, 0.5]]}
    strokes = [
        shot(1, True),
        shot(2, False),
        shot(3, True, elsewhere),  # not from there
        shot(4, True, another),  # another ball lies on the table
        shot(5, True, cue_ball="pocketed"),
        shot(6, True, off_table=["red_1"]),
        shot(7, True),
    ]
    found = tries_of(strokes, RED, SNOOKER_TABLE, since_s=0.0)
    assert [(t.at_s / 6.0, t.made) for t in found] == [(1, 1), (2, 0), (5, 0), (6, 0), (7, 1)]
    assert [t.at_s / 6.0 for t in tries_of(strokes, RED, SNOOKER_TABLE, since_s=12.0)] == [2, 5, 6, 7]


@given(st.floats(-80, 80), st.floats(-80, 80))
def test_a_ball_within_its_own_diameter_of_its_place_is_put_back(dx: float, dy: float) -> None:
    before = {"red": [[300.0 + dx, 2000.0 + dy, 0.5]], "white": [[0.0, 1000.0, 0.5]]}
    near = math.hypot(dx, dy) <= SNOOKER_TABLE.ball_diameter_mm
    assert from_position(shot(1, False, before), RED, SNOOKER_TABLE) == near


def test_only_the_ball_that_counts_makes_a_try() -> None:
    blue = Position("p", "blue", "tries", (("blue", 0.0, 1784.5), *RED.layout), target="blue")
    before = {**PLACED, "blue": [[0.0, 1784.5, 0.5]]}
    assert [t.made for t in tries_of([shot(1, True, before)], blue, SNOOKER_TABLE, 0.0)] == [0]


def test_a_run_counts_balls_until_a_stroke_pots_nothing() -> None:
    line = Position("l", "line", "run", RED.layout)
    after = {"white": [[0.0, 500.0, 0.5]]}
    two = [POT, {**POT, "ball": "red_2"}]
    strokes = [
        shot(1, True),
        stroke(2, before=after, potted=two),
        shot(3, False, after),
        shot(4, True, after),  # nobody set the balls again
        shot(5, True),
        shot(6, True, after, cue_ball="pocketed"),
    ]
    assert [(t.at_s / 6.0, t.made) for t in tries_of(strokes, line, SNOOKER_TABLE, 0.0)] == [(1, 3), (5, 1)]


def test_what_a_person_said_of_a_try_stays_and_what_the_camera_takes_back_goes(tmp_path: Path) -> None:
    session = PracticeBook(tmp_path).begin("Ann", RED, 3, "m", 0.0)
    seen = merged(session, [Try(6.0, 1), Try(12.0, 0)])
    told = with_try(seen, TryBody(who="Rea", at_s=12.0, made=1), "Rea")
    again = merged(told, [Try(6.0, 1), Try(12.0, 0), Try(18.0, 0)])
    assert [(t.made, t.by) for t in again.counted] == [(1, None), (1, "Rea"), (0, None)]
    corrected = merged(again, [Try(12.0, 0), Try(18.0, 0)])  # the first stroke was none
    assert [t.at_s for t in corrected.counted] == [12.0, 18.0]
    more = with_try(corrected, TryBody(who="Rea", made=1), "Rea")
    out = with_try(more, TryBody(who="Rea", at_s=18.0, made=0, counts=False), "Rea")
    assert [t.made for t in out.counted] == [1, 1]
    with pytest.raises(UnusableInput, match="try of this session"):
        with_try(out, TryBody(who="Rea", at_s=99.0, made=0), "Rea")


def test_more_tries_than_wanted_do_not_count(tmp_path: Path) -> None:
    session = PracticeBook(tmp_path).begin("Ann", RED, 2, "m", 0.0)
    assert len(merged(session, [Try(float(k), 1) for k in range(5)]).counted) == 2


def test_the_file_is_read_back_as_written_is_private_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    book = PracticeBook(tmp_path)
    kept = book.keep("my <red>", "tries", RED.layout, "red")
    session = book.begin("Ann Łuk", kept, 10, "m", 4.0)
    book.change(session.id, lambda s: merged(s, [Try(6.0, 1)]))
    file = tmp_path / PRACTICE_FILE
    again = PracticeBook(tmp_path)
    assert again.positions() == (kept,) and again.sessions() == book.sessions()
    assert parsed(json.loads(as_text(again.positions(), again.sessions()))) == (
        again.positions(),
        again.sessions(),
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    second = again.begin("Bo", RED, 5, "m", 9.0)  # the first one ends by that
    assert [s.ended_at is None for s in again.sessions()] == [False, True] and second.of == 5
    again.drop(kept.id)
    assert again.positions() == () and again.sessions()[0].position == kept  # results stay
    before = file.read_bytes()
    file.write_bytes(before[: len(before) // 2])
    with pytest.raises(UnusableInput, match=PRACTICE_FILE):
        PracticeBook(tmp_path).begin("Ann", RED, 5, "m", 0.0)
    assert file.read_bytes() == before[: len(before) // 2]


def test_a_players_name_is_deleted_from_the_results_too(tmp_path: Path) -> None:
    book = PracticeBook(tmp_path)
    book.begin("Ann Lee", RED, 10, "m", 0.0)
    assert delete_name(tmp_path, "Ann Lee", "somebody") == []
    assert [s.player for s in PracticeBook(tmp_path).sessions()] == ["somebody"]
    assert b"Ann Lee" not in (tmp_path / PRACTICE_FILE).read_bytes()


def test_practice_at_a_live_table_is_counted_from_its_strokes(tmp_path: Path) -> None:
    """As live records it: practice is called, every stroke has its facts and no ruling."""
    scene = Scene(reds={"red_1": (300.0, 2000.0)}, white=(0.0, 1000.0), colours=())
    with Journal(tmp_path / "journal.sqlite") as journal:
        referee = Referee(SNOOKER_TABLE, None, [], None, journal)
        referee.call(FrameCall(0.0, "practice"), "Rea")
        for pots in (["red_1"], [], ["red_1"]):
            scene.balls = {"white": (0.0, 1000.0), "red_1": (300.0, 2000.0)}
            referee.feed(scene.stroke("red_1", pots, {"white": (200.0, 700.0)}))
        referee.close()
        video: Any = {"file": None, "width": 1, "height": 1, "images": 0, "duration_s": 0.0}
        match = match_document("snooker", video, calibration_json(None), referee.match)
    assert {s["striker"] for s in match["strokes"]} == {None} and match["score"] == [0, 0]
    assert [t.made for t in tries_of(match["strokes"], RED, SNOOKER_TABLE, 0.0)] == [1, 0, 1]


def test_looking_on_writes_nothing_and_what_is_counted_is_kept_when_the_session_ends(tmp_path: Path) -> None:
    """A spectator's page asks every second; the file changes only by those who may referee."""
    make_review(tmp_path / "frame", video=False)
    file = tmp_path / "frame" / PRACTICE_FILE
    base = "/api/matches/frame/practice"
    with serving([tmp_path / "frame"]) as url:
        looking = httpx.Client(base_url=url, timeout=60)
        able = httpx.Client(base_url=url, timeout=60, headers={"x-cueref-token": "test-token-of-the-session"})
        kept = able.post(f"{base}/positions", json={"name": "from stroke 1", "stroke": 1}).json()
        begun = able.post(f"{base}/sessions", json={"player": "Ann", "position": kept["id"]}).json()
        before = (file.read_bytes(), file.stat().st_mtime_ns)
        results = f"{base}/results?player=Ann"
        for path in (base, f"{base}/session", results, f"{base}/positions/{kept['id']}/restore"):
            assert looking.get(path).status_code == 200
        assert (file.read_bytes(), file.stat().st_mtime_ns) == before
        assert looking.get(f"{base}/session").json()["made"] == 1  # counted, though not written
        assert [s["made"] for s in looking.get(results).json()] == [1]
        able.post(f"{base}/sessions/{begun['id']}/end")
        assert PracticeBook(file.parent).sessions()[0].counted[0].made == 1
        able.post(f"{base}/sessions", json={"player": "Bo", "position": kept["id"]})
        able.post(f"{base}/sessions", json={"player": "Cy", "position": kept["id"]})  # Bo's ends by that
        assert [len(s.counted) for s in PracticeBook(file.parent).sessions()] == [1, 1, 0]


def test_positions_sessions_and_results_over_http(tmp_path: Path) -> None:
    make_review(tmp_path / "frame", video=False)
    with serving([tmp_path / "frame"]) as url:
        client = httpx.Client(base_url=url, timeout=60)
        base = "/api/matches/frame/practice"
        assert (
            client.post(f"{base}/sessions", json={"player": "Ann", "position": "std-tee"}).status_code == 403
        )
        client.headers["x-cueref-token"] = "test-token-of-the-session"
        kept = client.post(f"{base}/positions", json={"name": "from stroke 2", "stroke": 2}).json()
        assert next(p["id"] for p in client.get(base).json()["positions"]) == kept["id"]
        begun = client.post(
            f"{base}/sessions", json={"player": "Ann", "position": kept["id"], "of": 2}
        ).json()
        assert (begun["counted"], begun["made"]) == (1, 0)  # stroke 2 itself potted nothing
        more = client.post(f"{base}/sessions/{begun['id']}/tries", json={"who": "Rea", "made": 1}).json()
        assert (more["counted"], more["made"]) == (2, 1)
        assert client.get(f"{base}/session").json()["id"] == begun["id"]
        assert client.post(f"{base}/sessions/{begun['id']}/end").json()["ended_at"]
        assert client.get(f"{base}/session").json() is None
        assert [s["made"] for s in client.get(f"{base}/results", params={"player": "Ann"}).json()] == [1]
        found = client.get(f"{base}/positions/{kept['id']}/restore", params={"at": 0}).json()
        assert found["balls"] and found["size_px"] == [640, 360] and found["outlines"]
        assert client.post(f"{base}/positions/{kept['id']}/drop").json() == {"dropped": 1}
        for path, body in (
            ("sessions", {"player": "Ann", "position": "nothing"}),
            ("positions", {"name": "x", "stroke": 99}),
            ("sessions/none/end", None),
        ):
            assert client.post(f"{base}/{path}", json=body).status_code == 422
    assert (tmp_path / "frame" / PRACTICE_FILE).is_file()
