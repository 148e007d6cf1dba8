"""WEPF eightball: players' choices and events without a shot, referees' rulings and calls."""

from __future__ import annotations

from referee.rules.common.pool import Choice, Event, FactsError, RefereeAct, Side, other
from referee.rules.common.red_yellow import other_colour
from referee.rules.records import replace
from referee.rules.wepf.fouls import INFRINGEMENTS, Colour, Foul
from referee.rules.wepf.penalties import lose, new_turn, penalise, stalemate
from referee.rules.wepf.types import (
    FOUL_SNOOKER_OPTIONS,
    POSITION_OR_BAULK,
    Reason,
    Ruling,
    State,
    make_ruling,
    new_frame,
)


def choose(state: State, choice: Choice) -> tuple[State, Ruling]:
    """Nominate a colour (H), or take an option after a foul (I(4), M(1)(b), Q(3))."""
    if choice.by != state.player:
        raise FactsError(f"{state.player} is at the table, {choice.by} has nothing to choose")
    if choice.choice.startswith("nominate:"):
        return _nominate(state, choice)
    if choice.choice in FOUL_SNOOKER_OPTIONS and state.after_foul and not (state.options or state.from_baulk):
        state = replace(state, foul_snooker=True, options=FOUL_SNOOKER_OPTIONS)  # Q(2), Q(3)
    if choice.choice not in state.options:
        raise FactsError(
            f"{choice.by} cannot choose {choice.choice!r}; open options: {', '.join(state.options) or 'none'}"
        )
    if choice.choice == "replay_frame":
        new = new_frame(state.breaker, state.marks)
        return new, make_ruling(
            new, choice.by, None, foul=False, replay_frame=True, rerack=True, breaker=state.breaker
        )
    baulk = choice.choice == "play_from_baulk"
    new = replace(
        state,
        options=(),
        from_baulk=baulk or state.from_baulk,
        foul_snooker=state.foul_snooker and not baulk,
        touching=frozenset() if baulk else state.touching,
    )
    return new, make_ruling(new, choice.by, None, foul=False)


def _nominate(state: State, choice: Choice) -> tuple[State, Ruling]:
    colour = choice.choice.removeprefix("nominate:")
    if colour not in ("red", "yellow") or not state.must_nominate:
        raise FactsError(f"{choice.by} has no colour {colour!r} to nominate")
    chosen: Colour = "red" if colour == "red" else "yellow"
    new = replace(state, must_nominate=False, offered_colours=frozenset())
    if colour in state.offered_colours:  # H(2)(c)(i), H(3)(b)
        new, words = decide(new, choice.by, chosen)
    else:  # H(2)(c)(ii)
        new, words = replace(new, pending_colour=chosen), ()
    return new, make_ruling(new, choice.by, None, foul=False, words=words)


def decide(state: State, by: Side, colour: Colour) -> tuple[State, tuple[str, ...]]:
    new = replace(state, colour_a=colour if by == "A" else other_colour(colour))
    return new, (f"Player {by} On {colour.capitalize()} Balls",)


def apply_event(state: State, event: Event) -> tuple[State, Ruling]:
    """A player's act without a shot, or a ball that falls untouched between shots."""
    name = event.event
    if name == "ball_fell_untouched":
        ball = (event.ball,) if event.ball else ()
        return state, make_ruling(state, event.by, Reason.BALL_FELL, foul=False, replaced=ball, clause=None)
    if name == "thirty_seconds_elapsed":
        return state, make_ruling(state, event.player, Reason.THIRTY_SECONDS, foul=False)
    if name == "sixty_seconds_elapsed":
        return _time_expired(state, event.player)
    if name == "concede":
        winner = other(event.player)
        new = replace(state, winner=winner, options=())
        words = (f"Frame to {winner}",)
        return new, make_ruling(new, event.player, Reason.CONCEDED, foul=False, words=words)
    if name in INFRINGEMENTS:
        cleared = replace(
            state,
            must_nominate=False,
            after_foul=False,
            foul_snooker=False,
            pending_colour=None,
            options=(),
        )
        return penalise(state, cleared, event.player, {INFRINGEMENTS[name]}, None)
    known = (
        "thirty_seconds_elapsed",
        "sixty_seconds_elapsed",
        "ball_fell_untouched",
        "concede",
        "tip_touched_cue_ball_while_positioning",
        *INFRINGEMENTS,
    )
    raise FactsError(f"event must be one of {', '.join(sorted(known))}, got {name!r}")


def _time_expired(state: State, by: Side) -> tuple[State, Ruling]:
    """L(2): two visits to the other player, from the position or from baulk."""
    cleared = replace(state, must_nominate=False, after_foul=False, foul_snooker=False, pending_colour=None)
    options = () if state.break_shot or state.from_baulk else POSITION_OR_BAULK
    new = replace(new_turn(cleared, other(by), 2), options=options)
    return new, make_ruling(new, by, Foul.TIME, foul=True, foul_type="non_standard", visits_awarded=2)


_CALLS = {
    "time_out": Reason.TIME_OUT,
    "time_running": Reason.TIME_RUNNING,
    "interference": Reason.INTERFERENCE,
    "chalk_on_table": Reason.CHALK,
    "coaching_warning": Reason.COACHING_WARNING,
    "foul_snooker_refused": Reason.NO_FOUL_SNOOKER,
}


def apply_referee(state: State, act: RefereeAct) -> tuple[State, Ruling]:
    """A referee's ruling or call."""
    if act.event in ("three_turns_each_no_contact", "stalemate"):
        return stalemate(state)
    if act.event == "award_frame":  # N(7), V(2)(b)
        if act.against is None:
            raise FactsError("award_frame needs the player it is against")
        return lose(state, act.against, {Foul.SPIRIT})
    if act.event == "total_snooker_ruled":
        new = replace(state, total_snooker=True)
        return new, make_ruling(new, None, Reason.TOTAL_SNOOKER, foul=False)
    if act.event == "foul_snooker_ruled":
        options = (
            () if state.from_baulk else FOUL_SNOOKER_OPTIONS
        )  # Q(4)(b): from baulk only a nomination is left
        new = replace(state, foul_snooker=True, options=options)
        return new, make_ruling(new, None, Reason.FOUL_SNOOKER, foul=False)
    if act.event == "balls_spotted":
        new = replace(state, to_spot=False)
        return new, make_ruling(new, None, None, foul=False)
    if act.event in _CALLS:
        return state, make_ruling(state, act.against, _CALLS[act.event], foul=False)
    known = sorted(
        {
            *_CALLS,
            "three_turns_each_no_contact",
            "award_frame",
            "total_snooker_ruled",
            "foul_snooker_ruled",
            "balls_spotted",
        }
    )
    raise FactsError(f"referee's act must be one of {', '.join(known)}, got {act.event!r}")
