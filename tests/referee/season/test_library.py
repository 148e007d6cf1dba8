"""The library holds each match once, on both engines, and gives back what the matches say."""

from __future__ import annotations

import csv
import io
import json
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import pytest
from library_match import match_folder
from match_fixture import document, stroke
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from referee.cli import command_line
from referee.outputs.document import write_match
from referee.season.library.league_files import read_fixtures, read_players
from referee.season.library.migrations import MIGRATIONS
from referee.season.library.records import match_record
from referee.season.library.results import (
    COLUMNS,
    results_csv,
    results_json,
    results_page,
    schema_text,
    standings,
)
from referee.season.library.store import Library

pytest.importorskip("sqlalchemy", reason="the extra 'test' brings SQLAlchemy")
FIXTURES = "ID,Competition,Date,Home,Away,Best_of\nL1,League,2026-11-20,Bo,Ann,3\nL2,Cup,2026-12-01,Ann,Cy,\n"


def fixtures_file(folder: Path) -> Path:
    (folder / "fixtures.csv").write_text(FIXTURES)
    return folder / "fixtures.csv"


def test_a_match_added_again_takes_the_place_of_itself(database: str, tmp_path: Path) -> None:
    """After a correction, and from a copy in another folder."""
    folder = match_folder(tmp_path / "m", frames="A-")
    with Library(database) as library:
        library.add_match(match_record(folder))
        assert [r.frames_won for r in library.results()] == [(1, 0)]
        match_folder(folder, frames="AB")
        library.add_match(match_record(Path(shutil.copytree(folder, tmp_path / "copy"))))
        (result,) = library.results()
    assert result.frames_won == (1, 1) and result.winner is None
    assert result.folder.endswith("copy") and result.highest == (1, 0) and result.questions == 1


def test_a_match_takes_its_fixture_and_the_best_of_it(database: str, tmp_path: Path) -> None:
    """Ann and Bo have one open fixture, whoever is at home; best of 3 is decided by two frames."""
    with Library(database) as library:
        library.add_players([])
        library.add_fixtures(read_fixtures(fixtures_file(tmp_path)).fixtures)
        assert [f.id for f in library.open_fixtures()] == ["L1", "L2"]
        assert library.add_match(match_record(match_folder(tmp_path / "m", frames="A"))) == "L1"
        assert library.results()[0].winner is None
        assert library.add_match(match_record(match_folder(tmp_path / "m", frames="AA"))) == "L1"
        (result,) = library.results()
        assert (result.competition, result.best_of, result.winner) == ("League", 3, "A")
        assert [f.id for f in library.open_fixtures()] == ["L2"]
        another = match_record(match_folder(tmp_path / "n"))
        assert library.add_match(another) is None
        for wanted, words in [("L1", "another match"), ("L2", "Ann and Cy"), ("L3", "none of that name")]:
            with pytest.raises(UnusableInput, match=words):
                library.add_match(another, wanted)
    with Library(database) as library:  # migrated once, and everything kept
        assert len(library.results()) == 2


def test_writers_at_one_time_wait_for_one_another(database: str, tmp_path: Path) -> None:
    """Four open a new library at once and add matches of one new pair of players; nothing is lost."""
    records = [match_record(match_folder(tmp_path / f"m{k}")) for k in range(12)]

    def add(k: int) -> None:
        with Library(database) as library:
            for record in records[k::4]:
                library.add_match(record)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, range(4)))
    with Library(database) as library:
        assert {r.id for r in library.results()} == {r.id for r in records}


def test_exports_say_what_the_library_holds(database: str, tmp_path: Path) -> None:
    with Library(database) as library:
        library.add_fixtures(read_fixtures(fixtures_file(tmp_path)).fixtures)
        library.add_match(match_record(match_folder(tmp_path / "m", frames="AAB")))
        library.add_match(match_record(match_folder(tmp_path / "n", ("Cy", "=SUM(A1)"), "B")))
        results, fixtures = library.results(), library.open_fixtures()
    data = json.loads(results_json(results))
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(data)
    assert str(tmp_path) not in results_json(results)
    rows = list(csv.DictReader(io.StringIO(results_csv(results))))
    assert tuple(rows[0]) == COLUMNS
    by_player = {row["player_a"]: row for row in rows}
    assert by_player["Ann"]["winner"] == "Ann" and by_player["Ann"]["frame_scores"] == "70-1 70-2 70-3"
    assert by_player["Cy"]["player_b"] == "'=SUM(A1)"
    page = results_page(results, fixtures, "Club <1>")
    assert "Club &lt;1&gt;" in page and "2–1" in page and "2026-12-01" in page and str(tmp_path) not in page


