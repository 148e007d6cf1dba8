"""`cueref demo`: everything runs from one command, and one signal ends it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.bundled import sample_clip

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest_plugins = ("reviewed_sample",)
if TYPE_CHECKING:
    from reviewed_sample import ReviewedSample
ADDRESS = re.compile(r"console: (http://\S+)")


@pytest.fixture(params=["killed before", pytest.param("anew", marks=pytest.mark.slow)])
def demo(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Begun anew, or given again after a kill, when the last of four strokes is still to be seen."""
    if request.param == "killed before":
        sample: ReviewedSample = request.getfixturevalue("reviewed_sample")
        shutil.copytree(sample.killed, tmp_path / "demo" / "review")
    command = [sys.executable, "-m", "referee", "demo", "--out", str(tmp_path / "demo"), "--port", "0"]
    env = {**os.environ, "PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1", "CUEREF_MQTT": "mqtt://no.host"}
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
    watchdog = threading.Timer(120.0, run.kill)
    watchdog.start()
    yield run
    watchdog.cancel()
    run.kill()
    run.wait(60.0)


def test_both_consoles_answer_and_one_signal_ends_everything(
    demo: subprocess.Popen[str], tmp_path: Path
) -> None:
    """A login at one holds at the other, for a browser has one cookie for both; the match is the sample's."""
    assert demo.stdout is not None
    found: list[str] = []
    while len(found) < 2:
        line = demo.stdout.readline()
        assert line, demo.stderr.read() if demo.stderr else ""
        found += ADDRESS.findall(line)
    with httpx.Client(timeout=60.0) as browser:
        assert [browser.get(address).status_code for address in found] == [200, 200]
        pages, code = found[0].split("/login#code=")
        assert browser.post(f"{pages}/api/session", json={"code": code}).json()["role"] == "owner"
        other = found[1].split("/login")[0]
        assert browser.get(f"{other}/api/session").json()["role"] == "owner"
        assert browser.post(f"{pages}/api/session", json={"code": code}).status_code == 401
    demo.send_signal(signal.SIGINT)
    assert demo.wait(60.0) == 130
    for address in found:
        with pytest.raises(httpx.TransportError):
            httpx.get(address, timeout=5.0)
    assert json.loads((tmp_path / "demo/review/match.json").read_text())["score"] == [12, 0]
    assert (tmp_path / "demo/club_four_strokes.mp4").read_bytes() == sample_clip().read_bytes()
