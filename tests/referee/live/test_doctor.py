"""The doctor measures: what it calls bad does not work, and nothing that it says holds a password."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.live.setup.doctor import Light, camera_checks, machine_checks

ROOT = Path(__file__).parents[3]


def test_every_check_that_is_not_good_says_what_to_do(tmp_path: Path) -> None:
    checks = machine_checks(tmp_path / "not" / "yet")
    assert len({c.topic for c in checks}) == len(checks) >= 8
    assert all(c.advice for c in checks if c.light in (Light.WARN, Light.BAD))
    assert not list(tmp_path.iterdir())  # nothing is left behind


def test_a_folder_that_cannot_be_written_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    found = next(c for c in machine_checks(tmp_path) if c.topic == "writing")
    assert found.light is Light.BAD and "no space" in found.found


def test_a_camera_is_watched_and_its_rate_measured() -> None:
    checks = {c.topic: c for c in camera_checks(str(ROOT / "samples/club_four_strokes.mp4"), 1.5)}
    assert checks["camera"].light is Light.GOOD
    assert checks["image size"].found == "1280 x 720"
    assert checks["image rate"].found.startswith("25")
    assert (
        checks["aim"].light is Light.GOOD and checks["exposure"].light is Light.GOOD
    )  # the lights of cueref setup


def test_an_absent_camera_is_bad_and_its_password_is_not_shown() -> None:
    device = camera_checks("/dev/video97", 1.0)
    assert [c.light for c in device] == [Light.BAD] and "/dev/video97" in device[0].found
    run = subprocess.run(
        [
            sys.executable,
            "-c",
            "from referee.cli import main; main()",
            "doctor",
            "ftp://me:hidden@192.0.2.1/x",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=120,
    )
    assert run.returncode == 2 and "hidden" not in run.stderr + run.stdout and run.stderr.count("\n") == 1


def test_the_command_prints_json() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "from referee.cli import main; main()", "doctor", "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=120,
    )
    assert run.returncode in (0, 1)
    assert {"topic", "light", "found", "advice"} == set(json.loads(run.stdout)[0])
