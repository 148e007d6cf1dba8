"""Case adapter of WEPF eightball: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.table.specs import PointMm
from referee.cases.model import CaseError, Position, Ruled, Step, Values
from referee.cases.pool.fields import (
    SHARED_SHOT,
    either,
    group_of_a,
    known,
    names,
    number,
    pair,
    positions,
    read_fact,
    shared_shot,
    side,
)
from referee.cases.values import flag, listed, point_mm
from referee.rules.common.match import Match
from referee.rules.common.red_yellow import COLOURS
from referee.rules.wepf.engine import GAME as GAME
from referee.rules.wepf.engine import Ruling, Shot, State
from referee.rules.wepf.fouls import MARKS, Colour, Fell, Left, Marks

START = frozenset(
    (
        "player",
        "colours",
        "open",
        "break_shot",
        "visits_left",
        "visit",
        "cue_in_hand",
        "must_nominate",
        "broke_potted",
        "table",
        "placed",
        "snookered",
        "total_snooker_ruled",
        "remaining",
        "foul_snooker",
        "touching",
        "balls",
        "serious_fouls",
        "breaker",
        "words",
        "note",
    )
)
SHOT = SHARED_SHOT | {
    "cushion_contacts_after_first_contact",
    "object_balls_driven_to_cushion",
    "after",
    "nominated",
    "nominated_potted",
    "played_away_from",
    "events",
    "fell_untouched",
}


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new frame in the vocabulary."""
    known(settings, (), "settings")
    return {
        "player": match.breaker,
        "colours": {"A": None, "B": None},
        "open": True,
        "break_shot": True,
        "visits_left": 1,
        "visit": 1,
        "cue_in_hand": "baulk",
        "breaker": match.breaker,
    }


