"""Judges one stroke: fair, foul, condoned, or to be played again."""

from __future__ import annotations

from referee.rules.records import replace
from referee.rules.snooker import fouls, miss, on
from referee.rules.snooker.facts import COLOURS, Choice, CueBall, Infringement, StrokeFacts
from referee.rules.snooker.fouls import CONTACT_REASONS
from referee.rules.snooker.on import On
from referee.rules.snooker.ruling import FoulPart, FrameEnd, Miss, Reason, Ruling, Warn
from referee.rules.snooker.state import (
    ANY_COLOUR,
    Misses,
    Offence,
    Pending,
    Spotting,
    State,
    lowest_on,
    opponent,
    points_on_table,
)
from referee.rules.snooker.turn import (
    add,
    advance,
    after_foul,
    due_places,
    end_frame,
    end_of_visit,
    end_on_black,
)

FULL_BALL_FAILURES_THAT_LOSE = 3  # 3.14(c)(ii)
SNOOKERED_MISSES_FOR_IN_HAND = 3  # amateur 14.1*


def judge(state: State, facts: StrokeFacts) -> tuple[State, Ruling]:
    """Rule on a stroke. Raises `FactsError` for facts that cannot be true of the state."""
    on.check(state, facts)
    state = _ready(state, facts)
    this_on = on.what_is_on(state, facts)
    potted = facts.potted
    excused = replace(facts, excused=True) if facts.fell and _fall_excuses(facts) else facts
    parts = fouls.find(state, excused, this_on)
    struck = _struck(state, facts, bool(parts))
    if parts and facts.called:
        return _foul(state, struck, facts, parts)
    if any(f.would_have_been_hit for f in facts.fell) and not parts:
        return _again(state, struck)
    return _fair(state, struck, facts, this_on, potted, bool(parts))


def _ready(state: State, facts: StrokeFacts) -> State:
    """Playing settles what was pending: choosing to play, refusing a concession, or who won the lots."""
    if state.pending is Pending.LOTS:
        return replace(state, pending=Pending.NOTHING, striker=facts.by)
    if state.pending is Pending.AFTER_FOUL:
        return replace(state, pending=Pending.NOTHING, misses=kept_misses(state), offence=None)
    return state if state.pending is Pending.NOTHING else replace(state, pending=Pending.NOTHING)


def kept_misses(state: State) -> Misses:
    """Playing himself ends the other side's sequence, not his own from a replaced position (3.14(h))."""
    return state.misses if state.misses.replaced else Misses()


def _fall_excuses(facts: StrokeFacts) -> bool:
    """A ball fell before it would have been hit: that the cue-ball hit nothing is no infringement
    (3.9(b)(i)).
    """
    if facts.excused is not None:
        return facts.excused
    return not facts.first_contact and any(f.would_have_been_hit for f in facts.fell)


def _struck(state: State, facts: StrokeFacts, foul: bool) -> State:
    """The state with the stroke counted and the cue-ball where it is."""
    return replace(
        state,
        started=True,
        strokes=state.strokes + 1,
        in_hand=facts.cue_ball is not CueBall.ON_TABLE,
        cue_placed=False,
        touching=facts.after.touching,
        spotting=None,
        foul_since_first=state.foul_since_first or (foul and state.strokes > 0),
        unclaimed=(replace(state, unclaimed=None), facts) if foul and not facts.called else None,
    )


def _again(state: State, struck: State) -> tuple[State, Ruling]:
    """3.9(b)(i): all balls replaced, the same striker plays the same or a different stroke."""
    again = replace(struck, in_hand=state.in_hand, touching=state.touching, free_ball=state.free_ball)
    return again, Ruling(
        Reason.REPLAY,
        scores=again.scores,
        break_points=again.break_points,
        replaced=("all",),
        next_striker=again.striker,
        next_ball_on=again.ball_on,
        cue_ball_in_hand=again.in_hand,
        free_ball=again.free_ball,
        replay=True,
        options=(Choice.SAME_STROKE, Choice.DIFFERENT_STROKE),
    )


