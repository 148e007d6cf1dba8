"""Reads the steps of a snooker case into facts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from calibration.table.specs import POCKETS, SNOOKER_TABLE
from referee.cases.model import CaseError
from referee.cases.snooker.start import Start, ball_name, ball_on_name, point
from referee.geometry import BallAt
from referee.rules.snooker import ANY_COLOUR, State
from referee.rules.snooker.facts import (
    COLOURS,
    Act,
    ActFacts,
    After,
    Choice,
    ChoiceFacts,
    CueBall,
    Fell,
    Infringed,
    Infringement,
    Judgement,
    RefereeAct,
    RefereeFacts,
    StrokeFacts,
)

ON_THE_LINE_MM = 0.1
"""Case files write positions to a tenth of a millimetre; on the line is in (3.5)."""
_BED_MARGIN_MM = 120.0  # a ball in a pocket's jaws lies a little beyond the noses


def layout_of(balls: Mapping[str, Any], state: State) -> tuple[BallAt, ...]:
    """Positions as geometry takes them. Raises `CaseError` for balls that cannot be there."""
    out = []
    names = [ball_name(b) for b in balls]
    if names.count("white") > 1:
        raise CaseError("two cue-balls are on the table")
    if names.count("red") > state.reds:
        raise CaseError(f"{names.count('red')} reds have positions, where {state.reds} were on the table")
    for (ball, xy), colour in zip(balls.items(), names, strict=True):
        if len(xy) != 2 or not all(math.isfinite(v) for v in xy):
            raise CaseError(f"the position of {ball!r} must be two numbers of millimetres, got {xy!r}")
        x, y = float(xy[0]), float(xy[1])
        if (
            abs(x) > SNOOKER_TABLE.half_width_mm + _BED_MARGIN_MM
            or not -_BED_MARGIN_MM <= y <= 3569 + _BED_MARGIN_MM
        ):
            raise CaseError(f"the position of {ball!r} is not on the table: {xy!r}")
        out.append(BallAt(str(ball) if colour == "red" else colour, colour, x, y))
    return tuple(out)


def before_stroke(state: State, step: Mapping[str, Any]) -> State:
    """The state before a stroke, with what the stroke's line says of it."""
    if step.get("free_ball"):
        state = replace(state, free_ball=True)
    if "placed" in step:
        state = replace(state, cue_placed=step["placed"] is not None)
    return state


def stroke_facts(state: State, step: Mapping[str, Any], start: Start) -> StrokeFacts:
    """A `stroke` step."""
    rebounds = [r["ball"] for r in step.get("rebounds", ())]  # 3.3(j): not pocketed
    potted = _potted(step, rebounds)
    off = [ball_name(b) for b in step.get("off_table", ())]
    return StrokeFacts(
        by=step.get("by", state.striker),
        first_contact=tuple(ball_name(b) for b in step.get("first_contact", ())),
        potted=tuple(b for b in potted if b != "white"),
        off_table=tuple(b for b in off if b != "white"),
        cue_ball=_cue_ball(step, potted, off),
        nominated=_nominated(step),
        infringements=tuple(_infringed(i) for i in step.get("infringements", ()))
        + _placed_wrongly(state, step, start),
        jumped=_jumped(step),
        touching_moved=_touching_moved(state, step),
        fell=tuple(
            Fell(ball_name(f["ball"]), bool(f["would_have_been_hit"])) for f in step.get("fell_untouched", ())
        ),
        excused=_excused(step),
        called=not (step.get("referee_called") is False and not step.get("claimed", False)),
        judgement=_judgement(step),
        after=after_of(step),
        points_available=step.get("points_available"),
    )


def _excused(step: Mapping[str, Any]) -> bool | None:
    """3.9(b): without infringement the stroke is played again; a foul, however caused, is penalised."""
    if step.get("otherwise_foul") is False:
        return True
    return False if step.get("foul_caused_only_by_fall") else None


