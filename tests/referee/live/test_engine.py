"""The engine without a camera's pixels: scripted items and observations in, conditions, rulings and answers
out.
"""

from __future__ import annotations

import functools
import io
import json
import math
import os
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tracker"))
from live_clip import sample_calibration
from tracker_lab.observer import Noise, Observer, Truth
from tracker_lab.racking import new_frame
from tracker_lab.scenes import roll, still

import referee.review.perception
import vision.observer
from calibration.errors import UnusableInput
from calibration.files import only_writer
from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from referee.journal import JOURNAL_FILE, Journal
from referee.live.engine import engine as engine_module
from referee.live.engine import live_match
from referee.live.engine.deferred_writes import DeferredJournal, DeferredTracks
from referee.live.engine.engine import LiveEngine
from referee.live.engine.log import LiveLog
from referee.live.engine.match_runner import MatchRunner
from referee.live.engine.requests import AskFrame, SetBestOf, SetPlayers
from referee.live.engine.settings import LiveSettings, NewMatch
from referee.live.engine.state import LiveState
from referee.live.feeds.stream import EVENTS_FILE, EventStream
from referee.moments import Moment
from referee.review.watching import Watch
from tracker.events import TrackRow
from vision.capture.items import CameraEvent, CameraImage, CaptureOptions
from vision.io.images import VideoImage
from vision.io.picture import Picture
from vision.observation import ImageObservations, Unusable

Item = CameraImage | CameraEvent | Callable[[], object]
PICTURE = Picture.from_bgr(np.zeros((180, 320, 3), np.uint8))


class ScriptedCamera:
    """Hands out what the test wrote down; a function in the script is called when its turn comes."""

    def __init__(self, items: list[Item]) -> None:
        self._items = iter(items)
        self.zero_unix_s: float | None = 1.7e9
        self.ended = False

    def next(self, timeout_s: float) -> CameraImage | CameraEvent | None:
        item = next(self._items, None)
        if item is None:
            return CameraEvent("ended", 99.0, "the script is over")
        if callable(item):
            item()
            return None
        return item

    def now_s(self) -> float:
        return 0.0

    def close(self) -> None:
        pass


def seeing(by_index: dict[int, ImageObservations]) -> type[vision.observer.Observer]:
    """An observer that knows what each image shows."""

    class Seeing(vision.observer.Observer):
        def feed(self, item: VideoImage | Unusable) -> ImageObservations:
            return super().feed(item) if isinstance(item, Unusable) else by_index[item.index]

    return Seeing


@functools.cache
def played(strokes: int) -> dict[int, ImageObservations]:
    """The white rolls past everything, every six seconds: each a miss, foul 4."""
    truth = still(
        2.0 + 6.0 * strokes, layout={"white": (0.0, 300.0), "red_01": (300.0, 2000.0), **SNOOKER_TABLE.spots}
    )
    for k in range(strokes):
        roll(truth, "white", 1.0 + 6.0 * k, (0.0, 90.0 if k % 2 == 0 else -90.0), 200.0)
    return observed(truth, 3.0)


def observed(truth: Truth, full_look_s: float) -> dict[int, ImageObservations]:
    quiet = Noise(drop=0.0, drop_moving=0.0, false=0.0, confuse=0.0, full_look_s=full_look_s)
    return {i.index: i for i in Observer(truth, quiet, 1).images()}


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., tuple[LiveEngine, list[dict[str, Any]]]]]:
    calibration = sample_calibration(tmp_path / "table.json")
    (tmp_path / "file.mp4").write_bytes(b"stands for a video; the camera is scripted")

    def play(
        strokes: int | dict[int, ImageObservations],
        before: dict[int, list[Item]] | None = None,
        out: str = "out",
        **more: Any,
    ) -> Any:
        seen = played(strokes) if isinstance(strokes, int) else strokes
        items: list[Item] = [CameraEvent("connected", 0.0, "here", None, 0, 320, 180)]
        for index, image in seen.items():
            items += (before or {}).get(index, [])
            items.append(CameraImage(VideoImage(index, image.t_s, PICTURE), 0.0))

        def open_camera(_address: str, options: CaptureOptions, *_: object) -> ScriptedCamera:
            opened.append(options)
            return ScriptedCamera(items)

        monkeypatch.setattr(engine_module, "open_camera", open_camera)
        monkeypatch.setattr(referee.review.perception, "Observer", seeing(seen))
        monkeypatch.setattr(
            MatchRunner,
            "_video",
            lambda _: {"file": "file.mp4", "width": 320, "height": 180, "images": 1, "duration_s": 1.0},
        )
        log = io.StringIO()
        settings = LiveSettings(
            str(tmp_path / "file.mp4"), tmp_path / out, "T", calibration=calibration, record=False, **more
        )
        engine = LiveEngine(settings, LiveLog("T", log), detector=SimpleNamespace(looks=SNOOKER.names))  # type: ignore[arg-type]
        holder.append(engine)
        engine.run()
        return engine, [json.loads(line) for line in log.getvalue().splitlines()]

    holder: list[LiveEngine] = []
    opened: list[CaptureOptions] = []
    play.engines, play.opened = holder, opened  # type: ignore[attr-defined]
    yield play


