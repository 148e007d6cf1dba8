"""What a wheel installs: five packages and their data, and everything runs from them in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"cueref", "calibration", "vision", "tracker", "referee"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as pip lays it out in somebody's site-packages."""
    built = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


def test_a_wheel_puts_only_its_packages_at_the_top(site: Path) -> None:
    """No `models`, `samples` or `tests` beside other projects' packages."""
    tops = {p.name for p in site.iterdir() if not p.name.endswith(".dist-info")}
    assert tops == PACKAGES
    assert all((site / name / "py.typed").is_file() for name in PACKAGES)


def test_everything_that_is_read_at_run_time_is_inside(site: Path) -> None:
    """Each file of the packages that git keeps, beside Python's, and the networks with their manifest."""
    kept = subprocess.run(["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True).stdout
    data = [name for name in kept.splitlines() if not name.endswith(".py")]
    assert [name for name in data if not (site / name).is_file()] == []
    for name in ("manifest.toml", "ball_detector.onnx", "ball_centre.onnx", "ball_pair.onnx"):
        assert (site / "vision" / "models" / name).is_file()
    assert (site / "referee" / "samples" / "club_four_strokes.mp4").is_file()


def test_the_installed_command_reads_the_sample_in_an_empty_folder(site: Path, tmp_path: Path) -> None:
    """`python -m cueref` finds its networks and the sample in the wheel, not in the repository."""
    clip = site / "referee" / "samples" / "club_four_strokes.mp4"
    run = [sys.executable, "-m", "cueref", "layout", str(clip), "--at", "1", "--json"]
    done = subprocess.run(
        run,
        cwd=tmp_path,
        env=dict(os.environ, PYTHONPATH=str(site)),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    (first, *_) = json.loads(clip.with_suffix(".json").read_text())["events"]
    assert len(json.loads(done.stdout)["balls"]) == len(first["start"])
    where = [
        sys.executable,
        "-c",
        "from vision.detect.onnx_model import model_path as m; print(m('ball_pair'))",
    ]
    at = subprocess.run(
        where, cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(site)), capture_output=True, text=True
    )
    assert at.stdout.strip() == str(site / "vision" / "models" / "ball_pair.onnx")
