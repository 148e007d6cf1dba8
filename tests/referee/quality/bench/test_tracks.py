"""The tracks tier: its physics against the renderer's, its observations against the model they are drawn
from, its judgement.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.errors import UnusableInput
from calibration.table.games import GAMES
from calibration.table.specs import SNOOKER_TABLE
from referee.facts.judged import JudgedStroke, Warned
from referee.match.referee import Collected, Referee
from referee.quality.bench.tracks import play as bench_play
from referee.quality.bench.tracks import tier as bench_tier
from referee.quality.bench.tracks.cells import Cells, capsules, distance_mm
from referee.quality.bench.tracks.errors import SHIPPED, CameraErrors, ErrorModel, RestRun, Row, zone_of
from referee.quality.bench.tracks.fit import linked
from referee.quality.bench.tracks.judge import Said, Wrong, from_line, rest_facts, to_line
from referee.quality.bench.tracks.physics import NoseShape, fly
from referee.quality.bench.tracks.play import _aim, _Going, kind, opening_layout, play
from referee.quality.bench.tracks.setup import Interruption
from referee.quality.bench.tracks.tier import (
    film,
    judge_piece,
    measure_chunk,
    measure_piece,
    plan_tracks,
    set_up,
    track,
)
from referee.rules.common import racks
from referee.rules.six_red import game as six_red
from referee.rules.snooker import Options
from vision.observation import BALL_CLASSES, Observation
from vision.render.play.physics import Stroke, simulate
from vision.render.table_shape import nose_outline

TABLE = SNOOKER_TABLE
SHAPE = NoseShape(TABLE)


@pytest.fixture(scope="module")
def model() -> ErrorModel:
    return ErrorModel.load(SHIPPED)


def exact(colour: str) -> Row:
    logp = [-9.0] * len(BALL_CLASSES)
    logp[BALL_CLASSES.index(colour)] = -0.01
    return Row(0.0, 0.0, 0.1, 0.99, tuple(logp))


@pytest.fixture(scope="module")
def perfect(model: ErrorModel) -> ErrorModel:
    """A camera that sees everything where it is."""
    still = [RestRun(0, c, "open", (exact(c),) * 3) for c in BALL_CLASSES for _ in range(12)]
    from referee.quality.bench.tracks.errors import SPEEDS_MM_S, MovingRun

    moving = [
        MovingRun(0, c, n, tuple(v + 1 for v in SPEEDS_MM_S), (exact(c),) * len(SPEEDS_MM_S))
        for c in BALL_CLASSES
        for n in (False, True)
        for _ in range(40)
    ]
    camera = CameraErrors(
        0, 50.0, 0.004, 2.0, 1920, (0.0,) * 6, (0.0,) * 6, (0.0,) * 6 + (0.05,), 100, 10, 1.0
    )
    return ErrorModel({"made_by": "test"}, [camera], still, moving, [])


def test_a_stroke_flies_as_the_renderers_physics_says() -> None:
    """First contact, then the cushion: times and places agree with the small fixed steps."""
    layout = {"white": (-300.0, 700.0), "red_1": (100.0, 1900.0), "blue": (0.0, 1784.5)}
    stroke = Stroke(math.atan2(1200.0, 400.0) + 0.01, 2200.0, 0.4)
    ours, theirs = fly(layout, stroke, SHAPE), simulate(layout, stroke, TABLE)
    assert {ours.contacts[0][0], ours.contacts[0][1]} == {theirs.contacts[0][0], theirs.contacts[0][1]}
    assert ours.contacts[0][2] == pytest.approx(theirs.contacts[0][2], abs=0.002)
    for t in (0.1, 0.3, 0.6):
        k = theirs.names.index("white")
        piece = next(p for p in ours.paths["white"] if p.t0_s <= t <= p.t1_s)
        assert math.dist(piece.at(t), theirs.at(t)[k]) < 6.0


@pytest.mark.parametrize("seed", range(12))
def test_no_ball_leaves_the_table_or_enters_another(seed: int) -> None:
    rng = np.random.default_rng([77, seed])
    layout = opening_layout(rng, TABLE)
    flown = fly(
        layout,
        Stroke(float(rng.uniform(-3, 3)), float(rng.uniform(500, 7000)), float(rng.uniform(-0.5, 0.9))),
        SHAPE,
    )
    end = list(flown.end.items())
    for b, p in end:
        assert abs(p[0]) < TABLE.half_width_mm + 60 and -60 < p[1] < TABLE.length_mm + 60, b
        assert SHAPE.distance(*p) < -TABLE.ball_radius_mm + 0.5, b
    for i, (_, p) in enumerate(end):
        assert all(math.dist(p, q) > TABLE.ball_diameter_mm - 0.05 for _, q in end[:i])


def test_energy_never_grows() -> None:
    flown = fly(dict(opening_layout(np.random.default_rng(4), TABLE)), Stroke(1.3, 4000.0, 0.5), SHAPE)
    for path in flown.paths.values():
        for piece in path:
            assert math.hypot(*piece.velocity(piece.t0_s)) <= 4000.0 + 1e-6


def test_the_noses_are_the_renderers() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.uniform(-960, 960, 400), rng.uniform(-70, TABLE.length_mm + 70, 400)
    theirs = nose_outline(x[None].astype(np.float32), y[None].astype(np.float32), TABLE)[0]
    ours = [SHAPE.distance(float(a), float(b)) for a, b in zip(x, y, strict=True)]
    inside = theirs < 20
    assert np.abs(np.array(ours) - theirs)[inside].max() < 0.01


def test_the_same_seed_plays_the_same_piece() -> None:
    a, b = (play(np.random.default_rng(9), SHAPE, 3) for _ in range(2))
    assert a == b
    assert a.strokes and all(s.judged.striker in ("A", "B") for s in a.strokes)


def test_a_stroke_past_a_ball_that_touches_the_white_goes_along_its_side() -> None:
    """It ended a run of a thousand strokes: no sine is larger than one."""
    layout = {"white": (0.0, 1000.0), "red_1": (0.0, 1000.0 + TABLE.ball_diameter_mm)}
    for seed in range(200):
        name, stroke = _aim(_Going(TABLE, np.random.default_rng(seed), dict(layout)), ["red_1"])
        assert name == "red_1" and math.isfinite(stroke.direction)


@pytest.mark.parametrize("game", ["snooker", "six_red"])
def test_what_is_played_and_seen_exactly_is_judged_right(game: str, perfect: ErrorModel) -> None:
    """Without errors of vision nothing may be said wrongly: what remains is the tracker's."""
    strokes, invented = measure_piece(3, 0, perfect, SHAPE, Cells(TABLE), game)
    assert strokes and not invented
    assert all(s.seen for s in strokes)
    assert [w for s in strokes for w in s.wrong if w.certain] == []
    assert max(r[0] for s in strokes for r in s.rests) < 1.0


