"""What is fuzzed: everything that reads what others wrote.

A target takes bytes and may refuse them in a sentence; any other exception is a fault.
"""

# ruff: noqa: E402
from __future__ import annotations

import asyncio
import json
import math
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(HERE)]

import av
import numpy as np
import seen_images
import stamped

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.specs import SNOOKER_TABLE
from referee.cases.runner import run_files
from referee.console import page_data
from referee.console.reviews import current_match, open_review
from referee.facts.calls import read_calls
from referee.journal import JOURNAL_FILE, Journal, snapshot
from referee.journal.codec import canonical
from referee.match.declared import GAMES, setup_of
from referee.match.declared import judge as judge_facts
from referee.match.declared_facts import facts_file
from referee.match.referee import Referee, open_referee
from referee.outputs import exports
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.document import VideoJson, match_bytes, problem_of, read_match
from referee.outputs.evidence import evidence_html
from referee.outputs.report import report_html
from referee.outputs.sheet import score_sheet_html
from referee.outputs.tracks import read_tracks
from tracker import Tracker
from tracker.events import TrackRow
from vision.io import images
from vision.io.clock import Clock
from vision.io.decoding import decode
from vision.io.images import probe, read_image, watch_video

GOLDEN = ROOT / "tests" / "golden" / "0d1d15d"
CASES = ROOT / "tests" / "cases"
_MEMORY = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else Path(tempfile.gettempdir())


@dataclass(frozen=True, slots=True)
class Target:
    """`seeds`: good inputs to begin with. `take` raises UnusableInput for what it refuses."""

    name: str
    seeds: Callable[[], Sequence[bytes]]
    take: Callable[[bytes], None]


@cache
def scratch() -> Path:
    """A folder in memory for what must be a file."""
    folder = Path(tempfile.mkdtemp(prefix=f"cueref-fuzz-{os.getpid()}-", dir=_MEMORY))
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def written(name: str, data: bytes) -> Path:
    path = scratch() / name
    path.write_bytes(data)
    return path


# -- files of JSON ---------------------------------------------------------------------------------------


def table_file(data: bytes) -> None:
    """A calibration: read, used for a place, written again."""
    found = Calibration.from_text(data.decode("utf-8", "replace"), "table.json")
    found.camera.pixels_from_table(np.array([[0.0, 0.0, 26.25], [500.0, 3000.0, 26.25]]))
    found.sigma_mm(0.0, 1000.0)
    assert Calibration.from_text(found.to_text(), "again") == found


def table_seeds() -> list[bytes]:
    with Journal(GOLDEN / "sample" / JOURNAL_FILE) as journal:
        run = json.loads(journal.progress("run") or b"{}")
    return [str(run["calibration"]).encode()]


def calls(data: bytes) -> None:
    """A file of what a camera cannot see."""
    read_calls(written("calls.jsonl", data))


def call_seeds() -> list[bytes]:
    return [file.read_bytes() for file in (ROOT / "samples").glob("*.calls.jsonl")] + [
        b'{"type": "nominate", "t_s": 1.5, "ball": "pink"}\n{"type": "players", "names": ["Ann", "Bo"]}\n',
        b'{"type": "choice", "t_s": 9, "by": "B", "choice": "play_self"}\n',
    ]


def facts(data: bytes) -> None:
    """Declared facts of any game, judged. The first byte says which game."""
    game = GAMES[data[0] % len(GAMES)] if data else GAMES[0]
    file = facts_file(Path("facts.jsonl"), data[1:], "0" * 64)
    for _ in judge_facts(file, setup_of(file, game)):
        pass


def facts_seeds() -> list[bytes]:
    found = []
    for folder in GOLDEN.glob("told_*"):
        number = list(GAMES).index(folder.name.removeprefix("told_"))
        lines = (folder / "facts.jsonl").read_bytes().splitlines(keepends=True)
        found.append(bytes([number]) + b"".join(lines[:12]))
    return found


def rule_cases(data: bytes) -> None:
    """A file of rule cases; a broken line is a result, never an exception."""
    run_files([written("cases.jsonl", data)])


def case_seeds() -> list[bytes]:
    return [
        line + b"\n"
        for file in sorted(CASES.glob("*.jsonl"))
        for line in file.read_bytes().splitlines()[:40:4]
    ]


