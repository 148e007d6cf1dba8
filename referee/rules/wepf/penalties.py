"""WEPF eightball: what follows from a foul (J, N, T(3)) and from a stalemate (X)."""

from __future__ import annotations

from referee.rules.common.pool import Lying, Side, index, other, with_side
from referee.rules.records import replace
from referee.rules.wepf.fouls import Foul, Shot, spot_positions, worst
from referee.rules.wepf.types import FOUL_SNOOKER_OPTIONS, Reason, Ruling, State, make_ruling, new_frame


def lose(after: State, by: Side, found: set[Foul]) -> tuple[State, Ruling]:
    reason = worst(found)
    new = replace(after, winner=other(by), options=())
    return new, make_ruling(
        new,
        by,
        reason,
        foul=True,
        fouls=in_order(found),
        foul_type="loss_of_frame",
        words=(f"Frame to {other(by)}",),
    )


def in_order(found: set[Foul]) -> tuple[Foul, ...]:
    return tuple(f for f in Foul if f in found)


def penalise(
    state: State, after: State, by: Side, found: set[Foul], shot: Shot | None
) -> tuple[State, Ruling]:
    """J: one penalty, the most severe. Two visits to the other; serious fouls put all balls back."""
    reason = worst(found)
    assert reason is not None
    if reason.type == "loss_of_frame":
        return lose(after, by, found)
    if reason.type == "serious":
        return _serious(state, after, by, found, reason)
    them = other(by)
    baulk = after.from_baulk if shot is None else shot.cue_ball != "on_table"  # still in hand, or gone
    after, respot = spot_off_table(after, shot.off_table if shot is not None else ())
    snooker = shot is not None and not baulk and shot.left.snooker_for(after.balls_on(them))
    options = FOUL_SNOOKER_OPTIONS if snooker else ()
    new = replace(
        new_turn(after, them, 2),
        from_baulk=baulk,
        after_foul=shot is not None,
        foul_snooker=snooker,
        options=options,
    )
    return new, make_ruling(
        new,
        by,
        reason,
        foul=True,
        fouls=in_order(found),
        foul_type=reason.type,
        visits_awarded=2,
        respot=respot,
        stay_off=shot.potted_balls if shot is not None else (),
        words=touching_call(new),
    )


def _serious(state: State, after: State, by: Side, found: set[Foul], reason: Foul) -> tuple[State, Ruling]:
    """All balls are put back and the other has two visits; a player's second one loses the frame."""
    count = state.serious[index(by)] + 1
    if count >= 2:
        return lose(after, by, {*found, Foul.TWO_SERIOUS})
    restored = replace(
        new_turn(state, other(by), 2),
        serious=with_side(state.serious, by, count),
        options=(),
        after_foul=False,
        foul_snooker=False,
        must_nominate=False,
        pending_colour=None,
        total_snooker=False,
    )
    return restored, make_ruling(
        restored,
        by,
        reason,
        foul=True,
        fouls=in_order(found),
        foul_type="serious",
        visits_awarded=2,
        balls_replaced=True,
        replaced_all=True,
    )


def new_turn(state: State, player: Side, visits: int) -> State:
    """A new turn of `player`."""
    return replace(state, player=player, visits=visits, visit=1)


def spot_off_table(state: State, balls: tuple[str, ...]) -> tuple[State, tuple[Lying, ...]]:
    """T(3)(b): object balls from the floor are spotted."""
    respot = spot_positions(balls, state.lying, state.marks)
    reds, yellows = state.reds + balls.count("red"), state.yellows + balls.count("yellow")
    lying = (*state.lying, *respot) if state.lying else ()
    return replace(state, reds=reds, yellows=yellows, lying=lying), respot


def touching_call(state: State) -> tuple[str, ...]:
    """Y(6): the referee calls a cue-ball that touches a ball on."""
    return ("Touching ball",) if state.touching & state.balls_on(state.player) else ()


def stalemate(state: State) -> tuple[State, Ruling]:
    new = new_frame(state.breaker, state.marks)
    return new, make_ruling(
        new, None, Reason.STALEMATE, foul=False, replay_frame=True, rerack=True, breaker=state.breaker
    )
