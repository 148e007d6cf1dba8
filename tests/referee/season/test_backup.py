"""Backups: whole while a match is written, by hash, put back as they were; older journals are upgraded."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "faults"))
from scripted import save_calibration

from calibration.errors import UnusableInput
from calibration.table.specs import SNOOKER_TABLE
from referee.journal import JOURNAL_FILE, Journal, migrations
from referee.review.pipeline import ReviewOptions, review
from referee.season import backup
from referee.season.backup import backups_in, forget_in_backups, restore_backup, take_backup

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "0d1d15d"
CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"

WRITER = """
import sys
from pathlib import Path

from referee.journal import Journal
journal = Journal(Path(sys.argv[1]) / "journal.sqlite")
tracks = open(Path(sys.argv[1]) / ".tracks.csv.part", "ab", buffering=0)
for k in range(10**6):
    tracks.write(b"row %d\\n" % k)
    with journal.transaction():
        journal.append("stroke", {"n": k, "pad": "x" * 20000})
        journal.append("ruling", {"n": k})
        journal.set_progress("tracks_at", str(tracks.tell()).encode())
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table's folder: two matches, a clip, a list of what is on."""
    out = tmp_path / "table"
    for k, name in enumerate(("sample", "sample_corrected")):
        shutil.copytree(GOLDEN / name, out / f"2026112{k}T200000Z")
    clips = out / "20261120T200000Z" / "clips"
    clips.mkdir()
    (clips / "stroke_0001.mp4").write_bytes(b"film" * 1000)
    (clips / "seg_0000000000_0000004000.mkv").write_bytes(b"of the last minutes")
    (out / "live.json").write_text('{"version": 1, "match": null}')
    (out / ".lock").write_text("held")
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_backup_comes_back_as_it_was_taken(table: Path, tmp_path: Path) -> None:
    take_backup(table, tmp_path / "safe")
    restore_backup(tmp_path / "safe", tmp_path / "back")
    expected, found = contents(table), contents(tmp_path / "back")
    left_out = {".lock", "20261120T200000Z/clips/seg_0000000000_0000004000.mkv"}
    assert found.keys() - {".lock"} == expected.keys() - left_out
    for name in found.keys() - {".lock"}:
        if name.endswith(JOURNAL_FILE):
            with Journal(table / name) as one, Journal(tmp_path / "back" / name) as other:
                assert one.digest == other.digest and other.verify()
        else:
            assert found[name] == expected[name]


def test_what_an_earlier_backup_holds_is_not_copied_again(table: Path, tmp_path: Path) -> None:
    first = take_backup(table, tmp_path / "safe")
    (table / "20261120T200000Z" / "clips" / "stroke_0002.mp4").write_bytes(b"other film")
    second = take_backup(table, tmp_path / "safe")
    assert first.copied_bytes > 4000 and second.copied_bytes == len(b"other film")
    assert backups_in(tmp_path / "safe") == (first.name, second.name)
    restore_backup(tmp_path / "safe", tmp_path / "back", first.name)
    assert not list((tmp_path / "back").rglob("stroke_0002.mp4"))


def test_a_match_in_progress_is_backed_up_in_whole_transactions(tmp_path: Path) -> None:
    on = tmp_path / "on"
    on.mkdir()
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(on)])
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and not (on / JOURNAL_FILE).exists():
            time.sleep(0.01)
        for k in range(4):
            take_backup(on, tmp_path / "safe")
            time.sleep(0.05)
            restore_backup(tmp_path / "safe", tmp_path / f"back{k}")
    finally:
        child.kill()
        child.wait(60)
    counts = []
    for k in range(4):
        back = tmp_path / f"back{k}"
        with Journal(back / JOURNAL_FILE) as journal:
            counts.append(sum(1 for _ in journal.entries()))
            assert journal.verify() and counts[-1] % 2 == 0
            tracks = back / ".tracks.csv.part"  # not there before the writer's first row
            kept = tracks.stat().st_size if tracks.exists() else 0
            assert kept >= int(journal.progress("tracks_at") or b"0")
    assert counts == sorted(counts) and counts[-1] > 0


