"""Laws over seeded random racks of every pool game: no exception but a clear error, exact replay, an end."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from referee.rules.blackball import engine as blackball
from referee.rules.common.pool import Choice, Event, FactsError, Pot, RefereeAct, other
from referee.rules.wepf import engine as wepf
from referee.rules.wpa import (
    eight_ball as wpa_8ball,
)
from referee.rules.wpa import (
    fourteen_one as wpa_14_1,
)
from referee.rules.wpa import (
    nine_ball as wpa_9ball,
)
from referee.rules.wpa import (
    ten_ball as wpa_10ball,
)
from referee.rules.wpa.general import FOULS_9BALL, WpaCall, WpaShot, infringements_of

SHOTS = 2500
ENTERED = infringements_of(FOULS_9BALL)
"""What may be entered in every game of the WPA."""
POCKETS = ("BL", "BR", "CL", "CR", "TL", "TR")


def _fate(rng: random.Random) -> Any:
    return rng.choices(("on_table", "pocketed", "off_table"), (92, 7, 1))[0]


def _numbered(
    rng: random.Random, by: str, balls: list[str], kind: type[WpaShot] = WpaShot, **more: Any
) -> WpaShot:
    """A shot that the table allows; one in three pots something, one in twelve jumps a ball."""
    pool = rng.sample(balls, len(balls))
    first = tuple(pool[: rng.choices((0, 1, 2), (8, 90, 2))[0]])
    n = rng.choices((0, 1, 2), (60, 35, 5))[0]
    rng.shuffle(pool)
    potted = tuple(Pot(b, rng.choice(POCKETS)) for b in pool[:n])
    off = tuple(pool[n : n + 1]) if rng.random() < 0.08 else ()
    call: WpaCall | None = None
    if rng.random() < 0.8:
        target = potted[0] if potted and rng.random() < 0.7 else Pot(rng.choice(balls), "TL")
        call = WpaCall(safety=True) if rng.random() < 0.1 else WpaCall(ball=target.ball, pocket=target.pocket)
    return kind(
        by=by,
        first_contact=first,
        potted=potted,
        off_table=off,
        cue_ball=_fate(rng),
        called=call,  # type: ignore[arg-type]
        rails_after_contact=rng.randint(0, 3),
        object_rails=rng.choice((None, rng.randint(0, 8))),
        cue_ball_rail=rng.random() < 0.5,
        push_out=rng.random() < 0.1,
        string_crossings=rng.choice((None, 1, 4)),
        infringements=(rng.choice(ENTERED),) if rng.random() < 0.03 else (),
        **more,
    )


def _coloured(rng: random.Random, state: Any, kind: Any, special: str, **more: Any) -> Any:
    by = state.shooter if kind is blackball.Shot else state.player
    balls = ["red"] * state.reds + ["yellow"] * state.yellows + [special]
    pool = rng.sample(balls, len(balls))
    on = sorted(state.balls_on(by))
    first = () if rng.random() < 0.06 else (rng.choice((*on, rng.choice(balls))),)
    n = rng.choices((0, 1, 2), (55, 40, 5))[0]
    potted = tuple(Pot(b) for b in pool[:n])
    off = tuple(pool[n : n + 1]) if rng.random() < 0.06 else ()
    return kind(
        by=by,
        first_contact=first,
        potted=potted,
        off_table=off,
        cue_ball=_fate(rng),
        rails_after_contact=rng.randint(0, 3),
        object_rails=rng.choice((None, rng.randint(0, 8))),
        **more,
    )


def _option(rng: random.Random, state: Any) -> Choice | None:
    if getattr(state, "must_nominate", False) and rng.random() < 0.9:
        return Choice(by=state.player, choice=f"nominate:{rng.choice(('red', 'yellow'))}")
    if not state.options or rng.random() < 0.2:
        return None
    by = state.player if hasattr(state, "player") else state.chooser
    return Choice(by=by, choice=rng.choice(state.options))


def _act(rng: random.Random, by: Any) -> Event | RefereeAct | None:
    if rng.random() > 0.02:
        return None
    return rng.choice((Event(by=by, event="touched_ball"), RefereeAct(event="warn_two_fouls", against=by)))


Step = Callable[[random.Random, Any], Any]


def _eight(rng: random.Random, s: wpa_8ball.State) -> Any:
    return _numbered(rng, s.chooser or s.shooter, sorted(map(str, s.on_table)))


def _nine(rng: random.Random, s: Any) -> Any:
    return _numbered(rng, s.shooter, sorted(map(str, s.on_table)))


def _straight(rng: random.Random, s: wpa_14_1.State) -> Any:
    balls = rng.sample([str(n) for n in range(1, 16)], s.balls_on_table)
    if rng.random() < 0.5:  # made shots, or nobody would ever come to the target
        call = WpaCall(ball=balls[0], pocket="TL")
        return wpa_14_1.Shot(
            by=s.chooser or s.shooter, first_contact=(balls[0],), potted=(Pot(balls[0], "TL"),), called=call
        )
    return _numbered(rng, s.chooser or s.shooter, balls, wpa_14_1.Shot)


def _black(rng: random.Random, s: blackball.State) -> Any:
    return _coloured(rng, s, blackball.Shot, "black", string_crossings=rng.choice((None, 1, 3)))


def _wepf(rng: random.Random, s: wepf.State) -> Any:
    nominated = rng.choice((None, "red", "yellow", "8")) if s.foul_snooker else None
    left = wepf_left(rng)
    serious = ("jump_deliberate",) if rng.random() < 0.01 else ()
    return _coloured(rng, s, wepf.Shot, "8", nominated=nominated, left=left, infringements=serious)


def wepf_left(rng: random.Random) -> Any:
    from referee.rules.wepf.fouls import Left

    return Left(snookered=rng.random() < 0.3, touching=("red",) if rng.random() < 0.05 else ())


GAMES: dict[str, tuple[Any, Callable[[], Any], Step]] = {
    "wpa_8ball": (wpa_8ball, wpa_8ball.new_rack, _eight),
    "wpa_9ball": (wpa_9ball, wpa_9ball.new_rack, _nine),
    "wpa_10ball": (wpa_10ball, wpa_10ball.new_rack, _nine),
    "wpa_14_1": (wpa_14_1, lambda: wpa_14_1.new_game(target=12), _straight),
    "blackball": (blackball, blackball.new_rack, _black),
    "wepf": (wepf, wepf.new_frame, _wepf),
}


def _run(game: str, seed: int, shots: int) -> list[tuple[Any, Any, Any, Any]]:
    """(state before, fact, state after, ruling) over racks one after another."""
    module, fresh, make = GAMES[game]
    rng = random.Random(f"{game} {seed}")
    state, log = fresh(), []
    while len(log) < shots:
        if state.winner is not None:
            state = fresh()
        shooter = state.player if hasattr(state, "player") else state.shooter
        act = _act(rng, shooter) if game != "wepf" else None
        fact = act or _option(rng, state) or make(rng, state)
        new, ruling = module.apply(state, fact)
        log.append((state, fact, new, ruling))
        state = new
    return log


def _next(ruling: Any) -> Any:
    return ruling.next_player if hasattr(ruling, "next_player") else ruling.next_shooter


def _over(ruling: Any) -> bool:
    return bool(ruling.frame_over if hasattr(ruling, "frame_over") else ruling.rack_over)


@pytest.mark.parametrize("game", GAMES)
def test_rulings_follow_one_another(game: str) -> None:
    finished = 0
    for before, fact, after, ruling in _run(game, 1, SHOTS):
        assert ruling.clause or not ruling.foul
        assert not ruling.foul or ruling.reason in ruling.fouls
        assert _over(ruling) == (after.winner is not None)
        assert _next(ruling) == (None if _over(ruling) else after.player if game == "wepf" else after.shooter)
        if ruling.foul and not _over(ruling) and getattr(ruling, "rerack", None) is None:
            assert _next(ruling) == other(ruling.by)
        if isinstance(fact, Choice) and not _over(ruling):
            assert not after.options
        finished += _over(ruling)
        assert before.winner is None
    assert finished > SHOTS / 400, "racks end"


@pytest.mark.parametrize("game", GAMES)
def test_replay_is_exact(game: str) -> None:
    module, fresh, _ = GAMES[game]
    log = _run(game, 2, 600)
    state = fresh()
    for before, fact, after, ruling in log:
        if state.winner is not None:
            state = fresh()
        assert repr(state) == repr(before)
        state, again = module.apply(state, fact)
        assert repr((state, again)) == repr((after, ruling))


@pytest.mark.parametrize("game", ["wpa_8ball", "wpa_9ball", "wpa_10ball"])
def test_balls_leave_only_by_shots_and_return_only_as_respots(game: str) -> None:
    key = {"wpa_9ball": 9, "wpa_10ball": 10}.get(game)
    for before, fact, after, ruling in _run(game, 3, SHOTS):
        back = {int(r.ball) for r in ruling.respot}
        if ruling.rerack is not None or not isinstance(fact, WpaShot):
            continue
        # a choice implied by the shot may have put the eight back or racked again
        if before.options:
            continue
        gone = {int(b) for b in (*fact.potted_balls, *fact.off_table)}
        assert after.on_table == (before.on_table - gone) | back | ({key} if _over(ruling) and key else set())
        assert set(map(int, ruling.stay_off)) <= gone - back
        assert back <= gone


def test_14_1_scores_are_the_sum_of_the_points() -> None:
    scores = [0, 0]
    for before, _, after, ruling in _run("wpa_14_1", 4, SHOTS):
        if (
            before.scores == (0, 0)
            and before.opening_break
            and before.balls_on_table == 15
            and not any(before.fouls)
        ):
            scores = [0, 0]
        if ruling.by is not None:
            scores["AB".index(ruling.by)] += ruling.points
        assert after.scores == tuple(scores)
        assert 1 <= after.balls_on_table <= 15
        assert after.winner is None or max(after.scores) >= after.target


@pytest.mark.parametrize("game", ["blackball", "wepf"])
def test_groups_are_decided_once_and_never_on_a_foul(game: str) -> None:
    for before, _, after, ruling in _run(game, 5, SHOTS):
        if before.colour_a is not None and after.colour_a != before.colour_a:
            assert ruling.rerack or ruling.replay_frame
        if before.colour_a is None and after.colour_a is not None:
            assert not ruling.foul


def test_wepf_visits() -> None:
    for _, _, after, ruling in _run("wepf", 6, SHOTS):
        if ruling.foul and not ruling.frame_over and ruling.clause != "L(3)":
            assert (ruling.visits_awarded, after.visits, after.visit) == (2, 2, 1)
        assert max(after.serious) < 2 or ruling.frame_over


@pytest.mark.parametrize("game", GAMES)
def test_nonsense_is_a_clear_error(game: str) -> None:
    """Balls that are not there, twice the same ball, the wrong chooser, unknown acts: FactsError only."""
    module, fresh, make = GAMES[game]
    rng = random.Random(7)
    state, errors = fresh(), 0
    for _ in range(1500):
        if state.winner is not None:
            state = fresh()
        fact = _broken(rng, make(rng, state))
        try:
            state, _ = module.apply(state, fact() if callable(fact) else fact)
        except FactsError as error:
            errors += 1
            assert "\n" not in str(error) and len(str(error)) > 10
    assert errors > 200


def _broken(rng: random.Random, shot: Any) -> Any:
    return rng.choice(
        (
            shot,
            lambda: replace(shot, potted=(*shot.potted, Pot("99"))),
            lambda: replace(shot, off_table=(*shot.off_table, *shot.potted_balls, *shot.potted_balls)),
            lambda: replace(shot, infringements=("sneezed",)),
            lambda: replace(shot, rails_after_contact=-1),
            lambda: Choice(by=rng.choice(("A", "B")), choice="dance"),
            lambda: Choice(by=rng.choice(("A", "B")), choice="request_spot_nearest"),
            lambda: Event(by="A", event="sneezed"),
            lambda: Event(by="C", event="concede"),  # type: ignore[arg-type]
            lambda: RefereeAct(event="sneezed"),
        )
    )


@pytest.mark.parametrize("game", GAMES)
def test_a_finished_rack_takes_no_more_facts(game: str) -> None:
    module, fresh, make = GAMES[game]
    state = replace(fresh(), winner="A")
    with pytest.raises(FactsError, match="over"):
        module.apply(state, make(random.Random(1), fresh()))