def _points(this_on: On, potted: tuple[str, ...]) -> int:
    """Points of a fair stroke (3.3(f), (g), 3.10(c) to (e))."""
    if this_on.base == "red":
        free = this_on.free and this_on.nominated in potted
        return potted.count("red") + (1 if free else 0)
    target = this_on.nominated if this_on.base == ANY_COLOUR else this_on.base
    if target in potted or (this_on.free and this_on.nominated in potted):
        return this_on.value
    return 0


def _fair(
    state: State, struck: State, facts: StrokeFacts, this_on: On, potted: tuple[str, ...], condoned: bool
) -> tuple[State, Ruling]:
    points = _points(this_on, potted)
    stays_off = tuple(b for b in potted if b == this_on.base and b in COLOURS)
    back = [b for b in (*potted, *facts.off_table) if b in COLOURS and b not in stays_off]
    reds = struck.reds - potted.count("red") - facts.off_table.count("red")
    colours = tuple(c for c in struck.colours if c not in stays_off)
    total = struck.break_points + points
    upcoming, skipped = (facts.by, struck.skipped) if points else advance(struck, facts.by)
    ball_on = ANY_COLOUR if points and this_on.base == "red" else lowest_on(reds, colours)
    after = replace(
        struck,
        reds=reds,
        colours=colours,
        scores=add(struck.scores, facts.by, points),
        free_ball=False,
        ball_on=ball_on,
        striker=upcoming,
        skipped=skipped,
        misses=Misses(),
        offence=None,
        break_points=total if points else 0,
        spotting=_being_spotted(this_on, potted, points, back),
    )
    ruling = Ruling(
        Reason.FAIR,
        points=points,
        scores=after.scores,
        break_points=total,
        respot=due_places(back, facts.placements),
        stay_off=stays_off,
        replaced=tuple(f.ball for f in facts.fell),
        next_striker=upcoming,
        next_ball_on=ball_on,
        cue_ball_in_hand=after.in_hand,
        touching=facts.after.touching,
        questions=("called",) if condoned else (),
    )
    if state.only_black and points:
        return end_on_black(after, ruling)
    return (after, ruling) if points else end_of_visit(after, ruling)


def _being_spotted(this_on: On, potted: tuple[str, ...], points: int, back: list[str]) -> Spotting | None:
    """The colour that the striker must wait for, with what it alone scored (3.3(g)(iv))."""
    if not points or not back:
        return None
    if not this_on.free:
        return Spotting(back[0], points)
    alone = this_on.base == "red" or this_on.base not in potted
    return Spotting(back[0], this_on.value if alone else 0, True)


def _foul(
    state: State, struck: State, facts: StrokeFacts, parts: tuple[FoulPart, ...]
) -> tuple[State, Ruling]:
    worst = fouls.deciding(parts)
    replaced_all = any(f.would_have_been_hit for f in facts.fell)
    gone = () if replaced_all else (*facts.potted, *facts.off_table)
    taken, waiting = _unscored(state, facts)
    scores = add(struck.scores, opponent(facts.by), worst.penalty)
    scores = add(scores, facts.by, -taken)
    upcoming, skipped = after_foul(struck, facts.by)
    reds = struck.reds - gone.count("red")
    keep_on = facts.by != state.striker and state.striker == upcoming and state.ball_on == ANY_COLOUR
    after = replace(
        struck,
        reds=reds,
        scores=scores,
        striker=upcoming,
        skipped=skipped,
        break_points=0 if facts.by == state.striker else state.break_points,
        ball_on=ANY_COLOUR if keep_on else lowest_on(reds, struck.colours),
        free_ball=False,
        in_hand=state.in_hand if replaced_all else struck.in_hand,
    )
    ruling = Ruling(
        worst.reason,
        foul=True,
        parts=parts,
        penalty=worst.penalty,
        penalty_to=opponent(facts.by),
        adjustment=add((0, 0), facts.by, -taken),
        scores=scores,
        break_points=max(0, state.break_points - taken),
        respot=due_places([*(b for b in gone if b in COLOURS), *waiting], facts.placements),
        replaced=("all",) if replaced_all else tuple(f.ball for f in facts.fell),
        cue_ball_in_hand=after.in_hand,
        touching=facts.after.touching,
    )
    if state.only_black:
        return end_on_black(after, ruling)
    return _with_choices(state, after, facts, ruling)


