"""`--calls` and `--start`: what is read, and one clear sentence with the line's number for what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from referee.facts.calls import (
    AgreedRules,
    ChoiceCall,
    Nomination,
    Players,
    ShotCall,
    Start,
    parse_start,
    read_calls,
    start_of,
)


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
        ("{", "expected one JSON object"),
        ("[1]", "found list"),
        ('{"type": "sing"}', "expected a type among"),
        ('{"type": ["nominate"]}', "expected a type among"),
        ('{"t_s": 1, "type": "nominate", "by": "A", "ball": "pink", "loud": 1}', "unknown loud"),
        ('{"t_s": 1, "type": "nominate", "by": "A"}', "no ball"),
        ('{"t_s": -1, "type": "nominate", "by": "A", "ball": "pink"}', "t_s in seconds"),
        ('{"t_s": NaN, "type": "nominate", "by": "A", "ball": "pink"}', "no number of JSON"),
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
    assert read_calls(file, "wpa_9ball") == (
        ShotCall(3.0, "A", "9", "TL"),
        ShotCall(4.0, "B", safety=True),
        ShotCall(5.0, "B", push_out=True),
        ChoiceCall(6.0, "A", "make_B_shoot"),
    )
    file.write_text('{"t_s": 3, "type": "nominate", "by": "A", "ball": "12"}\n')
    with pytest.raises(UnusableInput, match=r"line 1: expected a ball among cue, 1, 2"):
        read_calls(file, "wpa_9ball")


def test_the_start_of_another_game_names_player_group_and_score() -> None:
    assert start_of("B stripes 3-2", "wpa_8ball") == Start("B", "stripes", (3, 2), assumed=False)
    assert start_of("a", "wpa_9ball") == Start("A", None, (0, 0), assumed=False)
    with pytest.raises(UnusableInput, match="--start: expected who plays"):
        start_of("A pink 0-0", "carrom")


def test_agreed_rules_are_those_of_the_game(tmp_path: Path) -> None:
    path = written(tmp_path, '{"type": "rules", "agreed": ["baulk_crossing_rule"]}\n')
    assert read_calls(path, "english_billiards") == (AgreedRules(("baulk_crossing_rule",)),)
    with pytest.raises(UnusableInput, match="line 1: expected agreed rules among -"):
        read_calls(path, "wpa_9ball")
