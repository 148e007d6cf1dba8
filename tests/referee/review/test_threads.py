"""A review's results do not depend on how many processors and threads work on it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cut_clip import cut

from referee.journal import Journal

CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"
ONE_STROKE_S = 9.5
"""The first stroke and what follows it; the second one has not begun."""
FILES = ("match.json", "tracks.csv", "report.html")
REVIEW = """
import os, sys
from pathlib import Path
cores, video, out = int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])  # before any library counts them
import cv2
from calibration.table.specs import SNOOKER_TABLE
from referee.review.pipeline import ReviewOptions, review
from vision.detect import detector
from vision.detect.onnx_model import open_model
detector.open_model = lambda name, path=None, threads=1: open_model(name, path, cores)
from vision import process
process.cv2.setNumThreads = lambda count, given=cv2.setNumThreads: given(cores)
review(video, out, ReviewOptions(SNOOKER_TABLE))
print(len(os.sched_getaffinity(0)), cv2.getNumThreads())
"""
"""A review that also looks for its table, with so many cores for decoding, algebra, pictures and networks."""


def reviewed(cores: int, video: Path, out: Path) -> str:
    """Review in a process of its own; tells how many cores and threads it had."""
    counted = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM")
    environment = {**os.environ, **dict.fromkeys(counted, str(cores))}
    command = [sys.executable, "-c", REVIEW, str(cores), str(video), str(out)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def entries(out: Path) -> Iterator[tuple[str, float | None, str]]:
    """The journal's record, without who wrote it and when."""
    with Journal(out / "journal.sqlite") as journal:
        yield from ((e.kind, e.t_s, e.text) for e in journal.entries())


@pytest.mark.slow
@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs two cores"
)
def test_one_core_and_two_write_the_same_journal(tmp_path: Path) -> None:
    video = cut(CLIP, tmp_path / "stroke.mp4", ONE_STROKE_S)
    assert reviewed(1, video, tmp_path / "one").split() == ["1", "1"]
    assert reviewed(2, video, tmp_path / "two").split() == ["2", "2"]
    one, two = (list(entries(tmp_path / name)) for name in ("one", "two"))
    assert any(kind == "stroke" for kind, _, _ in one)
    assert one == two
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
