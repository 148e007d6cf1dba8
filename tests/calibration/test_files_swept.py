"""Temporary files of writers that were killed go away; those of a writer at work, and other files, stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from calibration.files import ABANDONED_S, only_writer, sweep, whole_file, work_folder


def old(path: Path) -> None:
    then = time.time() - ABANDONED_S - 5
    os.utime(path, (then, then))


def test_only_what_a_killed_writer_left_is_swept(tmp_path: Path) -> None:
    left = [tmp_path / f".match.{'ab' * 8}.part.json", tmp_path / f".clip.{'01' * 8}.part.mp4"]
    others = [tmp_path / ".tracks.csv.part", tmp_path / "match.json", tmp_path / ".notes.part.txt"]
    for path in (*left, *others):
        path.write_text("x")
        old(path)
    with whole_file(tmp_path / "new.json") as part:
        part.write_text("being written")
        sweep(tmp_path)
        assert part.exists()
    assert not any(p.exists() for p in left) and all(p.exists() for p in others)


def test_a_folder_is_swept_by_its_next_writer_and_links_in_it_are_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    folder = tmp_path / "folder"
    folder.mkdir()
    link = folder / f".match.{'cd' * 8}.part.json"
    link.symlink_to(elsewhere)
    dead = folder / f".match.{'ef' * 8}.part.json"
    dead.write_text("x")
    old(dead)
    with only_writer(folder, "a test"):
        assert not dead.exists() and elsewhere.read_text() == "mine"


KILLED = """
import os, sys, time
from calibration.files import work_folder
with work_folder("cueref-test-") as folder:
    (folder / "clip.mp4").write_text("x")
    print(folder, flush=True)
    time.sleep(600)
"""


def test_a_work_folder_of_a_killed_process_is_deleted_and_one_in_use_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    left = Path(process.stdout.readline().strip())
    link, other = tmp_path / "cueref-test-link.work", tmp_path / "cueref-test-of-an-older-version"
    other.mkdir()
    link.symlink_to(other)
    then = time.time() - 3600
    for path in (left, other):
        os.utime(path, (then, then))
    with work_folder("cueref-test-") as mine:
        assert (left / "clip.mp4").is_file() and mine.parent == tmp_path
    assert not mine.exists()
    process.kill()
    process.wait()
    with work_folder("cueref-test-"):
        assert not left.exists() and other.is_dir() and link.is_symlink()
