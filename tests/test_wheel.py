"""What a wheel installs: five packages and their data, and everything runs from them in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from cut_clip import cut
from known_table import known_table

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {"cueref", "calibration", "vision", "tracker", "referee"}
FIRST_STROKE_S = 10.0
"""The first stroke of the sample, a red potted, is at rest by then."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    built = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (file,) = built.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def site(wheel: Path) -> Path:
    """The wheel as pip lays it out in somebody's site-packages."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(wheel.parent / "site")
    return wheel.parent / "site"


@pytest.fixture(scope="module")
def python(wheel: Path) -> Path:
    """The interpreter of an empty venv with the wheel installed by pip.

    Its dependencies are those of this environment, so that no registry is asked. A `.pth` adds their folder
    behind the venv's own, and those in it (an editable cueref) are not read.
    """
    home = wheel.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True, timeout=120)
    at = home / "bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(at), "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True, timeout=120)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return at


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


def installed(python: Path, *call: str, cwd: Path) -> str:
    """Standard output of a call of the venv's interpreter in a folder without the repository."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env = own | {name: os.environ[name] for name in ("PYTHONPYCACHEPREFIX",) if name in os.environ}
    done = subprocess.run([str(python), *call], cwd=cwd, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_wheel_reads_and_reviews_the_sample_in_an_empty_folder(
    python: Path, tmp_path: Path
) -> None:
    """`python -m cueref` and the module find networks, sample and templates in the venv alone.

    The table is found in the layout; the review of one stroke knows it.
    """
    where = installed(
        python, "-c", "import cueref, referee; print(cueref.__file__, referee.__path__[0])", cwd=tmp_path
    )
    module, referee = where.split()
    assert module.startswith(str(python.parents[1])) and referee.startswith(str(python.parents[1]))
    clip = Path(referee) / "samples/club_four_strokes.mp4"
    (first, *_) = json.loads(clip.with_suffix(".json").read_text())["events"]
    layout = ["layout", str(clip), "--at", "1", "--json"]
    seen = json.loads(installed(python, "-m", "cueref", *layout, cwd=tmp_path))
    assert len(seen["balls"]) == len(first["start"])
    cut(clip, tmp_path / "one_stroke.mp4", FIRST_STROKE_S)
    known_table(tmp_path / "table.json")
    program = "import cueref; print(cueref.review('one_stroke.mp4', 'out', calibration='table.json').score)"
    assert installed(python, "-c", program, cwd=tmp_path).strip() == "(1, 0)"
    assert {p.name for p in (tmp_path / "out").iterdir()} >= {"match.json", "tracks.csv", "report.html"}


def test_the_installed_command_is_beside_the_interpreter(python: Path, tmp_path: Path) -> None:
    done = subprocess.run([python.with_name("cueref"), "--version"], cwd=tmp_path, capture_output=True)
    assert done.stdout.startswith(b"cueref ")