def _potted(step: Mapping[str, Any], rebounds: list[str]) -> list[str]:
    raw = [p["ball"] for p in step.get("potted", ()) if p["ball"] not in rebounds]
    for pot in (*step.get("potted", ()), *step.get("rebounds", ())):
        if pot.get("pocket") not in (None, *POCKETS):
            raise CaseError(f"pocket must be one of {', '.join(POCKETS)}, got {pot['pocket']!r}")
    potted = [ball_name(b) for b in raw]
    for ball in step.get("balanced_momentarily", ()):  # 3.9(c): counts as in the pocket
        if ball_name(ball) not in potted:
            potted.append(ball_name(ball))
    for disturbed in step.get("disturbed", ()):  # 3.15: where the referee judges it would have finished
        ball, into = ball_name(disturbed["ball"]), _into_pocket(disturbed.get("judged_destination", "table"))
        if into and ball not in potted:
            potted.append(ball)
        elif not into and ball in potted:
            potted.remove(ball)
    return potted


def _cue_ball(step: Mapping[str, Any], potted: list[str], off: list[str]) -> CueBall:
    try:
        cue = CueBall(step.get("cue_ball", "on_table"))
    except ValueError as error:
        raise CaseError(f"cue_ball must be one of {', '.join(CueBall)}, got {step['cue_ball']!r}") from error
    if "white" in potted:
        return CueBall.POCKETED
    return CueBall.OFF_TABLE if "white" in off else cue


def _nominated(step: Mapping[str, Any]) -> str | None:
    name = step.get("nominated")
    return None if name is None else ball_name(name)


def _infringed(entry: Any) -> Infringed:
    if isinstance(entry, Mapping):
        kind, balls = str(entry.get("kind")), [ball_name(b) for b in entry.get("moving", ())]
    else:
        kind, _, ball = str(entry).partition(":")
        balls = [ball_name(ball)] if ball else []
    try:
        return Infringed(Infringement(kind), tuple(balls))
    except ValueError as error:
        raise CaseError(f"there is no infringement {kind!r} in snooker") from error


def _placed_wrongly(state: State, step: Mapping[str, Any], start: Start) -> tuple[Infringed, ...]:
    """3.5: played in-hand from outside the D, though nobody entered it."""
    placed = point(step.get("placed")) or (
        start.cue_xy if state is start.state and state.cue_placed else None
    )
    entered = any(i == Infringement.FROM_IN_HAND.value for i in step.get("infringements", ()))
    if not state.in_hand or placed is None or entered or in_the_d(placed):
        return ()
    return (Infringed(Infringement.FROM_IN_HAND),)


def in_the_d(xy: Any) -> bool:
    """On or within the lines of the D (3.5)."""
    line, radius = SNOOKER_TABLE.baulk_line_mm or 0.0, SNOOKER_TABLE.d_radius_mm or 0.0
    below, inside = xy[1] <= line + ON_THE_LINE_MM, math.hypot(xy[0], xy[1] - line) <= radius + ON_THE_LINE_MM
    return bool(below and inside)


def _jumped(step: Mapping[str, Any]) -> tuple[str, ...]:
    """Balls passed over contrary to 2.20: before any contact, or the struck ball itself with nothing
    between.
    """
    side = _landed(step)
    if side == "near":
        return ()  # 2.20(b): it struck the ball and did not land on its far side
    struck: list[str] = []
    other_contact = False
    for entry in step.get("contacts", ()):
        kind, _, ball = str(entry).partition(":")
        if kind == "jump_over":
            name = ball_name(ball)
            if not struck or (name == struck[0] and not other_contact and len(struck) == 1):
                return (name,)
        elif kind == "cushion":
            other_contact = True
        elif kind != "airborne":
            other_contact = other_contact or bool(struck)
            struck.append(ball_name(entry))
    return tuple(struck[:1]) if side == "far" else ()


def _landed(step: Mapping[str, Any]) -> str | None:
    """On which side of the ball that it struck an airborne cue-ball landed: near or far (2.20(b))."""
    said = step.get("landed")
    if said is None:
        return None
    side = str(said).split(" ")[0]
    if side not in ("near", "far"):
        raise CaseError(f"landed must be the near or the far side of the ball that was struck, got {said!r}")
    return side


def _into_pocket(destination: Any) -> bool:
    """3.15: whether the ball would have finished in a pocket: `TR`, `CR pocket`, or `table`."""
    name = str(destination).removesuffix(" pocket")
    if name not in (*POCKETS, "pocket", "table"):
        raise CaseError(f"judged_destination must be a pocket or the table, got {destination!r}")
    return name != "table"