def test_the_table_counts_matches_with_a_winner(tmp_path: Path) -> None:
    with Library(str(tmp_path / "club.sqlite")) as library:
        for k, (players, frames) in enumerate(
            [(("Ann", "Bo"), "AAB"), (("Bo", "Ann"), "A"), (("Ann", "Cy"), "AB")]
        ):
            library.add_match(match_record(match_folder(tmp_path / str(k), players, frames)))
        table = {s.player: s for s in standings(library.results())}
    assert [(s.played, s.won, s.frames_for, s.frames_against) for s in table.values()] == [
        (2, 1, 2, 2),
        (2, 1, 2, 2),
        (0, 0, 0, 0),
    ]
    assert list(table) == ["Ann", "Bo", "Cy"]


def test_a_library_of_before_gains_what_is_missing_and_one_of_later_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "club.sqlite"
    with sqlite3.connect(file) as db:
        db.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL)")
        for statement in MIGRATIONS[0][1]:
            db.execute(statement)
        db.execute("INSERT INTO migrations VALUES ('001_matches', 'then')")
    with Library(str(file)) as library:
        library.add_fixtures(read_fixtures(fixtures_file(tmp_path)).fixtures)
        assert len(library.open_fixtures()) == 2
    with sqlite3.connect(file) as db:
        db.execute("INSERT INTO migrations VALUES ('999_later', 'now')")
    with pytest.raises(UnusableInput, match="a newer version"):
        Library(str(file))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name\n", "expected a column 'date' in line 1"),
        (FIXTURES.replace("2026-11-20", "20.11.2026"), "line 2: date: expected a date"),
        (FIXTURES.replace("Bo,Ann,3", "Bo,Bo,3"), "line 2: expected two players"),
        (FIXTURES.replace("Bo,Ann,3", "Bo,Ann,x"), "line 2: expected best_of from 1 to 99"),
        (FIXTURES.replace("Ann,Cy,", ",Cy,"), "line 3: expected a home"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(UnusableInput, match=words):
        read_fixtures(tmp_path / "f.csv")


def test_what_is_no_match_or_no_database_is_refused(tmp_path: Path) -> None:
    folder = match_folder(tmp_path / "m", ("A", "B"))
    with pytest.raises(UnusableInput, match="expected the names of two players"):
        match_record(folder)
    assert match_record(folder, ("Ann", "Bo"), "2026-01-02").played_on == "2026-01-02"
    with pytest.raises(UnusableInput, match="expected a match with its journal"):
        write_match(tmp_path / "n", document([stroke(1)], ("Ann", "Bo"), 9.0))
        match_record(tmp_path / "n")
    (tmp_path / "text.sqlite").write_text("no database, but a text that is long enough to be one" * 20)
    with pytest.raises(UnusableInput, match="expected a database that can be used"):
        Library(str(tmp_path / "text.sqlite"))
    with pytest.raises(UnusableInput, match=r"\*\*\*@localhost") as refused:
        Library("postgresql://club:secret@localhost:1/none")
    assert "secret" not in str(refused.value)


def test_the_command_keeps_a_club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "players.csv").write_text("name,number\nAnn,17\n")
    assert read_players(tmp_path / "players.csv")[0].number == "17"

    def call(*arguments: str) -> str:
        done = CliRunner().invoke(command_line(["library"]), ["library", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    call("players", "players.csv")
    call("fixtures", str(fixtures_file(tmp_path)))
    assert "fixture L1" in call("add", str(match_folder(tmp_path / "m")))
    assert json.loads(call("export"))["matches"][0]["fixture"] == "L1"
    assert call("export", "--to", "csv").startswith("played_on,")
    assert json.loads(call("export", "--to", "schema"))["$defs"]
    call("page", "--out", "out/results.html", "--title", "Our club")
    assert "Our club" in (tmp_path / "out/results.html").read_text()
