"""Every command of an installed wheel does its work in an empty folder, as it does in a checkout.

Slow: some minutes on two cores. A new command fails here until it has a line.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli import COMMANDS
from tests.test_wheel import python, wheel

__all__ = ["python", "wheel"]  # fixtures
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

PASSWORD = "nobody guesses this one\n"
"""`users add` asks for it twice; no other command reads its standard input."""
FINDING = {"certify", "doctor", "bench", "spots", "restore"}
"""Commands that may end with 1, a finding, on the bundled clip, this machine or a bench of one stroke."""
ADDRESS = re.compile(rb"https?://[^\s#]+")

WORK = (
    "calibrate {clip} -o table.json",
    "layout {clip} --at 1 --draw layout.png",
    "review {clip} --out first",
    "spots first",
    "explain first --stroke 1",
    "restore first --stroke 4 --video {clip} --at 1",
    "export first --to chapters -o chapters.vtt",
    "export first --to evidence --stroke 1 --video {clip} -o stroke.html",
    "verify first",
    "backup first --to saved",
    "restore-backup saved --out again",
    "certify table.json {clip} -o certificate.html",
    "judge {facts} --game wpa_9ball",
    "cases --coverage snooker",
    "rack wpa_9ball --svg rack.svg",
    "synth made.mp4 --strokes 1 --width 640 --height 360 --physics builtin",
    "bench --out bench --cameras 1 --strokes 0 --layouts 1 --tracks 20 --seed 5",
    "batch {clip} --out season --workers 1",
    "library add first --players Ann Beatrix",
    "library page --out club.html",
    "users add Ann --role referee",
    "users list",
    "install-service table-1 --dry-run --command /opt/cueref/bin/cueref",
    "install-service table-1 --root image --command /opt/cueref/bin/cueref",
    "doctor --out machine",
    "train --out own/ball_detector.onnx --work patches --patches 250 --steps 2 --processes 1",
    "soak --out soak --minutes 0.2 --clips 1 --strokes 1 --width 640 --height 360 --tmpfs 0 --server plain",
    "delete first --player Beatrix --instead Nobody",
)
"""Commands that end by themselves, in an order in which each finds what those before it made."""
SERVED = {
    "serve": "serve again --port 0",
    "live": "live {clip} --loop --out table --port 0 --calibration table.json",
    "setup": "setup {clip} --loop --out hung --port 0",
    "demo": "demo --out look --port {port}",
    "club": "club mqtt://127.0.0.1:1 --port 0",
}
"""Commands that serve pages until they are stopped."""


class Machine:
    """An empty folder with the wheel's command; nothing of the repository is in reach."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.command, self.folder = python.with_name("cueref"), folder
        (samples,) = python.parents[1].glob("lib/python*/site-packages/referee/samples")
        self.names = {
            "clip": str(samples / "club_four_strokes.mp4"),
            "facts": str(samples / "nine_ball_two_strokes.facts.jsonl"),
            "port": str(free_port()),
        }
        hidden = ("PYTHON", "CUEREF", "COVERAGE")
        own = {n: v for n, v in os.environ.items() if not n.startswith(hidden)}
        self.environment = {**own, "HOME": str(folder), "CUEREF_DATABASE": str(folder / "club.sqlite")}

    def words(self, line: str) -> list[str]:
        return [str(self.command), *(word.format(**self.names) for word in line.split())]

    def run(self, line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words(line),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=600,
            input=PASSWORD * 2,
            start_new_session=True,  # without a terminal a password is read from standard input
        )


def free_port() -> int:
    """Two neighbouring ports that are free now: `demo` takes both."""
    with socket.socket() as first:
        first.bind(("127.0.0.1", 0))
        return int(first.getsockname()[1])


@pytest.fixture(scope="module")
def machine(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    yield Machine(python, tmp_path_factory.mktemp("empty"))


def test_every_command_has_a_line_here() -> None:
    named = {line.split()[0] for line in WORK} | set(SERVED) | {"tables"}
    assert named == set(COMMANDS)


def test_commands_that_end_do_their_work_in_an_empty_folder(machine: Machine) -> None:
    for line in WORK:
        name = line.split()[0]
        if name == "train" and not _has("torch"):
            continue
        done = machine.run(line)
        allowed = (0, 1) if name in (FINDING | {"soak"}) else (0,)
        assert done.returncode in allowed and "Traceback" not in done.stderr, (line, done.stderr[-2000:])
    made = {path.name for path in machine.folder.iterdir()}
    expected = {"first", "again", "certificate.html", "stroke.html", "rack.svg", "made.mp4", "club.html"}
    assert made >= expected | {"season", "bench", "image", "soak"}
    match = json.loads((machine.folder / "again/match.json").read_text())
    assert match["score"] == [12, 0]
    assert (machine.folder / "season/matches.parquet").is_file()
    assert (machine.folder / "image/etc/systemd/system/cueref-live@.service").is_file()


def _has(module: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(module) is not None


@pytest.mark.parametrize("name", SERVED)
def test_commands_that_serve_answer_and_end_by_ctrl_c(machine: Machine, name: str) -> None:
    log = machine.folder / f"{name}.out"
    with log.open("wb") as out:
        process = subprocess.Popen(
            machine.words(SERVED[name]), cwd=machine.folder, env=machine.environment, stdout=out, stderr=out
        )
        try:
            address = _address(log, process)
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert answer.status == 200 and b"<!doctype html" in answer.read(200).lower()
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130, log.read_text()
        finally:
            process.kill()
            process.wait()


def test_tables_starts_a_table_of_a_settings_file_and_ends_it(machine: Machine) -> None:
    folder = machine.folder / "club-table"
    folder.mkdir()
    shutil.copy(machine.folder / "table.json", folder)
    port = free_port()
    (folder / "live.toml").write_text(f'camera = "{machine.names["clip"]}"\nport = {port}\n')
    log = machine.folder / "tables.out"
    with log.open("wb") as out:
        process = subprocess.Popen(
            machine.words("tables club-table --loop"),
            cwd=machine.folder,
            env=machine.environment,
            stdout=out,
            stderr=out,
        )
        try:
            _until(lambda: _answers(f"http://127.0.0.1:{port}/tv"), process, log)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130, log.read_text()
        finally:
            process.kill()
            process.wait()


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    """The first address that a command prints, without the code of its login link, once it answers."""
    _until(lambda: ADDRESS.search(log.read_bytes()) is not None, process, log)
    found = ADDRESS.search(log.read_bytes())
    assert found is not None
    address = found[0].decode().rstrip(";,.")
    _until(lambda: _answers(address), process, log)
    return address


def _until(holds: object, process: subprocess.Popen[bytes], log: Path, seconds: float = 180.0) -> None:
    assert callable(holds)
    end_s = time.monotonic() + seconds
    while not holds():
        assert process.poll() is None and time.monotonic() < end_s, log.read_text()
        time.sleep(0.2)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
