"""Reviewed folders for the console's tests: a scripted frame through the real referee, and a video."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from game_script import GameScript, spread, triangle
from script import Scene

from calibration.table.board import CARROM_BOARD, board_table
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE, TableSpec
from referee.facts.calls import Players
from referee.facts.judged import JudgedStroke
from referee.journal import Journal
from referee.match.referee import Referee
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.document import Match, VideoJson, write_match
from referee.outputs.tracks import TracksWriter
from tracker.events import TrackerEvent, TrackRow

TOKEN = "test-token-of-the-session"
CAMERA = {
    "width_px": 640,
    "height_px": 360,
    "model": "radial",
    "focal_px": 400.0,
    "cx_px": 319.5,
    "cy_px": 179.5,
    "distortion": [],
    "rotation": [2.2214414690791831, -2.2214414690791831, 0.0],  # half a turn: from above, baulk at the right
    "translation_mm": [1784.5, 0.0, 2750.0],
}


def frame_events() -> list[TrackerEvent]:
    """Red, a doubtful colour (a question), a foul with in-off, an in-hand stroke, a red, a black."""
    s = Scene(reds={"red_1": (-400.0, 2300.0), "red_2": (500.0, 2400.0), "red_3": (200.0, 1300.0)})
    events: list[TrackerEvent] = [s.stroke("red_1", ["red_1"], {"white": (200.0, 2000.0)})]
    events.append(s.stroke({"pink": 0.6, "black": 0.4}, [], {"white": (0.0, 1000.0), "pink": (50.0, 2500.0)}))
    events.append(s.stroke("blue", ["white"], {"blue": (300.0, 1800.0)}))
    events.append(s.hand("in_hand", "white", (100.0, 600.0)))
    events.append(s.stroke("red_3", ["red_3"], {"white": (100.0, 2900.0)}))
    events.append(s.stroke("black", ["black"], {"white": (400.0, 2600.0)}))
    events.append(s.hand("respot", "black", (3.5, 3242.0)))
    events.append(s.stroke("red_2", [], {"white": (-300.0, 400.0), "red_2": (-200.0, 3300.0)}))
    return events


def hanging_events() -> list[TrackerEvent]:
    """A red or a brown first in stroke 2: who comes to the table is open from there on. Pink or black first
    in stroke 8 is a question of its own.
    """
    s = Scene(reds={f"red_{k}": (-400.0 + 130 * k, 2300.0 + 40 * k) for k in range(1, 6)})
    events: list[TrackerEvent] = [s.stroke("red_5", [], {"white": (100.0, 700.0)})]
    events.append(s.stroke({"red_1": 0.5, "brown": 0.5}, ["red_1"], {"white": (150.0, 1500.0)}))
    events.append(s.stroke("black", [], {"white": (200.0, 900.0)}))
    for k in range(4):
        place = (-200.0 + 90 * k, 800.0 + 150 * k)
        events.append(s.stroke({"red_2": 0.55, "red_3": 0.45}, [], {"white": place}))
    events.append(s.stroke({"pink": 0.6, "black": 0.4}, [], {"white": (0.0, 1200.0)}))
    events.append(s.stroke("red_4", [], {"white": (250.0, 1000.0)}))
    return events


def long_events(frames: int, strokes: int) -> list[TrackerEvent]:
    """Frames of `strokes` strokes each: a red here and there, safeties between."""
    s = Scene()
    out: list[TrackerEvent] = []
    for _ in range(frames):
        out.append(s.rack())
        for k in range(strokes):
            place = (-700.0 + (37 * k) % 1400, 300.0 + (53 * k) % 1900)
            red = f"red_{k // 4 + 1}"
            out.append(s.stroke(red, [red] if k % 4 == 3 and k < 52 else [], {"white": place}))
            if k % 4 == 3 and k < 52:
                out.append(s.stroke("blue", [], {"white": place}))
    return out


def make_review(
    folder: Path,
    events: Sequence[TrackerEvent] | None = None,
    names: tuple[str, str] = ("Ann <Ace>", "Bo & Co"),
    video: bool = True,
) -> Match:
    """A review's folder as `cueref review` leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    with Journal(folder / "journal.sqlite") as journal:
        referee = Referee(SNOOKER_TABLE, None, [Players(names)], None, journal)
        for event in events or frame_events():
            referee.feed(event)
        referee.close()
        result = referee.match
    end = max((s.seen.end_s for s in result.strokes), default=10.0) + 3.0
    calibration = calibration_json(None) | {"camera": CAMERA, "residual_px": 0.1, "residual_mm": 0.4}
    shown: VideoJson = {
        "file": "clip.mp4" if video else None,
        "width": 640,
        "height": 360,
        "images": int(end * 25),
        "duration_s": end,
    }
    document = match_document("snooker", shown, calibration, result)
    write_match(folder, document)
    with TracksWriter(folder) as writer:
        writer.write_all(rows_of(document, result.strokes))
    if video:
        make_video(folder / "clip.mp4", end)
    return document


def make_ten_ball(folder: Path, names: tuple[str, str] = ("Ann", "Bo")) -> Match:
    """A review of ten ball, without video: a dry break of A, a shot of B that is a foul unless it was a push
    out, and a bank of the 1 by A, of which nobody said whether it was called.
    """
    game, balls = "wpa_10ball", [str(n) for n in range(1, 11)]
    script = GameScript(game, WPA_TABLE, {"cue": (20.0, 500.0), **triangle(WPA_TABLE, balls)})
    broken = spread(WPA_TABLE, balls) | {"3": (-WPA_TABLE.half_width_mm + 29.0, 700.0)}  # at the left rail
    events = (
        script.stroke("1", rails=["2", "3", "4", "5", "6", "8"], moves=broken),
        script.stroke("2"),
        script.stroke("1", ("1", "CL"), sure=1.0, early_rails=["1"]),
    )
    return make_game(folder, game, WPA_TABLE, events, names)