def test_strokes_are_ruled_within_a_second_and_published(run: Any, tmp_path: Path) -> None:
    engine, log = run(2)
    assert [line["text"] for line in log if line["event"] == "ruling" and line["stroke"] == 1] == [
        "Foul, 4 to B, and a miss"
    ]
    state = engine.state
    assert isinstance(state, LiveState) and state.strokes == 2 and state.status == "stopped"
    events = [json.loads(line) for line in (tmp_path / "out" / EVENTS_FILE).read_text().splitlines()]
    rulings = [e["body"] for e in events if e["type"] == "ruling"]
    assert all(0 < r["ready_s"] - r["end_s"] <= 1.0 for r in rulings) and len(rulings) >= 2


def test_camera_events_are_published_as_conditions_while_they_last(run: Any) -> None:
    seen: list[tuple[str, bool, int]] = []

    def note() -> None:
        state = run.engines[-1].state
        seen.append((state.status, state.camera.ok, state.camera.skipped))

    lost = CameraEvent("lost", 3.0, "rtsp://user:pw@host: gone", 2.9)
    again = CameraEvent("connected", 8.0, "back", 2.9, 0, 320, 180)
    skipped = CameraEvent("skipped", 9.0, "7 images skipped", 8.5, 7)
    dark, light = CameraEvent("dark", 9.5, "dark", 9.0), CameraEvent("light", 9.8, "light", 9.5)
    engine, log = run(1, {100: [lost, note, again, note, skipped, note, dark, note, light, note]})
    assert seen == [
        ("camera_lost", False, 0),
        ("running", True, 0),
        ("slow", True, 7),
        ("picture_covered", True, 7),
        ("slow", True, 7),
    ]
    assert engine.state.camera.reconnects == 1
    assert "pw" not in json.dumps(log)


def test_images_skipped_while_a_match_is_opened_do_not_count_as_slow(run: Any) -> None:
    first = min(played(1))
    engine, log = run(1, {first: [CameraEvent("skipped", 0.0, "20 images skipped", 0.0, 20)]})
    assert engine.state.camera.skipped == 0 and engine.state.strokes == 1
    assert "slow" not in [line.get("code") for line in log]


def test_requests_are_carried_out_between_images_and_refused_in_a_sentence(run: Any) -> None:
    futures: list[Any] = []

    def ask(request: Any) -> Callable[[], None]:
        def do() -> None:
            thread = threading.Thread(target=lambda: futures.append(run.engines[-1].submit(request, "Ann")))
            thread.start()
            thread.join(60.0)

        return do

    asked = [
        ask(SetPlayers(("Ann", "Bo"))),
        ask(SetBestOf(3)),
        ask(AskFrame("frame")),
        ask(AskFrame("concede", "A")),
    ]
    engine, _ = run(2, {160: asked})
    assert [f.exception(60.0) is None for f in futures] == [True, True, False, True]
    assert isinstance(futures[2].exception(60.0), UnusableInput)
    state = engine.state
    assert [p.name for p in state.players] == ["Ann", "Bo"] and state.best_of == 3
    assert state.frames[0].winner == "B" and state.frames[0].ended == "conceded"
    assert state.rulings[-1].kind == "unruled"  # played after the concession