class StopNow(Exception):
    pass


@pytest.mark.slow
def test_a_review_goes_on_from_the_backup_that_was_taken_of_it(tmp_path: Path) -> None:
    options = ReviewOptions(SNOOKER_TABLE, calibration=save_calibration(tmp_path / "table.json"))

    def stop(stage: str, done: int, of: int) -> None:
        if stage == "watching" and done > 480:
            take_backup(tmp_path / "on", tmp_path / "safe")  # in the second stroke, while it is being watched
            raise StopNow

    with pytest.raises(StopNow):
        review(CLIP, tmp_path / "on", options, stop)
    restore_backup(tmp_path / "safe", tmp_path / "back")
    assert review(CLIP, tmp_path / "back", options) == review(CLIP, tmp_path / "whole", options)


def test_a_damaged_copy_is_told_and_nothing_is_put_back(table: Path, tmp_path: Path) -> None:
    made = take_backup(table, tmp_path / "safe")
    kept = next(k for k in made.files if k.path.endswith("stroke_0001.mp4"))
    (tmp_path / "safe" / "objects" / kept.sha256[:2] / kept.sha256).write_bytes(b"film" * 999 + b"filn")
    with pytest.raises(UnusableInput, match=r"copy of .*stroke_0001\.mp4 as it was taken"):
        restore_backup(tmp_path / "safe", tmp_path / "back")
    assert not (tmp_path / "back").exists()


