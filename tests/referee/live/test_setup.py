"""Setting up: the other end called baulk is the same camera, settings come back as written, secrets stay in
the file.
"""

# ruff: noqa: E402
from __future__ import annotations

import math
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the pages need the extra 'serve'")
sys.path.insert(0, str(Path(__file__).parent.parent))
from console_fixture import TOKEN, make_video
from web_fixture import listening

from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.files import only_writer
from calibration.result import Calibration, SigmaModel
from calibration.table.games import PIECES
from calibration.table.parse import parse_table
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from calibration.texts import load_texts
from referee.cli import main
from referee.commands.live import LiveOptions
from referee.commands.setup import setup
from referee.console.guard import Policy
from referee.console.serving import Serving
from referee.console.web_server import WebServer
from referee.live.engine.settings import LiveSettings
from referee.live.pages.options import PagesOptions
from referee.live.setup.guide import Found, SetupSession, expected_error_mm, settled_end, turned
from referee.live.setup.pages import Place, Setup, TableBody, create_setup_app, games_offered
from referee.live.setup.settings_file import SetupFile, read_settings, write_settings
from vision.capture.source import CaptureOptions

CAMERA = Camera(
    640, 360, "radial", 400.0, 319.5, 179.5, (-0.02,), (0.05, -0.03, math.pi / 2), (1784.5, 10.0, 2750.0)
)
SIGMA = SigmaModel((0.2, 0.05, -0.07, 0.3, 0.1, 0.4), 0.1)
CALIBRATION = Calibration(CAMERA, SNOOKER_TABLE, 0.1, 0.4, SIGMA, 0.5)
ADDRESS = "rtsp://admin:geheim@10.0.0.7/stream"
HEADER = {"x-cueref-token": TOKEN}
ask_get, ask_post = (partial(f, timeout=60) for f in (httpx.get, httpx.post))


def test_turning_the_table_leaves_every_pixel_where_it_was() -> None:
    other = turned(CALIBRATION)
    length = SNOOKER_TABLE.length_mm
    rng = np.random.default_rng(5)
    places = np.column_stack((rng.uniform(-889, 889, 40), rng.uniform(0, length, 40), rng.uniform(0, 60, 40)))
    opposite = places * (-1, -1, 1) + (0, length, 0)
    assert np.allclose(CAMERA.pixels_from_table(places), other.camera.pixels_from_table(opposite), atol=1e-6)
    for (x, y, _), (u, v, _) in zip(places, opposite, strict=True):
        assert CALIBRATION.sigma_mm(x, y) == pytest.approx(other.sigma_mm(u, v))
    assert np.allclose(
        turned(other).camera.pixels_from_table(places), CAMERA.pixels_from_table(places), atol=1e-6
    )


def test_the_end_that_a_person_kept_on_the_page_is_certain() -> None:
    assert settled_end(replace(CALIBRATION, baulk_certainty=0.5)) == replace(CALIBRATION, baulk_certainty=1.0)


def test_a_camera_of_any_name_comes_back(tmp_path: Path) -> None:
    """TOML forbids some characters that JSON allows in a text."""
    for camera in ("clip \x7f.mp4", 'rtsp://h/a"b\\c', "Kamera ü \x85"):
        write_settings(tmp_path, SetupFile(camera))
        assert read_settings(tmp_path).camera == camera


def test_settings_come_back_as_written_and_only_their_owner_reads_them(tmp_path: Path) -> None:
    told = SetupFile(
        ADDRESS,
        'Table "3" \\ süd',
        "six_red",
        "1881x943",
        52.3,
        34.5,
        "Änn {more}",
        "Bo\u2019s",
        7,
        "B",
        0.0,
        False,
        "en",
        True,
        "0.0.0.0",
        0,
    )
    file = write_settings(tmp_path / "new", told)
    assert read_settings(file) == told and read_settings(tmp_path / "new") == told
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and [p.name for p in file.parent.iterdir()] == [
        "live.toml"
    ]
    live = told.live_settings(file.parent)
    assert (live.match.players, live.match.best_of, live.match.breaks) == (
        ("Änn {more}", "Bo\u2019s"),
        7,
        "B",
    )
    assert (
        live.table.length_mm == 1881
        and live.table.nose_height_mm == 34.5
        and live.calibration == file.parent / "table.json"
        and not live.record
    )
    assert "geheim" not in repr(told) + repr(live)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "camera = 3",
        'camera = "x"\nport = "a"',
        'camera = "x"\nbreaks = "C"',
        'camera = "x"\nmore = 1',
        "camera = geheim",
    ],
)
def test_wrong_settings_are_one_sentence_that_does_not_quote_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "live.toml").write_text(text)
    with pytest.raises(UnusableInput, match="expected") as told:
        read_settings(tmp_path)
    assert "\n" not in str(told.value) and "geheim" not in str(told.value)


