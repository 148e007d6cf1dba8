"""Tables under one supervisor: what ends is started again, the others are left alone, one signal ends all."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from referee.bundled import sample_clip
from referee.cli import command_line
from referee.live.setup.settings_file import SetupFile, write_settings
from referee.live.supervisor import LONGEST_PAUSE_S, Kept, Supervisor, end, start

SLEEPS = [sys.executable, "-c", "import time; time.sleep(300)"]
FAILS = [sys.executable, "-c", "raise SystemExit(3)"]


def wait_until(true: Callable[[], bool], for_s: float = 60.0) -> None:
    until = time.monotonic() + for_s
    while not true() and time.monotonic() < until:
        time.sleep(0.02)
    assert true()


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    """At work in a thread; ended at the end of the test."""
    said: list[str] = []
    made = Supervisor({**os.environ}, said.append, first_pause_s=0.05)
    made.keep("steady", SLEEPS)
    made.keep("broken", FAILS)
    ending = threading.Event()
    thread = threading.Thread(target=made.run, args=(ending,))
    thread.start()
    yield made
    ending.set()
    thread.join(60.0)
    assert not thread.is_alive()


def pid(of: Kept) -> int:
    return 0 if of.process is None else of.process.pid


def test_what_ends_is_started_again_and_the_others_are_left_alone(supervisor: Supervisor) -> None:
    """Also what is killed; each failure doubles the pause, so that a broken table costs little."""
    steady, broken = supervisor.kept
    wait_until(lambda: pid(steady) > 0 and broken.starts >= 3)
    first = pid(steady)
    assert steady.starts == 1 and broken.pause_s >= 0.2
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: steady.starts == 2 and pid(steady) not in (0, first))


def test_the_pause_grows_to_a_minute_and_what_ran_long_begins_with_the_first() -> None:
    said: list[str] = []
    made = Supervisor({**os.environ}, said.append)
    one = Kept("table", FAILS)
    now = 0.0
    for _ in range(8):
        made._look_after(one, now)
        assert one.process is not None
        one.process.wait(60.0)
        made._look_after(one, now)
        now = one.due_s
    assert one.pause_s == LONGEST_PAUSE_S and said[-1] == "table: ended with status 3; again in 60 s"
    made._look_after(one, now)
    assert one.process is not None
    one.process.wait(60.0)
    made._look_after(one, now + 100.0)
    assert said[-1].endswith("again in 2 s")


def test_a_process_that_does_not_hear_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.live.supervisor.ENDS_IN_S", 0.3)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True);"
    deaf += " time.sleep(300)"
    process = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    quick = start(SLEEPS, os.environ)
    end([process, quick])
    assert process.returncode == -signal.SIGKILL and quick.returncode == -signal.SIGTERM


SUPERVISED = """
import os, sys, threading
from referee.live.supervisor import Supervisor
made = Supervisor(os.environ, lambda line: print(line, flush=True))
made.keep("table", [sys.executable, "-c", "import time; time.sleep(300)"])
made.run(threading.Event())
"""


def test_the_tables_of_a_killed_supervisor_end() -> None:
    """A new one would find their folders in use."""
    run = subprocess.Popen([sys.executable, "-c", SUPERVISED], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    table = Path("/proc") / run.stdout.readline().split()[-1]
    assert table.exists()
    run.kill()
    run.wait(30.0)
    wait_until(lambda: not table.exists() or ") Z " in (table / "stat").read_text())


@pytest.mark.parametrize(
    ("change", "arguments", "words"),
    [
        ({}, ["--club", "9000"], "--club: expected --mqtt"),
        ({"port": 9001}, [], "expected a port of its own, found 9001"),
        ({"port": 9002}, ["--mqtt", "localhost", "--club", "9002"], "a port of its own, found 9002"),
        ({"table_name": "Table 1"}, [], "expected a table's name of its own, found Table 1"),
    ],
)
def test_tables_that_take_one_anothers_place_are_refused(
    tmp_path: Path, change: dict[str, object], arguments: list[str], words: str
) -> None:
    settings = {"camera": "/dev/video0", "table_name": "Table 1", "port": 9001}
    write_settings(tmp_path / "a", SetupFile(**settings))  # type: ignore[arg-type]
    other = {"camera": "/dev/video1", "table_name": "Table 2", "port": 9003, **change}
    write_settings(tmp_path / "b", SetupFile(**other))  # type: ignore[arg-type]
    with pytest.raises(UnusableInput, match=re.escape(words)):
        CliRunner().invoke(
            command_line(["tables"]), ["tables", str(tmp_path), *arguments], catch_exceptions=False
        )


def test_a_folder_without_settings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match=r"expected a folder with live\.toml"):
        CliRunner().invoke(command_line(["tables"]), ["tables", str(tmp_path)], catch_exceptions=False)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[int]:
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
    if program is None:
        pytest.skip("no broker here (Debian: apt install mosquitto)")
    port = free_port()
    running = subprocess.Popen(
        [program, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield port
    running.terminate()
    running.wait(30.0)


@pytest.mark.slow
def test_the_clubs_page_shows_a_table_that_is_killed_and_its_return(tmp_path: Path, broker: int) -> None:
    """Two tables, a real broker, the club's page, one command; the last will says that a table has died."""
    httpx = pytest.importorskip("httpx")
    clip, club = sample_clip(), free_port()
    made = subprocess.run(
        [sys.executable, "-m", "referee", "calibrate", str(clip), "-o", str(tmp_path / "table.json")],
        capture_output=True,
    )
    assert made.returncode == 0, made.stderr
    for n in (1, 2):
        folder = tmp_path / f"t/table-{n}"
        write_settings(folder, SetupFile(str(clip), f"Table {n}", port=free_port()))
        shutil.copy(tmp_path / "table.json", folder / "table.json")
    command = [sys.executable, "-m", "referee", "tables", str(tmp_path / "t"), "--loop"]
    command += ["--mqtt", f"mqtt://127.0.0.1:{broker}", "--club", str(club)]
    env = {**os.environ, "PYTHONUNBUFFERED": "1"}
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
    lines: list[str] = []
    assert run.stdout is not None
    threading.Thread(target=lambda: lines.extend(iter(run.stdout.readline, "")), daemon=True).start()

    def online() -> dict[str, bool]:
        try:
            found = httpx.get(f"http://127.0.0.1:{club}/api/tables", timeout=5.0).json()
        except (httpx.HTTPError, json.JSONDecodeError):
            return {}
        return {t["topic"]: t["online"] for t in found["tables"]}

    try:
        wait_until(lambda: online() == {"Table_1": True, "Table_2": True}, 120.0)
        (one,) = (re.search(r"Table 1: process (\d+)", line) for line in lines if "Table 1: process" in line)
        assert one
        os.kill(int(one[1]), signal.SIGKILL)
        wait_until(lambda: online() == {"Table_1": False, "Table_2": True}, 60.0)
        wait_until(lambda: online() == {"Table_1": True, "Table_2": True}, 120.0)
        run.send_signal(signal.SIGINT)
        assert run.wait(60.0) == 130
        assert sum("Table 2: process" in line for line in lines) == 1
    finally:
        run.terminate()
        run.wait(60.0)
