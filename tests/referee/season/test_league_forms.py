"""Files of league tools are read as they are documented, and results go back in forms that others read."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from referee.cli import command_line
from referee.season.library.exchange import calendar, json_ld, sportsml
from referee.season.library.league_files import Given, filled, read_fixtures, read_players
from referee.season.library.records import FixtureRecord, FrameRecord
from referee.season.library.results import results_page
from referee.season.library.store import Result

SCORE7 = (
    "leg,day,datetime,location,referee,home_participant,away_participant,home_scores,away_scores,outcome\n"
    "1,1,2026-12-01T19:00:00,Club,,Ann,Bo,,,\n"
    "1,1,2026-12-01T20:00:00,Club,,Cy,Di,3,1,\n"
    "1,2,2026-12-08T19:00:00,Club,,Bo,Cy,,,\n"
)
HTG = "DIVISION,DATE,TIME,FIELDNAME,TEAM1,TEAM2\nFirst,12/01/26,19:00,Table 1,Ann,Bo\n"
SPORDLE = "Game date;Start time;Home team;Visiting team;Game number\n2026-12-01;19:00;Ann;Bo;17\n"
CUESCORE = {
    "tournamentId": 1,
    "name": "Autumn cup",
    "matches": [
        {
            "matchId": 11,
            "playerA": {"playerId": 5, "name": "Ann"},
            "playerB": {"playerId": 6, "name": "Bo"},
            "raceTo": 3,
            "starttime": "2026-12-01T19:00:00",
            "matchstatus": "waiting",
        },
        {
            "matchId": 12,
            "playerA": {"playerId": 5, "name": "Ann"},
            "playerB": {"playerId": 7, "name": "Cy"},
            "raceTo": 3,
            "starttime": [],
            "matchstatus": "waiting",
        },
        {
            "matchId": 13,
            "playerA": {"playerId": 6, "name": "Bo"},
            "playerB": {"playerId": 7, "name": "Cy"},
            "raceTo": 3,
            "matchstatus": "finished",
        },
        {"matchId": 14, "playerA": {"name": "Winner of match 11"}, "playerB": [], "matchstatus": "waiting"},
    ],
}


def written(folder: Path, text: str, name: str = "league.csv") -> Path:
    (folder / name).write_text(text, "utf-8")
    return folder / name


def result(
    fixture: str | None = None, players: tuple[str, str] = ("Ann", "Bo"), a: int = 2, b: int = 1
) -> Result:
    frames = tuple(FrameRecord(n, 60 + n, n, "A" if n <= a else "B") for n in range(1, a + b + 1))
    winner = None if a == b else "A" if a > b else "B"
    return Result(
        "m1",
        "2026-12-01",
        "snooker",
        "League",
        fixture,
        players,
        3,
        (a, b),
        winner,
        frames,
        (40, 12),
        99,
        0,
        "/x",
    )


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        (SCORE7, Given("League"), ("League", "2026-12-01", "Ann", "Bo")),
        (HTG, Given(order="mdy"), ("First", "2026-12-01", "Ann", "Bo")),
        (SPORDLE, Given("League"), ("League", "2026-12-01", "Ann", "Bo")),
        (
            SPORDLE.replace(";", "\t").replace("2026-12-01", "1.12.2026"),
            Given("League", "dmy"),
            ("League", "2026-12-01", "Ann", "Bo"),
        ),
    ],
    ids=["Score7", "HTG Sports", "Spordle", "tabs, day first"],
)
def test_the_fixtures_of_a_league_tool_are_read(
    tmp_path: Path, text: str, given: Given, expected: tuple[str, ...]
) -> None:
    first = read_fixtures(written(tmp_path, text), given).fixtures[0]
    assert (first.competition, first.due_on, first.home, first.away) == expected


def test_rows_with_a_result_are_left_out_and_the_ids_stay_the_same(tmp_path: Path) -> None:
    """Without an id of the league a fixture is named by what it is; played rows count for that, too."""
    found = read_fixtures(written(tmp_path, SCORE7), Given("League"))
    assert [f.home for f in found.fixtures] == ["Ann", "Bo"] and found.played == 1
    twice = SCORE7 + "2,1,2026-12-01T21:00:00,,,Ann,Bo,,,\n"
    assert [f.id for f in read_fixtures(written(tmp_path, twice), Given("L")).fixtures] == [
        "L 2026-12-01 Ann - Bo",
        "L 2026-12-08 Bo - Cy",
        "L 2026-12-01 Ann - Bo 2",
    ]


def test_cuescores_answer_gives_the_matches_of_two_known_players(tmp_path: Path) -> None:
    file = written(tmp_path, json.dumps(CUESCORE), "tournament.json")
    found = read_fixtures(file, Given(on="2026-12-24"))
    assert found.played == 1
    assert found.fixtures == (
        FixtureRecord("cuescore-11", "Autumn cup", "2026-12-01", "Ann", "Bo", 5),
        FixtureRecord("cuescore-12", "Autumn cup", "2026-12-24", "Ann", "Cy", 5),
    )
    with pytest.raises(UnusableInput, match="expected a starttime of match 12"):
        read_fixtures(file)


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        (HTG, Given(), "line 2: date: expected a date .* --dates dmy or --dates mdy"),
        (HTG.replace("12/01", "13/01"), Given(order="mdy"), "line 2: date: expected a day in the order mdy"),
        (SCORE7, Given(), "line 2: expected the competition's name"),
        (SCORE7.replace("Ann,Bo", "Ann,Ann"), Given("L"), "line 2: expected two players"),
        (SCORE7.replace("Ann", ""), Given("L"), "line 2: expected a home"),
        ("Date,Team1\n", Given("L"), "expected a column 'away'"),
        ("", Given("L"), "expected a column 'date'"),
    ],
)
def test_what_a_file_lacks_is_named_with_its_line(
    tmp_path: Path, text: str, given: Given, words: str
) -> None:
    with pytest.raises(UnusableInput, match=words):
        read_fixtures(written(tmp_path, text), given)


@pytest.mark.parametrize("text", ["[]", "{}", '{"name": "x", "matches": [{"playerA": 3}, 4]}', "no json"])
def test_json_that_is_no_tournament_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnusableInput, match="expected CueScore's answer to a tournament"):
        read_fixtures(written(tmp_path, text, "x.json"))


def test_players_are_read_under_the_names_that_tools_give_the_columns(tmp_path: Path) -> None:
    one = read_players(written(tmp_path, "Team Name;Player Name\nLions;Ann Lee\n"))
    two = read_players(written(tmp_path, "First Name,Last Name,Local ID,Team Name\nAnn,Lee,17,Lions\n"))
    assert [(p.name, p.number, p.team) for p in one + two] == [
        ("Ann Lee", None, "Lions"),
        ("Ann Lee", "17", "Lions"),
    ]


def test_results_go_into_the_leagues_own_file_and_nothing_else_changes(tmp_path: Path) -> None:
    """Home's frames first, whoever is player A here; a result of before stays."""
    file = written(tmp_path, SCORE7)
    league = Given("League")
    ids = [f.id for f in read_fixtures(file, league).fixtures]
    text, count = filled(file, league, [result(ids[0], ("Bo", "Ann"), 1, 2), result(None)])
    assert count == 1
    before, after = (list(csv.reader(io.StringIO(t))) for t in (SCORE7, text))
    assert after[1][7:9] == ["2", "1"], "Ann, at home, won 2 frames"
    after[1][7:9] = ["", ""]
    assert after == before
    again, none = filled(written(tmp_path, text), league, [result(ids[0])])
    assert none == 0 and again == text