@dataclass
class Served:
    url: str
    setup: Setup
    session: SetupSession
    folder: Path

    def state(self) -> Any:
        return ask_get(f"{self.url}/api/setup").json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return ask_post(f"{self.url}/api/setup/{path}", json=body, headers=HEADER)

    def wait(self, holds: Any) -> Any:
        deadline = time.monotonic() + 60
        while not holds(found := self.state()):
            assert time.monotonic() < deadline, found
            time.sleep(0.05)
        return found


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    make_video(tmp_path / "camera.mp4", 2.0)
    session = SetupSession(str(tmp_path / "camera.mp4"), CaptureOptions(loop=True))
    setup = Setup(session, Place(tmp_path / "out", Serving(), 8765), None)
    server = WebServer(create_setup_app(setup, session, load_texts(), Policy(TOKEN, True)), [listening()])
    server.start()
    yield Served(f"http://127.0.0.1:{server.port}", setup, session, tmp_path / "out")
    server.close()
    session.close()


TABLE = {"length_mm": 3569, "width_mm": 1778, "ball_mm": 52.5, "measured": True}
MATCH = {
    **TABLE,
    "table_name": "Table 3",
    "game": "snooker",
    "player_a": "Ann",
    "player_b": "Bo",
    "best_of": 5,
    "breaks": "B",
    "keep_days": 7,
    "language": "en",
    "start": True,
}


def test_setting_up_shows_the_camera_finds_the_table_and_saves_the_match(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.live.setup.guide.APART_S", 0.04)
    seen = served.wait(lambda s: s["picture"])
    assert [a["topic"] for a in seen["advice"]] == [
        "aim",
        "focus",
        "exposure",
        "flicker",
        "glare",
        "image rate",
    ]
    picture = ask_get(f"{served.url}/api/setup/picture")
    assert picture.content[:2] == b"\xff\xd8" and picture.headers["cache-control"] == "no-store"
    assert ask_post(f"{served.url}/api/setup/calibrate", json=TABLE).status_code == 403
    early = served.post("save", MATCH)
    assert (
        early.status_code == 422
        and "calibrate first" in early.json()["detail"]
        and not served.folder.exists()
    )

    assert served.post("calibrate", TABLE).status_code == 200
    assert served.post("calibrate", TABLE).status_code == 422  # one at a time
    refused = served.wait(lambda s: s["stage"] is None)
    assert "expected" in refused["refusal"] and refused["found"] is None  # a grey clip is no table

    def solved(self: SetupSession, table: TableSpec, enter: Any) -> Found:
        for stage in ("table", "balls"):
            enter(stage)
        return Found(CALIBRATION, b"", *expected_error_mm(CALIBRATION), 0.0)

    monkeypatch.setattr(SetupSession, "_solved", solved)
    served.post("calibrate", TABLE)
    found = served.wait(lambda s: s["found"])["found"]
    assert found["worst_mm"] >= found["typical_mm"] > 0 and not found["baulk_certain"]
    assert served.post("turn", {}).json()["found"]["baulk_certain"]
    assert served.post("save", {**MATCH, "game": "chess"}).status_code == 422
    of_pool = served.post("save", {**MATCH, "game": "wpa_9ball"})
    assert of_pool.status_code == 422 and "find the table again" in of_pool.json()["detail"]
    assert (
        served.post("save", {**MATCH, "nose_mm": 15}).status_code == 422 and not served.setup.started.is_set()
    )
    assert (
        served.post("save", {**MATCH, "nose_mm": 35.0})
        .json()["command"]
        .startswith("cueref live --settings ")
    )
    assert served.setup.started.is_set()
    known = read_settings(served.folder)
    assert known.match().players == ("Ann", "Bo") and known.keep_days == 7 and known.match().breaks == "B"
    assert known.nose_mm == 35.0
    assert Calibration.load(known.live_settings(served.folder).calibration or "") == turned(CALIBRATION)


def test_every_game_is_offered_with_its_usual_table(tmp_path: Path) -> None:
    for known in map(dict, games_offered()):
        game = str(known["game"])
        body = TableBody(game=game, measured=False)
        told = SetupFile("camera.mp4", game=game, table=body.table, ball_mm=0.0)
        table = told.live_settings(tmp_path).table
        assert table == body.spec() == parse_table(None, None, None, game)
        assert (table.length_mm, table.ball_diameter_mm) == (known["length_mm"], known["ball_mm"])
    assert {k["game"] for k in games_offered()} == set(PIECES)


def test_the_form_begins_with_the_table_that_was_looked_for_last(tmp_path: Path) -> None:
    """A page that is loaded again shows the game whose table it has found."""
    session: Any = SimpleNamespace(address="camera.mp4", calibrate=lambda table: None)
    setup = Setup(session, Place(tmp_path, Serving(), 8765), None)
    assert setup.defaults()["game"] == "snooker"
    assert setup.defaults()["languages"]["de"] == "Deutsch", "a language by its own name, not by its code"
    setup.calibrate(TableBody(game="wpa_9ball", measured=False, nose_mm=36.0))
    begun = setup.defaults()
    assert (begun["game"], begun["usual"], begun["nose_mm"]) == ("wpa_9ball", True, 36.0)


def test_a_file_of_old_that_names_snookers_table_for_every_game_means_the_usual_one(tmp_path: Path) -> None:
    write_settings(tmp_path, SetupFile("camera.mp4", game="wpa_9ball", table="~3569x1778"))
    known = read_settings(tmp_path)
    assert known.table == "usual"
    assert known.live_settings(tmp_path).table == parse_table(None, None, None, "wpa_9ball")


def test_no_page_shows_the_cameras_password(tmp_path: Path) -> None:
    session = SetupSession(ADDRESS.replace("10.0.0.7", "127.0.0.1:1"))
    setup = Setup(session, Place(tmp_path, Serving(), 8765), SetupFile(ADDRESS))
    try:
        deadline = time.monotonic() + 20
        while not session.document()["trouble"] and time.monotonic() < deadline:
            time.sleep(0.1)
        assert "geheim" not in repr(setup.document()) + repr(setup.defaults()) and setup.document()["trouble"]
    finally:
        session.close()


NOTHING_GIVEN: Any = SimpleNamespace(command=SimpleNamespace(params=[]))
"""A command line on which nothing stands; the options are given beside it."""


def test_a_folder_that_cannot_be_written_is_reported_before_set_up_begins(tmp_path: Path) -> None:
    with only_writer(tmp_path, "cueref live"), pytest.raises(UnusableInput, match="folder of its own"):
        setup(NOTHING_GIVEN, camera="camera.mp4", out=tmp_path, port=0)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UnusableInput, match="can be written"):
        setup(NOTHING_GIVEN, camera="camera.mp4", out=tmp_path / "file", port=0)


