"""Plugin: the bundled sample, reviewed once for all workers of a run; tests take copies."""

from __future__ import annotations

import fcntl
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

import cueref
from referee.bundled import sample_clip

THREE_STROKES = 700
"""Images; the third stroke has ended by then, the fourth has not."""


@dataclass(frozen=True, slots=True)
class ReviewedSample:
    """`whole`: the finished review. `killed`: its folder as a kill after three strokes would have left it."""

    whole: Path
    killed: Path

    def copy(self, to: Path) -> Path:
        """The finished review in a folder that a test may change."""
        return shutil.copytree(self.whole, to)


@pytest.fixture(scope="session")
def reviewed_sample(tmp_path_factory: pytest.TempPathFactory) -> ReviewedSample:
    """The worker that comes first reviews; another that comes meanwhile waits for it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "reviewed_sample"
    folder.mkdir(exist_ok=True)
    found = ReviewedSample(folder / "whole", folder / "killed")

    def keep_killed(stage: str, done: int, of: int) -> None:
        if stage == "watching" and done > THREE_STROKES and not found.killed.exists():
            shutil.copytree(found.whole, found.killed)

    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
        cueref.review(sample_clip(), found.whole, progress=keep_killed)  # a finished one is only read
    return found
