"""`cueref judge`: matches from typed facts in every game, and one clear sentence for a line that cannot
be.
"""

from __future__ import annotations

import json
import pathlib
import random
import re
from typing import Any

import pytest
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from calibration.table.games import counts_points, rules_of
from referee.cli import command_line
from referee.match.declared import GAMES, RuledFact, judge, setup_of
from referee.match.declared_facts import read_facts

NINE: dict[str, Any] = {"type": "shot", "first_contact": ["1"], "potted": [{"ball": "9", "pocket": "TR"}]}
STARTS: dict[str, dict[str, Any]] = {
    "snooker": {
        "type": "stroke",
        "by": "A",
        "first_contact": ["red"],
        "potted": [{"ball": "red", "pocket": "TR"}],
        "cue_ball": "on_table",
    },
    "six_red": {"type": "stroke", "by": "A", "first_contact": ["red"], "potted": [], "cue_ball": "on_table"},
    "english_billiards": {
        "type": "stroke",
        "by": "A",
        "contacts": ["red"],
        "potted": ["red"],
        "cue_ball": "on_table",
    },
    "wpa_8ball": {"type": "shot", "by": "A", "first_contact": ["1"], "potted": [{"ball": "3"}]},
    "wpa_9ball": {"type": "shot", "by": "A", "first_contact": ["1"], "potted": [{"ball": "3"}]},
    "wpa_10ball": {"type": "shot", "by": "A", "first_contact": ["1"], "potted": [{"ball": "3"}]},
    "wpa_14_1": {
        "type": "shot",
        "by": "A",
        "first_contact": ["5"],
        "potted": [{"ball": "5", "pocket": "TL"}],
        "called": {"ball": "5", "pocket": "TL"},
    },
    "blackball": {"type": "shot", "by": "A", "first_contact": ["red"], "potted": [{"ball": "red"}]},
    "wepf": {"type": "shot", "by": "A", "first_contact": ["red"], "potted": [{"ball": "red"}]},
    "blackball_numbered": {"type": "shot", "by": "A", "first_contact": ["1"], "potted": [{"ball": "3"}]},
    "wepf_numbered": {"type": "shot", "by": "A", "first_contact": ["1"], "potted": [{"ball": "3"}]},
    "carrom": {"type": "stroke", "by": "A", "proper": True, "pocketed": {"own": 1}},
}
STARTS["english_billiards_spotted"] = STARTS["english_billiards"]

BOARD: tuple[dict[str, Any], ...] = ({"own": 1}, {"queen": True}, {"own": 8})


def _file(path: pathlib.Path, *facts: Any) -> pathlib.Path:
    path.write_text("".join((f if isinstance(f, str) else json.dumps(f)) + "\n" for f in facts))
    return path


def _judge(path: pathlib.Path, game: str) -> list[RuledFact]:
    file = read_facts(path)
    return list(judge(file, setup_of(file, game)))


def test_a_race_with_alternating_breaks(tmp_path: pathlib.Path) -> None:
    start = {"type": "start", "players": ["Ann", "Bo"], "match": {"race_to": 2}}
    path = _file(tmp_path / "f.jsonl", start, NINE | {"by": "A"}, NINE | {"by": "B"}, NINE | {"by": "A"})
    ruled = _judge(path, "wpa_9ball")
    assert [r.match.racks for r in ruled] == [(1, 0), (1, 1), (2, 1)]
    assert [r.rack for r in ruled] == [1, 2, 3]
    assert ruled[-1].match.winner == "A"
    with pytest.raises(UnusableInput, match=r"line 5: .*match is over"):
        _judge(_file(path, start, *(NINE | {"by": b} for b in "ABAB")), "wpa_9ball")


def test_a_concession_ends_the_match(tmp_path: pathlib.Path) -> None:
    path = _file(tmp_path / "f.jsonl", NINE | {"by": "A"}, {"type": "event", "by": "A", "event": "concede"})
    assert _judge(path, "wpa_9ball")[-1].match.winner == "B"


def test_a_start_in_the_middle_of_a_rack(tmp_path: pathlib.Path) -> None:
    start = {"type": "start", "shooter": "B", "on_table": [7, 9], "break_shot": False}
    shot = {"type": "shot", "by": "B", "first_contact": ["7"], "potted": [{"ball": "9"}]}
    assert _judge(_file(tmp_path / "f.jsonl", start, shot), "wpa_9ball")[0].winner == "B"


def test_carrom_boards_make_games(tmp_path: pathlib.Path) -> None:
    board = [{"type": "stroke", "by": "A", "proper": True, "pocketed": p} for p in BOARD]
    miss = {"type": "stroke", "by": "B", "proper": True, "pocketed": {"own": 0}}
    ruled = _judge(_file(tmp_path / "f.jsonl", *board, miss, *board, *board), "carrom")
    assert [r.values["scores"]["A"] for r in ruled if r.rack_over] == [
        12,
        24,
        33,
    ]  # 24 points: the Queen no longer counts
    assert ruled[-1].values["game_over"] and ruled[-1].match.racks == (1, 0)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_begins_without_a_start_line(tmp_path: pathlib.Path, game: str) -> None:
    (ruled,) = _judge(_file(tmp_path / "f.jsonl", STARTS[game]), game)
    assert ruled.values.get("foul") in (False, None)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[]",
        '{"type": "wish"}',
        '{"type": "shot", "by": "C"}',
        '{"type": "stroke", "by": "A", "colour": 3}',
        '{"type": "choice", "by": "A", "choice": "dance"}',
        '{"type": "event", "by": "A", "event": 7}',
    ],
)
def test_a_bad_line_is_named(tmp_path: pathlib.Path, game: str, bad: str) -> None:
    path = _file(tmp_path / "f.jsonl", STARTS[game], bad)
    with pytest.raises(UnusableInput, match=r"f\.jsonl line 2: ") as caught:
        _judge(path, game)
    assert "\n" not in str(caught.value)