def test_a_file_without_columns_of_scores_gets_them_and_keeps_its_separator(tmp_path: Path) -> None:
    text, count = filled(written(tmp_path, SPORDLE), Given("L"), [result("17")])
    assert count == 1
    assert text.splitlines() == [
        SPORDLE.splitlines()[0] + ";home_scores;away_scores",
        "2026-12-01;19:00;Ann;Bo;17;2;1",
    ]


_CELL = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda text: text == text.strip()
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(_CELL, _CELL, _CELL), min_size=1, max_size=5), st.sampled_from(",;\t"))
def test_fixtures_filled_and_read_again_are_the_same_whatever_characters_names_have(
    tmp_path: Path, rows: list[tuple[str, str, str]], separator: str
) -> None:
    """Names with separators, quotes and signs that a spreadsheet takes for formulas."""
    made = [(f"L{n}", cup, home, f"{away}{n}") for n, (cup, home, away) in enumerate(rows)]
    made = [row for row in made if row[2] != row[3]]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(["id", "competition", "date", "home", "away"])
    writer.writerows([i, cup, "2026-12-01", home, away] for i, cup, home, away in made)
    before = read_fixtures(written(tmp_path, text.getvalue())).fixtures
    assert [(f.id, f.competition, f.home, f.away) for f in before] == made
    again, count = filled(tmp_path / "league.csv", Given(), [result("L0", made[0][2:])] if made else [])
    assert count == (1 if made and made[0][0] == "L0" else 0)
    after = list(csv.reader(io.StringIO(again), delimiter=separator))
    assert [row[:5] for row in after] == list(csv.reader(io.StringIO(text.getvalue()), delimiter=separator))