@pytest.mark.parametrize("game", ["snooker", "six_red"])
def test_a_piece_begins_with_a_frames_rack_or_with_no_more_reds_than_the_game_has(game: str) -> None:
    """Snooker 3.1 and 3.2: fifteen reds; six-red's introduction: any number, six by its name."""
    layouts = [opening_layout(np.random.default_rng(k), TABLE, game) for k in range(100)]
    reds = [{b: p for b, p in layout.items() if kind(b) == "red"} for layout in layouts]
    assert max(map(len, reds)) == GAMES[game].reds
    rack = next(r for r in reds if len(r) == GAMES[game].reds and abs(r["red_1"][0]) < 1e-9)
    true = {b.ball: b.xy_mm for b in racks.rack(game).balls}
    assert all(math.dist(p, true[b]) < 1.0 for b, p in rack.items())


def test_six_reds_strokes_are_judged_by_six_reds_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """Truth and what is seen: six-red 1 (five misses) and 3 (never behind a nominated colour)."""
    begun: list[Options | None] = []

    def referee(*given: Any, **named: Any) -> Referee:
        begun.append(named.get("options"))
        return Referee(*given, **named)

    monkeypatch.setattr(bench_play, "Referee", referee)
    monkeypatch.setattr(bench_tier, "Referee", referee)
    plan = plan_tracks(11, 1, SHIPPED, chunk_pieces=1, game="six_red")[0]
    assert measure_chunk(plan).strokes
    assert begun == [six_red.options(6)] * 2


def test_interruptions_are_told_as_reader_and_observer_tell_them(perfect: ErrorModel) -> None:
    """Another camera's picture shows nothing; of lost images one word comes behind them. Then the whole table
    is looked at.
    """
    cut, lost = Interruption(2.0, 3.0, "other_view"), Interruption(5.0, 6.5, "images_lost")
    pause = Interruption(8.0, 8.4, "images_lost")  # too short for a reader to tell of it
    setup = replace(set_up(3, 1, perfect, SHAPE), interruptions=(cut, lost, pause))
    images = film(setup, perfect, SHAPE, Cells(TABLE))
    away = [i for i in images if cut.since_s <= i.t_s < cut.until_s]
    assert len(away) > 20 and all(i.unusable == "other_view" and not i.observations for i in away)
    assert not [i for i in images if lost.since_s <= i.t_s < lost.until_s]
    assert not [i for i in images if pause.since_s <= i.t_s < pause.until_s]
    (told,) = [k for k, i in enumerate(images) if i.unusable == "images_lost"]
    back = next(i for i in images if i.t_s >= cut.until_s)
    assert back.looked is None and images[told + 1].looked is None and images[told + 1].observations


