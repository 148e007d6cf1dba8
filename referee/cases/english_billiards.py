"""Case adapter of English billiards: the vocabulary's fields to facts, rulings to `expect` names.

A start that gives no position of a ball ("on_table", "spot") says that it is in open play; `red_end` and
`cue_end` of the start are end positions of the stroke. `cue_start`, `white_start` and `red_start` of a stroke
are where the balls lay before it; without them the start's places hold for the first stroke.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from referee.cases.model import CaseError, Position, Ruled, Step, Values
from referee.cases.values import flag, listed, named, needed, only, point_mm, table, whole
from referee.rules.common.match import Match
from referee.rules.english_billiards import facts
from referee.rules.english_billiards.facts import Fact
from referee.rules.english_billiards.game import GAME as GAME
from referee.rules.english_billiards.spots import POTS_TO_CENTRE
from referee.rules.english_billiards.types import (
    INFRINGEMENTS,
    WRONG_WHITE,
    Ball,
    BallAt,
    CueBallFate,
    CushionContact,
    EdgeFall,
    MissReading,
    Option,
    Placement,
    Reason,
    RedState,
    Rules,
    Ruling,
    Side,
    Spot,
    State,
    Stroke,
    index,
    other,
)

_BALLS: tuple[Ball, ...] = ("cue", "white", "red")
_RED_SPOTS = {"spot": Spot.SPOT, "centre": Spot.CENTRE, "pyramid": Spot.PYRAMID}
_ROLLED = "rolled_to_spot"  # 3.8(e): it lies on the spot but no hand placed it there


@dataclass(frozen=True, slots=True)
class Notes:
    """The parts of a case beside the state: its start, and the known places of balls."""

    start: Step
    lying: tuple[BallAt, ...]


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new game in the vocabulary."""
    return {
        "striker": match.breaker,
        "opening": True,
        "scores": {"A": 0, "B": 0},
        "red_at": "spot",
        **settings,
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, Notes]:
    """The position before the first step."""
    lying = tuple(BallAt(ball, *xy) for ball, xy in _before(start).items())
    return Position(_state(start, options), Notes(start, lying))


def advance(position: Position[State, Notes], step: Step) -> Ruled[State, Notes]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    before, notes = position.state, position.notes
    if step["type"] == "choice":
        before = _ready_to_choose(before, step)
    fact = _fact(before, step, notes)
    after, ruling = GAME.apply(before, fact)
    lying = () if isinstance(fact, Stroke) else notes.lying
    left = Position(after, replace(notes, lying=lying))
    return Ruled(left, (fact,), (ruling,), _actual(before, after, ruling))


def _fact(state: State, step: Step, notes: Notes) -> Fact:
    """The fact that a step says."""
    kind = step["type"]
    if kind == "stroke":
        return _stroke(state, step, notes)
    if kind == "choice":
        option = named(needed(step, "choice"), (o.value for o in Option), "a choice")
        return facts.Choice(_side(needed(step, "by")), Option(option))
    if kind == "event":
        return _event(state, step)
    if kind == "referee":
        return _referee(step, notes.start)
    raise CaseError(f"expected a stroke, event, choice or referee, got {kind!r}")


def _state(start: Mapping[str, Any], options: Mapping[str, Any]) -> State:
    striker: Side = _side(start.get("striker", "A"))
    if flag(start, "time_format") and "target" in start:
        raise CaseError("a game is played to a time or to a target (2.1), got both")
    rules = _rules(start, options)
    scores = only(table(start, "scores"), ("A", "B"), "scores")
    white_off = _white_off(start)
    mine, theirs = flag(start, "cue_ball_in_hand"), white_off
    by_owner = white_off and start.get("white_off_by") == "own_last_stroke"
    pair = (mine, theirs) if striker == "A" else (theirs, mine)
    opening = flag(start, "opening")
    state = State(
        order=(striker, other(striker)),
        scores=(whole(scores, "A"), whole(scores, "B")),
        break_points=whole(start, "break"),
        in_hand=(True, True) if opening else pair,
        off_by_owner=(False, by_owner) if striker == "A" else (by_owner, False),
        red=_red(start),
        hazards=whole(start, "consecutive_hazard_strokes"),
        cannons=whole(start, "consecutive_cannons"),
        hazards_at=whole(start, "ten_hazards_announced_at") if "ten_hazards_announced_at" in start else None,
        crossed=flag(start, "crossing_done"),
        started=not opening,
        rules=rules,
    )
    return state


def _rules(start: Mapping[str, Any], options: Mapping[str, Any]) -> Rules:
    unknown = sorted(set(options) - {"baulk_crossing_rule", "miss", "touching_needs_consent"})
    if unknown:
        raise CaseError(f"expected options of English billiards, got {unknown[0]!r}")
    return Rules(
        target=whole(start, "target") if "target" in start else None,
        miss=MissReading(options.get("miss", MissReading.IN_HAND_ONLY.value)),
        baulk_crossing=flag(options, "baulk_crossing_rule"),
        touching_needs_consent=flag(options, "touching_needs_consent"),
    )


