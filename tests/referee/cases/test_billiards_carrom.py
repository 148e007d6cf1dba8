"""English billiards and carrom in the form of case files: situations that the case folder does not show."""

from __future__ import annotations

import copy
import json
import pathlib
import random
from typing import Any

import pytest

from referee.cases.model import CaseError
from referee.cases.play import play
from referee.cases.runner import run_files

_IN_HAND = "play_from_in_hand_with_red_on_Spot_and_object_white_on_Centre_Spot"
_START: dict[str, Any] = {
    "scores": {"A": 0, "B": 0},
    "striker": "A",
    "cue_ball_in_hand": False,
    "red_at": "spot",
    "object_white": "on_table",
    "break": 0,
    "consecutive_red_pots_same_spot": 0,
    "consecutive_hazard_strokes": 0,
    "consecutive_cannons": 0,
}
_SPOT, _CENTRE = {"spot": "Spot", "xy": [0, 3245.0]}, {"spot": "Centre Spot", "xy": [0, 1784.5]}


def hit(expect: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {
        "type": "stroke",
        "by": "A",
        "contacts": ["red"],
        "simultaneous_first": False,
        "potted": [],
        "cue_ball": "on_table",
        "off_table": [],
        "infringements": [],
        **facts,
        "expect": expect,
    }


BILLIARDS: list[tuple[str, dict[str, Any], list[dict[str, Any]], dict[str, Any]]] = [
    (
        "white potted stays off",
        {},
        [
            hit(
                {"points_to_striker": 2, "object_white": "off_table", "cue_ball_in_hand": False},
                contacts=["white"],
                potted=["white"],
            )
        ],
        {},
    ),
    ("the next player's ball is off", {"object_white": "off_table"}, [hit({"cue_ball_in_hand": True})], {}),
    (
        "Spot and Pyramid Spot occupied",
        {"object_white": [0, 3250], "cue_end": [0, 2680]},
        [hit({"red_placed": _CENTRE}, potted=["red"])],
        {},
    ),
    (
        "foul, then from in-hand",
        {},
        [
            hit({"clause": "3.14(h)", "red_placed": _SPOT}, potted=["red"], infringements=["push_stroke"]),
            {
                "type": "choice",
                "by": "B",
                "choice": _IN_HAND,
                "expect": {"cue_ball_in_hand": True, "red_placed": _SPOT, "object_white_placed": _CENTRE},
            },
        ],
        {},
    ),
    (
        "cannon between two pots",
        {"last": "cannon", "consecutive_red_pots_same_spot": 1, "break": 5},
        [hit({"red_placed": _SPOT, "consecutive_red_pots_same_spot": 1}, potted=["red"])],
        {},
    ),
    (
        "red rolled to the spot",
        {"red_at": "rolled_to_spot", "red_placed_by_hand": False, "consecutive_red_pots_same_spot": 1},
        [hit({"red_placed": _SPOT}, potted=["red"])],
        {},
    ),
    (
        "sequence told by its spots",
        {"pots_sequence": ["Spot"]},
        [hit({"red_placed": _CENTRE}, potted=["red"])],
        {},
    ),
    (
        "B's ball touches the red",
        {},
        [
            hit(
                {
                    "next_striker": "B",
                    "cue_ball_in_hand": True,
                    "red_placed": _SPOT,
                    "object_white_placed": _CENTRE,
                },
                touching_at_end=["B_ball-red"],
            )
        ],
        {},
    ),
    (
        "wrong white at the opening",
        {"opening": True, "cue_ball_in_hand": True},
        [
            hit(
                {"restart": True, "foul": False, "next_striker": "A"},
                infringements=["wrong_white_at_opening"],
            )
        ],
        {},
    ),
    (
        "game awarded",
        {"target": 100, "scores": {"A": 50, "B": 20}},
        [
            {
                "type": "referee",
                "event": "award_game",
                "against": "A",
                "expect": {"game_over": True, "winner": "B", "scores": {"A": 0, "B": 100}},
            }
        ],
        {},
    ),
    (
        "line not crossed",
        {"break": 98, "scores": {"A": 98, "B": 0}, "crossing_done": False},
        [
            hit(
                {"clause": "billiards001 2.13.4", "penalty": 2, "points_to_striker": 0},
                contacts=["red", "white"],
                crossed_baulk_line=False,
            )
        ],
        {"baulk_crossing_rule": True},
    ),
    (
        "white forced off the table",
        {},
        [hit({"clause": "3.14(i)", "cue_ball_in_hand": True}, contacts=["white"], off_table=["white"])],
        {},
    ),
    (
        "played from in-hand, stays in baulk",
        {"cue_ball_in_hand": True, "cue_end": [100, 600]},
        [hit({"foul": True, "clause": "3.14(e)"}, contacts=[])],
        {},
    ),
    (
        "top cushion first, then a ball in baulk",
        {"cue_ball_in_hand": True, "red_at": [200, 500]},
        [hit({"foul": False}, contacts=["cushion:top", "red"])],
        {},
    ),
    (
        "side cushion in baulk first, then a ball in baulk",
        {"cue_ball_in_hand": True, "red_at": [200, 500]},
        [hit({"clause": "3.14(e)"}, contacts=["cushion:side_in_baulk", "red"])],
        {},
    ),
]


@pytest.mark.parametrize("case", BILLIARDS, ids=[c[0] for c in BILLIARDS])
def test_billiards(
    case: tuple[str, dict[str, Any], list[dict[str, Any]], dict[str, Any]], tmp_path: pathlib.Path
) -> None:
    title, start, steps, options = case
    data = {
        "id": "T",
        "game": "english_billiards",
        "title": title,
        "clauses": [],
        "status": "firm",
        "start": {**_START, **start},
        "steps": steps,
        **({"options": options} if options else {}),
    }
    file = tmp_path / "case.jsonl"
    file.write_text(json.dumps(data))
    (result,) = run_files([file])
    assert result.error is None and result.differences == ()


def _carrom(steps: list[dict[str, Any]], a: int = 6, b: int = 9, **start: Any) -> list[dict[str, Any]]:
    options = start.pop("options", {})
    return play(
        {
            "game": "carrom",
            "start": {
                "striker_player": "A",
                "A": {"colour": "white", "on_board": a},
                "B": {"colour": "black", "on_board": b},
                "queen": "on_board",
                "game_scores": {"A": 0, "B": 0},
                **start,
            },
            "steps": steps,
            "options": options,
        }
    )


def strike(**pocketed: Any) -> dict[str, Any]:
    return {"type": "stroke", "by": "A", "proper": True, "pocketed": pocketed, "overboard": []}


def test_carrom_unnoticed_queen_is_recorded_as_covered() -> None:
    event = {"type": "event", "event": "next_stroke_made_without_return", "by": "B"}
    for step in (strike(), {**strike(), "noticed": False}):
        values = _carrom([step, event], queen="to_be_covered")
        assert (values[1]["queen"], values[1]["next_turn"]) == ("covered_by_A", "B")


def test_carrom_demanded_points_by_option() -> None:
    values = _carrom([strike(own=1, striker=True)], a=1, b=4, options={"demand_extra": True})
    assert (values[0]["points"], values[0]["extra_points_if_demanded"], values[0]["scores"]) == (
        3,
        1,
        {"A": 0, "B": 4},
    )


def test_carrom_acts_of_a_whole_match() -> None:
    passed = [{"type": "event", "by": s, "event": "passed"} for s in "ABABAB"]
    assert _carrom(passed)[-1]["board_cancelled"]
    stopped = _carrom([{"type": "event", "by": "B", "event": "appeal"}, strike(own=1)])
    assert (stopped[1]["board_winner"], stopped[1]["clause"]) == ("B", "121(b)")
    lost = _carrom([{"type": "event", "by": "B", "event": "match_lost", "detail": "left_area"}])
    assert (lost[0]["match_lost_by"], lost[0]["game_winner"]) == ("B", "A")
    assert _carrom([{"type": "event", "by": "A", "event": "noted", "detail": "138"}])[0]["next_turn"] == "A"


@pytest.mark.parametrize(
    "steps",
    [
        [strike(own=7)],
        [{"type": "stroke", "by": "B", "pocketed": {}}],
        [{"type": "event", "by": "A", "event": "sneezed"}],
        [{**strike(), "overboard": ["green"]}],
        [{"type": "event", "by": "A", "event": "violation", "phase": "not_his_turn"}],
        [{"type": "event", "by": "A", "event": "noted", "detail": "48"}],
        [{"type": "choice", "by": "B", "choice": "forgo_all"}],
        [strike(owm=1)],
        [strike(queen="false")],
        [{**strike(), "proper": "no"}],
        [{**strike(), "events": ["sneezed"]}],
        [{"type": "event", "by": "A", "event": "violation", "phase": "sometime"}],
    ],
)
def test_carrom_what_cannot_be_is_one_clear_error(steps: list[dict[str, Any]]) -> None:
    with pytest.raises(CaseError):
        _carrom(steps)


@pytest.mark.parametrize(
    ("start", "step"),
    [
        ({"object_white": "off_table"}, hit({}, contacts=["white"])),
        ({"object_white": "gone"}, hit({})),
        ({"red_at": "moon"}, hit({})),
        ({"red_at": [0.0, float("inf")]}, hit({})),
        ({"cue_ball_in_hand": "no"}, hit({})),
        ({"scores": {"A": 0, "C": 0}}, hit({})),
        ({}, hit({}, cue_ball="lost")),
        ({}, hit({}, contacts=["cushion:moon"])),
        ({}, hit({}, potted="red")),
        ({}, hit({}, end_positions={"red": [1]})),
        ({"red_at": None}, hit({}, contacts=["red"])),
        ({"target": 100, "time_format": True}, hit({})),
        ({"target": 0}, hit({})),
        ({}, hit({}, contacts=["black"])),
        ({}, hit({}, infringements=["sneezed"])),
        ({}, {"type": "choice", "by": "A", "choice": _IN_HAND}),
        ({}, {"type": "event", "by": "B", "event": "concession_accepted"}),
    ],
)
def test_billiards_what_cannot_be_is_one_clear_error(start: dict[str, Any], step: dict[str, Any]) -> None:
    with pytest.raises(CaseError):
        play({"game": "english_billiards", "start": {**_START, **start}, "steps": [step]})


_WEIRD: tuple[Any, ...] = (None, True, -1, 1.5, 10**9, "x", "A", "red", [], [1, 2], {}, float("inf"))


def _spoil(rng: random.Random, node: Any) -> None:
    """Deletes a field somewhere below the node, or puts something else there."""
    places = [(node, key) for key in (node if isinstance(node, dict) else range(len(node)))]
    for _, key in list(places):
        if isinstance(node[key], dict | list) and key != "expect":
            places += [
                (node[key], k) for k in (node[key] if isinstance(node[key], dict) else range(len(node[key])))
            ]
    if places:
        holder, key = rng.choice(places)
        if isinstance(holder, dict) and rng.random() < 0.4:
            del holder[key]
        else:
            holder[key] = copy.deepcopy(rng.choice(_WEIRD))


@pytest.mark.parametrize("game", ["english_billiards", "carrom"])
def test_spoilt_cases_end_in_a_result_or_one_sentence(game: str, tmp_path: pathlib.Path) -> None:
    rng, lines = random.Random(6), []
    cases = (pathlib.Path(__file__).parents[2] / "cases" / f"{game}.jsonl").read_text().splitlines()
    for _ in range(3_000):
        case = json.loads(rng.choice(cases))
        _spoil(rng, case["steps"][0] if rng.random() < 0.5 else case["start"])
        lines.append(json.dumps(case))
    file = tmp_path / "spoilt.jsonl"
    file.write_text("\n".join(lines))
    results = run_files([file])
    assert len(results) == len(lines)
    errors = [r.error for r in results if r.error is not None]
    assert len(errors) > 1_000 and all("line" in e and "\n" not in e for e in errors)
