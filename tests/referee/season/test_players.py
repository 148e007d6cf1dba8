"""A player over time: figures from the library, one person under two names, the page's data."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from match_fixture import document, invented, layout, rows_for, stroke
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from referee.cli import command_line
from referee.journal import JOURNAL_FILE, Journal
from referee.outputs.document import write_match
from referee.outputs.statistics import statistics_of
from referee.outputs.tracks import TracksWriter, read_tracks
from referee.season.library.careers import GRID, career_json
from referee.season.library.players import LibraryPlayers
from referee.season.library.records import match_record
from referee.season.library.results import results_page
from referee.season.library.store import Library
from referee.season.library.strokes import stroke_figures

pytest.importorskip("sqlalchemy", reason="the extra 'test' brings SQLAlchemy")


def played(folder: Path, players: tuple[str, str] = ("Ann", "Bo"), winner: str = "A") -> Path:
    """A match with journal and paths: a red potted, an open question, a foul with in-off, a safety."""
    match = invented(players)
    match["frames"] = [{"n": 1, "first_stroke": 1, "score": [6, 0], "winner": winner}]
    folder.mkdir(parents=True, exist_ok=True)
    write_match(folder, match)
    with TracksWriter(folder) as writer:
        writer.write_all(sorted(rows_for(match), key=lambda r: r.t_s))
    if not (folder / JOURNAL_FILE).exists():
        with Journal(folder / JOURNAL_FILE) as journal:
            journal.append("told", {"players": list(players), "folder": folder.name})
    return folder


def test_the_library_keeps_of_a_stroke_what_the_matchs_own_statistics_count(tmp_path: Path) -> None:
    folder = played(tmp_path / "m")
    match, tracks = invented(), read_tracks(folder)
    figures = stroke_figures(match, tracks)
    for side, own in zip("AB", statistics_of(match, tracks).sides, strict=True):
        mine = [f for f in figures if f.side == side]
        assert own.pots is not None and own.long_pots is not None and own.safeties is not None
        assert sum(f.made for f in mine if f.attempt) == own.pots.made
        assert sum(f.attempt or 0 for f in mine) == own.pots.tried
        assert sum(1 for f in mine if f.attempt and f.is_long) == own.long_pots.tried
        assert sum(f.safe is not None for f in mine) == own.safeties.tried
        assert sum(f.points for f in mine) == own.points_potted
        assert sum(f.foul for f in mine) == own.fouls
    pot = figures[0]
    assert (pot.ball, pot.pocket, pot.made) == ("red", "TL", 1)
    assert pot.across == pytest.approx(-300 / 889, abs=0.02) and pot.along == pytest.approx(
        2400 / 3569, abs=0.01
    )


def test_without_paths_nothing_is_said_of_attempts(tmp_path: Path) -> None:
    figures = stroke_figures(invented(), {})
    assert {f.attempt for f in figures} == {None} and {f.safe for f in figures} == {None}


def test_a_career_adds_up_match_by_match_on_both_sides_of_the_table(tmp_path: Path) -> None:
    with Library(str(tmp_path / "club.sqlite")) as library:
        for k, (players, winner) in enumerate(
            [(("Ann", "Bo"), "A"), (("Bo", "Ann"), "A"), (("Ann", "Cy"), "A")]
        ):
            library.add_match(
                match_record(played(tmp_path / str(k), players, winner), played_on=f"2026-0{k + 1}-01")
            )
        players_page = LibraryPlayers(library)
        ann, roster = players_page.career("Ann"), players_page.roster()
        assert players_page.career("Nobody") is None
    assert ann is not None and roster[0]["games"][0]["game"] == "snooker"
    (ann,) = ann["games"]
    assert [m["played_on"] for m in ann["matches"]] == ["2026-01-01", "2026-02-01", "2026-03-01"]
    assert (ann["won"], ann["lost"], ann["frames"]) == (2, 1, [2, 1])
    # as A she potted one of one; as B in the second match she fouled
    assert ann["total"]["pots"] == [2, 2] and [m["pots"] for m in ann["matches"]][1] == [0, 0]
    assert sum(map(sum, ann["potted"])) == 2 and len(ann["potted"]) == GRID[1]
    assert ann["pockets"] == {"TL": [2, 2]} and sum(b[2] for b in ann["breaks"]) == 2
    assert [(r["name"], r["won"], r["lost"]) for r in ann["rivals"]] == [("Bo", 1, 1), ("Cy", 1, 0)]
    assert {r["name"]: r["matches"] for r in roster} == {"Ann": 3, "Bo": 2, "Cy": 1}
    assert roster[0]["last"] == "2026-03-01"


def test_a_match_added_again_replaces_its_strokes_and_a_deleted_one_takes_them_along(tmp_path: Path) -> None:
    with Library(str(tmp_path / "club.sqlite")) as library:
        record = match_record(played(tmp_path / "m"))
        library.add_match(record)
        library.add_match(record)
        assert [len(library.strokes_of(name)[record.id]) for name in ("Ann", "Bo")] == [3, 1]
        library.forget_match(record.id, record.folder)
        assert library.strokes_of("Ann") == {} and library.pots() == {} and library.results() == ()


def test_one_person_under_two_names_is_one_player_now_and_later(tmp_path: Path) -> None:
    with Library(str(tmp_path / "club.sqlite")) as library:
        library.add_match(match_record(played(tmp_path / "a", ("A. Lee", "Bo"))))
        library.add_match(match_record(played(tmp_path / "b", ("Ann Lee", "Bo"))))
        assert library.same_person("A. Lee", "Ann Lee") == 1
        library.add_match(match_record(played(tmp_path / "c", ("Bo", "A. Lee"))))
        assert {p for r in library.results() for p in r.players} == {"Ann Lee", "Bo"}
        with pytest.raises(UnusableInput, match="found one person"):
            library.same_person("Bo", "Ann Lee")
        with pytest.raises(UnusableInput, match="knows"):
            library.same_person("Bo", "Nobody")
        with pytest.raises(UnusableInput, match="one person"):
            library.add_match(match_record(played(tmp_path / "d", ("Ann Lee", "A. Lee"))))
        library.rename_player(lambda name: name.replace("A. Lee", "somebody").replace("Ann Lee", "somebody"))
        library.add_match(match_record(played(tmp_path / "e", ("A. Lee", "Cy"))))  # the alias is gone too
        assert {p for r in library.results() for p in r.players} == {"somebody", "Bo", "A. Lee", "Cy"}
    for name in (b"Ann Lee",):
        assert name not in (tmp_path / "club.sqlite").read_bytes()


def test_the_command_joins_two_names(tmp_path: Path) -> None:
    database = str(tmp_path / "club.sqlite")
    with Library(database) as library:
        library.add_match(match_record(played(tmp_path / "a", ("A. Lee", "Bo"))))
        library.add_match(match_record(played(tmp_path / "b", ("Ann Lee", "Bo"))))
    told = CliRunner().invoke(
        command_line(["library"]), ["library", "same", "A. Lee", "Ann Lee", "--database", database]
    )
    assert told.exit_code == 0 and "1" in told.output


def test_shot_times_and_breaks_fall_into_their_bands(tmp_path: Path) -> None:
    strokes = [stroke(n, points=1, **{"break": n}, score=[n, 0], after=layout()) for n in range(1, 12)]
    match = document(strokes, ("Ann", "Bo"), 100.0)
    figures = stroke_figures(match, {})
    assert [f.shot_s for f in figures][1:] == [2.0] * 10
    assert career_json("Ann", []) == {"name": "Ann", "games": []}


def test_what_one_game_calls_a_break_is_not_added_to_another_games(tmp_path: Path) -> None:
    """A run of 14.1 is no break of snooker, and nine ball has neither."""
    with Library(str(tmp_path / "club.sqlite")) as library:
        for k, game in enumerate(["snooker", "wpa_14_1", "wpa_9ball", "snooker"]):
            match = invented()
            match["game"] = game
            for s in match["strokes"]:
                s["points"], s["break"] = s["points"] * (k + 1), s["break"] * (k + 1)
            folder = played(tmp_path / str(k))
            write_match(folder, match)
            library.add_match(match_record(folder, played_on=f"2026-0{k + 1}-01"))
        ann, roster = LibraryPlayers(library).career("Ann"), LibraryPlayers(library).roster()
        page = results_page(library.results(), (), "Club")
    assert ann is not None
    snooker, nine, straight = ann["games"]
    assert [(g["game"], len(g["matches"])) for g in ann["games"]] == [
        ("snooker", 2),
        ("wpa_9ball", 1),
        ("wpa_14_1", 1),
    ]
    assert "highest_break" in straight["figures"] and "highest_break" not in nine["figures"]
    assert snooker["highest"] == 4 * straight["highest"] // 2 > 0
    row = next(r for r in roster if r["name"] == "Ann")
    assert (row["matches"], row["last"]) == (4, "2026-04-01")
    highest = {g["game"]: g["highest"] for g in row["games"]}
    assert highest == {"snooker": snooker["highest"], "wpa_14_1": straight["highest"], "wpa_9ball": None}
    assert "Highest break, Snooker" in page and "High run, 14.1 continuous (WPA)" in page
    assert "Nine ball (WPA)</h2>" not in page


@pytest.fixture
def site(tmp_path: Path) -> Any:
    pytest.importorskip("argon2", reason="the pages need the extra 'serve'")
    from fastapi.testclient import TestClient

    from referee.access.access import Access
    from referee.console.app import create_app
    from referee.console.guard import Policy

    with Library(str(tmp_path / "club.sqlite")) as library:
        library.add_match(match_record(played(tmp_path / "m", ("Ann/Ø <b>", "Bo"))))
        policy = Policy("a token of the tests", True, (), False, None, Access())
        app = create_app([], policy, players=LibraryPlayers(library))
        yield TestClient(app, base_url="http://127.0.0.1:8765")
    shutil.rmtree(tmp_path / "m")


def test_the_page_and_its_data_are_served_also_for_names_with_odd_characters(site: Any) -> None:
    assert "players.js" in site.get("/players").text
    first = next(r for r in site.get("/api/players").json() if r["name"] != "Bo")
    career = site.get(f"/api/players/{_quoted(first['name'])}").json()
    assert career["name"] == first["name"] and career["games"][0]["matches"]
    assert site.get("/api/players/Nobody").status_code == 404


def _quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="")
