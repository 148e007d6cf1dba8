"""`cueref review --game GAME --facts`: every game reviewed from declared facts, opened in the console,
exported.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from referee.cli import command_line, main
from referee.console import page_data
from referee.console.reviews import open_review
from referee.journal import Journal
from referee.match.declared import GAMES, RuledFact, judge, setup_of
from referee.match.declared_facts import read_facts
from referee.outputs import exports
from referee.outputs.document import read_match, schema_text
from referee.outputs.evidence import evidence_html
from referee.outputs.sheet import score_sheet_html
from referee.review.declared import review_declared

START: dict[str, Any] = {"type": "start", "players": ["Ann", "Bo<i>"]}
SHOT: dict[str, Any] = {"type": "shot", "first_contact": ["1"], "potted": []}
FACTS: dict[str, list[dict[str, Any]]] = {
    "snooker": [
        {"type": "stroke", "by": "A", "first_contact": ["red"], "potted": [{"ball": "red", "pocket": "TR"}]},
        {"type": "stroke", "by": "A", "nominated": "blue", "first_contact": ["pink"], "potted": []},
    ],
    "six_red": [
        {
            "type": "stroke",
            "by": "A",
            "first_contact": ["red"],
            "potted": [{"ball": "red"}],
            "infringements": [],
        }
    ],
    "english_billiards": [
        {"type": "stroke", "by": "A", "contacts": ["red"], "potted": ["red"], "cue_ball": "on_table"},
        {"type": "stroke", "by": "A", "contacts": [], "potted": [], "cue_ball": "on_table"},
    ],
    "wpa_8ball": [
        SHOT | {"by": "A", "potted": [{"ball": "3"}]},
        SHOT
        | {
            "by": "A",
            "potted": [{"ball": "2", "pocket": "TL"}],
            "called": {"ball": "2", "pocket": "TL"},
        },
        SHOT | {"by": "A", "first_contact": ["9"]},
    ],
    "wpa_9ball": [SHOT | {"by": "A", "potted": [{"ball": "9"}]}, SHOT | {"by": "B", "first_contact": ["4"]}],
    "wpa_10ball": [SHOT | {"by": "A", "potted": [{"ball": "3"}]}],
    "wpa_14_1": [
        SHOT
        | {
            "by": "A",
            "first_contact": ["5"],
            "potted": [{"ball": "5", "pocket": "TL"}],
            "called": {"ball": "5", "pocket": "TL"},
        },
        SHOT | {"by": "A", "first_contact": []},
    ],
    "blackball": [
        SHOT | {"by": "A", "first_contact": ["red"], "potted": [{"ball": "red"}]},
        SHOT | {"by": "A", "first_contact": []},
        {"type": "choice", "by": "B", "choice": "play_from_position"},
    ],
    "blackball_numbered": [
        SHOT | {"by": "A", "first_contact": ["3"], "potted": [{"ball": "3"}]},
        SHOT | {"by": "A", "first_contact": []},
        {"type": "choice", "by": "B", "choice": "play_from_position"},
    ],
    "wepf_numbered": [SHOT | {"by": "A", "first_contact": ["3"], "potted": [{"ball": "3"}]}],
    "wepf": [SHOT | {"by": "A", "first_contact": ["red"], "potted": [{"ball": "red"}]}],
    "carrom": [
        {"type": "stroke", "by": "A", "proper": True, "pocketed": {"own": 1, "opponent": 1}},
        {"type": "stroke", "by": "A", "proper": True, "pocketed": {"queen": True, "striker": True}},
    ],
}
FACTS["english_billiards_spotted"] = FACTS["english_billiards"]
WORDS = {  # what the report says in the game's own terms
    "snooker": "Reds",
    "six_red": "Reds",
    "english_billiards": "winning hazard, red pocketed",
    "english_billiards_spotted": "winning hazard, red pocketed",
    "wpa_8ball": "Ann is on solids",
    "wpa_9ball": "Rack 1, won by Ann",
    "wpa_10ball": "ball 1",
    "wpa_14_1": "To <b>150 points",
    "blackball": "Free shot",
    "wepf": "6 red, 7 yellow",
    "blackball_numbered": "Free shot",
    "wepf_numbered": "6 solids, 7 stripes",
    "carrom": "C/m on the board",
}


def written(path: pathlib.Path, *facts: dict[str, Any]) -> pathlib.Path:
    path.write_text("".join(json.dumps(f) + "\n" for f in facts))
    return path


def reviewed(folder: pathlib.Path, game: str) -> pathlib.Path:
    facts = written(folder / "facts.jsonl", START, *FACTS[game])
    review_declared(facts, game, folder / "out")
    return folder / "out"


def judged(facts: pathlib.Path, game: str) -> list[RuledFact]:
    file = read_facts(facts)
    return list(judge(file, setup_of(file, game)))


@pytest.mark.parametrize("game", GAMES)
def test_the_match_has_the_published_form_and_the_judges_rulings(tmp_path: pathlib.Path, game: str) -> None:
    out = reviewed(tmp_path, game)
    match = json.loads((out / "match.json").read_text())
    jsonschema.validate(match, json.loads(schema_text()))
    ruled = judged(tmp_path / "facts.jsonl", game)
    assert [r["clause"] for r in match["rulings"]] == [r.values.get("clause") for r in ruled]
    assert len(match["strokes"]) == sum(f["type"] in ("stroke", "shot") for f in FACTS[game])
    assert [bool(s["foul"]) for s in match["strokes"]] == [
        bool(r.values["foul"]) for r in ruled if r.fact["type"] in ("stroke", "shot")
    ]
    scores = ruled[-1].values.get("scores")
    assert match["score"] == ([scores["A"], scores["B"]] if scores else list(ruled[-1].match.racks))
    assert all(s["start_s"] is None and s["game_state"] and s["before"] == {} for s in match["strokes"])


@pytest.mark.parametrize("game", GAMES)
def test_the_report_is_self_contained_and_speaks_the_game(tmp_path: pathlib.Path, game: str) -> None:
    page = (reviewed(tmp_path, game) / "report.html").read_text()
    assert "Bo&lt;i&gt;" in page and "<i>" not in page
    assert "http" not in page.replace("Content-Security-Policy", "").replace("http-equiv", "")
    assert WORDS[game] in page
    assert page.count("<article") == len(FACTS[game])


@pytest.mark.parametrize("game", GAMES)
def test_the_console_and_the_exports_take_it(tmp_path: pathlib.Path, game: str) -> None:
    opened = open_review("m", reviewed(tmp_path, game))
    match = opened.document
    assert not opened.editable and page_data.header(match, "m", 1, False, False)["told"]
    for stroke in match["strokes"]:
        shown = page_data.stroke_detail(match, stroke, opened.tracks)
        assert shown["ruling"] and shown["state_words"]
        assert "Ann" in evidence_html(match, stroke["n"], {}, None, opened.journal_of(stroke["n"]))
    assert page_data.statistics(match, {})["rows"] and page_data.spots(match, 2.0) == []
    assert page_data.overlay(match)["score"] == match["strokes"][-1]["score"]
    assert exports.strokes_csv(match).count("\n") == len(match["strokes"]) + 1
    assert exports.chapters_vtt(match).strip() == "WEBVTT"  # no times, no chapters
    assert "article" in score_sheet_html(match)
    assert exports.markers_edl(match, 25.0)
    opened.close()


def test_the_console_answers_over_http(tmp_path: pathlib.Path) -> None:
    testclient = pytest.importorskip("fastapi.testclient")
    from referee.console.app import create_app
    from referee.console.guard import Policy

    opened = open_review("m", reviewed(tmp_path, "carrom"))
    client = testclient.TestClient(
        create_app([opened], Policy("t" * 24, True, ())), base_url="http://127.0.0.1:8765"
    )
    for path in (
        "matches",
        "matches/m",
        "matches/m/strokes",
        "matches/m/strokes/1",
        "matches/m/statistics",
        "matches/m/questions",
        "matches/m/hands",
        "matches/m/history",
        "matches/m/overlay",
        "matches/m/export/report",
        "matches/m/export/sheet",
        "matches/m/evidence/1",
    ):
        assert client.get(f"/api/{path}").status_code == 200, path
    row = client.get("/api/matches/m/strokes").json()[0]
    assert row["on"] == "white C/m" and "C/m 8-8" in row["ruling"]
    opened.close()


def test_points_frames_and_pots_of_carrom_and_billiards(tmp_path: pathlib.Path) -> None:
    facts = written(
        tmp_path / "f.jsonl",
        *(
            {"type": "stroke", "by": "A", "proper": True, "pocketed": p}
            for p in ({"own": 1}, {"queen": True}, {"own": 8})
        ),
    )
    match = review_declared(facts, "carrom", tmp_path / "c")
    assert match["strokes"][2]["points"] == 12 and match["frames"] == [
        {"n": 1, "first_stroke": 1, "score": [12, 0], "winner": "A"}
    ]
    assert [p["ball"] for s in match["strokes"] for p in s["potted"]] == [
        "white_man",
        "queen",
        *["white_man"] * 8,
    ]
    billiards = review_declared(
        written(tmp_path / "b.jsonl", *FACTS["english_billiards"]), "english_billiards", tmp_path / "b"
    )
    assert [s["points"] for s in billiards["strokes"]] == [3, 0] and billiards["score"] == [3, 2]
    assert billiards["strokes"][1]["foul"] == {
        "clause": "3.14(n)",
        "penalty": 2,
        "penalty_to": "B",
        "reason": None,
    }


def test_a_choice_stands_with_its_stroke(tmp_path: pathlib.Path) -> None:
    match = read_match(reviewed(tmp_path, "blackball"))
    assert "then B, play from position" in match["strokes"][-1]["ruling"]["text"]
    assert [r["stroke"] for r in match["rulings"]] == [1, 2, 2]


def test_facts_that_grow_are_gone_on_with_and_others_are_refused(tmp_path: pathlib.Path) -> None:
    facts = written(tmp_path / "f.jsonl", START, *FACTS["carrom"][:1])
    review_declared(facts, "carrom", tmp_path / "out")
    with Journal(tmp_path / "out" / "journal.sqlite") as journal:
        first = list(journal.entries())
    written(facts, START, *FACTS["carrom"])
    review_declared(facts, "carrom", tmp_path / "out")
    again = (tmp_path / "out" / "match.json").read_bytes()
    review_declared(facts, "carrom", tmp_path / "out")
    assert (tmp_path / "out" / "match.json").read_bytes() == again
    with Journal(tmp_path / "out" / "journal.sqlite") as journal:
        assert list(journal.entries())[: len(first)] == first and journal.verify()
    written(facts, START, FACTS["carrom"][1])
    with pytest.raises(UnusableInput, match="choose another --out"):
        review_declared(facts, "carrom", tmp_path / "out")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"t_s": -1}, "line 2: expected t_s"),
        ({"t_s": True}, "line 2: expected t_s"),
        ({"start_s": 3}, "line 2: expected t_s, or"),
        ({"start_s": 3, "end_s": 2}, "line 2: expected t_s, or"),
        ({"colour": 3}, "line 2: "),
        ({"by": "C"}, "line 2: "),
    ],
)
def test_a_wrong_line_is_named_and_nothing_written(
    tmp_path: pathlib.Path, line: dict[str, Any], words: str
) -> None:
    facts = written(tmp_path / "f.jsonl", START, FACTS["carrom"][0] | line)
    with pytest.raises(UnusableInput, match=words):
        review_declared(facts, "carrom", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_times_lie_in_the_video_and_in_order(tmp_path: pathlib.Path) -> None:
    video = pathlib.Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"
    shots = [SHOT | {"by": "A", "t_s": 1.5}, SHOT | {"by": "B", "start_s": 4, "end_s": 6}]
    match = review_declared(written(tmp_path / "f.jsonl", *shots), "wpa_9ball", tmp_path / "out", video)
    assert match["video"]["file"] == video.name and match["strokes"][1]["end_s"] == 6.0
    assert exports.chapters_vtt(match).count("-->") == 2
    assert "data:video/mp4;base64," in evidence_html(match, 1, {}, video)
    late = written(tmp_path / "late.jsonl", SHOT | {"by": "A", "t_s": 1e5})
    with pytest.raises(UnusableInput, match=r"late\.jsonl line 1: expected a time within"):
        review_declared(late, "wpa_9ball", tmp_path / "late", video)
    back = written(tmp_path / "back.jsonl", shots[1], shots[0] | {"by": "B"})
    with pytest.raises(UnusableInput, match=r"line 2: expected times in order"):
        review_declared(back, "wpa_9ball", tmp_path / "back")


def test_the_command(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = written(tmp_path / "f.jsonl", START, *FACTS["wpa_9ball"])
    run = ["review", "--game", "wpa_9ball", "--facts", str(facts), "--out", str(tmp_path / "out")]
    app = command_line(run)
    done = CliRunner().invoke(app, run)
    assert done.exit_code == 0 and "Ann 1–0 Bo<i>" in done.stdout
    as_calls = CliRunner().invoke(
        app, ["review", "--game", "wpa_9ball", "--calls", str(facts), "--out", str(tmp_path / "c"), "--json"]
    )
    assert json.loads(as_calls.stdout)["score"] == [1, 0]
    for wrong, words in (
        (["--game", "carrom"], "expected a VIDEO, or --facts FACTS.jsonl"),
        (["--game", "darts"], "expected one of snooker"),
        ([], "expected a VIDEO"),
        ([*run[1:], "--start", "A red 0-0"], "--start: expected"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["review", *wrong])
        err = capsys.readouterr().err
        assert ended.value.code == 2 and words in err and err.count("\n") == 1


def test_case_files_can_be_reviewed_as_facts(tmp_path: pathlib.Path) -> None:
    """Whatever the rule cases say can be told: a match of the published form, or one sentence with a line."""
    schema = jsonschema.Draft202012Validator(json.loads(schema_text()))
    lines = [
        x
        for f in sorted((pathlib.Path(__file__).parents[2] / "cases").glob("*.jsonl"))
        for x in f.read_text().splitlines()
    ]
    done = 0
    for n, case in enumerate(json.loads(x) for x in lines[::6]):
        steps = [{k: v for k, v in s.items() if k != "expect"} for s in case["steps"]]
        facts = written(tmp_path / f"{n}.jsonl", {**case["start"], "type": "start"}, *steps)
        try:
            match = review_declared(facts, case["game"], tmp_path / str(n))
        except UnusableInput as error:
            assert f"{n}.jsonl line " in str(error)
            continue
        schema.validate(json.loads(json.dumps(match)))
        assert [r["line"] for r in match["rulings"]] == list(range(2, 2 + len(steps)))
        done += 1
    assert done > 0.9 * len(lines[::6])