def _unscored(state: State, facts: StrokeFacts) -> tuple[int, tuple[str, ...]]:
    """3.3(g)(iv): the points of a colour that the striker did not wait for, and that colour."""
    early = (Infringement.SPOTTING_COLOUR, Infringement.SPOTTING_FREE_BALL)
    if not any(i.kind in early for i in facts.infringements) or facts.by != state.striker:
        return 0, ()
    if state.spotting is None:
        return 0, tuple(b for i in facts.infringements if i.kind in early for b in i.balls if b in COLOURS)
    return state.spotting.points, (state.spotting.ball,)


def _with_choices(state: State, after: State, facts: StrokeFacts, ruling: Ruling) -> tuple[State, Ruling]:
    """The miss, the free ball and what the next player may ask (3.10, 3.11(h), 3.14)."""
    if _missed(state, facts, ruling):
        call, misses = miss.judge(state, after, facts)
    else:
        call, misses = Miss.NONE, Misses()
    if misses.full_ball_failures >= FULL_BALL_FAILURES_THAT_LOSE:
        lost = replace(ruling, miss=call)
        return end_frame(replace(after, misses=misses), lost, FrameEnd.THIRD_MISS, opponent(facts.by))
    free = bool(facts.after.snookered) and after.ball_on != ANY_COLOUR
    options = options_after_foul(after, call, misses, free)
    warnings: tuple[Warn, ...] = ()
    if after.options.most_misses is not None and misses.calls == after.options.most_misses - 1:
        warnings, misses = (Warn.FIFTH_MISS,), replace(misses, warned=True)
    offence = Offence(facts.by, state.ball_on or "red", state.free_ball, state.in_hand, state.reds, options)
    state_after = replace(after, pending=Pending.AFTER_FOUL, offence=offence, misses=misses, free_ball=free)
    ruled = replace(
        ruling,
        miss=call,
        free_ball=free,
        options=options,
        warnings=warnings,
        next_striker=after.striker,
        next_ball_on=after.ball_on,
        questions=("good_enough_attempt",) if call is Miss.REFEREE else (),
    )
    return end_of_visit(state_after, ruled)


def _missed(state: State, facts: StrokeFacts, ruling: Ruling) -> bool:
    """Whether no ball on was hit first with the right cue-ball, so that a miss may be called."""
    if any(p.reason is Reason.WRONG_CUE_BALL for p in ruling.parts):
        return False
    if facts.excused is False and any(f.would_have_been_hit for f in facts.fell):
        return False  # 2.21: but for the fall the stroke was good enough to hit a ball on
    failed = any(p.reason in CONTACT_REASONS or p.reason is Reason.REDS_SUCCESSIVELY for p in ruling.parts)
    return failed or _hit_undeclared(state, facts, ruling)


def _hit_undeclared(state: State, facts: StrokeFacts, ruling: Ruling) -> bool:
    """A snookered striker who declared nothing has not hit a declared ball on."""
    return (
        state.free_ball
        and any(p.reason is Reason.NOT_DECLARED for p in ruling.parts)
        and facts.nominated is None
    )


def options_after_foul(after: State, call: Miss, misses: Misses, free: bool) -> tuple[Choice, ...]:
    """The next player's choices."""
    rules = after.options
    out = [Choice.PLAY, Choice.AGAIN_LEFT]
    if call is Miss.CALLED:
        if rules.most_misses is not None and misses.calls >= rules.most_misses:
            if abs(after.scores[0] - after.scores[1]) <= points_on_table(after):
                out.append(Choice.PLAY_ANYWHERE)  # six-red 2(iii)
        elif rules.amateur_14_1_star and misses.snookered_calls >= SNOOKERED_MISSES_FOR_IN_HAND:
            out.append(Choice.PLAY_IN_HAND)
        else:
            out.append(Choice.AGAIN_ORIGINAL)
    if free:
        out.append(Choice.FREE_BALL)
    return tuple(out)