def test_a_wrong_word_is_counted(perfect: ErrorModel) -> None:
    """The judge against a tampered referee: another first ball, another score, a ball that is not there."""
    setup = set_up(3, 1, perfect, SHAPE)
    referee = Referee(TABLE, calls=setup.played.calls)
    outputs = [o for e in track(film(setup, perfect, SHAPE, Cells(TABLE))) for o in referee.feed(e)]
    found = Collected(lambda s: s, [*outputs, *referee.close()])
    judged, hands, checks, warnings = found.strokes, found.hands, found.checks, found.warnings
    k = next(
        i for i, s in enumerate(judged) if s.seen.first_contact[0].ball is not None and s.verdict == "certain"
    )
    said = judged[k]
    other = "black" if kind(said.seen.first_contact[0].ball or "") != "black" else "pink"
    seen = replace(
        said.seen,
        first_contact=(replace(said.seen.first_contact[0], ball=other),),
        after=(
            *said.seen.after,
            replace(said.seen.after[0], ball="extra", x_mm=0.0, y_mm=200.0, colour="blue"),
        ),
    )
    tampered: list[JudgedStroke] = [
        *judged[:k],
        replace(said, seen=seen, points=said.points + 7),
        *judged[k + 1 :],
    ]
    honest, _ = judge_piece(1, 0, 50.0, setup.played, judged, hands, checks, warnings, TABLE)
    strokes, _ = judge_piece(1, 0, 50.0, setup.played, tampered, hands, checks, warnings, TABLE)
    new = {w.fact for w in strokes[k].wrong if w.certain} - {w.fact for w in honest[k].wrong if w.certain}
    assert {"first_contact", "points", "ball_at_rest"} <= new
    lost = next(
        b for b in said.seen.after if b.colour in ("yellow", "green", "brown", "blue", "pink", "black")
    )
    fewer = [
        *judged[:k],
        replace(said, seen=replace(said.seen, after=tuple(b for b in said.seen.after if b is not lost))),
        *judged[k + 1 :],
    ]
    told = Warned(
        "colour_not_spotted", said.seen.start_s, f"{lost.colour} should be on the table and is not seen"
    )
    gone, asked = (
        judge_piece(1, 0, 50.0, setup.played, fewer, hands, checks, w, TABLE)[0][k]
        for w in (warnings, [*warnings, told])
    )
    assert [w.said for w in gone.wrong if w.fact == "ball_at_rest"] == ["gone"]
    assert not [w for w in asked.wrong if w.fact == "ball_at_rest"], (
        "said to be missing is not said to be gone"
    )
    missing, invented = judge_piece(1, 0, 50.0, setup.played, judged[:-1], hands, checks, warnings, TABLE)
    assert not missing[-1].seen and not invented
    _, invented = judge_piece(
        1,
        0,
        50.0,
        setup.played,
        [*judged, replace(judged[0], seen=replace(judged[0].seen, start_s=999.0))],
        hands,
        checks,
        warnings,
        TABLE,
    )
    assert len(invented) == 1


@pytest.mark.parametrize(("place", "certain"), [((30.0, 1000.0), False), ((80.0, 1000.0), True)])
def test_a_ball_that_is_said_to_be_there_perhaps_is_not_said_to_be_gone(
    place: tuple[float, float], certain: bool
) -> None:
    facts = Said()
    rest_facts(facts, {"red_1": (0.0, 1000.0)}, [], {}, set(), True, [place])
    (wrong,) = facts.wrong
    assert wrong.certain is certain and facts.facts == int(certain)


def test_a_chunk_is_the_same_whenever_it_is_measured(model: ErrorModel) -> None:
    plans = plan_tracks(11, 20, SHIPPED, chunk_pieces=1)
    assert [p.first for p in plans] == [0, 1, 2]
    a, b = measure_chunk(plans[1]), measure_chunk(plans[1])
    assert a.strokes == b.strokes and a.strokes[0].piece == 1 and a.cpu_s > 0
    stroke = replace(a.strokes[0], wrong=(Wrong("pot", "blue", "none", True),))
    again = from_line(to_line(stroke), "test")
    rounded = ("t_s", "rests", "touching", "respots", "first_dt_s", "first_allowed_s")
    assert again == replace(stroke, **{f: getattr(again, f) for f in rounded})
    assert np.abs(np.array(again.rests) - np.array(stroke.rests)).max(initial=0) < 1e-4


