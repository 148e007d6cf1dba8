"""One journal interface: a match's record is the same in a file, in SQLite's tables and in PostgreSQL's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from library_match import match_folder
from script import Scene
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from calibration.table.specs import SNOOKER_TABLE
from referee.cli import command_line
from referee.facts.calls import Nomination
from referee.journal import JOURNAL_FILE, RUN, Journal, MatchJournal
from referee.match.referee import Referee, open_referee
from referee.season.library.database import Database, text
from referee.season.library.journals import LibraryJournal
from referee.season.library.records import match_record
from referee.season.library.store import Library
from referee.season.restoring import restore_match

pytest.importorskip("sqlalchemy", reason="the extra 'test' brings SQLAlchemy")

Opened = Callable[[], MatchJournal]
"""Opens the journal of one test again."""


@pytest.fixture(params=["file", "sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """The three places in which a journal is kept."""
    if request.param == "file":
        return lambda: Journal(tmp_path / JOURNAL_FILE, clock=lambda: "2026-01-01T00:00:00Z")
    address: str = request.getfixturevalue("empty_database")(request.param)
    with Library(address) as library:
        record = match_record(match_folder(tmp_path / "m"))
        library.add_match(record)
    database = Database(address)
    with database.transaction() as db:
        db.execute(text("DELETE FROM journals"))
    return lambda: LibraryJournal(database, record.id, clock=lambda: "2026-01-01T00:00:00Z")


def test_entries_come_back_in_order_with_who_and_when(opened: Opened) -> None:
    with opened() as journal:
        journal.append("hand", {"ball": "pink", "to": [0.1 + 0.2, None]}, 1.5)
        journal.append("correction", {"target": 1, "why": "\u00e4 \x00"}, who="Ann")
    with opened() as journal:
        one, two = journal.entries()
        assert (one.id, one.payload["to"], one.t_s, one.who) == (1, [0.1 + 0.2, None], 1.5, "cueref")
        assert (two.who, two.at, two.kind) == ("Ann", "2026-01-01T00:00:00Z", "correction")
        assert journal.verify() and journal.entry(2) == two and list(journal.entries("hand")) == [one]
        assert list(journal.entries(after=1)) == [two]
        with pytest.raises(KeyError, match="no entry 3"):
            journal.entry(3)


def test_the_same_record_has_the_same_digest_wherever_it_is_kept(opened: Opened) -> None:
    with opened() as journal, Journal(":memory:") as other:
        for k in range(3):
            for each in (journal, other):
                each.append("gap", {"start_s": 0.1 * k}, 1e-7 * k, who=each.path)
        assert journal.digest == other.digest


def test_a_transaction_is_whole_or_nothing(opened: Opened) -> None:
    with opened() as journal:
        with pytest.raises(RuntimeError), journal.transaction():
            journal.append("a", {})
            journal.set_progress("t", b"\x00\xff")
            assert journal.progress("t") == b"\x00\xff"
            raise RuntimeError
        assert not list(journal.entries()) and journal.progress("t") is None and journal.digest == ""
        journal.append("b", {})
        assert journal.verify() and [e.id for e in journal.entries()] == [1]


def test_a_journal_that_grew_is_not_replaced_and_one_that_was_rewritten_or_deleted_is(
    tmp_path: Path, empty_database: Callable[[str], str]
) -> None:
    with Library(empty_database("sqlite")) as library:
        record = match_record(match_folder(tmp_path / "m", ("Ann Lee", "Bo")))
        library.add_match(record)
        first, other = library.journal(record.id), library.journal(record.id)
        other.append("correction", {"note": "Ann Lee said so"})
        assert not first.replaced and not other.replaced
        other.rewrite(lambda text: text.replace("Ann Lee", "somebody"))
        assert first.replaced and not other.replaced
        library.forget_match(record.id, "")
        assert other.replaced


def test_a_referee_writes_corrects_undoes_and_goes_on_as_from_a_file(opened: Opened) -> None:
    """The fold over a journal does not know where it is kept."""
    with Journal(":memory:") as file, opened() as journal:
        said = [_judged(each) for each in (file, journal)]
        assert said[0] == said[1] and file.digest == journal.digest
        assert [e.kind for e in file.entries()] == [e.kind for e in journal.entries()]
    with opened() as journal:
        assert open_referee(journal).match.score == said[0][0]


def _judged(journal: MatchJournal) -> tuple[object, ...]:
    scene = Scene()
    referee = Referee(SNOOKER_TABLE, journal=journal)
    for event in (
        scene.stroke("red_1", ["red_1"]),
        scene.stroke("black", ["black"]),
        scene.hand("respot", "black"),
        scene.stroke(None),
    ):
        referee.feed(event)
    before = referee.call(Nomination(scene.t_s - 8.0, "A", "pink"), "Bo")
    (called,) = journal.entries("call")
    referee.withdraw(called.id, "Bo")
    referee.close()
    return referee.match.score, before, referee.match.strokes


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_database_refuses_to_change_an_entry_or_delete_one_of_a_journal(
    kind: str, empty_database: Callable[[str], str], tmp_path: Path
) -> None:
    address = empty_database(kind)
    record = match_record(match_folder(tmp_path / "m"))
    with Library(address) as library:
        library.add_match(record)
        database = Database(address)
        for statement in ("UPDATE entries SET payload = '{}'", "DELETE FROM entries"):
            with pytest.raises(UnusableInput, match="append-only"), database.transaction() as db:
                db.execute(text(statement))
        assert library.journal(record.id).digest == record.journal
        library.forget_match(record.id, "")
        with database.transaction() as db:
            counts = [db.execute(text(f"SELECT count(*) FROM {t}")).scalar() for t in ("entries", "journals")]
        assert counts == [0, 0] and library.journals() == ()
        database.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_match_added_again_adds_what_is_new_and_its_folder_can_be_made_anew(
    kind: str, empty_database: Callable[[str], str], tmp_path: Path
) -> None:
    folder = match_folder(tmp_path / "m")
    with Library(empty_database(kind)) as library:
        first = match_record(folder)
        library.add_match(first)
        with Journal(folder / JOURNAL_FILE) as journal:
            journal.append("correction", {"target": 1}, 2.5, who="Ann")
            written = list(journal.entries())
        library.add_match(match_record(folder))
        kept = library.journal(first.id)
        assert list(kept.entries()) == written and kept.verify()
        restored = restore_match(kept, tmp_path / "restored")
        with Journal(restored / JOURNAL_FILE) as journal:
            assert list(journal.entries()) == written and journal.verify()
        with pytest.raises(UnusableInput, match="a folder without a match"):
            restore_match(kept, restored)
        with pytest.raises(UnusableInput, match="a match whose journal is kept"):
            library.journal("nobody's")


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_name_that_is_removed_leaves_every_journal_of_the_library(
    kind: str, empty_database: Callable[[str], str], tmp_path: Path
) -> None:
    """Also of a match whose folder is elsewhere; the last entry of a whole chain says what happened."""
    address = empty_database(kind)
    folder = match_folder(tmp_path / "m", ("Ann Lee", "Bo"))
    with Journal(folder / JOURNAL_FILE) as journal:
        journal.append("correction", {"note": "Ann Lee said so"}, who="Ann Lee")
        journal.set_progress(RUN, b'{"video": "Ann Lee.mp4"}')
    record = match_record(folder)
    with Library(address) as library:
        library.add_match(record)
        library.rename_player(lambda text: text.replace("Ann Lee", "somebody"))
        kept = library.journal(record.id)
        entries = list(kept.entries())
        assert kept.verify() and entries[-1].kind == "name_removed"
        assert entries[-1].payload == {"digest_before": record.journal}
        assert not any("Ann Lee" in e.text + e.who for e in entries) and b"Ann" not in (
            kept.progress(RUN) or b""
        )
        assert [c.sound for c in library.check_journals()] == [True]
    if kind == "sqlite":
        assert b"Ann Lee" not in Path(address).read_bytes()


def test_the_command_finds_an_entry_that_was_changed_and_makes_a_lost_folder_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(command_line(["library"]), ["library", *arguments], catch_exceptions=False)
        return done.exit_code, done.output

    call("add", str(match_folder(tmp_path / "m")))
    with Library("club.sqlite") as library:
        (result,) = library.results()
    status, said = call("verify")
    assert status == 0 and f"{result.id}: 1 entries as they were written" in said
    assert call("restore", result.id[:6], "--out", "again")[0] == 0
    assert (tmp_path / "again" / JOURNAL_FILE).is_file()
    with pytest.raises(UnusableInput, match="found 0 that begin with 'zz'"):
        call("restore", "zz", "--out", "another")
    database = Database("club.sqlite")
    with database.transaction() as db:
        db.execute(text("DROP TRIGGER entries_are_never_changed"))
        db.execute(text("UPDATE entries SET payload = '{}'"))
    status, said = call("verify")
    assert status == 1 and f"{result.id}: entry 1" in said
    with pytest.raises(UnusableInput, match="entry 1 changed afterwards"):
        call("restore", result.id, "--out", "another")