def make_carrom(folder: Path) -> Match:
    """A review of carrom, without video: A meets a white C/m and pots nothing."""
    places = {"striker": (20.0, CARROM_BOARD.striker_line_y_mm()), "queen": (0.0, 0.0)}
    men = {f"{c}_{k}": (30.0 * k, 60.0 * s) for c, s in (("white", 1), ("black", -1)) for k in range(1, 6)}
    script = GameScript("carrom", board_table(), places | men)
    return make_game(folder, "carrom", board_table(), [script.stroke("white_1")], ("Ann", "Bo"))


def make_game(
    folder: Path,
    game: str,
    table: TableSpec,
    events: Iterable[TrackerEvent],
    names: tuple[str, str] = ("Ann", "Bo"),
) -> Match:
    """A review of a game, without video."""
    folder.mkdir(parents=True, exist_ok=True)
    with Journal(folder / "journal.sqlite") as journal:
        referee = Referee(table, None, [Players(names)], None, journal, game)
        for event in events:
            referee.feed(event)
        referee.close()
        result = referee.match
    shown: VideoJson = {"file": None, "width": 640, "height": 360, "images": 1000, "duration_s": 40.0}
    calibration = calibration_json(None) | {"table": table.as_fields()}
    document = match_document(game, shown, calibration, result)
    write_match(folder, document)
    return document


def rows_of(match: Match, judged: Sequence[JudgedStroke]) -> list[TrackRow]:
    """Straight runs of the cue-ball and of potted balls, and every ball's rests."""
    rows: list[TrackRow] = []
    for s in judged:
        for t, layout in ((s.seen.start_s - 0.04, s.seen.before), (s.seen.end_s + 0.04, s.seen.after)):
            rows += [TrackRow(t, b.ball, b.x_mm, b.y_mm, 0.3, "rest") for b in layout]
        gone = {b.ball for b in s.seen.before} - {b.ball for b in s.seen.after}
        rows += [TrackRow(s.seen.end_s + 0.04, b, 0.0, 0.0, 0.3, "potted") for b in sorted(gone)]
    for s in match["strokes"]:
        start, end = s["start_s"], s["end_s"]
        runs = [("white", s["before"]["white"][0], (s["after"].get("white") or [[-900.0, -10.0, 1.0]])[0])]
        for p in s["potted"]:
            colour = p["ball"].split("_")[0]
            pocket = SNOOKER_TABLE.pocket(p["pocket"] or "TR")
            runs.append((p["ball"], s["before"][colour][0], [pocket.x_mm, pocket.y_mm, 1.0]))
        for ball, a, b in runs:
            for k in range(26):
                u = 1 - (1 - k / 25) ** 2
                rows.append(
                    TrackRow(
                        start + (end - start) * k / 25,
                        ball,
                        a[0] + u * (b[0] - a[0]),
                        a[1] + u * (b[1] - a[1]),
                        0.5,
                        "moving",
                    )
                )
    return sorted(rows, key=lambda r: r.t_s)


def make_video(path: Path, duration_s: float, rate: int = 25) -> None:
    """A small H.264 clip whose brightness tells the time; a key image every second."""
    path.write_bytes(_video(duration_s, rate))


@cache
def _video(duration_s: float, rate: int) -> bytes:
    """Most tests ask for the same one, which takes some seconds."""
    with tempfile.TemporaryDirectory() as folder:
        _film(Path(folder) / "clip.mp4", duration_s, rate)
        return Path(folder, "clip.mp4").read_bytes()


def _film(path: Path, duration_s: float, rate: int) -> None:
    import av
    import numpy as np

    empty = np.full((360, 640, 3), (30, 90, 40), np.uint8)
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        codec = "libx264" if "libx264" in av.codecs_available else "mpeg4"
        stream = container.add_stream(codec, rate=rate, options={"g": str(rate), "preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        for k in range(int(duration_s * rate)):
            picture = empty.copy()
            picture[150:210, (k * 3) % 600 : (k * 3) % 600 + 40] = 255
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = k, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


@contextlib.contextmanager
def serving(
    folders: Sequence[Path], open_reading: bool = True, players: Any = None, port: int = 0
) -> Iterator[str]:
    """A real server in a thread; gives its address. `players`: of a library. `port`: 0 for any."""
    import uvicorn

    from referee.commands.serve import open_matches
    from referee.console.app import create_app
    from referee.console.guard import Policy

    opened = open_matches(list(folders), [])
    from referee.console.serving import listen
    from referee.console.web_server import server_config

    server = uvicorn.Server(server_config(create_app(opened, Policy(TOKEN, open_reading), players=players)))
    listening = listen("127.0.0.1", port)
    thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        if time.monotonic() > deadline or not thread.is_alive():
            raise RuntimeError("the server did not start")
        time.sleep(0.02)
    port = listening.getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        for match in opened:
            match.close()


def correction(stroke: int, who: str = "Ref", **more: Any) -> dict[str, Any]:
    """A change as the page sends it."""
    return {"stroke": stroke, "who": who, **more}
