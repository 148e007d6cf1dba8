"""What is deleted is in no file, event or backup: every byte below the folders is searched."""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from calibration.files import only_writer
from referee.cli import main
from referee.console.change_bodies import CorrectionBody, FactsBody
from referee.console.match_view import MatchView
from referee.console.reviews import WRITE_AFTER_S, current_match, open_review
from referee.facts.calls import Players
from referee.journal import JOURNAL_FILE, Journal
from referee.live.engine.state import LiveFrame
from referee.live.feeds.stream import EVENTS_FILE, OLDER_EVENTS_FILE, EventStream
from referee.live.setup.settings_file import SetupFile, read_settings, write_settings
from referee.match.referee import open_referee
from referee.outputs.document import write_match
from referee.outputs.report import write_report
from referee.season.backup import take_backup
from referee.season.deletion import delete_clip, delete_match, delete_name
from referee.season.library.records import FixtureRecord, PlayerRecord, match_record
from referee.season.library.store import Library
from referee.season.parquet import MATCHES_FILE, STROKES_FILE, write_tables

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "0d1d15d" / "sample"
FIRST, SECOND = "20261120T200000Z", "20261121T200000Z"
NAME = "Zoë O'Gr\"ady"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table's folder: two matches of the same player, clips, events of both."""
    out = tmp_path / "table"
    for match in (FIRST, SECOND):
        folder = Path(shutil.copytree(GOLDEN, out / match))
        (folder / "strokes.csv").unlink()
        with Journal(folder / JOURNAL_FILE) as journal:
            open_referee(journal).call(Players((NAME, "Bo")), NAME)
        document = current_match(folder)
        assert document["players"] == [NAME, "Bo"]
        write_match(folder, document)
        write_report(folder, document, {})
        (folder / "clips").mkdir()
        for n in (1, 2):
            (folder / "clips" / f"stroke_000{n}.mp4").write_bytes(f"film {n} of {match}".encode())
            facts = {"stroke": n, "part": 1, "start_s": 0.0, "end_s": 5.0, "offset_s": 0.0, "duration_s": 5.0}
            (folder / "clips" / f"stroke_000{n}.json").write_text(json.dumps(facts))
    events = []
    for match in (FIRST, SECOND):
        events.append({"seq": 1, "type": "ruling", "body": {"text": f"{NAME} {match} ruled"}})
        events.append({"seq": 2, "type": "state", "body": {"match_id": match, "players": [NAME, "Bo"]}})
    (out / "events.jsonl").write_text("".join(json.dumps(e) + "\n" for e in events))
    return out


def holds(folder: Path, text: str) -> list[str]:
    """The files in which a text stands, raw or as JSON and HTML write it, and those named by it."""
    quoted = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
    forms = {text, *quoted, text.replace("'", "&#39;").replace('"', "&#34;")}
    return [
        p.name
        for p in folder.rglob("*")
        if text in p.name or (p.is_file() and any(f.encode() in p.read_bytes() for f in forms))
    ]


def test_a_match_is_gone_and_the_other_is_whole(table: Path, tmp_path: Path) -> None:
    take_backup(table, tmp_path / "safe")
    other = current_match(table / SECOND)
    delete_match(table, FIRST, tmp_path / "safe")
    assert holds(table, FIRST) == [] and holds(tmp_path / "safe", FIRST) == []
    assert current_match(table / SECOND) == other and len(holds(table, f"{SECOND} ruled")) == 1


def test_a_clip_is_gone_and_the_others_stay(table: Path, tmp_path: Path) -> None:
    take_backup(table, tmp_path / "safe")
    assert delete_clip(table, FIRST, 1, tmp_path / "safe")
    for folder in (table, tmp_path / "safe"):
        assert holds(folder, f"film 1 of {FIRST}") == [] and holds(folder, f"film 2 of {FIRST}")
    assert not delete_clip(table, FIRST, 1)