def test_the_match_begins_as_entered_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[tuple[LiveSettings, PagesOptions | None]]()
    write_settings(tmp_path, SetupFile(ADDRESS, player_a="Ann", best_of=3))
    monkeypatch.setattr("referee.commands.setup._set_up", lambda *_: TOKEN)
    monkeypatch.setattr(
        "referee.commands.setup.run", lambda settings, feeding, pages: begun.append((settings, pages))
    )
    setup(NOTHING_GIVEN, camera=ADDRESS, out=tmp_path, name=["table.local"], port=0)
    ((settings, pages),) = begun
    assert settings.new_match and settings.match.players == ("Ann", "B") and settings.match.best_of == 3
    assert pages is not None and pages.serving.names == ("table.local",) and pages.serving.token == TOKEN


def test_only_options_that_the_file_does_not_decide_may_stand_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[tuple[LiveSettings, PagesOptions | None]]()
    write_settings(tmp_path, SetupFile(ADDRESS))
    monkeypatch.setattr(
        "referee.commands.live.run", lambda settings, feeding, pages: begun.append((settings, pages))
    )
    with pytest.raises(SystemExit) as ended:
        main(["live", "--settings", str(tmp_path), "--new-match", "--name", "table.local"])
    assert ended.value.code == 0
    ((settings, pages),) = begun
    assert settings.new_match and pages is not None and pages.serving.names == ("table.local",)
    with pytest.raises(SystemExit) as ended:
        main(["live", "--settings", str(tmp_path), "--best-of", "5"])
    assert ended.value.code == 2 and len(begun) == 1


@pytest.mark.parametrize("days", [-1.0, math.nan, math.inf])
def test_days_that_no_clip_can_be_kept_for_are_refused(days: float) -> None:
    with pytest.raises(UnusableInput, match="--keep-days"):
        LiveSettings("camera.mp4", Path(), keep_days=days)


def test_a_usage_error_shows_no_password(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "/dev/video0", "rtsp://anna:geheim@10.0.0.7/live"])
    told = capfd.readouterr().err
    assert ended.value.code == 2 and "rtsp://***@10.0.0.7/live" in told and "geheim" not in told


def test_a_table_of_a_settings_file_tells_the_port_and_address_of_that_file(tmp_path: Path) -> None:
    """The club's page links to it; the command's own default port is another table's."""
    write_settings(tmp_path, SetupFile(ADDRESS, host="0.0.0.0", port=8766, names="club.example"))
    told = read_settings(tmp_path).pages_options()
    assert LiveOptions().feed_options("2", told).pages == "http://club.example:8766"
    behind = read_settings(tmp_path).pages_options(Serving(address="https://club.example:8444"))
    assert LiveOptions().feed_options("2", behind).pages == "https://club.example:8444"
    assert LiveOptions().feed_options("2", None).pages is None
