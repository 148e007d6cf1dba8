"""The case runner: what it accepts, what it says of a broken file, how it compares, what it exits with."""

from __future__ import annotations

import json
import pathlib
import random
from collections.abc import Iterator
from typing import Any

import pytest

from calibration.errors import UnusableInput
from calibration.table.games import rules_of
from referee.cases import compare, coverage
from referee.cases.runner import run_files
from referee.cli import main
from referee.rules.registry import GAMES

GOOD: dict[str, Any] = {
    "id": "X-1",
    "game": "snooker",
    "title": "t",
    "words": "",
    "clauses": ["snooker 3.3(f)"],
    "status": "firm",
    "start": {"ball_on": "red", "reds_on_table": 15, "scores": {"A": 0, "B": 0}, "striker": "A"},
    "steps": [
        {
            "type": "stroke",
            "by": "A",
            "first_contact": ["red"],
            "potted": [{"ball": "red", "pocket": "TL"}],
            "expect": {"points_to_striker": 1, "next_ball_on": "any colour"},
        }
    ],
}


def changed(**steps: Any) -> dict[str, Any]:
    return {**GOOD, "steps": [{**GOOD["steps"][0], **steps}]}


def run_text(tmp_path: pathlib.Path, *lines: str) -> list[Any]:
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return run_files([path])


BROKEN = [
    ("{", "line 2: expected one JSON object"),
    ("[1]", "line 2: expected a JSON object, got list"),
    (json.dumps({**GOOD, "game": "darts"}), "game must be one of"),
    (json.dumps({**GOOD, "surprise": 1}), "unknown field 'surprise'"),
    (json.dumps(changed(spin=3)), "unknown field 'stroke.spin'"),
    (json.dumps(changed(first_contact=["red16"])), "there is no ball 'red16' in snooker"),
    (json.dumps(changed(first_contact=["striped"])), "there is no ball 'striped' in snooker"),
    (json.dumps(changed(end_positions={"cue": [0, 0.0], "white": [1, 1]})), "two cue-balls"),
    (
        json.dumps(changed(end_positions={"cue": [0, 900.0]})).replace(
            '"cue": [0, 900.0]', '"cue": [0,1], "cue": [1,1]'
        ),
        "two cue-balls",
    ),
    (json.dumps(changed(by="C")), "C"),
    (json.dumps(changed(potted=[{"pocket": "TL"}])), "field 'ball' is missing"),
    (json.dumps(changed(cue_ball="lost")), "cue_ball must be one of"),
    (json.dumps(changed(potted=[{"ball": "red", "pocket": "XX"}])), "pocket must be one of"),
    (json.dumps(changed(landed="left of that ball")), "landed must be the near or the far side"),
    (
        json.dumps(changed(disturbed=[{"ball": "red", "judged_destination": "moon"}])),
        "judged_destination must be a pocket or the table",
    ),
    (json.dumps(changed(after={"obstructed_by": ["a hand"]})), "there is no ball 'a hand' in snooker"),
    (json.dumps(changed(type="dance")), "a step's type must be one of"),
    (json.dumps(changed(end_positions={"cue": [0, 99999]})), "is not on the table"),
]