def match_file(data: bytes) -> None:
    """A match.json: everything that a page, a report and an export shows of it."""
    match = read_match(written("match.json", data))
    page_data.header(match, "m", 1, False, True)
    rows = [page_data.row(match, s) for s in match["strokes"]]
    details = [page_data.stroke_detail(match, s, {}) for s in match["strokes"]]
    asked = [page_data.question(match, s) for s in match["strokes"] if s["verdict"] == "call"]
    shown = [
        page_data.spots(match, 5.0),
        page_data.statistics(match, {}),
        page_data.overlay(match),
        rows,
        details,
    ]
    json.dumps([*shown, asked], allow_nan=False).encode("utf-8", "replace")
    exports.strokes_csv(match)
    exports.chapters_vtt(match)
    exports.markers_edl(match, 25.0)
    score_sheet_html(match)
    report_html(match, {})
    if match["strokes"]:
        evidence_html(match, match["strokes"][0]["n"], {}, None)


def match_seeds() -> list[bytes]:
    return [
        f.read_bytes()
        for f in sorted(GOLDEN.glob("*/match.json"))
        if problem_of(json.loads(f.read_text())) is None
    ]


def tracks(data: bytes) -> None:
    """A tracks.csv."""
    read_tracks(written("tracks.csv", data))


def track_seeds() -> list[bytes]:
    return [
        b"t_s,ball,x_mm,y_mm,sigma_mm,state\n0.0000,white,1.000,2.000,0.300,rest\n1.0,red_1,1,2,3,moving\n"
    ]


# -- journals --------------------------------------------------------------------------------------------


def journal(data: bytes) -> None:
    """A journal's bytes, opened as a review, an export and a console do."""
    folder = scratch() / "journal"
    folder.mkdir(exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    shutil.copy(GOLDEN / "sample" / "match.json", folder)
    (folder / JOURNAL_FILE).write_bytes(data)
    with suppress(UnusableInput):
        current_match(folder)
    (folder / "match.json").unlink(missing_ok=True)
    view = open_review("m", folder)
    try:
        view.hands(), view.history(), view.journal_of(1)
    finally:
        view.close()


def journal_seeds() -> list[bytes]:
    return [(GOLDEN / name / JOURNAL_FILE).read_bytes() for name in ("sample", "sample_corrected")]


def entries(data: bytes) -> None:
    """A journal whose chain holds and whose entries anybody may have written: JSON lines
    `[kind, t_s, value]`.
    """
    with Journal(":memory:") as made:
        for line in data.split(b"\n")[:40]:
            try:
                kind, t_s, value = json.loads(line)
                canonical(value)
            except (ValueError, TypeError, RecursionError):
                continue
            with suppress(ValueError, TypeError, sqlite3.Error, OverflowError):
                made.append(str(kind)[:20], value, t_s if isinstance(t_s, float) else None)
        try:
            match = open_referee(made)
            match.match  # noqa: B018
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, sqlite3.Error) as error:
            raise UnusableInput(str(error)) from None  # as `referee.console.referee_thread` does


def entry_seeds() -> list[bytes]:
    found = []
    for name in ("sample", "sample_corrected"):
        with Journal(GOLDEN / name / JOURNAL_FILE) as held:
            lines = [json.dumps([e.kind, e.t_s, e.payload]).encode() for e in held.entries()]
        found.append(b"\n".join(lines[:10]))
    return found


def checkpoint(data: bytes) -> None:
    """A snapshot of a run."""
    try:
        snapshot.load(data)
    except snapshot.SnapshotError as error:
        raise UnusableInput(str(error)) from None


def checkpoint_seeds() -> list[bytes]:
    return [snapshot.dump(Tracker(SNOOKER_TABLE)), snapshot.dump({"a": np.arange(6.0), "b": [1, (2, "x")]})]


# -- pictures and videos ---------------------------------------------------------------------------------


def picture(data: bytes) -> None:
    """A still picture."""
    read_image(written("picture.png", data))


def picture_seeds() -> list[bytes]:
    import cv2

    shown = np.arange(96 * 160 * 3, dtype=np.uint32).reshape(96, 160, 3).astype(np.uint8)
    return [bytes(cv2.imencode(kind, shown)[1]) for kind in (".png", ".jpg", ".webp", ".bmp", ".tiff")]


