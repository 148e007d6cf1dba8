"""Reads the case vocabulary's fields that all pool games share into facts, and writes rulings back.

Every reader has a list of the fields it may meet; any other is a `CaseError`, so that no field is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from calibration.texts import load_texts
from referee.cases.model import CaseError, Position, Ruled, Step, Values
from referee.cases.values import flag, listed, point_mm
from referee.rules.common.pool import (
    Choice,
    CueBall,
    Event,
    Lying,
    Pot,
    RailContact,
    RefereeAct,
    Respot,
    Side,
    check_side,
)
from referee.rules.game import Game, GameRuling

S = TypeVar("S")
G = TypeVar("G", bound=str)
R = TypeVar("R", bound=GameRuling)
SHARED_SHOT = frozenset(
    (
        "type",
        "expect",
        "by",
        "first_contact",
        "potted",
        "off_table",
        "cue_ball",
        "infringements",
        "rail_contacts",
        "end_positions",
        "placed",
        "referee_called",
        "words",
        "note",
    )
)


def advance_shot(
    game: Game[S, Any, R],
    position: Position[S, None],
    step: Step,
    shot: Callable[[Step], Any],
    values: Callable[[S, R], Values],
) -> Ruled[S, None]:
    """One step of a pool game: read it, rule on it, name what came."""
    fact = read_fact(step, shot, (), game.name)
    state, ruling = game.apply(position.state, fact)
    return Ruled(Position(state, None), (fact,), (ruling,), values(state, ruling))


def read_fact(step: Step, shot: Callable[[Step], Any], event_fields: Iterable[str], game: str) -> Any:
    """The fact of one step; `shot` reads the game's own shots."""
    kind = step.get("type")
    if kind == "shot":
        return shot(step)
    if kind == "event":
        return event(step, event_fields)
    if kind == "choice":
        return choice(step)
    if kind == "referee":
        return referee_act(step)
    raise CaseError(f"{load_texts().say(f'games.{game}')} has no step of type {kind!r}")


def group_of_a(start: Step, key: str, open_key: str, kinds: tuple[G, G]) -> G | None:
    """A's group of balls, as it or B's is stated under `key`; None on an open table.

    `kinds`: the two groups. Raises CaseError where both players have the same one, or where `open_key` says
    otherwise.
    """
    stated = start.get(key) or {}
    known(stated, ("A", "B"), key)
    a, b = (_one_of(stated.get(side), kinds, key.removesuffix("s")) for side in "AB")
    if a is not None and a == b:
        raise CaseError(f"both players have one {key.removesuffix('s')}")
    if a is None and b is not None:
        a = kinds[1] if b == kinds[0] else kinds[0]
    if flag(start, open_key, a is None) != (a is None):
        raise CaseError(f"{open_key} does not agree with {key}")
    return a


def _one_of(value: Any, kinds: tuple[G, G], what: str) -> G | None:
    found = next((kind for kind in kinds if kind == value), None)
    if found is None and value is not None:
        raise CaseError(f"a {what} must be {kinds[0]} or {kinds[1]}, got {value!r}")
    return found


def known(fields: Mapping[str, Any], names: Iterable[str], what: str) -> None:
    """CaseError for what is no object, and for a field that is not one of `names`."""
    if not isinstance(fields, Mapping):
        raise CaseError(f"{what} must be an object, got {fields!r}")
    unknown = sorted(set(fields) - set(names))
    if unknown:
        raise CaseError(f"unknown field {unknown[0]!r} in {what}")


