"""Shared by the case adapters of the WPA games: the shot's fields, the table, the common part of a ruling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.cases.model import CaseError, Step
from referee.cases.pool.fields import (
    SHARED_SHOT,
    known,
    names,
    number,
    respots,
    shared_shot,
)
from referee.cases.values import flag, point_mm
from referee.rules.wpa.general import InHand, PoolMarks, WpaCall, WpaRuling

IN_HAND: tuple[InHand, ...] = ("anywhere", "behind_head_string", "baulk")
WPA_SHOT = SHARED_SHOT | {
    "balls_driven_to_rail_after_contact",
    "object_balls_driven_to_rail",
    "cue_ball_hit_rail",
    "called",
    "obvious",
    "push_out",
    "balls_crossing_head_string",
    "first_contact_behind_head_string",
    "crossed_head_string",
}
START = frozenset(
    (
        "shooter",
        "table",
        "balls",
        "cue_in_hand",
        "break_shot",
        "words",
        "note",
        "breaker",
        "target",
        "frozen_declared",
    )
)


def marks(start: Step, default: PoolMarks) -> PoolMarks:
    """The case's own table, or the default one."""
    table = start.get("table")
    if table is None:
        return default
    known(
        table,
        (
            "length",
            "width",
            "ball_d",
            "foot_spot",
            "head_spot",
            "centre_spot",
            "head_string_y",
            "source",
            "note",
        ),
        "table",
    )
    try:
        return PoolMarks(
            float(table["length"]),
            float(table["width"]),
            float(table["ball_d"]),
            point_mm(table["foot_spot"], "foot_spot"),
            point_mm(table["head_spot"], "head_spot"),
            point_mm(table["centre_spot"], "centre_spot"),
            float(table["head_string_y"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CaseError(f"table must give its sizes and spots in mm ({error})") from error


def in_hand(start: Step) -> InHand | None:
    """Where the cue-ball is in hand, if it is."""
    value = start.get("cue_in_hand")
    if value in (None, False):
        return None
    if value not in IN_HAND:
        raise CaseError(f"cue_in_hand must be one of {', '.join(IN_HAND)}, got {value!r}")
    return next(v for v in IN_HAND if v == value)


def frozen(start: Step) -> tuple[tuple[str, str], ...]:
    """Balls declared frozen to a rail (8.4)."""
    declared = start.get("frozen_declared") or {}
    if not isinstance(declared, Mapping):
        raise CaseError(f"frozen_declared must be an object of balls, got {declared!r}")
    return tuple((str(ball), str(rail)) for ball, rail in declared.items())


def call(step: Step) -> WpaCall | None:
    """The call; an obvious shot ("1@TL") counts as called (1.6)."""
    value = step.get("called")
    if value is None and step.get("obvious") is not None:
        ball, _, pocket = str(step["obvious"]).partition("@")
        return WpaCall(ball=ball, pocket=pocket or None)
    if value is None:
        return None
    if value == "safety":
        return WpaCall(safety=True)
    if not isinstance(value, Mapping) or not isinstance(value.get("ball"), str):
        raise CaseError(f"called must be safety or an object with ball and pocket, got {value!r}")
    known(value, ("ball", "pocket"), "called")
    return WpaCall(ball=value["ball"], pocket=value.get("pocket"))


def wpa_shot(step: Step) -> dict[str, Any]:
    """Keyword arguments of `WpaShot`."""
    crossed = step.get("crossed_head_string")
    return {
        **shared_shot(step, "was_frozen"),
        "rails_after_contact": number(step, "balls_driven_to_rail_after_contact") or 0,
        "object_rails": number(step, "object_balls_driven_to_rail"),
        "cue_ball_rail": step.get("cue_ball_hit_rail"),
        "called": call(step),
        "push_out": flag(step, "push_out"),
        "string_crossings": number(step, "balls_crossing_head_string"),
        "first_contact_behind_string": flag(step, "first_contact_behind_head_string"),
        "crossed_string": None if crossed is None else flag(step, "crossed_head_string"),
    }


def ruling_fields(ruling: WpaRuling, *, choice_as_shooter: bool) -> dict[str, Any]:
    """The part of `expect` that all WPA games share.

    `choice_as_shooter`: with options pending the next shooter is written `choice:B` (nine ball, ten ball,
    14.1, where the choice is who plays), else the player himself (eight ball, black ball).
    """
    shooter: str | None = ruling.next_shooter
    if choice_as_shooter and ruling.options and ruling.chooser is not None:
        shooter = f"choice:{ruling.chooser}"
    return {
        "foul": ruling.foul,
        "clause": ruling.clause,
        "next_shooter": shooter,
        "options": list(ruling.options),
        "cue_ball_in_hand": ruling.in_hand or False,
        "rack_over": ruling.rack_over,
        "winner": ruling.winner,
        "respot": respots(ruling.respot),
        "respot_order": [r.ball for r in ruling.respot],
        "stay_off": list(ruling.stay_off),
        "single_penalty": ruling.foul,
        "breaker": ruling.breaker,
        "match_lost_by": ruling.match_lost_by,
        "replay": ruling.replay,
        "call": list(ruling.words),
    }


def numbered(start: Step, key: str, default: frozenset[int]) -> frozenset[int]:
    """A list of ball numbers."""
    value = start.get(key)
    if value is None:
        return default
    if not isinstance(value, list) or not all(isinstance(v, int) for v in value):
        raise CaseError(f"{key} must be a list of ball numbers, got {value!r}")
    return frozenset(value)


def mentioned(steps: Any) -> frozenset[int]:
    """Numbers of the balls that the steps name, in any way."""
    found: set[int] = set()
    for step in steps:
        listed = (*names(step, "first_contact"), *names(step, "off_table"))
        fell = tuple(p.get("ball") for p in step.get("potted") or [] if isinstance(p, Mapping))
        found |= {int(b) for b in (*listed, *fell) if isinstance(b, str) and b.isdigit()}
    return frozenset(found)
