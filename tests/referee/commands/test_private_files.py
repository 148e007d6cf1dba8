"""What keeps people's matches is readable by its user alone; what is exported has the user's permissions."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli import main
from referee.journal import Journal
from referee.live.recording.disk import write_whole


@pytest.fixture
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_live_table_leaves_nothing_that_others_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usual_umask: None
) -> None:
    def run(*_: object) -> None:
        Journal(tmp_path / "journal.sqlite").close()
        write_whole(tmp_path / "stroke-1.mp4", b"clip")
        (tmp_path / "folder").mkdir()

    monkeypatch.setattr("referee.commands.live.run", run)
    with pytest.raises(SystemExit) as ended:
        main(["live", "camera.mp4", "--out", str(tmp_path)])
    assert ended.value.code == 0
    assert mode(tmp_path / "journal.sqlite") == mode(tmp_path / "stroke-1.mp4") == 0o600
    assert mode(tmp_path / "folder") == 0o700
    (tmp_path / "after").touch()
    assert mode(tmp_path / "after") == 0o644  # the process has its own permissions again


def test_what_a_person_draws_for_others_has_the_usual_permissions(tmp_path: Path, usual_umask: None) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["rack", "snooker", "--svg", str(tmp_path / "rack.svg")])
    assert ended.value.code == 0, ended.value
    assert mode(tmp_path / "rack.svg") == 0o644