def container(data: bytes) -> None:
    """A video: what is known of it, and its first images."""
    path = written("video.bin", data)
    probe(path)
    for k, _ in enumerate(watch_video(path)):
        if k > 5:
            break


def container_seeds() -> list[bytes]:
    found = []
    for suffix, codec in (
        ("mp4", "libx264"),
        ("mkv", "libx264"),
        ("avi", "mpeg4"),
        ("webm", "libvpx"),
        ("ts", "mpeg2video"),
    ):
        path = scratch() / f"seed.{suffix}"
        try:
            with av.open(str(path), "w") as out:
                stream = out.add_stream(codec, rate=25)
                stream.width, stream.height, stream.pix_fmt = 160, 96, "yuv420p"
                for k in range(8):
                    shown = np.full((96, 160, 3), 20 * k, np.uint8)
                    out.mux(stream.encode(av.VideoFrame.from_ndarray(shown, format="rgb24")))
                out.mux(stream.encode(None))
        except (av.FFmpegError, ValueError):
            continue  # an FFmpeg without that encoder
        found.append(path.read_bytes())
    return found


def stamps(data: bytes) -> None:
    """Packets and frames of a decoder whose stamps, errors and damage anybody may have written, 8 bytes each:
    images come in order, spans without any lie between them.
    """
    intra, avi, rate = (data[0] & 1, data[0] & 2, data[0] >> 2) if data else (0, 0, 25)
    container = stamped.Container(data[1:], bool(intra), bool(avi))
    clock = Clock(1 / (rate or 25))
    reader = images._Reader(clock, rate or 25, None, 0.0)
    last_s, index = -1.0, 0
    for decoded in decode(container, container.stream):
        for item in reader.take(decoded):
            if isinstance(item, images.VideoImage):
                assert item.index == index and math.isfinite(item.t_s) and item.t_s > last_s
                last_s, index = item.t_s, index + 1
            else:
                assert max(0.0, last_s) <= item.start_s <= item.end_s, (last_s, item)
    for span in reader.close():
        assert isinstance(span, images.Unusable) and span.end_s >= span.start_s


def stamp_seeds() -> list[bytes]:
    def packet(k: int, flags: int = 0) -> bytes:
        return stamped.PACKET.pack(k * 40, k * 40, flags)

    plain = bytes([25 << 2]) + b"".join(packet(k, 1 if k % 5 == 0 else 0) for k in range(20))
    return [plain, bytes([25 << 2 | 3]) + plain[1:], plain[:81] + plain[1:]]


def watched(data: bytes) -> None:
    """What was seen in image after image, tracked, refereed and written as a match: a review behind its
    pixels.
    """
    tracker, index, t_s = Tracker(SNOOKER_TABLE), 0, 0.0
    with Journal(":memory:") as made:
        referee = Referee(SNOOKER_TABLE, None, [], None, made)
        for seen in seen_images.read(data):
            index, t_s = seen.index, seen.t_s
            for event in tracker.feed(seen):
                if not isinstance(event, TrackRow):
                    referee.feed(event)
        for event in tracker.close():
            if not isinstance(event, TrackRow):
                referee.feed(event)
        referee.close()
        video: VideoJson = {"file": None, "width": 1, "height": 1, "images": index + 1, "duration_s": t_s}
        match = match_document("snooker", video, calibration_json(None), referee.match)
        assert made.verify()
    match_file(match_bytes(match))


# -- the network -----------------------------------------------------------------------------------------


@cache
def _site() -> tuple[Any, asyncio.AbstractEventLoop]:
    from console_fixture import TOKEN

    from referee.console.app import create_app
    from referee.console.guard import Policy

    folder = scratch() / "served"
    shutil.copytree(GOLDEN / "sample_corrected", folder)
    return create_app([open_review("m", folder)], Policy(TOKEN, True)), asyncio.new_event_loop()


def http(data: bytes) -> None:
    """A request: `METHOD PATH` in the first line, headers, an empty line, the body."""
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, path = first.partition(b" ")
    path, _, query = path.partition(b"?")
    headers = [(a.strip().lower(), b.strip()) for a, colon, b in (x.partition(b":") for x in lines) if colon]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.decode("latin-1").upper()[:20] or "GET",
        "scheme": "http",
        "path": path.decode("utf-8", "replace") or "/",
        "raw_path": path,
        "query_string": query,
        "headers": [(b"host", b"127.0.0.1:8765"), *headers],
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 8765),
    }
    status = _asked(
        scope, [{"type": "http.request", "body": body, "more_body": False}], "http.response.start"
    )
    assert status is not None and status.get("status", 0) != 500, status


