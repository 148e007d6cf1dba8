"""`cueref live` is stopped as every other command is, also while the table is still looked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import av
import numpy as np
import pytest

COME_UP_S = 60.0
LEAVE_S = 30.0  # on a machine that tests keep busy; alone it is one second


@pytest.fixture(scope="module")
def no_table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A room without a table: the search never ends."""
    file = tmp_path_factory.mktemp("room") / "room.mp4"
    noise = np.random.default_rng(1).integers(90, 110, (360, 640, 3), dtype=np.uint8)
    with av.open(str(file), "w") as out:
        stream = out.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        for _ in range(250):
            out.mux(stream.encode(av.VideoFrame.from_ndarray(noise, format="rgb24")))
        out.mux(stream.encode())
    return file


@pytest.mark.parametrize(("number", "status", "said"), [(signal.SIGINT, 130, 1), (signal.SIGTERM, 0, 0)])
def test_a_signal_ends_the_command_soon_with_its_exit_status(
    no_table: Path, tmp_path: Path, number: int, status: int, said: int
) -> None:
    command = [
        sys.executable,
        "-m",
        "referee",
        "live",
        str(no_table),
        "--loop",
        "--no-pages",
        "--out",
        str(tmp_path / "out"),
    ]
    log = tmp_path / "log"
    with log.open("wb") as file:
        run = subprocess.Popen(command, stderr=file, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        end = time.monotonic() + COME_UP_S
        while (
            b"looking for the table" not in log.read_bytes() and run.poll() is None and time.monotonic() < end
        ):
            time.sleep(0.1)
        assert b"looking for the table" in log.read_bytes(), log.read_text()
        run.send_signal(number)
        assert run.wait(LEAVE_S) == status
    finally:
        run.kill()
        run.wait(60.0)
    words = [line for line in log.read_text().splitlines() if line.strip() and not line.startswith("{")]
    assert len(words) == said and all(line.startswith("cueref: stopped") for line in words)