def test_a_players_name_is_gone_and_the_match_is_judged_as_before(table: Path, tmp_path: Path) -> None:
    take_backup(table, tmp_path / "safe")
    assert len(holds(table, NAME)) == 7 and len(holds(tmp_path / "safe", NAME)) == 5  # two of them alike
    before = current_match(table / FIRST)
    with Journal(table / FIRST / JOURNAL_FILE) as journal:
        digest = journal.digest
    assert delete_name(table, NAME, "Player", tmp_path / "safe") == []
    assert holds(table, NAME) == [] and holds(tmp_path / "safe", NAME) == []
    after = current_match(table / FIRST)
    assert after["players"] == ["Player", "Bo"] and after["strokes"] == before["strokes"]
    with Journal(table / FIRST / JOURNAL_FILE) as journal:
        last = list(journal.entries())[-1]
        assert journal.verify() and last.payload == {"digest_before": digest}
    view = open_review("m", table / FIRST)
    assert view.editable and "Player" in {h["who"] for h in view.history()}
    view.close()


@pytest.fixture
def club(table: Path, tmp_path: Path) -> str:
    """A library that holds both matches and a fixture of one of them."""
    pytest.importorskip("sqlalchemy", reason="the extra 'library' brings it")
    where = str(tmp_path / "club.sqlite")
    document = current_match(
        table / SECOND
    )  # a copy of a match is the same match: this one is of another film
    document["video"]["file"] = "second.mp4"
    write_match(table / SECOND, document)
    with Library(where) as library:
        library.add_players([PlayerRecord(NAME, "LEAGUE-4711", "Team of her")])
        library.add_fixtures([FixtureRecord("L1", "League", "2026-11-20", NAME, "Bo", 3)])
        library.add_match(match_record(table / FIRST), "L1")
        library.add_match(match_record(table / SECOND))
    return where


def test_a_match_is_gone_from_the_library_and_the_other_is_in_it(table: Path, club: str) -> None:
    folder = str((table / FIRST).resolve())
    assert folder.encode() in Path(club).read_bytes()
    with Library(club) as library:
        delete_match(table, FIRST, library=library)
        assert [Path(r.folder).name for r in library.results()] == [SECOND]
        assert [f.id for f in library.open_fixtures()] == ["L1"]
    assert folder.encode() not in Path(club).read_bytes()


def test_a_players_name_is_gone_from_the_library_and_a_match_added_again_is_the_same(
    table: Path, club: str
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["delete", str(table), "--player", NAME, "--library", club])
    assert end.value.code == 0
    held = Path(club).read_bytes()
    assert all(word.encode() not in held for word in (NAME, "LEAGUE-4711", "Team of her"))
    with Library(club) as library:
        before = library.results()
        assert {r.players for r in before} == {("Player", "Bo")}
        assert {r.fixture for r in before} == {"L1", None}
        assert len({r.id for r in before}) == 2 and all(r.frames for r in before)
        library.add_match(match_record(table / FIRST))
        assert library.results() == before