def _marks(start: Step) -> Marks:
    table = start.get("table")
    if table is None:
        return MARKS
    known(table, ("length", "width", "ball_d", "spot", "baulk_line_y", "note", "source"), "table")
    try:
        return Marks(
            float(table["length"]),
            point_mm(table["spot"], "spot"),
            float(table["baulk_line_y"]),
            float(table["ball_d"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CaseError(f"table must give length, spot, baulk_line_y and ball_d in mm ({error})") from error


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, PointMm | None]:
    """The state before the first step, and where a cue-ball in hand was put for the first shot."""
    known(start, START, "start")
    known(options, (), "options")
    player = side(start.get("player", "A"), "player")
    colour_a = group_of_a(start, "colours", "open", COLOURS)
    flag(start, "snookered")  # of no effect on the player's own shot unless it is total, or a foul snooker
    reds, yellows = _remaining(start, colour_a)
    left, visit = _number_or(start, "visits_left", 1), _number_or(start, "visit", 1)
    state = State(
        player=player,
        breaker=side(start.get("breaker", player), "breaker"),
        colour_a=colour_a,
        reds=reds,
        yellows=yellows,
        break_shot=flag(start, "break_shot"),
        from_baulk=start.get("cue_in_hand") == "baulk",
        visits=left + visit - 1,
        visit=visit,
        must_nominate=flag(start, "must_nominate"),
        offered_colours=frozenset(names(start, "broke_potted")),
        after_foul=flag(start, "foul_snooker"),
        foul_snooker=flag(start, "foul_snooker"),
        total_snooker=flag(start, "total_snooker_ruled"),
        touching=frozenset(names(start, "touching")),
        serious=pair(start, "serious_fouls"),
        lying=positions(start.get("balls")),
        marks=_marks(start),
    )
    placed = None if start.get("placed") is None else point_mm(start["placed"], "placed")
    return Position(state, placed)


def _remaining(start: Step, colour_a: Colour | None) -> tuple[int, int]:
    """Reds and yellows on the table, seven where nothing is stated of a player's colour."""
    remaining = start.get("remaining") or {}
    known(remaining, ("A", "B"), "remaining")
    if remaining and colour_a is None:
        raise CaseError("remaining needs colours")
    a, b = _number_or(remaining, "A", 7), _number_or(remaining, "B", 7)
    return (b, a) if colour_a == "yellow" else (a, b)


def _number_or(fields: Step, key: str, default: int) -> int:
    """A whole number; `default` where it is not stated."""
    value = number(fields, key)
    return default if value is None else value


def _off_and_back(step: Step) -> tuple[str, ...]:
    """T(2)(b): balls of `events` that came back off a person or an object (a cushion top is the table's)."""
    out = []
    for text in names(step, "events"):
        ball = text.split(" ", 1)[0]
        if ball not in ("red", "yellow", "8", "cue"):
            raise CaseError(f"an event must begin with a ball, got {text!r}")
        if "touched" in text:
            out.append(ball)
        elif "unaided" not in text:
            raise CaseError(
                f"an event must say that the ball touched something or returned unaided, got {text!r}"
            )
    return tuple(out)


def _left(step: Step) -> Left:
    after = step.get("after") or {}
    known(
        after,
        (
            "snookered",
            "ruling_asked",
            "touching",
            "others_hidden",
            "obstructed_by",
            "player_colour",
            "jaw_snooker",
        ),
        "after",
    )
    return Left(
        snookered=after.get("snookered"),
        jaw=flag(after, "jaw_snooker"),
        obstructed_by=names(after, "obstructed_by"),
        touching=names(after, "touching"),
        others_hidden=flag(after, "others_hidden"),
        ruling_asked=after.get("ruling_asked"),
    )


def _fell(step: Step) -> tuple[Fell, ...]:
    out = []
    for entry in listed(step, "fell_untouched"):
        known(entry, ("ball", "would_have_been_struck"), "fell_untouched")
        out.append(Fell(str(entry["ball"]), flag(entry, "would_have_been_struck")))
    return tuple(out)


def _shot(step: Step, placed: tuple[float, float] | None) -> Shot:
    known(step, SHOT, "shot")
    fields = shared_shot(step, "was_touching")
    jumped = "break_jumped_pack" in fields["infringements"]
    fields["infringements"] = tuple(i for i in fields["infringements"] if i != "break_jumped_pack")
    fields["placed"] = fields["placed"] or placed
    away = step.get("played_away_from")
    return Shot(
        **fields,
        rails_after_contact=number(step, "cushion_contacts_after_first_contact") or 0,
        object_rails=number(step, "object_balls_driven_to_cushion"),
        nominated=step.get("nominated"),
        nominated_potted=None if step.get("nominated_potted") is None else flag(step, "nominated_potted"),
        played_away_from=None if away is None else names(step, "played_away_from"),
        break_jumped_pack=jumped,
        left_and_returned=_off_and_back(step),
        fell_untouched=_fell(step),
        left=_left(step),
    )


def advance(position: Position[State, PointMm | None], step: Step) -> Ruled[State, PointMm | None]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    placed = position.notes
    if step.get("type") == "event" and step.get("result") not in (None, "no object ball hit"):
        raise CaseError(f"result must be 'no object ball hit', got {step.get('result')!r}")
    fact = read_fact(step, lambda shot: _shot(shot, placed), ("result",), GAME.name)
    state, ruling = GAME.apply(position.state, fact)
    left = None if step.get("type") == "shot" else placed
    return Ruled(Position(state, left), (fact,), (ruling,), _fields(state, ruling))


def _fields(state: State, ruling: Ruling) -> Values:
    return {
        "foul": ruling.foul,
        "clause": ruling.clause,
        "foul_type": ruling.foul_type,
        "next_player": ruling.next_player,
        "visits_awarded": ruling.visits_awarded,
        "visit": ruling.visit,
        "cue_ball_from_baulk": ruling.from_baulk,
        "frame_over": ruling.frame_over,
        "winner": ruling.winner,
        "must_nominate": ruling.must_nominate,
        "open": state.open,
        "colours": {"A": state.colour("A"), "B": state.colour("B")},
        "options": list(ruling.options),
        "foul_snooker": ruling.foul_snooker,
        "respot": [
            {"ball": b.ball, "xy": list(b.point_mm), "clause": "T(2)(d)", "not_touching": True}
            for b in ruling.respot
        ],
        "stay_off": list(ruling.stay_off),
        "rerack": ruling.rerack,
        "break_shot": ruling.break_shot,
        "balls_replaced": ruling.balls_replaced,
        "replaced": "all" if ruling.replaced_all else list(ruling.replaced),
        "replay": ruling.replay,
        "replay_frame": ruling.replay_frame,
        "breaker": ruling.breaker,
        "single_penalty": ruling.foul,
        "foul_ignored": ruling.foul_ignored,
        "serious_fouls": either(state.serious),
        "call": list(ruling.words),
    }