def test_a_restore_that_ends_in_the_middle_leaves_nothing(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_backup(table, tmp_path / "safe")
    real = shutil.copyfile
    done = []

    def copy(source: Path, to: Path) -> None:
        done.append(to)
        if len(done) == 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(source, to)

    monkeypatch.setattr("referee.season.backup.shutil.copyfile", copy)
    with pytest.raises(OSError, match="No space"):
        restore_backup(tmp_path / "safe", tmp_path / "back")
    assert [p.name for p in (tmp_path / "back").rglob("*")] == [".lock"]


def test_a_link_and_a_pipe_in_a_folder_are_left_out_of_its_backup(table: Path, tmp_path: Path) -> None:
    names = {k.path for k in take_backup(table, tmp_path / "plain").files}
    os.mkfifo(table / "pipe")  # opened for reading it would wait for a writer, for ever
    (table / "link.txt").symlink_to("/etc/hostname")
    assert {k.path for k in take_backup(table, tmp_path / "safe").files} == names


def test_a_match_that_ends_during_a_backup_is_in_it_with_its_tracks(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The working file has its last name, and a new match has begun, when the backup comes to them."""
    folder, later = table / "20261120T200000Z", table / "20261125T200000Z"
    (folder / ".tracks.csv.part").write_text("t_s,ball\n")
    plain = backup._copy_plain

    def copy_and_end_before(path: Path, copy: Path) -> None:
        if path.name == ".tracks.csv.part" and path.exists():
            path.rename(folder / "tracks.csv")
            shutil.copytree(folder, later)
        plain(path, copy)

    monkeypatch.setattr(backup, "_copy_plain", copy_and_end_before)
    names = {k.path for k in take_backup(table, tmp_path / "safe").files}
    assert {f"{f.name}/{n}" for f in (folder, later) for n in ("tracks.csv", JOURNAL_FILE)} <= names


@pytest.mark.parametrize("path", ["../elsewhere", "/etc/passwd", "a/../../b", "", ".lock", "./.lock"])
def test_a_forged_list_writes_nothing_outside(table: Path, tmp_path: Path, path: str) -> None:
    made = take_backup(table, tmp_path / "safe")
    file = tmp_path / "safe" / "backups" / f"{made.name}.json"
    file.write_text(file.read_text().replace("live.json", path))
    with pytest.raises(UnusableInput, match="expected the list of a backup"):
        restore_backup(tmp_path / "safe", tmp_path / "back")


def test_places_that_do_not_fit_are_refused(table: Path, tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="found none"):
        take_backup(tmp_path / "nothing", tmp_path / "safe")
    with pytest.raises(UnusableInput, match="found one in it"):
        take_backup(table, table / "safe")
    take_backup(table, tmp_path / "safe")
    with pytest.raises(UnusableInput, match="holds something"):
        restore_backup(tmp_path / "safe", table)


def test_what_is_deleted_is_in_no_backup_either(table: Path, tmp_path: Path) -> None:
    take_backup(table, tmp_path / "safe")
    take_backup(table, tmp_path / "safe")
    assert forget_in_backups(tmp_path / "safe", ["20261120T200000Z/"]) >= 3
    kept = b"".join(p.read_bytes() for p in (tmp_path / "safe").rglob("*") if p.is_file())
    assert b"film" not in kept and b"20261120T200000Z" not in kept and b"20261121T200000Z" in kept


def test_two_restores_at_once_do_not_mix(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second has seen an empty folder when the first begins, and gets it when the first is done."""
    take_backup(table, tmp_path / "safe")
    lock = backup.only_writer

    def after_another(folder: Path, what: str) -> Any:
        (folder / "20261120T200000Z").mkdir(parents=True)
        return lock(folder, what)

    monkeypatch.setattr(backup, "only_writer", after_another)
    with pytest.raises(UnusableInput, match="holds something"):
        restore_backup(tmp_path / "safe", tmp_path / "out")
    assert list((tmp_path / "out" / "20261120T200000Z").iterdir()) == []


@pytest.mark.parametrize("again", [take_backup, lambda _, dest: forget_in_backups(dest, [])])
def test_what_a_killed_backup_was_copying_does_not_stay(table: Path, tmp_path: Path, again: Any) -> None:
    take_backup(table, tmp_path / "safe")
    left = tmp_path / "safe" / ".copy-abcd1234"
    left.mkdir()
    (left / "file").write_bytes(b"a clip that was deleted meanwhile")
    again(table, tmp_path / "safe")
    assert not left.exists()


def released(steps: int, path: Path) -> Path:
    """A journal with the schema of the version that knew the first `steps` migrations."""
    db = sqlite3.connect(path, isolation_level=None)
    known, migrations.MIGRATIONS = migrations.MIGRATIONS, migrations.MIGRATIONS[:steps]
    try:
        migrations.migrate(db, "2026-01-01T00:00:00Z")
    finally:
        migrations.MIGRATIONS = known
    db.close()
    return path


@pytest.mark.parametrize("steps", range(1, len(migrations.MIGRATIONS) + 1))
def test_a_journal_of_every_earlier_schema_is_upgraded(steps: int, tmp_path: Path) -> None:
    with Journal(released(steps, tmp_path / JOURNAL_FILE)) as journal:
        journal.append("gap", {})
        journal.set_progress("at", b"1")
        assert journal.verify() and journal.progress("at") == b"1"


def test_a_migration_that_fails_leaves_the_schema_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = released(1, tmp_path / JOURNAL_FILE)
    bad = ("002_bad", ("CREATE TABLE half (x)", "NO SQL"))
    monkeypatch.setattr(migrations, "MIGRATIONS", (migrations.MIGRATIONS[0], bad))
    with pytest.raises(UnusableInput, match="expected a journal of cueref"):
        Journal(file)
    tables = {
        r[0] for r in sqlite3.connect(file).execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    assert "half" not in tables and "entries" in tables


@pytest.mark.parametrize("folder", sorted(GOLDEN.glob("*/journal.sqlite")), ids=lambda p: p.parent.name)
def test_stored_journals_of_released_versions_open(folder: Path, tmp_path: Path) -> None:
    with Journal(shutil.copy(folder, tmp_path)) as journal:
        assert journal.verify() and next(iter(journal.entries())).kind in ("session", "told")
