"""The journal: append-only, opens after a kill at any moment, the same record gives the same bytes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import UnusableInput
from referee.facts.seen import SeenBall, SeenHand
from referee.journal import Journal, decode, encode, local_day


def test_entries_come_back_in_order_with_who_and_when(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite", clock=lambda: "2026-01-01T00:00:00Z") as journal:
        journal.append("hand", {"ball": "pink"}, 1.5)
        journal.append("correction", {"target": 1}, who="Ann")
    with Journal(tmp_path / "j.sqlite") as journal:
        one, two = journal.entries()
        assert (one.payload, one.t_s, one.who) == ({"ball": "pink"}, 1.5, "cueref")
        assert (two.who, two.at, two.kind) == ("Ann", "2026-01-01T00:00:00Z", "correction")
        assert journal.verify() and journal.entry(2) == two
        with pytest.raises(KeyError, match="no entry 3"):
            journal.entry(3)


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.append("hand", {"ball": "pink"})
    db = sqlite3.connect(tmp_path / "j.sqlite")
    for statement in ("UPDATE entries SET payload = '{}'", "DELETE FROM entries"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(statement)


def test_the_same_record_has_the_same_digest_whoever_wrote_it_whenever(tmp_path: Path) -> None:
    digests = set()
    for name in ("a", "b"):
        with Journal(tmp_path / name, clock=lambda n=name: n) as journal:
            journal.append("gap", {"start_s": 0.1 + 0.2, "x": [1, None]}, 0.3, who=name)
            digests.add(journal.digest)
    with Journal(":memory:") as other:
        other.append("gap", {"start_s": 0.3, "x": [1, None]}, 0.3)
        assert len(digests) == 1 and other.digest not in digests


def test_a_transaction_is_whole_or_nothing() -> None:
    with Journal(":memory:") as journal:
        with pytest.raises(RuntimeError), journal.transaction():
            journal.append("a", {})
            journal.set_progress("t", b"1")
            raise RuntimeError
        assert not list(journal.entries()) and journal.progress("t") is None
        journal.append("b", {})
        assert journal.verify()


def test_other_files_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a database, and long enough to be read as one" * 30)
    sqlite3.connect(tmp_path / "other").execute("CREATE TABLE t (x)")
    newer = tmp_path / "newer"
    with Journal(newer) as journal:
        journal._db.execute("INSERT INTO migrations VALUES ('999_later', '')")
    for name in ("text", "other", "newer", "no/such/folder"):
        with pytest.raises(UnusableInput, match="expected a journal of cueref"):
            Journal(tmp_path / name)


WRITER = """
import sys
from referee.journal import Journal
journal = Journal(sys.argv[1])
for k in range(10**6):
    with journal.transaction():
        journal.append("stroke", {"n": k, "pad": "x" * 3000})
        journal.append("ruling", {"n": k})
        journal.set_progress("tracker", str(k).encode())
"""


@pytest.mark.parametrize("delay_s", [0.0, 0.02, 0.05, 0.11])
def test_a_journal_opens_after_kill_9(tmp_path: Path, delay_s: float) -> None:
    path = tmp_path / "j.sqlite"
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    )
    try:
        deadline = time.monotonic() + 60
        while not path.exists() and child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(delay_s)
    finally:
        child.kill()
        child.wait(60)
    with Journal(path) as journal:
        entries = list(journal.entries())
        assert journal.verify() and len(entries) % 2 == 0
        done = journal.progress("tracker")
        assert (int(done) + 1 if done else 0) * 2 == len(entries)
        journal.append("gap", {})
        assert journal.verify()


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite, finite, st.none() | st.tuples(finite, finite))
def test_values_round_trip_exactly(x: float, t: float, source: tuple[float, float] | None) -> None:
    ball = SeenBall("red_1", "red", x, 1.0, 0.5, 1.0)
    hand = SeenHand("respot", "pink", source, None, t)
    assert decode(SeenBall, encode(ball)) == ball and decode(SeenHand, encode(hand)) == hand


def test_decoding_names_the_field_that_does_not_fit() -> None:
    good = encode(SeenHand("respot", "pink", None, None, 1.0))
    for change, message in (({"type": "x"}, "type"), ({"t_s": "1"}, "t_s"), ({"new": 1}, "unknown new")):
        with pytest.raises(ValueError, match=message):
            decode(SeenHand, good | change)
    with pytest.raises(ValueError, match="no ball"):
        decode(SeenHand, {k: v for k, v in good.items() if k != "ball"})
    with pytest.raises(ValueError, match="finite"):
        encode(SeenHand("respot", "pink", None, None, float("nan")))


@pytest.mark.parametrize(
    ("zone", "at", "day"),
    [
        ("America/New_York", "2026-11-25T01:00:00.000+00:00", "2026-11-24"),  # eight in the evening
        ("Europe/Berlin", "2026-10-25T23:30:00.000+00:00", "2026-10-26"),  # after the clocks went back
        ("Europe/Berlin", "2026-03-29T22:30:00.000+00:00", "2026-03-30"),  # and forward
        ("Pacific/Auckland", "2026-11-24T11:30:00.000+00:00", "2026-11-25"),
        ("UTC", "at eight", "at eight"),
    ],
)
def test_a_match_belongs_to_the_day_of_the_place_where_it_was_played(
    zone: str, at: str, day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert local_day(at) == day
    finally:
        monkeypatch.undo()
        time.tzset()


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
COLUMNS = "x AS id, 'a' AS kind, 0.0 AS t_s, '' AS payload, '' AS who, '' AS at, '' AS chain"


@pytest.mark.parametrize(
    "hostile",
    [
        f"ALTER TABLE entries RENAME TO kept; CREATE VIEW entries AS {ENDLESS} SELECT {COLUMNS} FROM c",
        "CREATE TRIGGER more AFTER INSERT ON entries BEGIN DELETE FROM progress; END",
        "ALTER TABLE entries ADD COLUMN more TEXT AS (hex(zeroblob(400000000)))",
        "CREATE TABLE more (x)",
    ],
    ids=["a view that never ends", "a trigger", "a column that is computed", "another table"],
)
def test_a_strangers_file_with_more_than_a_journal_has_is_refused(tmp_path: Path, hostile: str) -> None:
    """The view kept every program that opened it busy for ever."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        journal.append("event", {})
    with contextlib.closing(sqlite3.connect(path)) as db:
        for trigger in ("changed", "deleted"):
            db.execute(f"DROP TRIGGER entries_are_never_{trigger}")
        db.executescript(hostile)
    with pytest.raises(UnusableInput, match="which no journal does"):
        Journal(path)
