"""Fixtures of the console's tests: a reviewed folder, an opened match, a served site."""

# ruff: noqa: E402
from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from console_fixture import make_review, serving

from referee.console.match_view import MatchView
from referee.console.reviews import open_review


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("console") / "frame"
    make_review(folder)
    return folder


@pytest.fixture
def match(reviewed: Path, tmp_path: Path) -> Iterator[MatchView]:
    shutil.copytree(reviewed, tmp_path / "frame")
    opened = open_review("frame", tmp_path / "frame")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def site(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("site") / "frame"
    shutil.copytree(reviewed, folder)
    (folder.parent / "secret.txt").write_text("secret")
    with serving([folder]) as url, httpx.Client(base_url=url, timeout=90) as client:
        yield client