@pytest.mark.parametrize(("line", "said"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_line_is_named_with_one_sentence(tmp_path: pathlib.Path, line: str, said: str) -> None:
    good, broken, also_good = run_text(tmp_path, json.dumps(GOOD), line, json.dumps(GOOD))
    assert good.outcome == also_good.outcome == "passed"
    assert broken.outcome == "error"
    assert "line 2" in broken.error and said in broken.error and "\n" not in broken.error


JUNK: list[Any] = [
    None,
    True,
    -1,
    3.5,
    "red",
    "cue",
    "zz",
    [],
    {},
    ["red"],
    [1, 2],
    {"ball": "red"},
    1e300,
    "A",
]


def _places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield (*path, key)
        yield from _places(tree[key], (*path, key))


def test_no_damaged_case_does_more_than_fail_or_be_named(tmp_path: pathlib.Path) -> None:
    """Any value of any game's cases replaced by junk, or left out: a result or one sentence, never a
    crash.
    """
    rng = random.Random(11)
    files = sorted((pathlib.Path(__file__).resolve().parents[2] / "cases").glob("*.jsonl"))
    lines = [line for f in files for line in f.read_text("utf-8").splitlines()]
    damaged = []
    for _ in range(800):
        case = json.loads(rng.choice(lines))
        *path, last = rng.choice([p for p in _places(case) if p[0] in ("start", "steps", "options")])
        tree = case
        for key in path:
            tree = tree[key]
        if isinstance(tree, dict) and rng.random() < 0.3:
            del tree[last]
        else:
            tree[last] = rng.choice(JUNK)
        damaged.append(json.dumps(case))
    for result in run_text(tmp_path, *damaged):
        assert result.error is None or "\n" not in result.error


def test_a_file_that_cannot_be_read(tmp_path: pathlib.Path) -> None:
    with pytest.raises(UnusableInput, match="expected a readable case file"):
        run_files([tmp_path / "none.jsonl"])
    (tmp_path / "latin.jsonl").write_bytes(b"\xe9")
    with pytest.raises(UnusableInput, match="expected UTF-8"):
        run_files([tmp_path / "latin.jsonl"])


def test_a_failed_case_says_what_was_expected_and_what_came(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = changed(expect={"points_to_striker": 2})
    path = tmp_path / "wrong.jsonl"
    path.write_text(json.dumps(wrong), "utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["cases", str(path), "--json"])
    assert stopped.value.code == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["id"], row["expected"], row["got"], row["status"]) == ("X-1", 2, 1, "firm")
    ambiguous = {**wrong, "status": "ambiguous"}
    path.write_text(json.dumps(ambiguous), "utf-8")
    with pytest.raises(SystemExit) as stopped:
        main(["cases", str(path)])
    assert stopped.value.code == 0
    assert "ambiguous, read otherwise" in capsys.readouterr().out


def test_clauses_of_both_editions_and_parents() -> None:
    assert compare.same_clause("3.12(b)(iv)", "3.12(b)(iv)")
    assert compare.same_clause("3.10(b)(iv)", "3.12(b)(iv)") and compare.same_clause(
        "3.12(a)(ii)", "3.10(a)(ii)"
    )
    assert compare.same_clause("snooker 3.7(f)", "3.7(f)") and compare.same_clause("6.3", "6.3(a)")
    assert not compare.same_clause("3.12(b)(iv)", "3.12(b)(iii)") and not compare.same_clause("3.1", "3.12")


def test_a_limit_holds_on_its_stated_side_only() -> None:
    wanted = {
        "ball": "black",
        "xy_limit": [0.0, 3301.539],
        "side": "above (towards top cushion)",
        "tol_mm": 1.0,
    }
    assert compare.within_limit(wanted, [0.0, 3301.6])
    assert not compare.within_limit(wanted, [0.0, 3301.4])
    assert not compare.within_limit(wanted, [0.0, 3302.7])
    assert not compare.within_limit({**wanted, "side": "below (towards baulk)"}, [0.0, 3301.6])


def test_an_open_miss_makes_options_a_lower_bound() -> None:
    got = {"miss": "called", "options": ["play_self", "again", "original"]}
    assert compare.differences("s", {"miss": "referee", "options": ["play_self", "again"]}, got) == []
    assert compare.differences("s", {"miss": "called", "options": ["play_self", "again"]}, got) != []
    assert compare.differences("s", {"scores": {"A": 1}}, {}) != []


@pytest.mark.parametrize("game", GAMES)
def test_each_clause_is_reached_by_a_case_or_has_a_reason(game: str) -> None:
    rows = coverage.coverage(game)
    assert rows and len({row.clause for row in rows}) == len(rows)
    assert [row.clause for row in rows if not row.cases and row.reason == "no case reaches it"] == []


@pytest.mark.parametrize("game", GAMES)
def test_no_reason_is_given_for_a_clause_that_is_reached_or_unknown(game: str) -> None:
    rows = {row.clause: row for row in coverage.coverage(game)}
    declared = json.loads(pathlib.Path(coverage.__file__).with_name("coverage.json").read_text("utf-8"))
    assert [c for c in declared[rules_of(game)]["not_implemented"] if c not in rows or rows[c].cases] == []


def test_a_clause_counts_by_its_own_case_and_not_by_its_parents() -> None:
    """Law 3.6 of billiards is reached; of its letters the one without a case is not."""
    rows = {row.clause: row for row in coverage.coverage("english_billiards")}
    assert rows["billiards 3.6"].where and rows["billiards 3.6(a)"].where is None


def test_a_case_that_fails_reaches_nothing(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(GOOD), "utf-8")
    assert coverage.index([path]) == {"snooker": {"snooker 3.3(f)": ["X-1"]}}
    path.write_text(json.dumps(changed(expect={"points_to_striker": 2})), "utf-8")
    assert coverage.index([path]) == {}


def test_a_query_about_the_match_reaches_nothing_except_what_matches_ask_too(tmp_path: pathlib.Path) -> None:
    path, frames = tmp_path / "cases.jsonl", [{"starter": "A", "winner": "A"}]
    for query, expect, reached in (
        ("match_result", {"over": True, "winner": "A"}, False),
        ("starter_of_next_frame", {"starter": "B"}, True),
    ):
        steps = [{"type": "query", "query": query, "expect": expect}]
        start = {"match": {"best_of": 1, "frames": frames}}
        path.write_text(json.dumps({**GOOD, "start": start, "steps": steps}), "utf-8")
        assert run_files([path])[0].outcome == "passed"
        assert bool(coverage.index([path])) is reached


def test_coverage_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["cases", "--coverage", "snooker"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "snooker 3.12(b)(iv) (V) higher value: ball not on hit first -- implemented" in out
    assert "not implemented: " in out
    with pytest.raises(SystemExit) as stopped:
        main(["cases", "--coverage", "darts"])
    assert stopped.value.code == 2