def websocket(data: bytes) -> None:
    """A socket on which a browser sends what no page sends."""
    path, _, said = data.partition(b"\n")
    sent = [{"type": "websocket.receive", "bytes": said, "text": None}] if said[:1] < b"a" else []
    sent += [{"type": "websocket.receive", "text": said.decode("latin-1"), "bytes": None}]
    scope = {
        "type": "websocket",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "ws",
        "path": path.decode("utf-8", "replace") or "/",
        "raw_path": path,
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8765")],
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 8765),
        "subprotocols": [],
    }
    _asked(scope, [{"type": "websocket.connect"}, *sent, {"type": "websocket.disconnect", "code": 1001}], "")


def _asked(scope: dict[str, Any], messages: list[dict[str, Any]], wanted: str) -> dict[str, Any] | None:
    app, loop = _site()
    left, answers = list(messages), list[dict[str, Any]]()

    async def receive() -> dict[str, Any]:
        if left:
            return left.pop(0)
        await asyncio.sleep(30)  # a browser that waits for its answer
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        answers.append(dict(message))

    loop.run_until_complete(asyncio.wait_for(app(scope, receive, send), 60))
    return next((a for a in answers if a["type"] == wanted), None)


def http_seeds() -> list[bytes]:
    from console_fixture import TOKEN

    change = (
        f"x-cueref-token: {TOKEN}\ncontent-type: application/json\norigin: http://127.0.0.1:8765\n\n".encode()
    )
    reads = (
        "",
        "/strokes",
        "/strokes/1",
        "/questions",
        "/spots?tolerance=4",
        "/statistics",
        "/overlay?until=2",
    )
    more = "/hands", "/history", "/export/csv", "/export/report", "/evidence/1/progress", "/image?at=1"
    return [
        *(f"GET /api/matches/m{path}\n\n".encode() for path in (*reads, *more)),
        b"GET /login?token=abc&to=/overlay\n\n",
        b"GET /static/app.js\nrange: bytes=0-10\n\n",
        b"POST /api/matches/m/corrections\n"
        + change
        + b'{"stroke": 1, "facts": {"potted": ["red"]}, "who": "Ann"}',
        b"POST /api/matches/m/undo\n" + change + b'{"entry": 12, "who": "Ann"}',
        b"POST /api/matches/m/hands\n" + change + b'{"entry": 9, "drop": true, "who": "Ann"}',
        b"POST /api/matches/m/restore?stroke=1\n" + change + b"no picture",
    ]


def websocket_seeds() -> list[bytes]:
    return [b"/ws/m\n{}", b"/ws/other\nx", b"/api\n\x00\x01"]


def mqtt(data: bytes) -> None:
    """A message to a club's page: the topic in the first line."""
    from referee.live.pages.club import Club

    topic, _, payload = data.partition(b"\n")
    club = Club()
    club.take(topic.decode("utf-8", "replace"), payload)
    club.take("cueref/table-1/state", payload)
    json.dumps(club.document(), allow_nan=False, ensure_ascii=False).encode()  # as a page is sent it


def mqtt_seeds() -> list[bytes]:
    return [
        b'cueref/table-1/state\n{"type": "state", "version": 1, "body": {"table": "T", "score": [1, 2]}}',
        b"cueref/table-1/online\ntrue",
    ]


TARGETS: dict[str, Target] = {
    t.name: t
    for t in (
        Target("table_file", table_seeds, table_file),
        Target("calls", call_seeds, calls),
        Target("facts", facts_seeds, facts),
        Target("rule_cases", case_seeds, rule_cases),
        Target("match_file", match_seeds, match_file),
        Target("tracks", track_seeds, tracks),
        Target("journal", journal_seeds, journal),
        Target("entries", entry_seeds, entries),
        Target("checkpoint", checkpoint_seeds, checkpoint),
        Target("picture", picture_seeds, picture),
        Target("container", container_seeds, container),
        Target("stamps", stamp_seeds, stamps),
        Target("watched", seen_images.seeds, watched),
        Target("http", http_seeds, http),
        Target("websocket", websocket_seeds, websocket),
        Target("mqtt", mqtt_seeds, mqtt),
    )
}
