"""Reads the `start` of a snooker case into a state."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from referee.cases.model import CaseError
from referee.rules.snooker import ANY_COLOUR, Options, Pending, Spotting, State
from referee.rules.snooker.facts import COLOURS
from referee.rules.snooker.match import FrameResult
from referee.rules.snooker.state import side
from referee.rules.snooker.turn import in_order

_RED = re.compile(r"red_?([0-9]+)?$")
MOST_REDS = 15


@dataclass(frozen=True, slots=True)
class Start:
    """A case's beginning. `cue_xy`: where the cue-ball lies or was placed; `frames`, `best_of`: the match;
    `aggregate`: points decide it; `forfeited_by`: the referee awarded it to the other side."""

    state: State
    cue_xy: list[float] | None
    due_starter: str | None
    frames: tuple[FrameResult, ...]
    best_of: int | None
    snookers_as_number: bool
    balls: dict[str, Any]
    aggregate: bool = False
    forfeited_by: str | None = None


def ball_name(name: Any) -> str:
    """A case file's ball as the rules call it: `cue` is white, `red1` to `red15` are red."""
    if name in ("cue", "white"):
        return "white"
    if name in COLOURS:
        return str(name)
    match = _RED.match(str(name))
    if match is None or (match[1] is not None and not 1 <= int(match[1]) <= MOST_REDS):
        raise CaseError(f"there is no ball {name!r} in snooker")
    return "red"


def colour_name(name: Any) -> str:
    """A colour: yellow to black."""
    if name not in COLOURS:
        raise CaseError(f"a colour must be one of {', '.join(COLOURS)}, got {name!r}")
    return str(name)


def ball_on_name(name: Any) -> str:
    """`any colour` or a ball."""
    return ANY_COLOUR if name in ("any colour", ANY_COLOUR) else ball_name(name)


def scores_of(scores: Mapping[str, Any]) -> tuple[int, int]:
    """Scores of A and B, whole numbers of at least 0."""
    unknown = sorted(set(scores) - {"A", "B"})
    if unknown:
        raise CaseError(f"scores are of A and B, got {unknown[0]!r}")
    values = (scores.get("A", 0), scores.get("B", 0))
    if any(not isinstance(v, int) or isinstance(v, bool) or v < 0 for v in values):
        raise CaseError(f"scores must be whole numbers not below 0, got {dict(scores)!r}")
    return values


def start_of(start: Mapping[str, Any], options: Options) -> Start:
    """The state and what else the case says at its beginning. Raises `CaseError`, `FactsError`."""
    reds = start.get("reds_on_table", options.reds)
    if not isinstance(reds, int) or isinstance(reds, bool) or not 0 <= reds <= MOST_REDS:
        raise CaseError(f"reds_on_table must be 0 to {MOST_REDS}, got {reds!r}")
    state = _state(start, reds, options)
    balls, match = dict(start.get("balls", {})), start.get("match", {})
    _check_balls(balls, state)
    _check_previous(start)
    due = _due_starter(start)
    cue = point(start.get("placed")) or balls.get("cue")
    return Start(
        state,
        list(cue) if cue else None,
        side(due) if due else None,
        _frames(start),
        match.get("best_of"),
        options.most_misses is None,
        balls,
        bool(match.get("aggregate", False)),
        match.get("forfeited_by"),
    )


def _due_starter(start: Mapping[str, Any]) -> str | None:
    """The player who should have started the frame, where the case says it."""
    return start.get("should_start") or start.get("frame_starter")


def _state(start: Mapping[str, Any], reds: int, options: Options) -> State:
    """The state of the frame at the beginning of the case."""
    order = _order(start)
    striker = start.get("striker", order[0])
    starter = start.get("frame_starter") or striker
    colours = in_order(colour_name(c) for c in start.get("colours_on_table", COLOURS))
    return State(
        order=order,
        striker=striker,
        ball_on=_ball_on(start, reds),
        reds=reds,
        colours=colours,
        scores=scores_of(start.get("scores", {})),
        break_points=start.get("break", 0),
        in_hand=bool(start.get("cue_in_hand", "lots_winner" in start)),
        cue_placed=start.get("placed") is not None,
        free_ball=bool(start.get("free_ball", False)),
        pending=Pending.LOTS if "lots_winner" in start else Pending.NOTHING,
        touching=tuple(ball_name(b) for b in start.get("touching", ())),
        spotting=_spotting(start),
        respotted_black=bool(start.get("respotted_black", False)),
        started=bool(start.get("frame_started", True)),
        starter=starter,
        due_starter=_due_starter(start) or starter,
        aggregate=bool(start.get("aggregate", "aggregate_before" in start)),
        last_frame=bool(start.get("last_frame", "aggregate_before" in start)),
        aggregate_before=scores_of(start.get("aggregate_before", {})),
        deciding_frame=bool(start.get("deciding_frame", False)),
        wheelchair=tuple(p for p, is_ in start.get("players", {}).items() if is_.get("wheelchair")),
        lots_winner=start.get("lots_winner"),
        options=options,
    )


def point(xy: Any) -> Any:
    """A place of two numbers, or None. Raises `CaseError`."""
    if xy is not None and len(xy) != 2:
        raise CaseError(f"placed must be two numbers of millimetres, got {xy!r}")
    return xy


def _order(start: Mapping[str, Any]) -> tuple[str, ...]:
    if "order" in start:
        order = tuple(start["order"])
        if len(set(order)) != len(order) or {p[:1] for p in order} != {"A", "B"}:
            raise CaseError(f"order must name each player of A and B once, got {list(order)!r}")
        return order
    return ("A1", "B1", "A2", "B2") if start.get("four_handed") else ("A", "B")


def _ball_on(start: Mapping[str, Any], reds: int) -> str:
    if "ball_on" in start:
        return ball_on_name(start["ball_on"])
    colours = start.get("colours_on_table", COLOURS)
    return "red" if reds else (in_order(colour_name(c) for c in colours) or ("black",))[0]


def _spotting(start: Mapping[str, Any]) -> Spotting | None:
    """`pink (free ball)` or `black`; its points count as scored only where `provisional` says so."""
    pending = start.get("pending_spotting")
    if pending is None:
        return None
    provisional = start.get("provisional", {})
    name, free = str(pending).split(" ")[0], "free ball" in str(pending)
    points = 0
    for key, said in provisional.items():
        match = re.fullmatch(r"(free_ball|[a-z]+)_([0-9]+)_not_yet_called", key)
        if match is None:
            raise CaseError(f"provisional must name a ball and its points, got {key!r}")
        points += int(match[2]) if said else 0
    return Spotting(colour_name(name), points, free)


def _check_balls(balls: Mapping[str, Any], state: State) -> None:
    names = [ball_name(b) for b in balls]
    if names.count("white") > 1:
        raise CaseError("two cue-balls are on the table")
    if names.count("red") > state.reds:
        raise CaseError(f"{names.count('red')} reds have positions, where {state.reds} are on the table")


def _check_previous(start: Mapping[str, Any]) -> None:
    """A case may say that a free ball was potted as a red before it; that changes no ruling."""
    previous = start.get("previous")
    if previous not in (None, "free ball potted as a red"):
        raise CaseError(f"previous must be 'free ball potted as a red', got {previous!r}")


def _frames(start: Mapping[str, Any]) -> tuple[FrameResult, ...]:
    return tuple(
        FrameResult(f["starter"], f.get("winner"), scores_of(f.get("scores", {})))
        for f in start.get("match", {}).get("frames", ())
    )
