"""`--calls` and `--start`: what is read, and one clear sentence with the line's number for what is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from calibration.table.games import GAMES
from calibration.texts import again, game_title, load_texts
from referee.facts.calls import (
    AgreedRules,
    ChoiceCall,
    Frozen,
    Nomination,
    Players,
    ShotCall,
    Start,
    parse_start,
    read_calls,
    start_of,
)
from referee.rules.registry import GAMES as RULES


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "calls.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_calls_are_read_in_order_of_time(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '{"t_s": 30, "type": "choice", "by": "B", "choice": "play_self"}\n\n'
        '{"t_s": 12.4, "type": "nominate", "by": "A", "ball": "pink"}\n'
        '{"type": "players", "names": ["Ann", "Bo"]}\n',
    )
    assert read_calls(path) == (
        Players(("Ann", "Bo")),
        Nomination(12.4, "A", "pink"),
        ChoiceCall(30.0, "B", "play_self"),
    )
    assert read_calls(written(tmp_path, "")) == ()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("{", "line 2: expected one JSON object, found its end at column 2"),
        ('{"t_s": 1 "type": 2}', "found '\"type\": 2}' at column 11"),
        ("[1]", "found '[1]'"),
        ('{"type": "sing"}', "expected a type among"),
        ('{"type": ["nominate"]}', "expected a type among"),
        ('{"t_s": 1, "type": "nominate", "by": "A", "ball": "pink", "loud": 1}', "unknown loud"),
        ('{"t_s": 1, "type": "nominate", "by": "A"}', "no ball"),
        ('{"t_s": -1, "type": "nominate", "by": "A", "ball": "pink"}', "t_s in seconds"),
        ('{"t_s": NaN, "type": "nominate", "by": "A", "ball": "pink"}', "no number of JSON"),
        ('{"t_s": 1, "type": "nominate", "by": "A", "by": "B", "ball": "pink"}', "'by' is given twice"),
        ('{"t_s": true, "type": "nominate", "by": "A", "ball": "pink"}', "t_s in seconds"),
        ('{"t_s": 1, "type": "nominate", "by": "C", "ball": "pink"}', "by A or B"),
        ('{"t_s": 1, "type": "nominate", "by": "A", "ball": "white"}', "expected a ball among"),
        ('{"t_s": 1, "type": "choice", "by": "A", "choice": "sleep"}', "expected a choice among"),
        ('{"type": "players", "names": ["A"]}', "two players' names"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, found: str) -> None:
    good = '{"t_s": 1, "type": "nominate", "by": "A", "ball": "pink"}\n'
    with pytest.raises(UnusableInput, match="line 2") as error:
        read_calls(written(tmp_path, good + line))
    assert found in str(error.value) and "\n" not in str(error.value)


def test_files_that_are_no_calls(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01" * 10)
    for path in (tmp_path / "binary", tmp_path / "none", tmp_path):
        with pytest.raises(UnusableInput, match="expected a calls file"):
            read_calls(path)
    names = '{"type": "players", "names": ["A", "B"]}\n'
    with pytest.raises(UnusableInput, match="twice"):
        read_calls(written(tmp_path, names * 2))


def test_start() -> None:
    assert parse_start("A red 0-0") == Start("A", "red", (0, 0), assumed=False)
    assert parse_start(" b any colour 12-7 ") == Start("B", "any_colour", (12, 7), assumed=False)
    for bad in ("", "C red 0-0", "A purple 0-0", "A red 0", "A red -1-0", "A white 0-0", "A red 99999-0"):
        with pytest.raises(UnusableInput, match="--start: expected striker"):
            parse_start(bad)


def test_calls_of_pool_name_ball_and_pocket_a_safety_or_a_push_out(tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    file.write_text(
        '{"t_s": 3, "type": "nominate", "by": "A", "ball": "9", "pocket": "TL"}\n'
        '{"t_s": 5, "type": "push_out", "by": "B"}\n'
        '{"t_s": 4, "type": "safety", "by": "B"}\n'
        '{"t_s": 6, "type": "choice", "by": "A", "choice": "make_B_shoot"}\n'
    )
    assert read_calls(file, "wpa_10ball") == (
        ShotCall(3.0, "A", "9", "TL"),
        ShotCall(4.0, "B", safety=True),
        ShotCall(5.0, "B", push_out=True),
        ChoiceCall(6.0, "A", "make_B_shoot"),
    )
    for ball in ("12", "cue"):
        file.write_text(f'{{"t_s": 3, "type": "nominate", "by": "A", "ball": "{ball}"}}\n')
        with pytest.raises(UnusableInput, match=r"line 1: expected a ball among 1, 2, 3"):
            read_calls(file, "wpa_10ball")


TAKEN = {
    "snooker": "nominate, choice, players",
    "six_red": "nominate, choice, players",
    "english_billiards": "rules, choice, players",
    "english_billiards_spotted": "rules, choice, players",
    "wpa_8ball": "nominate, safety, frozen, choice, players",
    "wpa_9ball": "push_out, frozen, choice, players",
    "wpa_10ball": "nominate, safety, push_out, frozen, choice, players",
    "wpa_14_1": "nominate, safety, frozen, choice, players",
    "blackball": "frozen, touching, choice, players",
    "wepf": "nominate, touching, choice, players",
    "blackball_numbered": "frozen, touching, choice, players",
    "wepf_numbered": "nominate, touching, choice, players",
    "carrom": "choice, players",
}
"""Shots are called in 8-ball (WPA 3.6), 14.1 (4.5) and ten ball (9.5), pushed out in nine (2.4) and ten ball
(9.4), a ball declared frozen to a rail (8.4), in black ball and WEPF touching the cue-ball (6.7, Y(6)); in
WEPF a colour is nominated (H) or a ball out of a foul snooker (Q), in snooker a ball (2.12).
"""


@pytest.mark.parametrize("game", list(GAMES))
def test_a_call_that_the_game_does_not_take_is_refused_with_those_that_it_takes(
    tmp_path: Path, game: str
) -> None:
    taken = TAKEN[game].split(", ")
    for kind in {"nominate", "safety", "push_out"} - set(taken):
        said = {"t_s": 1, "type": kind, "by": "A"} | ({"ball": "red"} if kind == "nominate" else {})
        with pytest.raises(UnusableInput) as error:
            read_calls(written(tmp_path, json.dumps(said)), game)
        assert f"line 1: expected a type among {TAKEN[game]} in {game_title(game)}, found '{kind}'" in str(
            error.value
        )
    choice = {"t_s": 1, "type": "choice", "by": "A", "choice": RULES[game].choices[0]}
    read_calls(written(tmp_path, json.dumps(choice)), game)


@pytest.mark.parametrize("game", list(GAMES))
def test_a_choice_that_the_game_does_not_have_is_refused_with_its_own(tmp_path: Path, game: str) -> None:
    own = RULES[game].choices
    others = {c for rules in RULES.values() for c in rules.choices} - set(own)
    for name in (*sorted(others), "sleep", None, ["shoot"]):
        said = {"t_s": 1, "type": "choice", "by": "A", "choice": name}
        with pytest.raises(UnusableInput) as error:
            read_calls(written(tmp_path, json.dumps(said)), game)
        assert f"line 1: expected a choice among {', '.join(own)}, found {name!r}" in str(error.value)


CASES = Path(__file__).parents[2] / "cases"


@pytest.mark.parametrize("game", list(GAMES))
def test_the_choices_of_a_game_are_those_that_its_cases_make_and_offer(game: str) -> None:
    cases = [json.loads(x) for f in CASES.glob("*.jsonl") for x in f.read_text().splitlines() if x.strip()]
    steps = [s for c in cases if c["game"] == game for s in c["steps"]]
    named = {str(s["choice"]) for s in steps if s["type"] == "choice"}
    named |= {str(o) for s in steps for o in s.get("expect", {}).get("options") or ()}
    assert named <= set(RULES[game].choices)


def test_a_colour_of_wepf_is_nominated_without_a_pocket(tmp_path: Path) -> None:
    line = '{"t_s": 1, "type": "nominate", "by": "A", "ball": "red"}'
    assert read_calls(written(tmp_path, line), "wepf") == (ShotCall(1.0, "A", "red"),)
    with pytest.raises(UnusableInput, match="unknown pocket"):
        read_calls(written(tmp_path, line[:-1] + ', "pocket": "TL"}'), "wepf")


def test_the_start_of_another_game_names_player_group_and_score() -> None:
    assert start_of("B stripes 3-2", "wpa_8ball") == Start("B", "stripes", (3, 2), assumed=False)
    assert start_of("A red 1-0", "blackball") == Start("A", "red", (1, 0), assumed=False)
    assert start_of("a", "wpa_9ball") == Start("A", None, (0, 0), assumed=False)


@pytest.mark.parametrize(
    ("text", "game", "wanted"),
    [
        ("A pink 0-0", "carrom", r"a group \(white, black\) .* 'A' or 'B black 3-2', found 'A pink 0-0'"),
        ("A red 0-0", "wpa_14_1", "who plays and a score in 14.1 continuous"),
        ("B solids", "wpa_14_1", "who plays and a score in 14.1 continuous"),
        ("A red", "english_billiards", "who plays and a score in English billiards"),
        ("B solids", "blackball", r"a group \(red, yellow\) .* as 'A' or 'B yellow 3-2', found 'B solids'"),
        ("A red 0-0", "wpa_8ball", r"a group \(solids, stripes\) and a score in Eight ball"),
        ("C", "wpa_8ball", r"a group \(solids, stripes\)"),
    ],
)
def test_a_start_with_a_group_that_the_game_has_not_is_refused(text: str, game: str, wanted: str) -> None:
    with pytest.raises(UnusableInput, match=f"--start: .*{wanted}"):
        start_of(text, game)


def test_agreed_rules_are_those_of_the_game(tmp_path: Path) -> None:
    path = written(tmp_path, '{"type": "rules", "agreed": ["baulk_crossing_rule"]}\n')
    assert read_calls(path, "english_billiards") == (AgreedRules(("baulk_crossing_rule",)),)
    with pytest.raises(UnusableInput, match="line 1: expected a type among push_out, frozen, choice"):
        read_calls(path, "wpa_9ball")


def test_a_ball_is_declared_frozen_to_a_rail_by_anybody(tmp_path: Path) -> None:
    # WPA 8.4: by the referee, the shooter or the opponent
    said = '{"t_s": 3, "type": "frozen", "ball": "3", "rail": "left"}\n'
    said += '{"t_s": 4, "type": "frozen", "ball": "cue"}\n'
    assert read_calls(written(tmp_path, said), "wpa_9ball") == (Frozen(3.0, "3", "left"), Frozen(4.0, "cue"))
    for ball, rail, found in (
        ("12", "left", "a ball among cue, 1"),
        ("3", "head", "a rail among bottom, top"),
    ):
        line = json.dumps({"t_s": 3, "type": "frozen", "ball": ball, "rail": rail})
        with pytest.raises(UnusableInput, match=f"line 1: expected {found}"):
            read_calls(written(tmp_path, line), "wpa_9ball")


def test_a_file_that_cannot_be_read_is_one_sentence_in_the_readers_language(tmp_path: Path) -> None:
    other = tmp_path / "utf16.jsonl"
    other.write_bytes("{}".encode("utf-16"))
    for path, english, german in (
        (tmp_path / "none.jsonl", "found no such file", "keine solche Datei"),
        (tmp_path, "found a folder", load_texts("de").say("errors.instead_a_folder")),
        (other, "found other bytes at 0", "andere Bytes bei 0"),
    ):
        with pytest.raises(UnusableInput) as error:
            read_calls(path)
        assert str(error.value) == f"{path}: expected a calls file (JSON lines in UTF-8), {english}"
        said = again(error.value, load_texts("de"))
        assert said.startswith(f"{path}: erwartet: eine Datei mit Ansagen (JSON-Zeilen in UTF-8); gefunden: ")
        assert said.endswith(german)


def test_a_bad_line_is_said_in_german_too(tmp_path: Path) -> None:
    path = written(tmp_path, '{"t_s": 1, "type": "nominate", "by": "A"}')
    with pytest.raises(UnusableInput) as error:
        read_calls(path)
    said = again(error.value, load_texts("de"))
    fields = "ball, by, t_s, type"
    assert (
        said == f"{path}, Zeile 1: erwartet: die Felder {fields} einer Ansage nominate; gefunden: kein ball"
    )