def test_a_new_match_is_a_folder_of_its_own_and_the_old_one_is_written(run: Any, tmp_path: Path) -> None:
    def ask() -> None:
        run.engines[-1].submit(NewMatch(("Cy", "Di"), 5, "B"), "Ann")

    engine, _ = run(2, {160: [ask]})
    folders = sorted(p for p in (tmp_path / "out").iterdir() if p.is_dir())
    assert len(folders) == 2 and all((f / "match.json").is_file() for f in folders)
    first, second = (json.loads((f / "match.json").read_text()) for f in folders)
    assert len(first["strokes"]) == 1 and second["players"] == ["Cy", "Di"]
    assert second["start"]["striker"] == "B" and engine.state.best_of == 5


def test_a_match_begun_inside_a_frame_begins_as_start_says(run: Any) -> None:
    engine, _ = run(1, match=NewMatch(("Ann", "Bo"), 5, "A", "B red 30-41 frames 2-1"))
    state = engine.state
    assert [p.frames for p in state.players] == [2, 1] and state.frame == 4
    first = state.rulings[0]
    assert first.striker == "B" and first.score[0] >= 30 and first.score[1] >= 41


def test_a_restart_resumes_the_match_unless_a_new_one_is_asked_for(run: Any, tmp_path: Path) -> None:
    def stop() -> None:
        run.engines[-1].stop()

    engine, _ = run(2, {160: [stop]}, match=NewMatch(("Ann", "Bo"), 3))
    first = engine.state.match_id
    engine, log = run(2, {10: [stop]}, match=NewMatch(("Cy", "Di"), 5))
    (resumed,) = [line for line in log if line["event"] == "match_resumed"]
    assert (
        engine.state.match_id == first
        and "Ann and Bo, best of 3" in resumed["text"]
        and "--new-match" in resumed["text"]
    )
    engine, _ = run(2, {10: [stop]}, match=NewMatch(("Cy", "Di"), 5), new_match=True)
    assert engine.state.match_id != first and [p.name for p in engine.state.players] == ["Cy", "Di"]
    left = json.loads((tmp_path / "out" / first / "match.json").read_text())  # it has ended, as it stood
    assert (
        left["players"] == ["Ann", "Bo"]
        and len(left["strokes"]) == 1
        and left["video"]["duration_s"] >= left["strokes"][0]["end_s"] > 1.0
    )
    third = engine.state.match_id
    engine, _ = run(1, match=NewMatch(("Eve", "Flo")), resume_hours=0.0)  # of the same boot: no doubt
    assert engine.state.match_id != third and (tmp_path / "out" / third / "match.json").is_file()


HOUR_S = 3600.0
WHEN = Moment("boot 1", 1000.0, 1.8e9, compared=False)
RIGHT = replace(WHEN, compared=True)


@pytest.mark.parametrize(
    ("then", "now", "goes_on", "asked"),
    [
        (WHEN, replace(WHEN, boot_s=1060.0, unix_s=1.8e9 + 10 * HOUR_S), True, False),
        (WHEN, replace(WHEN, boot_s=1060.0, unix_s=1.8e9 - 10 * HOUR_S), True, False),
        (WHEN, replace(WHEN, boot_s=1000.0 + 7 * HOUR_S), False, False),
        (WHEN, Moment("boot 2", 50.0, 1.8e9 + 10 * HOUR_S, compared=True), True, True),
        (RIGHT, Moment("boot 2", 50.0, 1.8e9 + 10 * HOUR_S, compared=False), True, True),
        (RIGHT, Moment("boot 2", 50.0, 1.8e9 + 5 * HOUR_S, compared=False), True, False),
        (RIGHT, Moment("boot 2", 50.0, 1.8e9 + 10 * HOUR_S, compared=True), False, False),
    ],
    ids=[
        "the clock was set forward",
        "the clock was set back",
        "seven hours went by",
        "restarted, the clock of then may have been wrong",
        "restarted, the clock of now may be wrong",
        "restarted, not long ago by any clock",
        "restarted the next day, both clocks right",
    ],
)
def test_a_clock_that_was_set_never_ends_a_match(
    run: Any, monkeypatch: pytest.MonkeyPatch, then: Moment, now: Moment, goes_on: bool, asked: bool
) -> None:
    def stop() -> None:
        run.engines[-1].stop()

    monkeypatch.setattr(live_match, "moment", lambda: then)
    engine, _ = run(2, {160: [stop]})
    first = engine.state.match_id
    monkeypatch.setattr(live_match, "moment", lambda: now)
    engine, _ = run(2, {10: [stop]})
    assert (engine.state.match_id == first) is goes_on
    events = [json.loads(line) for line in (engine.settings.out / EVENTS_FILE).read_text().splitlines()]
    codes = [e["body"]["code"] for e in events if e["type"] == "status"]
    assert ("match_may_be_over" in codes) is asked