def test_json_ld_says_who_plays_when_and_is_safe_in_a_page() -> None:
    coming = FixtureRecord("L2", "Cup", "2026-12-24", "</script><!--<script>", "Cy", 5)
    text = json_ld([result("L1")], [coming])
    assert "<" not in text  # neither an end tag nor a comment in which the end tag would be swallowed
    played, due = json.loads(text)["@graph"]
    assert played["@type"] == due["@type"] == "SportsEvent" and played["sport"] == "Snooker"
    assert [c["name"] for c in played["competitor"]] == ["Ann", "Bo"]
    assert played["description"] == "Ann 2-1 Bo (61-1, 62-2, 63-3)"
    assert due["homeTeam"]["name"] == "</script><!--<script>" and due["superEvent"]["name"] == "Cup"
    page = results_page([result("L1")], [coming], "Club")
    (inside,) = re.findall(r'<script type="application/ld\+json">\n(.*?)</script>', page, re.DOTALL)
    assert json.loads(inside)["@graph"][1]["identifier"] == "L2"


def test_sportsml_has_the_match_and_each_frame_within_it() -> None:
    root = ElementTree.fromstring(sportsml([result("L1", ("Ann & Co", "Bo"))], "2026-12-02T08:00:00Z"))
    s = "{http://iptc.org/std/nar/2006-10-01/}"
    (event,) = root.findall(f"{s}sports-event")
    assert [p.find(f"{s}player-stats").get("score") for p in event.findall(f"{s}player")] == ["2", "1"]  # type: ignore[union-attr]
    assert event.find(f"{s}player/{s}player-metadata/{s}name").text == "Ann & Co"  # type: ignore[union-attr]
    frames = event.findall(f"{s}sports-event")
    outcomes = [f.find(f"{s}player/{s}player-stats").get("event-outcome") for f in frames]  # type: ignore[union-attr]
    assert outcomes == ["speventoutcome:win", "speventoutcome:win", "speventoutcome:loss"]


def test_sportsml_keeps_to_the_parts_of_its_schema_that_it_uses() -> None:
    """sportsml.xsd 3.1 of IPTC: order of a sports-event's children, attributes, QCodes without white space.

    Stated here by hand: the schema with all that it includes is in no package index.
    """
    played = [result("L 1: cup", ("Ann & Co", "Bo")), result(None, ("Cy\nLee", "D\x01i"), a=1)]
    root = ElementTree.fromstring(sportsml(played, "2026-12-02T08:00:00Z"))
    children = {
        "sports-content": ["sports-metadata", "sports-event"],
        "sports-metadata": ["catalogRef"],
        "sports-event": ["event-metadata", "player", "sports-event"],
        "event-metadata": ["sports-content-codes"],
        "sports-content-codes": ["sports-content-code"],
        "player": ["player-metadata", "player-stats"],
        "player-metadata": ["name"],
    }
    attributes = {
        "sports-metadata": {"doc-id", "date-time", "language"},
        "event-metadata": {"key", "start-date-time", "event-status", "event-number"},
        "sports-content-code": {"code-type", "code-name"},
        "name": {"role"},
        "catalogRef": {"href"},
        "player-stats": {"event-outcome", "score"},
    }
    qcodes = ("key", "event-status", "code-type", "role", "event-outcome")
    for element in root.iter():
        name = element.tag.partition("}")[2]
        order = (
            [children[name].index(child.tag.partition("}")[2]) for child in element] if len(element) else []
        )
        assert order == sorted(order), name
        assert set(element.attrib) <= attributes.get(name, set()), name
        for attribute in qcodes:
            assert re.fullmatch(r"[^\s:]+:\S+", element.get(attribute, "a:b")), (name, attribute)
        assert name != "name" or re.fullmatch(r"[\S ]*", element.text or ""), "g2normalizedString"