def test_a_line_that_is_none_is_refused() -> None:
    with pytest.raises(UnusableInput, match="expected a line"):
        from_line('{"record":"TrackStroke"}', "test")


def test_while_nothing_moves_nothing_is_looked_at(model: ErrorModel) -> None:
    setup = set_up(11, 2, model, SHAPE)
    images = film(setup, model, SHAPE, Cells(TABLE))
    first = setup.played.strokes[0].t_strike_s - 1.31  # before the player bends down
    quiet = [
        i for i in images if 0.15 < i.t_s < first
    ]  # the first picture is new all over, and for a moment after
    whole = [i for i in quiet if i.looked is None]
    assert len(quiet) > 5 and len(whole) <= 3
    assert all(not i.looked.any and not i.observations for i in quiet if i.looked is not None)
    s = setup.played.strokes[0]
    moving = [i for i in images if s.t_strike_s + 0.1 < i.t_s < s.t_rest_s - 0.1]
    assert all(i.looked is None or i.looked.any for i in moving)


def test_nothing_is_seen_under_an_arm(perfect: ErrorModel) -> None:
    setup = set_up(3, 2, perfect, SHAPE)
    for image in film(setup, perfect, SHAPE, Cells(TABLE)):
        arms = [a for c in setup.played.covers for a in capsules(c, image.t_s) if a[4] > 20]
        for o in image.observations:
            assert all(distance_mm(o.x_mm, o.y_mm, a) > 0.5 * a.radius_mm for a in arms)


def test_one_rest_keeps_its_error_and_another_has_its_own(model: ErrorModel) -> None:
    """The spread of a ball's error within a rest is far below the spread between rests."""
    within, means = [], []
    for piece in range(3):
        setup = set_up(12, piece, model, SHAPE)
        opening = setup.played.opening
        seen: dict[str, list[tuple[float, float]]] = {}
        for image in film(setup, model, SHAPE, Cells(TABLE)):
            if image.t_s > setup.played.strokes[0].t_strike_s:
                break
            for o in image.observations:
                b = min(opening, key=lambda n, o=o: math.dist(opening[n], (o.x_mm, o.y_mm)))
                if math.dist(opening[b], (o.x_mm, o.y_mm)) < 10:
                    seen.setdefault(b, []).append((o.x_mm - opening[b][0], o.y_mm - opening[b][1]))
        for e in seen.values():
            if len(e) >= 3:
                within.append(np.std(np.array(e), axis=0).mean())
                means.append(np.mean(np.array(e), axis=0))
    assert len(means) > 5
    assert np.median(within) < 0.7 * np.std(np.array(means), axis=0).mean()


def test_the_model_survives_its_file(model: ErrorModel, tmp_path: Path) -> None:
    file = tmp_path / "errors.json"
    file.write_text(model.to_text())
    again = ErrorModel.load(file)
    assert again.rest == model.rest and again.moving == model.moving and again.false == model.false
    assert again.cameras == model.cameras
    file.write_text('{"kind": "other"}')
    with pytest.raises(UnusableInput, match="expected an error model"):
        ErrorModel.load(file)


def test_false_things_at_one_place_are_one_run() -> None:
    def seen(t: float, x: float) -> tuple[float, Observation, str, str]:
        return t, Observation(x, 1000.0, 1.0, 0.0, 0.0, (-2.0,) * 8, 0.5), "open", ""

    runs = linked(
        [seen(0.0, 10.0), seen(0.04, 11.0), seen(0.08, 300.0), seen(5.0, 10.0)], 1, TABLE, [None] * 9
    )  # type: ignore[list-item]
    assert sorted(len(r.rows) for r in runs) == [1, 1, 2] and all(r.looks == 9 for r in runs)


def test_zones_are_told_apart() -> None:
    p = TABLE.pocket("BL")
    assert zone_of(p.x_mm + 40, p.y_mm + 40, [], TABLE) == "pocket"
    assert zone_of(0.0, 1000.0, [(50.0, 1010.0)], TABLE) == "pair"
    assert zone_of(TABLE.half_width_mm - 30, 900.0, [], TABLE) == "cushion"
    assert zone_of(0.0, 1000.0, [(200.0, 1000.0)], TABLE) == "open"