def test_no_bytes_raise_anything_else(tmp_path: pathlib.Path) -> None:
    """Facts with parts cut out, doubled and swapped, for every game."""
    rng = random.Random(3)
    for n in range(600):
        game = rng.choice(GAMES)
        text = json.dumps(STARTS[game])
        i, j = sorted((rng.randrange(len(text)), rng.randrange(len(text))))
        text = rng.choice(
            (text[:i] + text[j:], text[:j] + text[i:], text.replace('"A"', rng.choice('19"{'), 1))
        )
        fact = dict(STARTS[game])
        fact[rng.choice(sorted(fact))] = rng.choice((None, 3, [], {}, "x", [[1]], -1.5, True, {"A": None}))
        path = _file(tmp_path / f"{n}.jsonl", STARTS[game], rng.choice((text, json.dumps(fact))))
        try:
            _judge(path, game)
        except UnusableInput as error:
            assert ".jsonl line " in str(error)


def test_the_command_prints_rulings_and_the_score(tmp_path: pathlib.Path) -> None:
    path = _file(
        tmp_path / "f.jsonl",
        {"type": "start", "players": ["Ann", "Bo"]},
        NINE | {"by": "A"},
        NINE | {"by": "B", "first_contact": ["4"]},
    )
    app = command_line(["judge"])
    out = CliRunner().invoke(app, ["judge", str(path), "--game", "wpa_9ball"]).stdout
    assert "wrong ball first [6.2]" in out and "won by Ann" in out and out.endswith("Ann 1-0 Bo\n")
    rows = CliRunner().invoke(app, ["judge", str(path), "--game", "wpa_9ball", "--json"]).stdout.splitlines()
    assert [json.loads(row)["racks"] for row in rows] == [[1, 0], [1, 0]]


@pytest.mark.parametrize("game", GAMES)
def test_a_sentence_about_a_line_has_the_games_title(game: str, tmp_path: pathlib.Path) -> None:
    path = _file(tmp_path / "f.jsonl", STARTS[game] | {"colour": 3})
    with pytest.raises(UnusableInput) as caught:
        _judge(path, game)
    assert re.search(r"[a-z]_[a-z0-9]|\bw[ep]", str(caught.value).partition("line 1:")[2]) is None


@pytest.mark.parametrize("game", [g for g in GAMES if counts_points(g)])
def test_the_last_line_of_a_game_with_points_is_their_score(game: str, tmp_path: pathlib.Path) -> None:
    path = _file(tmp_path / "f.jsonl", {"type": "start", "players": ["Ann", "Bo"]}, STARTS[game])
    out = CliRunner().invoke(command_line(["judge"]), ["judge", str(path), "--game", game]).stdout
    points = {"wpa_14_1": 1, "english_billiards": 3, "snooker": 1, "six_red": 0, "carrom": 0}[rules_of(game)]
    assert out.splitlines()[-1] == f"Ann {points}-0 Bo"


def test_racks_won_stand_beside_the_points(tmp_path: pathlib.Path) -> None:
    board = [{"type": "stroke", "by": "A", "proper": True, "pocketed": p} for p in BOARD]
    miss = {"type": "stroke", "by": "B", "proper": True, "pocketed": {"own": 0}}
    start = {"type": "start", "match": {"race_to": 1}}
    path = _file(tmp_path / "f.jsonl", start, *board, miss, *board, *board)
    out = CliRunner().invoke(command_line(["judge"]), ["judge", str(path), "--game", "carrom"]).stdout
    assert out.splitlines()[-1] == "A 33-0 B; racks 1-0; A wins the match"


def test_a_start_that_cannot_be_is_named_by_its_own_line(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text('{"type": "start", "queen": "lost"}\n{"type": "stroke", "by": "A", "pocketed": {}}\n')
    declared = read_facts(file)
    with pytest.raises(UnusableInput, match="line 1: expected the Queen"):
        list(judge(declared, setup_of(declared, "carrom")))


@pytest.mark.parametrize(
    ("game", "fact", "said"),
    [
        (
            "carrom",
            {"type": "stroke", "by": "A", "pocketed": {"own": 1, "striker": True}},
            "out of the pockets: 1 just pocketed; C/m 9-9, Queen on board",
        ),  # 73, 72(c): the due waits
        ("carrom", {"type": "event", "event": "got_up", "by": "A"}, "board to B"),
        ("carrom", {"type": "query", "query": "breaker", "game": 1, "board": 2}, "B breaks"),
        (
            "english_billiards",
            {"type": "stroke", "by": "A", "contacts": ["red"], "potted": ["red"]},
            "red to the Spot (0.0, 3245.0) mm",
        ),
    ],
)
def test_rulings_use_the_words_of_their_game(
    game: str, fact: dict[str, Any], said: str, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "facts.jsonl"
    file.write_text(json.dumps(fact))
    assert said in CliRunner().invoke(command_line(["judge"]), ["judge", str(file), "--game", game]).output