def names(fields: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of words; CaseError otherwise."""
    value = fields.get(key) or []
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise CaseError(f"{key} must be a list of names, got {value!r}")
    return tuple("cue" if v == "white_cue" else v for v in value)


def number(fields: Mapping[str, Any], key: str) -> int | None:
    """A whole number or nothing."""
    value = fields.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:  # inf and nan too
        raise CaseError(f"{key} must be a whole number, got {value!r}")
    return int(value)


def side(value: Any, what: str) -> Side:
    """A player."""
    return check_side(value, what)


def pair(fields: Mapping[str, Any], key: str) -> tuple[int, int]:
    """{"A": n, "B": m}, either missing: 0."""
    value = fields.get(key) or {}
    if not isinstance(value, Mapping):
        raise CaseError(f"{key} must be an object with A and B, got {value!r}")
    known(value, ("A", "B"), key)
    return (number(value, "A") or 0, number(value, "B") or 0)


def positions(value: Any) -> tuple[Lying, ...]:
    """{"5": [x, y], ...} as lying balls."""
    if value is None:
        return ()
    if not isinstance(value, Mapping):
        raise CaseError(f"positions must be an object of balls, got {value!r}")
    return tuple(Lying(str(ball), point_mm(xy, f"position of {ball}")) for ball, xy in value.items())


def pots(step: Step) -> tuple[Pot, ...]:
    """The potted list."""
    value = step.get("potted") or []
    if not isinstance(value, list):
        raise CaseError(f"potted must be a list, got {value!r}")
    out = []
    for entry in value:
        if isinstance(entry, str):
            entry = {"ball": entry}
        if not isinstance(entry, Mapping) or not isinstance(entry.get("ball"), str):
            raise CaseError(f"a potted ball must be an object with ball and pocket, got {entry!r}")
        known(entry, ("ball", "pocket"), "potted")
        pocket = entry.get("pocket")
        if pocket is not None and pocket not in ("BL", "BR", "CL", "CR", "TL", "TR"):
            raise CaseError(f"pocket must be one of BL, BR, CL, CR, TL, TR, got {pocket!r}")
        out.append(Pot(entry["ball"], pocket))
    return tuple(out)


def rail_contacts(step: Step, frozen_key: str) -> tuple[RailContact, ...]:
    """Contacts with rails; `frozen_key` is the game's word for "touched it before"."""
    out = []
    for entry in listed(step, "rail_contacts"):
        known(entry, ("ball", "rail", frozen_key), "rail_contacts")
        out.append(RailContact(str(entry["ball"]), str(entry["rail"]), flag(entry, frozen_key)))
    return tuple(out)


def cue_ball(step: Step) -> CueBall:
    """The cue-ball's fate."""
    value = step.get("cue_ball", "on_table")
    if value not in ("on_table", "pocketed", "off_table"):
        raise CaseError(f"cue_ball must be on_table, pocketed or off_table, got {value!r}")
    return "on_table" if value == "on_table" else "pocketed" if value == "pocketed" else "off_table"


def shared_shot(step: Step, frozen_key: str) -> dict[str, Any]:
    """Keyword arguments of `PoolShot` that every game reads alike."""
    return {
        "by": side(step.get("by"), "by"),
        "first_contact": names(step, "first_contact"),
        "potted": pots(step),
        "off_table": names(step, "off_table"),
        "cue_ball": cue_ball(step),
        "rail_contacts": rail_contacts(step, frozen_key),
        "infringements": names(step, "infringements"),
        "placed": None if step.get("placed") is None else point_mm(step["placed"], "placed"),
        "end_positions": positions(step.get("end_positions")),
        "foul_called": flag(step, "referee_called", True),
    }


def event(step: Step, extra: Iterable[str] = ()) -> Event:
    """An event step."""
    known(
        step,
        ("type", "expect", "by", "event", "ball", "with", "intentional", "words", "note", *extra),
        "event",
    )
    return Event(
        by=None if step.get("by") is None else side(step["by"], "by"),
        event=str(step.get("event")),
        ball=step.get("ball"),
        intentional=flag(step, "intentional"),
    )


def choice(step: Step) -> Choice:
    """A player's choice."""
    known(step, ("type", "expect", "by", "choice", "ball", "words", "note"), "choice")
    return Choice(by=side(step.get("by"), "by"), choice=str(step.get("choice")), ball=step.get("ball"))


def referee_act(step: Step) -> RefereeAct:
    """A referee's act."""
    known(step, ("type", "expect", "event", "against", "penalty", "words", "note"), "referee")
    against = step.get("against")
    return RefereeAct(
        event=str(step.get("event")),
        against=None if against is None else side(against, "against"),
        penalty=step.get("penalty"),
    )


def respots(placed: Sequence[Respot]) -> list[dict[str, Any]]:
    """Respotted balls in the vocabulary."""
    return [
        {
            "ball": r.ball,
            "spot": r.spot,
            "xy": list(r.point_mm),
            "clause": r.clause,
            "contact_with": r.contact_with,
            "not_touching": r.clear_of,
        }
        for r in placed
    ]


def either(value: tuple[int, int]) -> dict[str, int]:
    """A pair as {"A", "B"}."""
    return {"A": value[0], "B": value[1]}
