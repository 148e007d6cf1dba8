"""The first line of the notation: the state at the beginning of a frame, or inside one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from referee.rules.snooker import Options, Pending, State, new_frame
from referee.rules.snooker.facts import COLOURS, FactsError

_YES_NO = {True: "yes", False: "no"}
_TEXT = {"on": "ball_on", "striker": "striker", "starter": "starter", "due": "due_starter"}
_NUMBER = {"reds": "reds", "break": "break_points", "strokes": "strokes"}
_SCORES = {"scores": "scores", "before": "aggregate_before"}
_LIST = {"order": "order", "colours": "colours", "touching": "touching", "wheelchair": "wheelchair"}
_FLAG = {
    "hand": "in_hand",
    "placed": "cue_placed",
    "free_ball": "free_ball",
    "respotted": "respotted_black",
    "started": "started",
    "aggregate": "aggregate",
    "last": "last_frame",
    "deciding": "deciding_frame",
    "fouled": "foul_since_first",
}
_WRITTEN = {**_TEXT, **_NUMBER, **_SCORES, **_LIST, **_FLAG}
_NOT_AT_A_START = ("offence", "spotting", "unclaimed", "winner", "lots_winner", "skipped", "conduct_warned")


def write_start(state: State) -> str:
    """`frame` and what differs from a new frame. Raises `FactsError` where a choice is pending."""
    plain = State()
    odd = [n for n in _NOT_AT_A_START if getattr(state, n) != getattr(plain, n)]
    if state.pending is not Pending.NOTHING or odd or state.misses != plain.misses:
        raise FactsError("the notation begins where nothing is pending: no foul, miss, lots or warning open")
    words = ["frame"]
    for option in fields(Options):
        value = getattr(state.options, option.name)
        if value != option.default:
            words.append(f"option.{option.name}={_YES_NO[value] if isinstance(value, bool) else value}")
    base = new_frame("A", state.options)
    words += [
        f"{k}={_text(getattr(state, n))}"
        for k, n in _WRITTEN.items()
        if getattr(state, n) != getattr(base, n)
    ]
    return " ".join(words)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return _YES_NO[value]
    if isinstance(value, tuple):
        scores = value and all(isinstance(v, int) for v in value)
        return ("-" if scores else ",").join(map(str, value))
    return str(value)


def read_start(line: str) -> State:
    """The state of a first line. Raises `FactsError`."""
    head, *words = line.split()
    if head != "frame":
        raise FactsError(f"expected a line beginning with 'frame', found {head!r}")
    values: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise FactsError(f"expected NAME=VALUE, found {word!r}")
        if name.startswith("option."):
            options[name[7:]] = _option(name[7:], text)
        elif name in _WRITTEN:
            values[_WRITTEN[name]] = _value(name, text)
        else:
            raise FactsError(f"expected one of {', '.join(_WRITTEN)}, found {name!r}")
    return _state(values, Options(**options))


def _state(values: dict[str, Any], options: Options) -> State:
    unknown = [c for c in values.get("colours", ()) if c not in COLOURS]
    if unknown:
        raise FactsError(f"expected colours among {', '.join(COLOURS)}, found {unknown[0]!r}")
    return State(**{"reds": options.reds, **values}, options=options)


def _option(name: str, text: str) -> Any:
    known = {f.name: f.default for f in fields(Options)}
    if name not in known:
        raise FactsError(f"expected an option among {', '.join(known)}, found {name!r}")
    if isinstance(known[name], bool):
        return _flag(text)
    if name == "miss_rule":
        if text not in ("wpbsa", "old", "off"):
            raise FactsError(f"expected miss_rule wpbsa, old or off, found {text!r}")
        return text
    return _number(text)


def _value(name: str, text: str) -> Any:
    if name in _FLAG:
        return _flag(text)
    if name in _NUMBER:
        return _number(text)
    if name in _SCORES:
        parts = tuple(_number(part) for part in text.split("-"))
        if len(parts) != 2:
            raise FactsError(f"expected {name}=A-B, found {text!r}")
        return parts
    if name in _LIST:
        return tuple(text.split(",")) if text else ()
    return None if text == "None" else text


def _flag(text: str) -> bool:
    if text not in ("yes", "no"):
        raise FactsError(f"expected yes or no, found {text!r}")
    return text == "yes"


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise FactsError(f"expected a whole number, found {text!r}")
    return int(text)
