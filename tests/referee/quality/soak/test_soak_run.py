"""What the soak does to its table: the time of day is set, and the table does not outlive a killed soak."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from referee.quality.soak.plan import CLOCK_AHEAD_S
from referee.quality.soak.set_clock import said_unix, set_clock

SAYS = "import sys, time\nfor _ in sys.stdin: print(time.time(), time.monotonic(), flush=True)"
STARTS = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
from referee.quality.soak.run import SoakOptions, _Run, _start
folder = Path(sys.argv[1])
sys.executable = str(folder / "table")  # stands for the Python that runs `cueref live`
run = _Run(SoakOptions(folder, folder / "table.json", 60.0), folder)
_start(run, SimpleNamespace(address="rtsp://127.0.0.1/table"))
print(run.process.pid, flush=True)
time.sleep(300)
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_a_process_whose_clock_is_set_sees_another_time_of_day_alone(tmp_path: Path) -> None:
    clock = set_clock(tmp_path)
    assert clock is not None
    command, pipe = [sys.executable, "-c", SAYS], subprocess.PIPE
    environment = {**os.environ, **clock.environment}
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        for ahead_s in (0.0, *CLOCK_AHEAD_S):
            process.stdin.write("\n")
            process.stdin.flush()
            told_s, monotonic_s = map(float, process.stdout.readline().split())
            assert told_s - time.time() == pytest.approx(ahead_s, abs=5.0)
            assert monotonic_s == pytest.approx(time.monotonic(), abs=5.0)
            if ahead_s == CLOCK_AHEAD_S[0]:  # the one before has been seen
                text = datetime.fromtimestamp(told_s, UTC).isoformat()
                assert said_unix(text) == pytest.approx(time.time(), abs=5.0)
            clock.next()


def test_the_table_of_a_killed_soak_ends(tmp_path: Path) -> None:
    """A new soak would find its folder in use, and the machine half as fast."""
    table = tmp_path / "table"
    table.write_text("#!/bin/sh\necho '\"starting\"'\nexec sleep 300\n")
    table.chmod(0o700)
    with subprocess.Popen(
        [sys.executable, "-c", STARTS, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as soak:
        assert soak.stdout is not None
        running = Path("/proc") / soak.stdout.readline().strip()
        assert running.name.isdigit() and running.exists()
        soak.kill()
    until = time.monotonic() + 60.0
    while running.exists() and ") Z " not in (running / "stat").read_text():
        assert time.monotonic() < until, "it still runs"
        time.sleep(0.1)