def test_a_name_and_a_match_are_gone_from_the_tables_of_a_batch(table: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra 'batch' brings it")
    (table / SECOND).rename(table / "final")  # of a batch, a folder has the recording's name
    write_tables(table, [FIRST, "final"])

    def cells() -> str:
        return "".join(repr(parquet.read_table(table / f).to_pydict()) for f in (MATCHES_FILE, STROKES_FILE))

    assert NAME in cells().replace("\\'", "'")
    delete_name(table, NAME, "Player")
    assert "Grady" not in cells() and "Player" in cells() and "final" in cells()
    delete_match(table, "final")
    assert "final" not in cells() and FIRST in cells() and not (table / "final").exists()


def test_a_name_is_gone_from_the_settings_and_a_file_named_by_it_is_told(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = SetupFile(camera="rtsp://camera", player_a=NAME, player_b="Bo", host="0.0.0.0")
    write_settings(table, settings)
    (table / f"{NAME}.png").write_bytes(b"a picture")
    with pytest.raises(SystemExit) as end:
        main(["delete", str(table), "--player", NAME])
    assert end.value.code == 1 and f"{NAME}.png" in capsys.readouterr().err
    assert read_settings(table) == replace(settings, player_a="Player")


def test_a_match_deleted_while_its_table_runs_leaves_no_event(table: Path) -> None:
    other = [line for line in (table / EVENTS_FILE).read_text().splitlines() if SECOND in line]
    shutil.copy(table / EVENTS_FILE, table / OLDER_EVENTS_FILE)
    stream = EventStream(table, "table")
    stream.forget(FIRST)
    assert holds(table, f"{FIRST} ruled") == [] and FIRST not in (table / EVENTS_FILE).read_text()
    assert (table / EVENTS_FILE).read_text().splitlines() == other
    stream.publish(LiveFrame(1, 1, "A", (0, 0), None, None), 0.0, 1.8e9)
    assert len((table / EVENTS_FILE).read_text().splitlines()) == len(other) + 1


def test_a_name_within_another_word_stays(table: Path) -> None:
    delete_name(table, "dy", "Player")
    assert current_match(table / FIRST)["players"] == [NAME, "Bo"]


@pytest.mark.parametrize("word", ["A", "B", "red", "certain", " ", "Player"])
def test_a_word_of_the_record_is_no_name(table: Path, word: str) -> None:
    with pytest.raises(UnusableInput, match="--player: expected a name"):
        delete_name(table, word, "Player")


def test_a_file_of_somebody_else_that_holds_the_name_is_told(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (table / "notes.txt").write_text(f"played by {NAME}")
    with pytest.raises(SystemExit) as end:
        main(["delete", str(table), "--player", NAME])
    assert end.value.code == 1 and "notes.txt" in capsys.readouterr().err


def test_a_table_that_runs_is_left_alone(table: Path) -> None:
    with only_writer(table, "cueref live"), pytest.raises(UnusableInput, match="cueref live"):
        delete_match(table, FIRST)
    assert (table / FIRST / JOURNAL_FILE).is_file()


@pytest.mark.parametrize("match", ["..", "20261120T200000Z/..", "", "20991120T200000Z"])
def test_only_matches_of_the_table_are_deleted(table: Path, match: str) -> None:
    with pytest.raises(UnusableInput, match="found none"):
        delete_match(table, match)


def opened_console(table: Path) -> MatchView:
    """A console on the first match, just after a correction: match.json is still to be written."""
    view = open_review(FIRST, table / FIRST)
    view.correct(CorrectionBody(stroke=1, who="Ann", facts=FactsBody(called=True)))
    return view


def test_a_console_that_is_open_brings_a_deleted_match_not_back(table: Path) -> None:
    view = opened_console(table)
    delete_match(table, FIRST)
    assert view.gone
    with pytest.raises(UnusableInput, match="deleted or moved"):
        view.correct(CorrectionBody(stroke=2, who="Ann", facts=FactsBody(called=True)))
    time.sleep(1.2 * WRITE_AFTER_S)
    view.close()
    assert not (table / FIRST).exists()


def test_a_console_that_is_open_goes_on_with_a_record_without_the_name(table: Path) -> None:
    view = opened_console(table)
    delete_name(table, NAME, "somebody")
    seen = view.version
    with contextlib.suppress(UnusableInput):  # before the console has looked again, which it does each second
        view.correct(CorrectionBody(stroke=2, who="Ann", facts=FactsBody(called=True)))
    view.refresh()
    assert view.version > seen and view.document["players"] == ["somebody", "Bo"]
    view.correct(CorrectionBody(stroke=2, who="Ann", facts=FactsBody(called=True)))
    view.close()
    assert all(NAME.encode() not in p.read_bytes() for p in table.rglob("*") if p.is_file())
    with Journal(table / FIRST / JOURNAL_FILE) as journal:
        assert journal.verify() and [e.kind for e in journal.entries()][-1] == "correction"