def _red(start: Mapping[str, Any]) -> RedState:
    """Where the red is and how often it has been potted from there; any other last score ends the count."""
    at = start.get("red_at", "spot")
    _check_words(start)
    if at is None or start.get("pending_spotting") == "red":
        return RedState(None, 0, True)
    by_hand = flag(start, "red_placed_by_hand", True) and not flag(start, "red_touched_since_spotting")
    name = None if isinstance(at, list) else named(at, (*_RED_SPOTS, _ROLLED), "red_at")
    on = _RED_SPOTS.get(name) if name and by_hand else None
    succession = start.get("last") in (None, "pot_red")
    pots = whole(start, "consecutive_red_pots_same_spot") or _run(start.get("pots_sequence", ()), on)
    return RedState(on, pots if succession and on else 0)


_WORDS = {
    "last": ("pot_red", "pot_white", "in_off", "cannon"),
    "white_off_by": ("own_last_stroke", "opponent"),
    "pending_spotting": ("red",),
}


def _check_words(start: Mapping[str, Any]) -> None:
    for name, words in _WORDS.items():
        if start.get(name) is not None:
            named(start[name], words, name)


def _run(potted_from: Sequence[str], on: Spot | None) -> int:
    """How often the red was last potted in succession from the spot where it lies now; two end the run."""
    count = 0
    for name in reversed(potted_from):
        if on is None or name != on.value:
            break
        count += 1
    return count % POTS_TO_CENTRE


def _white_off(start: Mapping[str, Any]) -> bool:
    white = start.get("object_white", "on_table")
    if white is None or isinstance(white, list):
        return white is None
    return named(white, ("on_table", "off_table"), "object_white") == "off_table"


def _before(start: Mapping[str, Any]) -> dict[Ball, tuple[float, float]]:
    places: dict[Ball, tuple[float, float]] = {}
    red, white = start.get("red_at", "spot"), start.get("object_white")
    if isinstance(red, list):
        places["red"] = point_mm(red, "red_at")
    elif red in _RED_SPOTS:
        places["red"] = _RED_SPOTS[red].xy_mm()
    elif red == _ROLLED:
        places["red"] = Spot.SPOT.xy_mm()
    if isinstance(white, list):
        places["white"] = point_mm(white, "object_white")
    return places


_FOULS_WITHOUT_STROKE = {
    "touched_ball": Reason.BALL_TOUCHED,
    "conferred": Reason.CONFERRED,
    "non_standard_cue": Reason.NON_STANDARD_CUE,
}


def _event(state: State, step: Step) -> Fact:
    name, by = needed(step, "event"), _side(step.get("by", state.side))
    if name in _FOULS_WITHOUT_STROKE:
        return facts.FoulWithoutStroke(by, _FOULS_WITHOUT_STROKE[name])
    match name:
        case "late_claim_of_foul":
            return facts.LateClaim()
        case "concession_accepted" | "concession_refused":
            return facts.Concession(by, name == "concession_accepted")
        case "tip_touched_cue_ball_while_positioning":
            return facts.TipTouchedCueBall()
        case "count_asked":
            asked = named(needed(step, "detail"), ("red_pots", "hazards", "cannons"), "a count")
            return facts.CountAsked(cast(Literal["red_pots", "hazards", "cannons"], asked))
        case "ball_fell_untouched":
            return facts.BallFell(_ball(needed(step, "ball"), by))
        case "red_touched":
            return facts.RedTouched()
        case _:
            raise CaseError(f"expected an event of English billiards, got {name!r}")


def _referee(step: Step, start: Step) -> Fact:
    match needed(step, "event"):
        case "award_game":
            return facts.GameAwarded(_side(needed(step, "against")))
        case "time_called":
            return facts.TimeCalled(flag(start, "final_session", True))
        case "time_wasting_warning":
            return facts.TimeWastingWarned()
        case "ten_hazards_announced":
            return facts.LimitAnnounced("hazards")
        case "seventy_cannons_announced":
            return facts.LimitAnnounced("cannons")
        case "balls_repositioned":
            return facts.BallsRepositioned()
        case "balls_changed":
            return facts.BallsChanged()
        case "noted":
            return facts.Noted(str(step.get("detail", "")))
        case name:
            raise CaseError(f"expected an act of the referee in English billiards, got {name!r}")


def _ready_to_choose(state: State, step: Mapping[str, Any]) -> State:
    """A case may begin with the choice itself: then the foul that led to it is not in the case."""
    if state.started and not state.options and _side(needed(step, "by")) != state.side:
        return replace(state, turn=(state.turn + 1) % len(state.order), options=tuple(Option), break_points=0)
    return state