@pytest.mark.parametrize(
    ("then", "now", "passed_s"),
    [
        (WHEN, replace(WHEN, boot_s=1060.0, unix_s=1.8e9 + 2 * HOUR_S), 60.0),
        (WHEN, replace(WHEN, boot_s=1060.0, unix_s=1.8e9 - 2 * HOUR_S), 60.0),
        (WHEN, Moment("boot 2", 50.0, 1.8e9 + 300.0, compared=False), 300.0),
        (RIGHT, Moment("boot 2", 50.0, 1.8e9 + 300.0, compared=True), 300.0),
    ],
    ids=["set forward", "set back", "the machine restarted", "restarted, clocks compared"],
)
def test_match_time_goes_on_by_a_clock_that_nobody_sets(
    run: Any, monkeypatch: pytest.MonkeyPatch, then: Moment, now: Moment, passed_s: float
) -> None:
    def stop() -> None:
        run.engines[-1].stop()

    monkeypatch.setattr(live_match, "moment", lambda: then)
    run(2, {160: [stop]}, speed=1.0)
    monkeypatch.setattr(live_match, "moment", lambda: now)
    before = time.monotonic()
    run(2, {10: [stop]}, speed=1.0)
    zero_mono_s = run.opened[-1].zero_mono_s
    assert before <= zero_mono_s + passed_s <= time.monotonic()
    assert run.opened[-1].zero_unix_s == 1.7e9


@pytest.mark.parametrize("stored", [b"", b"damaged", bytes(300)])
def test_a_match_whose_checkpoint_is_damaged_goes_on_with_its_record(run: Any, stored: bytes) -> None:
    def stop() -> None:
        run.engines[-1].stop()

    engine, _ = run(2, {160: [stop]})
    first, out = engine.state.match_id, engine.settings.out
    with Journal(out / first / JOURNAL_FILE) as journal:
        journal.set_progress("checkpoint", stored)
        before = [(e.id, e.chain) for e in journal.entries()]
    engine, _ = run(2, {10: [stop]})
    with Journal(out / first / JOURNAL_FILE) as journal:
        after = [(e.id, e.chain) for e in journal.entries()]
        assert journal.verify()
    assert engine.state.match_id == first and len(before) > 1 and after[: len(before)] == before