def _touching_moved(state: State, step: Mapping[str, Any]) -> tuple[str, ...]:
    if not step.get("touching_ball_moved") or step.get("moved_by_striker") is False:
        return ()  # 3.8(f)
    return state.touching or ("red",)


def _judgement(step: Mapping[str, Any]) -> Judgement:
    said = step.get("referee", {})
    return Judgement(
        clear_path=said.get("clear_path_to_ball_on"),
        full_ball_available=said.get("full_ball_available"),
        good_enough_attempt=said.get("good_enough_attempt"),
        intentional=said.get("intentional"),
        possible_to_hit=said.get("possible_to_hit"),
        direction_and_strength_sufficient=said.get("direction_and_strength_sufficient"),
    )


def after_of(step: Mapping[str, Any]) -> After:
    """The facts that geometry would supply."""
    said = step.get("after", {})
    snookered = said.get("snookered_on_next_ball_on")
    if "nearest_obstruction" in said:  # 2.17(e): a nearer curved cushion face cannot snooker
        snookered = _is_ball(said["nearest_obstruction"])
    elif snookered is None and "obstructed_by" in said:
        snookered = any([_is_ball(b) for b in said["obstructed_by"]])
    balls = said.get("effective_snookering_ball")
    if balls is None and "snookering_ball" in said:
        balls = [said["snookering_ball"]]
    return After(snookered, None if balls is None else tuple(ball_name(b) for b in balls))


def _is_ball(obstruction: Any) -> bool:
    """Whether a ball obstructs, and not a cushion face (2.17(e))."""
    return "cushion" not in str(obstruction) and bool(ball_name(obstruction))


def act_facts(state: State, step: Mapping[str, Any], start: Start) -> ActFacts:
    """An `event` step."""
    try:
        act = Act(step["event"])
    except ValueError as error:
        raise CaseError(f"there is no event {step['event']!r} in snooker") from error
    if step.get("attempting_stroke"):
        raise CaseError("a stroke that was attempted is a stroke, not an event")
    if step.get("stroke_made") or step.get("stroke_in_progress"):
        raise CaseError("an event is without a stroke; what happens in a stroke belongs to the stroke")
    ball = step.get("ball", step.get("marker_for"))
    return ActFacts(
        act,
        by=step.get("by"),
        ball=None if ball is None else ball_name(ball),
        nominated=_nominated(step),
        cue_ball_on_table=step.get("cue_ball_on_table"),
        out_of_turn=bool(step.get("out_of_turn", False)),
        after_stroke=bool(step.get("after_stroke", True)),
        early=_early(step),
        note=step.get("detail"),
        after=after_of(step),
    )


def _early(step: Mapping[str, Any]) -> bool:
    """3.7(c): whether a colour is missing because the striker played before it was spotted."""
    cause = step.get("cause", "previous_oversight")
    if cause not in ("previous_oversight", "played_before_spotting"):
        raise CaseError(f"cause must be previous_oversight or played_before_spotting, got {cause!r}")
    return bool(cause == "played_before_spotting")


def choice_facts(step: Mapping[str, Any]) -> ChoiceFacts:
    """A `choice` step."""
    try:
        choice = Choice(step["choice"])
    except ValueError as error:
        raise CaseError(f"there is no choice {step['choice']!r} in snooker") from error
    return ChoiceFacts(step["by"], choice, tuple(ball_name(b) for b in step.get("referee_replaces", ())))


def referee_facts(step: Mapping[str, Any]) -> RefereeFacts:
    """A `referee` step."""
    try:
        act = RefereeAct(step["event"])
    except ValueError as error:
        raise CaseError(f"there is no referee's act {step['event']!r} in snooker") from error
    return RefereeFacts(act, step.get("against"))


def break_strokes(state: State, step: Mapping[str, Any]) -> Iterator[StrokeFacts]:
    """A `break` step: each ball potted in its own fair stroke."""
    on = state.ball_on
    for name in step.get("balls", ()):
        ball = ball_on_name(name)
        nominated = ball if on == ANY_COLOUR and ball in COLOURS else None
        yield StrokeFacts(step.get("by", state.striker), (ball,), (ball,), nominated=nominated)
        on = ANY_COLOUR if ball == "red" else None
