"""A season as it goes: namesakes, nobody comes, a match is given up or begun anew, balls are set again."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest
from library_match import match_folder
from script import Scene
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from calibration.table.specs import SNOOKER_TABLE
from referee.cli import command_line
from referee.facts.calls import FrameCall, FramesBefore, Players, Start
from referee.journal import JOURNAL_FILE, Journal
from referee.match.referee import Referee
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.document import VideoJson, write_match
from referee.season.library.exchange import json_ld, sportsml
from referee.season.library.league_files import Given, filled, read_fixtures, read_players
from referee.season.library.outcomes import Outcome
from referee.season.library.players import LibraryPlayers
from referee.season.library.records import match_record
from referee.season.library.results import results_csv, results_json, results_page, schema_text, standings
from referee.season.library.store import Library

pytest.importorskip("sqlalchemy", reason="the extra 'test' brings SQLAlchemy")

FIXTURES = (
    "id,competition,date,home,away,best_of\n"
    "L1,League,2026-11-20,Ann,Bo,3\nL2,League,2026-12-01,Ann,Cy,3\nL3,League,2026-12-08,Bo,Cy,3\n"
)
VIDEO: VideoJson = {"file": "x.mp4", "width": 1280, "height": 720, "images": 1500, "duration_s": 60.0}


def league(folder: Path) -> Path:
    (folder / "league.csv").write_text(FIXTURES)
    return folder / "league.csv"


def with_fixtures(database: str, folder: Path) -> Library:
    library = Library(database)
    library.add_fixtures(read_fixtures(league(folder)).fixtures)
    return library


def test_two_players_of_one_name_in_a_file_are_refused_until_their_names_differ(tmp_path: Path) -> None:
    """A match knows players by name, so their results would become one person's."""
    members = tmp_path / "members.csv"
    members.write_text("name,number,team\nAnn Lee,17,Lions\nAnn Lee,23,Bears\n")
    with pytest.raises(UnusableInput, match="one player of a name, found 'Ann Lee' with the numbers 17, 23"):
        read_players(members)
    members.write_text("name,number,team\nAnn Lee,17,Lions\nAnn Lee jun.,23,Bears\nAnn Lee,17,Lions\n")
    assert [p.name for p in read_players(members)] == ["Ann Lee", "Ann Lee jun."]


def test_a_walkover_is_a_win_without_frames_in_every_form(database: str, tmp_path: Path) -> None:
    with with_fixtures(database, tmp_path) as library:
        library.add_match(match_record(match_folder(tmp_path / "m", frames="AA")))
        library.decide(Outcome("L2", "walkover", "Cy", "2026-12-02"))
        results, open_now = library.results(), library.open_fixtures()
        roster = LibraryPlayers(library).roster()
    assert [f.id for f in open_now] == ["L3"]
    walkover = next(r for r in results if r.fixture == "L2")
    assert (walkover.winner, walkover.frames_won, walkover.decided) == ("B", (0, 0), "walkover")
    table = {s.player: s for s in standings(results)}
    assert [(table[p].played, table[p].won, table[p].frames_for) for p in ("Ann", "Bo", "Cy")] == [
        (2, 1, 2),
        (1, 0, 0),
        (1, 1, 0),
    ]
    data = json.loads(results_json(results))
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(data)
    row = next(r for r in csv.DictReader(io.StringIO(results_csv(results))) if r["fixture"] == "L2")
    assert (row["winner"], row["decided"], row["game"], row["frame_scores"]) == ("Cy", "walkover", "", "")
    page = results_page(results, open_now, "Club")
    assert "(walkover)" in page and "walkover, Cy wins" in json_ld(results, ())
    assert "speventstatus:forfeited" in sportsml(results, "2026-12-02T08:00:00Z")
    assert {p["name"] for p in roster} == {"Ann", "Bo"}, "who only won without playing has no figures"
    text, count = filled(league(tmp_path), Given(), results)
    assert count == 1 and "L2,League,2026-12-01,Ann,Cy,3,," in text, (
        "leagues count walkovers in their own way"
    )


def test_a_match_given_up_keeps_its_frames_and_has_the_winner_that_the_league_names(
    database: str, tmp_path: Path
) -> None:
    with with_fixtures(database, tmp_path) as library:
        library.add_match(match_record(match_folder(tmp_path / "m", frames="A")))
        assert library.results()[0].winner is None
        library.decide(Outcome("L1", "retired", "Bo", "2026-11-21"))
        (result,) = library.results()
        assert (result.winner, result.frames_won, result.decided) == ("B", (1, 0), "retired")
        library.add_match(match_record(match_folder(tmp_path / "m", frames="AB")))
        (again,) = library.results()
        assert (again.winner, again.frames_won, again.decided) == ("B", (1, 1), "retired")
        library.rename_player(lambda name: "somebody" if name == "Bo" else name)
        assert library.results()[0].winner == "B", "a decision follows a player who is renamed"