def test_json_ld_means_what_schema_org_says() -> None:
    """Expanded by a JSON-LD processor: every word is one of schema.org's for the class that it is said of.

    Classes of each property by schema.org 12.0 (`domainIncludes`; Thing's hold for all).
    """
    jsonld = pytest.importorskip("pyld.jsonld", reason="the extra 'test' brings PyLD")
    schema = "https://schema.org/"
    of_all = {"name", "identifier", "description"}
    words = {
        "SportsEvent": {
            "startDate",
            "superEvent",
            "eventStatus",
            "competitor",
            "homeTeam",
            "awayTeam",
            "sport",
        },
        "Person": set[str](),
    }

    def load(address: str, options: object) -> dict[str, object]:
        assert address == schema.rstrip("/")
        return {"contextUrl": None, "documentUrl": address, "document": {"@context": {"@vocab": schema}}}

    text = json_ld([result("L1")], [FixtureRecord("L2", "Cup", "2026-12-24", "Bo", "Cy", 5)])
    graph = jsonld.expand(json.loads(text), {"documentLoader": load})
    assert len(graph) == 2

    def check(node: object) -> None:
        if isinstance(node, list):
            for one in node:
                check(one)
        elif isinstance(node, dict) and "@value" not in node:
            (kind,) = (t.removeprefix(schema) for t in node["@type"])
            for key in set(node) - {"@type"}:
                assert key.removeprefix(schema) in words[kind] | of_all, key
                check(node[key])

    check(graph)


@given(st.text(min_size=1, max_size=200), st.text(max_size=200))
def test_a_calendar_is_read_by_a_calendars_parser(home: str, competition: str) -> None:
    """RFC 5545 as the library icalendar reads it; control characters have no place in a text of it."""
    icalendar = pytest.importorskip("icalendar", reason="the extra 'test' brings icalendar")
    fixture = FixtureRecord("L1", competition, "2026-12-24", home, "Cy", None)
    read = icalendar.Calendar.from_ical(calendar([fixture], "2026-12-02T08:00:00Z"))
    (event,) = read.walk("VEVENT")
    assert not event.errors and read["VERSION"] == "2.0"
    shown = "".join(c if c.isprintable() else " " for c in f"{home} - Cy")
    assert str(event["SUMMARY"]) == shown
    assert event["DTSTART"].dt == date(2026, 12, 24) and event["DTSTAMP"].dt.tzinfo is not None


@given(st.text(min_size=1, max_size=200), st.text(max_size=200))
def test_a_calendar_keeps_any_name_and_no_line_is_longer_than_75_octets(home: str, competition: str) -> None:
    text = calendar(
        [FixtureRecord("L1", competition, "2026-12-24", home, "Cy", None)], "2026-12-02T08:00:00Z"
    )
    lines = text.split("\r\n")
    assert lines[-1] == "" and all(len(line.encode()) <= 75 for line in lines)
    joined = text.replace("\r\n ", "").split("\r\n")
    (summary,) = (line.removeprefix("SUMMARY:") for line in joined if line.startswith("SUMMARY:"))
    plain = re.sub(r"\\(.)", r"\1", summary)
    assert plain == "".join(c if c.isprintable() else " " for c in home) + " - Cy"
    assert "DTSTART;VALUE=DATE:20261224" in joined and "DTSTAMP:20261202T080000Z" in joined


def test_the_command_writes_each_form_and_refuses_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, SCORE7)

    def call(*arguments: str) -> str:
        done = CliRunner().invoke(command_line(["library"]), ["library", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "2 fixtures, 1 played already and left out" in call("fixtures", "league.csv", "--competition", "L")
    assert call("export", "--to", "ics").count("BEGIN:VEVENT") == 2
    assert len(json.loads(call("export", "--to", "jsonld"))["@graph"]) == 2
    assert "sports-content" in call("export", "--to", "sportsml")
    assert call("fill", "league.csv", "--competition", "L") == SCORE7
    for arguments in (["export", "--to", "xml"], ["fixtures", "league.csv", "--dates", "ymd"]):
        with pytest.raises(UnusableInput, match="expected"):
            call(*arguments)