def _stroke(state: State, step: Step, notes: Notes) -> Stroke:
    by, start = _side(step.get("by", state.striker)), notes.start
    ends = dict(table(step, "end_positions"))
    ends |= {b: start[f"{b}_end"] for b in ("red", "cue") if f"{b}_end" in start and b not in ends}
    infringements = _infringements(step)
    return Stroke(
        by=by,
        contacts=tuple(_contact(c) for c in listed(step, "contacts")),
        simultaneous_first=flag(step, "simultaneous_first"),
        potted=tuple(_object_ball(b) for b in listed(step, "potted")),
        cue_ball=_fate(step.get("cue_ball", "on_table")),
        off_table=tuple(_object_ball(b) for b in listed(step, "off_table")),
        infringements=infringements,
        before=_lying(step, notes),
        after=tuple(BallAt(_ball(b, by), *point_mm(xy, b)) for b, xy in ends.items()),
        touching=tuple(_touching(t, by) for t in listed(step, "touching_at_end")),
        fell_untouched=tuple(_edge_fall(f, by) for f in listed(step, "fell_untouched")),
        wrong_white=WRONG_WHITE in listed(step, "infringements"),
        time_called=flag(step, "time_called_during"),
        final_session=flag(start, "final_session"),
        crossed_baulk_line=flag(step, "crossed_baulk_line"),
        called=flag(step, "referee_called", True) or flag(step, "claimed"),
    )


def _infringements(step: Step) -> tuple[Reason, ...]:
    """The fouls that the referee saw, but for a stroke with the wrong white."""
    faults = [f for f in listed(step, "infringements") if f != WRONG_WHITE]
    unknown = [f for f in faults if f not in INFRINGEMENTS]
    if unknown:
        raise CaseError(f"expected infringements of English billiards, got {unknown!r}")
    return tuple(INFRINGEMENTS[f] for f in faults)


def _lying(step: Step, notes: Notes) -> tuple[BallAt, ...]:
    """Where balls lay before a stroke: as the step says, else as the start does."""
    places: dict[Ball, tuple[float, float]] = {b.ball: (b.x_mm, b.y_mm) for b in notes.lying}
    for ball in _BALLS:
        if (said := step.get(f"{ball}_start")) is not None:
            places[ball] = point_mm(said, f"{ball}_start")
    return tuple(BallAt(ball, *xy) for ball, xy in places.items())


def _edge_fall(said: Any, by: Side) -> EdgeFall:
    fields = only(said, ("ball", "would_have_been_hit"), "fell_untouched")
    return EdgeFall(_ball(needed(fields, "ball"), by), flag(fields, "would_have_been_hit"))


_CUSHIONS = ("bottom", "top", "left", "right", "side", "side_in_baulk")


def _fate(name: Any) -> CueBallFate:
    return cast(CueBallFate, named(name, ("on_table", "pocketed", "off_table"), "cue_ball"))


def _contact(name: Any) -> Any:
    if isinstance(name, str) and name.startswith("cushion:"):
        which = named(name.partition(":")[2], _CUSHIONS, "a cushion")
        return CushionContact(in_baulk=which in ("side_in_baulk", "bottom"))
    return _object_ball(name)


def _object_ball(name: str) -> Any:
    if name not in ("red", "white"):
        raise CaseError(f"English billiards has the object balls red and white, got {name!r}")
    return name


def _ball(name: str, by: Side) -> Ball:
    """A ball's name as the striker sees it; A_ball and B_ball are the two whites."""
    if name in ("A_ball", "B_ball"):
        return "cue" if name[0] == by else "white"
    if name not in ("cue", "white", "red"):
        raise CaseError(f"English billiards has the balls cue, white and red, got {name!r}")
    return cast(Ball, name)


def _touching(name: str, by: Side) -> tuple[Ball, Ball]:
    """`red`: the striker's cue-ball touches it; `B_ball-red`: those two touch."""
    first, _, second = name.partition("-")
    return (_ball(first, by), _ball(second, by)) if second else ("cue", _ball(first, by))


def _actual(before: State, after: State, ruling: Ruling) -> Values:
    placed = {p.ball: _placed(p) for p in ruling.placed}
    white_off = after.in_hand[index(other(before.side))]
    return {
        "points_to_striker": ruling.points,
        "scores": {"A": ruling.scores[0], "B": ruling.scores[1]},
        "next_striker": ruling.next_striker,
        "foul": ruling.foul,
        "miss": ruling.miss,
        "clause": ruling.clause,
        "penalty": ruling.penalty,
        "penalty_to": ruling.penalty_to,
        "cue_ball_in_hand": ruling.in_hand,
        "break": ruling.break_points,
        "red_placed": placed.get("red"),
        "object_white_placed": placed.get("white"),
        "object_white": "off_table" if white_off else "on_table",
        "consecutive_red_pots_same_spot": after.red.pots,
        "consecutive_hazard_strokes": after.hazards,
        "consecutive_cannons": after.cannons,
        "options": [o.value for o in ruling.options],
        "replaced": list(ruling.replaced),
        "condoned": ruling.condoned,
        "restart": ruling.restart,
        "replay": ruling.replay,
        "game_over": ruling.game_over,
        "match_lost_by": other(ruling.winner) if ruling.match_forfeited and ruling.winner else None,
        "winner": ruling.winner,
        "call": list(ruling.words),
    }


def _placed(placement: Placement) -> dict[str, Any]:
    return {"spot": placement.spot.value, "xy": [placement.x_mm, placement.y_mm]}


def _side(name: Any) -> Side:
    if name not in ("A", "B"):
        raise CaseError(f"the players are A and B, got {name!r}")
    return cast(Side, name)