def test_an_abandoned_match_has_no_winner_and_its_fixture_can_be_opened_for_another(
    database: str, tmp_path: Path
) -> None:
    with with_fixtures(database, tmp_path) as library:
        library.add_match(match_record(match_folder(tmp_path / "m", frames="AA")))
        library.decide(Outcome("L1", "abandoned", None, "2026-11-21"))
        (result,) = library.results()
        assert (result.winner, result.decided, result.frames_won) == (None, "abandoned", (2, 0))
        assert not any(s.played for s in standings([result]))
        assert "speventstatus:halted" in sportsml([result], "2026-12-02T08:00:00Z")
        library.reopen("L1")
        assert "L1" in {f.id for f in library.open_fixtures()}
        another = match_record(match_folder(tmp_path / "n", frames="BB"))
        assert library.add_match(another) == "L1"
        by_fixture = {r.fixture: (r.winner, r.decided) for r in library.results()}
    assert by_fixture == {"L1": ("B", None), None: ("A", None)}


def test_a_decision_that_cannot_be_is_refused(database: str, tmp_path: Path) -> None:
    with with_fixtures(database, tmp_path) as library:
        library.add_match(match_record(match_folder(tmp_path / "m")))
        for outcome, words in [
            (Outcome("L9", "walkover", "Ann", "2026-12-01"), "found none of 'L9'"),
            (Outcome("L2", "walkover", "Bo", "2026-12-01"), "--winner Ann or Cy, found 'Bo'"),
            (Outcome("L2", "awarded", None, "2026-12-01"), "--winner Ann or Cy, found none"),
            (Outcome("L1", "abandoned", "Ann", "2026-12-01"), "no winner of an abandoned match"),
            (Outcome("L1", "walkover", "Ann", "2026-12-01"), "found one with a match"),
        ]:
            with pytest.raises(UnusableInput, match=words):
                library.decide(outcome)
        library.decide(Outcome("L2", "walkover", "Ann", "2026-12-01"))
        played = match_record(match_folder(tmp_path / "n", ("Ann", "Cy")))
        assert library.add_match(played) is None, "the fixture is not open"
        with pytest.raises(UnusableInput, match="found a walkover"):
            library.add_match(played, "L2")
        library.add_fixtures(read_fixtures(league(tmp_path)).fixtures)
        assert {r.decided for r in library.results()} == {None, "walkover"}, "the same file changes nothing"
        league(tmp_path).write_text(FIXTURES.replace("L2,League,2026-12-01,Ann", "L2,League,2026-12-01,Di"))
        library.add_fixtures(read_fixtures(tmp_path / "league.csv").fixtures)
        assert {r.decided for r in library.results()} == {None}, "its winner does not play it any more"


def test_the_command_decides_and_opens_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> str:
        done = CliRunner().invoke(command_line(["library"]), ["library", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    call("fixtures", str(league(tmp_path)))
    assert call("decide", "L2", "walkover", "--winner", "Ann", "--on", "2026-12-03") == "L2: walkover, Ann\n"
    (match,) = json.loads(call("export"))["matches"]
    assert (match["decided"], match["played_on"], match["game"]) == ("walkover", "2026-12-03", None)
    call("decide", "L2", "reopen")
    assert json.loads(call("export"))["matches"] == []
    with pytest.raises(UnusableInput, match=r"expected one of walkover, .* reopen, found 'draw'"):
        call("decide", "L2", "draw")


@pytest.mark.parametrize(
    ("set_again", "frame"),
    [((), (1, 14)), ((FrameCall(15.0, "rerack"),), (1, 0))],
    ids=["handicap", "balls set again: all points are void (3.16)"],
)
def test_a_frame_that_begins_ahead_or_anew_is_in_the_results_as_the_referee_counted_it(
    tmp_path: Path, set_again: tuple[FrameCall, ...], frame: tuple[int, int]
) -> None:
    """B begins a frame and 14 points ahead; A pots a red, and another where the balls were set again."""
    scene = Scene()
    calls = (FramesBefore((0, 1)), Players(("Ann", "Bo")), *set_again)
    start = Start(striker="A", ball_on="red", score=(0, 14), assumed=False)
    (tmp_path / "m").mkdir()
    with Journal(tmp_path / "m" / JOURNAL_FILE) as journal:
        referee = Referee(SNOOKER_TABLE, start=start, calls=calls, journal=journal)
        referee.feed(scene.stroke("red_1", ["red_1"]))
        if set_again:
            referee.feed(scene.rack())
            referee.feed(scene.stroke("red_1", ["red_1"]))
        referee.close()
        match = match_document("snooker", VIDEO, calibration_json(None), referee.match)
    write_match(tmp_path / "m", match)
    with Library(str(tmp_path / "club.sqlite")) as library:
        library.add_match(match_record(tmp_path / "m", best_of=3))
        (result,) = library.results()
    assert result.frames_won == (0, 1) and result.winner is None
    assert [(f.score_a, f.score_b, f.winner) for f in result.frames] == [(0, 0, "B"), (*frame, None)]
