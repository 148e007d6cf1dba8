"""Exports that take long are made one at a time, shared, streamed, and refused where too many wait."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from console_sites import httpx, reviewed, site  # noqa: F401

from calibration.errors import UnusableInput
from referee.console.export_queue import ExportQueue, QueueFull, Share, Unwanted

ROOT = Path(__file__).resolve().parents[3]
WAIT_S = 20.0


class Work:
    """An export that is made when the test lets it, and how many are made at once."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.made: list[str] = []
        self.at_once = self.most_at_once = 0

    def make(self, name: str) -> Any:
        def make(target: Path, share: Share) -> None:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            assert self.go.wait(WAIT_S)
            share(0.5)
            target.write_text(name)
            self.made.append(name)
            self.at_once -= 1

        return make


def waited(ready: Any) -> None:
    end = time.monotonic() + WAIT_S
    while not ready() and time.monotonic() < end:
        time.sleep(0.005)
    assert ready()


def test_one_is_made_at_a_time_and_the_others_know_their_place() -> None:
    queue, work = ExportQueue(), Work()
    tickets = [queue.ask(k, work.make(str(k))) for k in range(5)]
    waited(lambda: queue.progress(0) is not None and queue.progress(0).state == "working")
    assert [queue.progress(k).before for k in range(1, 5)] == [1, 2, 3, 4]
    work.go.set()
    waited(lambda: all(t.done for t in tickets))
    assert [t.open().read() for t in tickets] == [b"0", b"1", b"2", b"3", b"4"]
    assert work.most_at_once == 1 and queue.progress(3).state == "ready"
    queue.close()


def test_those_who_ask_for_the_same_share_one() -> None:
    queue, work = ExportQueue(), Work()
    work.go.set()
    tickets = [queue.ask("same", work.make("a")) for _ in range(30)]
    waited(lambda: all(t.done for t in tickets))
    assert {t.open().read() for t in tickets} == {b"a"} and work.made == ["a"]
    queue.close()


def test_too_many_are_refused_and_one_that_nobody_wants_is_not_made() -> None:
    queue, work = ExportQueue(most_waiting=2), Work()
    queue.ask("working", work.make("working"))
    waited(lambda: queue.progress("working").state == "working")
    given_up, kept = queue.ask(1, work.make("1")), queue.ask(2, work.make("2"))
    with pytest.raises(QueueFull):
        queue.ask(3, work.make("3"))
    given_up.close()
    assert queue.progress(1) is None
    queue.ask(3, work.make("3"))
    work.go.set()
    waited(lambda: kept.done and len(work.made) == 3)
    assert work.made == ["working", "2", "3"]
    queue.close()


def test_what_fails_is_told_to_who_waits_and_leaves_no_file() -> None:
    queue = ExportQueue()

    def fail(target: Path, share: Share) -> None:
        target.write_text("half")
        raise UnusableInput("stroke 9: expected a stroke, found none")

    ticket = queue.ask("x", fail)
    waited(lambda: ticket.done)
    with pytest.raises(UnusableInput, match="found none"):
        ticket.open()
    assert queue.progress("x") is None and not list(queue._folder.iterdir())
    folder = queue._folder
    queue.close()
    assert not folder.exists()


def test_few_finished_files_are_kept_and_an_open_one_outlives_its_name() -> None:
    queue, work = ExportQueue(), Work()
    work.go.set()
    first = queue.ask(0, work.make("0"))
    waited(lambda: first.done)
    file = first.open()
    first.close()
    for k in range(1, 12):
        ticket = queue.ask(k, work.make(str(k)))
        waited(lambda t=ticket: t.done)
        ticket.close()
    assert len(list(queue._folder.iterdir())) <= 8 and queue.progress(0) is None
    assert file.read() == b"0"
    queue.close()


def test_what_shows_something_that_was_deleted_is_neither_kept_nor_handed_out() -> None:
    queue, work = ExportQueue(), Work()
    work.go.set()
    ready = queue.ask("evidence", work.make("evidence"))
    waited(lambda: ready.done)
    work.go.clear()
    going = queue.ask("film", work.make("film"))
    waited(lambda: queue.progress("film") is not None and queue.progress("film").state == "working")
    queue.forget()
    assert queue.progress("evidence") is None
    work.go.set()
    waited(lambda: going.done)
    with pytest.raises(Unwanted):
        going.open()
    assert list(queue._folder.iterdir()) == [] and queue.progress("film") is None
    queue.close()


def test_evidence_comes_through_the_queue_and_says_how_far_it_is(site: Any) -> None:  # noqa: F811
    path = "/api/matches/frame/evidence/2"
    assert site.get(f"{path}/progress").json() is None
    answer = site.get(path)
    assert answer.status_code == 200 and "data:video/mp4;base64," in answer.text
    assert answer.text.rstrip().endswith("</html>")
    assert site.get(f"{path}/progress").json() == {"state": "ready", "before": 0, "share": 1.0}
    assert site.get("/api/matches/frame/evidence/99").status_code == 422


@pytest.mark.slow
def test_a_hundred_at_once_stay_under_600_mb(tmp_path: Path) -> None:
    """At 1080p, of a review of the bundled sample; the whole process, also the pages."""
    clip, folder = ROOT / "samples" / "club_four_strokes.mp4", tmp_path / "sample"
    shutil.copytree(ROOT / "tests" / "golden" / "0d1d15d" / "sample", folder)
    enlarged(clip, folder / clip.name)
    command = [sys.executable, "-m", "referee", "serve", str(folder), "--port", "0", "--token", "t" * 20]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split("console: ")[1].split("/login")[0]
        waited(lambda: listening(url))
        paths = [f"{url}/api/matches/sample/evidence/{1 + k % 4}?blur={k % 8 >= 4}" for k in range(100)]
        with ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(fetched, paths, ("127.0.0.1", "127.0.0.2") * 50))
        assert set(answers) == {200}
        status = Path(f"/proc/{server.pid}/status").read_text()
        most_mb = int(status.split("VmHWM:")[1].split()[0]) / 1024
        print(f"most {most_mb:.0f} MB on {os.cpu_count()} cores")
        assert most_mb < 600
    finally:
        server.terminate()
        server.wait(30)


def fetched(url: str, from_address: str) -> int:
    """The status of an answer that was read to its end; one address may hold 64 connections."""
    with httpx.Client(transport=httpx.HTTPTransport(local_address=from_address), timeout=500) as client:
        return int(client.get(url).status_code)


def listening(url: str) -> bool:
    try:
        return bool(httpx.get(f"{url}/api/matches").status_code == 200)
    except httpx.HTTPError:
        return False


def enlarged(clip: Path, target: Path) -> None:
    """The clip at 1920 x 1080."""
    import av

    with av.open(str(clip)) as source, av.open(str(target), "w") as out:
        stream = out.add_stream("libx264", rate=source.streams.video[0].average_rate)
        stream.width, stream.height, stream.pix_fmt = 1920, 1080, "yuv420p"
        stream.options = {"preset": "ultrafast"}
        for frame in source.decode(video=0):
            big = frame.reformat(1920, 1080)
            out.mux(stream.encode(big))
        out.mux(stream.encode(None))