def test_the_log_says_how_many_entries_a_full_disk_refused_to_the_end(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(journal: DeferredJournal) -> bool:
        journal.failing = "database or disk is full"
        return False

    def fill() -> None:
        monkeypatch.setattr(DeferredJournal, "flush", refuse)

    def stop() -> None:
        run.engines[-1].stop()

    _, log = run(2, {20: [fill], 160: [stop]})
    (said,) = [line["text"] for line in log if line["event"] == "journal_not_written"]
    count = int(said.split()[0])
    assert count >= 1 and said.endswith(
        "entries of the record could not be written: database or disk is full"
    )


def test_a_new_match_reads_the_calibration_file_again(run: Any, tmp_path: Path) -> None:
    anew = tmp_path / "table.json"

    def set_up_again() -> None:
        known = json.loads(anew.read_text())
        known["camera"]["translation_mm"][2] += 100.0
        anew.write_text(json.dumps(known))

    def ask() -> None:
        run.engines[-1].submit(NewMatch(), "Ann")

    def lost() -> None:
        anew.unlink()

    run(3, {10: [set_up_again, ask], 160: [lost, ask]})
    folders = sorted(p for p in (tmp_path / "out").iterdir() if p.is_dir())
    depths = [
        json.loads((f / "match.json").read_text())["calibration"]["camera"]["translation_mm"][2]
        for f in folders
    ]
    assert (
        len(depths) == 3 and depths[1] == depths[0] + 100.0 == depths[2]
    )  # without the file, as the match before


def test_a_triangle_after_the_match_is_over_begins_the_next_one(run: Any, tmp_path: Path) -> None:
    truth = new_frame({"white": (100.0, 900.0)}, SNOOKER_TABLE, np.random.default_rng(1))
    engine_of = run.engines

    def decide() -> None:  # frame 1 goes to Bo, best of one
        for request in (SetPlayers(("Ann", "Bo")), SetBestOf(1), AskFrame("frame"), AskFrame("concede", "A")):
            engine_of[-1].submit(request)

    engine, _ = run(observed(truth, -1.0), {10: [decide]})
    folders = sorted(p for p in (tmp_path / "out").iterdir() if p.is_dir())
    assert len(folders) == 2
    first, second = (json.loads((f / "match.json").read_text()) for f in folders)
    assert [(f["winner"], f["ended"]) for f in first["frames"]] == [("B", "conceded")] and first[
        "strokes"
    ] == []
    assert (
        second["players"] == ["Ann", "Bo"]
        and len(second["strokes"]) == 1
        and second["strokes"][0]["striker"] == "B"
    )
    assert [f["n"] for f in second["frames"]] == [1] and engine.state.best_of == 1


def test_a_failed_step_goes_back_to_the_last_stroke_and_refereeing_continues(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_once() -> None:
        feed, left = Watch.feed, [1]

        def broken(self: Watch, image: Any) -> Any:
            if left:
                left.pop()
                raise ZeroDivisionError("a fault")
            return feed(self, image)

        monkeypatch.setattr(Watch, "feed", broken)

    engine, log = run(2, {100: [break_once]})
    assert [line["text"] for line in log if line["event"] == "fault"] == ["ZeroDivisionError: a fault"]
    assert engine.state.strokes == 2


class _Full:
    """A disk that is full while the test says so: SQLite's own limit on the pages of a file."""

    def __init__(self, journal: DeferredJournal) -> None:
        self._db: sqlite3.Connection = journal._db

    def fill(self) -> None:
        (pages,) = self._db.execute("PRAGMA page_count").fetchone()
        self._db.execute(f"PRAGMA max_page_count = {pages}")

    def free(self) -> None:
        self._db.execute("PRAGMA max_page_count = 1000000")


def test_a_full_disk_keeps_the_record_in_memory_and_writes_it_when_there_is_room(tmp_path: Path) -> None:
    journal, plain = DeferredJournal(tmp_path / "a.sqlite"), Journal(tmp_path / "b.sqlite")
    disk, text = _Full(journal), "x" * 3000
    for k in range(12):
        if k == 3:
            disk.fill()
        for each in (journal, plain):
            with each.transaction():
                entry = each.append("gap", {"k": k, "text": text}, float(k))
                each.append("ruling", {"n": k}, float(k))
        assert entry.id == 2 * k + 1
        journal.set_progress("at", str(k).encode())
    assert journal.failing is not None and "full" in journal.failing
    assert [e.id for e in journal.entries()] == list(range(1, 25)) and journal.progress("at") == b"11"
    disk.free()
    assert journal.flush() and journal.failing is None
    journal.close()
    with Journal(tmp_path / "a.sqlite") as again:
        assert again.verify() and again.digest == plain.digest and again.progress("at") == b"11"


def _moved(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def _replaced(folder: Path) -> None:
    journal = folder / JOURNAL_FILE
    shutil.copy(journal, folder / "copy")
    os.replace(folder / "copy", journal)


@pytest.mark.parametrize(
    "fate", [shutil.rmtree, _moved, _replaced, lambda folder: shutil.rmtree(folder.parent)]
)
def test_a_record_whose_folder_is_moved_deleted_or_replaced_is_written_anew(
    tmp_path: Path, fate: Any
) -> None:
    folder = tmp_path / "table" / "match"
    folder.mkdir(parents=True)
    journal, plain = DeferredJournal(folder / JOURNAL_FILE), Journal(":memory:")
    for k in range(6):
        if k == 3:
            fate(folder)
        for each in (journal, plain):
            each.append("ruling", {"n": k}, float(k))
        journal.set_progress("at", str(k).encode())
    assert journal.failing is None and journal.waiting == 0
    with pytest.raises(UnusableInput, match="cueref live"), only_writer(folder, "another program"):
        pass
    journal.close()
    with Journal(folder / JOURNAL_FILE) as again:
        assert again.verify() and again.digest == plain.digest and again.progress("at") == b"5"


def test_an_entry_that_is_taken_back_leaves_no_number_behind(tmp_path: Path) -> None:
    journal = DeferredJournal(tmp_path / "a.sqlite")
    journal.append("gap", 1)
    with pytest.raises(KeyError), journal.transaction():
        journal.append("gap", 2)
        raise KeyError("the step failed")
    journal.append("gap", 3)
    assert [(e.id, e.payload) for e in journal.entries()] == [(1, 1), (2, 3)] and journal.verify()
    journal.close()


def test_rows_wait_while_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from referee.live.engine import deferred_writes
    from referee.outputs.tracks import TracksWriter

    rows = [TrackRow(0.04 * k, "white", 1.0 * k, 2.0, 0.3, "moving") for k in range(5000)]
    tracks = DeferredTracks(tmp_path)
    write, full = deferred_writes.os.pwrite, [False]

    def pwrite(file: int, data: bytes, at: int) -> int:
        if full[0]:
            raise OSError(28, "No space left on device")
        return write(file, data[:1000], at)

    monkeypatch.setattr(deferred_writes.os, "pwrite", pwrite)
    tracks.write_all(rows[:2000])
    at = tracks.mark()
    full[0] = True
    tracks.write_all(rows[2000:4000])
    assert tracks.mark() == at  # only what is on disk counts
    full[0] = False
    tracks.write_all(rows[4000:])
    tracks.commit()
    (tmp_path / "plain").mkdir()
    with TracksWriter(tmp_path / "plain") as plain:
        plain.write_all(rows)
    assert (tmp_path / "tracks.csv").read_bytes() == (tmp_path / "plain" / "tracks.csv").read_bytes()


def test_events_are_numbered_on_over_a_restart_and_a_listener_can_go(tmp_path: Path) -> None:
    from live_script import STATE

    heard: list[int] = []
    stream = EventStream(tmp_path, "T")
    end = stream.listen(lambda e: heard.append(e.seq))
    stream.publish(STATE, 1.0, 1.7e9)
    end()
    stream.publish(STATE, 2.0, 1.7e9)
    with (tmp_path / EVENTS_FILE).open("ab") as file:
        file.write(b'{"seq": 9999999, "cut sho')
    again = EventStream(tmp_path, "T")
    assert heard == [1] and again.next_seq() > 2 and math.isfinite(again.next_seq())
    assert again.next_seq() < 9999999


def test_events_refused_by_a_full_disk_are_written_later_in_order(
    tmp_path: Path,
) -> None:
    from live_script import STATE

    stream = EventStream(tmp_path, "T")
    stream.publish(STATE, 1.0, 1.7e9)
    (tmp_path / EVENTS_FILE).rename(tmp_path / "aside")
    (tmp_path / EVENTS_FILE).mkdir()  # nothing can be written there, as on a full disk
    for t_s in (2.0, 3.0):
        stream.publish(STATE, t_s, 1.7e9 + t_s)
    (tmp_path / EVENTS_FILE).rmdir()
    (tmp_path / "aside").rename(tmp_path / EVENTS_FILE)
    stream.publish(STATE, 4.0, 1.7e9 + 4.0)
    kept = [json.loads(line) for line in (tmp_path / EVENTS_FILE).read_text().splitlines()]
    assert [e["seq"] for e in kept] == [1, 2, 3, 4]
    assert [e["t_s"] for e in kept] == [1.0, 2.0, 3.0, 4.0]  # as they were said, not as they were written
