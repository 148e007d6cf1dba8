"""A certificate says what was measured, what follows, and what is not known; the page is whole and
harmless.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_layout import random_layout_scene
from typer.testing import CliRunner

import referee.quality.certify.recheck as recheck_module
from calibration.calibrate import Solution
from calibration.find.strips import ByteArray
from calibration.result import Calibration, SigmaModel
from calibration.solve.model import Points
from calibration.solve.unknowns import BOTTOM, LEFT, RIGHT, TOP
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from referee import cli
from referee.quality.certify.certificate import Certificate, certify
from referee.quality.certify.colours import margins_of
from referee.quality.certify.page import certificate_html
from referee.quality.certify.recheck import CalibrationRecheck, Shift, groups_of, recheck_calibration
from referee.quality.certify.rests import Drift, Rest, drift_of, find_rests
from referee.quality.certify.survey import Look, SeenBall
from referee.quality.certify.uses import contact_use, layout_use, speed_rows, touching_use
from referee.quality.certify.zones import ACROSS, ALONG, TOLD_APART, pairs_of, zones_of
from vision.advice.clock import Timing
from vision.advice.exposure_time import ExposureTime
from vision.observation import BALL_CLASSES
from vision.render.cameras import camera_rays
from vision.render.scene_picture import render
from vision.render.sensor import Sensor, develop

pytest_plugins = ("chromium",)

TABLE = SNOOKER_TABLE
SIZE = (1280, 720)


def ball(
    x: float, y: float, colour: str = "red", sigma: float = 0.3, chroma: tuple[float, float] = (0.2, 0.1)
) -> SeenBall:
    logp = tuple(0.0 if c == colour else -8.0 for c in BALL_CLASSES)
    return SeenBall(x, y, sigma, 100.0, 100.0, colour, chroma, logp)


def looks_of(places: list[list[SeenBall]], step_s: float = 1.0) -> list[Look]:
    return [Look(step_s * k, tuple(balls)) for k, balls in enumerate(places)]


def rest(x: float, y: float, scatter: float, sigma: float, seed: int = 0, count: int = 30) -> Rest:
    rng = np.random.default_rng(seed)
    balls = [ball(x + float(dx), y + float(dy), sigma=sigma) for dx, dy in rng.normal(0, scatter, (count, 2))]
    return find_rests(looks_of([[b] for b in balls]))[0]


# ---- resting balls
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scatter", [0.05, 0.2, 0.6])
def test_the_scatter_of_independent_fits_is_measured(scatter: float) -> None:
    found = [rest(100.0, 900.0, scatter, 0.3, seed, 60).spread_mm for seed in range(4)]
    assert float(np.mean(found)) == pytest.approx(scatter, rel=0.12)


def test_one_shadowed_fit_does_not_make_a_ball_unrepeatable() -> None:
    quiet = rest(0.0, 500.0, 0.1, 0.3, 1, 40)
    odd = replace(quiet, balls=(*quiet.balls[:-1], ball(2.5, 500.0)))
    assert odd.spread_mm < 1.5 * quiet.spread_mm


def test_a_ball_hidden_for_a_moment_rests_on_and_a_moved_one_rests_anew() -> None:
    here, there = ball(0.0, 500.0), ball(40.0, 500.0)
    assert [len(r.balls) for r in find_rests(looks_of([[here]] * 5 + [[]] + [[here]] * 5))] == [10]
    assert [len(r.balls) for r in find_rests(looks_of([[here]] * 6 + [[there]] * 6))] == [6, 6]
    # away for two looks and back: a hand put it there
    assert [len(r.balls) for r in find_rests(looks_of([[here]] * 6 + [[], []] + [[here]] * 6))] == [6, 6]
    assert find_rests(looks_of([[here]] * 3)) == ()


def test_drift_is_told_with_the_time_that_lies_between() -> None:
    moved = [[ball(0.0 if k < 10 else 0.4, 500.0)] for k in range(20)]
    short = drift_of(find_rests(looks_of(moved)))
    assert short is not None and short.median_mm == pytest.approx(0.4, abs=0.01) and not short.minutes
    long = drift_of(find_rests(looks_of(moved, step_s=10.0)))
    assert long is not None and long.minutes and long.apart_s > 60
    assert drift_of([]) is None


# ---- zones and gaps
# -----------------------------------------------------------------------------------------------


def flat(sigma_mm: float) -> Calibration:
    scene, camera, _ = random_layout_scene(300, *SIZE, people=0.0, tilt_deg=6.0, balls=False)
    return Calibration(
        camera,
        replace(TABLE, nose_height_mm=scene.table.nose_height_mm),
        0.1,
        0.2,
        SigmaModel((sigma_mm**2, 0, 0, 0, 0, 0), 0.01),
    )


def test_a_zone_combines_calibration_and_fits_and_says_where_no_ball_lay() -> None:
    scattered, unsure = rest(0.0, 300.0, 0.5, 0.2, 1, 200), rest(600.0, 3300.0, 0.05, 0.4)
    zones = zones_of([scattered, unsure], flat(0.6))
    assert len(zones) == ACROSS * ALONG
    lay = {z.name: z for z in zones if z.measured}
    assert set(lay) == {"1 middle", "6 right"}
    assert lay["1 middle"].expected_mm == pytest.approx(
        math.hypot(0.6, scattered.spread_mm)
    )  # it scatters more than it says
    assert lay["6 right"].expected_mm == pytest.approx(
        math.hypot(0.6, 0.4)
    )  # it says more than it scatters: bias
    assert lay["6 right"].gap_mm == pytest.approx(TOLD_APART * 2**0.5 * 0.4)
    bare = next(z for z in zones if not z.measured)
    assert bare.spread_mm is None and bare.expected_mm is not None  # the other zones' fits, marked as such
    assert all(z.expected_mm is None and z.gap_mm is None for z in zones_of([], flat(0.6)))


def test_the_gap_keeps_both_errors_at_one_in_twenty() -> None:
    sigma = 0.3
    zone = zones_of([rest(0.0, 300.0, 0.01, sigma)], flat(0.5))[1]
    assert zone.gap_mm is not None
    rng = np.random.default_rng(4)
    error = rng.normal(0, sigma, 200_000) - rng.normal(0, sigma, 200_000)  # of both balls along their line
    limit = zone.gap_mm / 2
    assert np.mean(error > limit) == pytest.approx(0.05, abs=0.003)  # touching, called apart
    assert np.mean(zone.gap_mm + error < limit) == pytest.approx(0.05, abs=0.003)  # apart, called touching


def test_balls_inside_each_other_are_a_fault_and_not_an_uncertainty() -> None:
    d = TABLE.ball_diameter_mm
    near = pairs_of(looks_of([[ball(0, 500), ball(d + 1.0, 500)]] * 6), TABLE)
    assert near[0].gap_mm == pytest.approx(1.0) and not near[0].overlap
    zones = zones_of([rest(0.0, 500.0, 0.1, 0.1)], flat(0.5))
    assert touching_use(zones, near).fitness == "fit"
    inside = pairs_of(looks_of([[ball(0, 500), ball(d - 2.0, 500)]] * 6), TABLE)
    assert inside[0].overlap and touching_use(zones, inside).fitness == "unfit"
    assert pairs_of(looks_of([[ball(0, 500), ball(d + 40.0, 500)]] * 6), TABLE) == ()


# ---- verdicts
# -----------------------------------------------------------------------------------------------------

HOLDS = CalibrationRecheck((), Shift(0.1, 0.0, 0.3, 0.7, False), "", ())
RANK = {"fit": 0, "limited": 1, "unfit": 2}


def test_a_use_is_never_better_with_a_larger_error() -> None:
    grades = []
    for sigma in (0.2, 0.8, 1.2, 1.8, 4.0):
        zones = zones_of([rest(0.0, 300.0, 0.05, 0.1)], flat(sigma))
        grades.append(RANK[layout_use(zones, HOLDS, TABLE).fitness])
    assert grades == sorted(grades) and (grades[0], grades[-1]) == (0, 2)
    gaps = [
        RANK[touching_use(zones_of([rest(0.0, 300.0, 0.01, s)], flat(0.5)), ()).fitness]
        for s in (0.1, 0.4, 1.0)
    ]
    assert gaps == [0, 1, 2]


def test_nothing_seen_is_not_known_and_never_fit() -> None:
    zones = zones_of([], flat(0.3))
    assert layout_use(zones, HOLDS, TABLE).fitness == "not known"
    assert touching_use(zones, ()).fitness == "not known"
    assert contact_use(speed_rows(TABLE, None, None), None, HOLDS).fitness == "not known"
    steady = Timing(50.0, 50.0, 0.0, 0.0, 0.0, 100)
    use = contact_use(speed_rows(TABLE, steady, None), steady, HOLDS)
    assert use.fitness == "not known" and "exposure" in use.reason  # the rate alone does not do


@pytest.mark.parametrize(
    ("rate", "exposure_ms", "repeated", "fitness"),
    [
        (50, 3, 0.0, "fit"),
        (50, 12, 0.0, "limited"),
        (50, 30, 0.0, "unfit"),
        (12, 3, 0.0, "limited"),
        (8, 3, 0.0, "unfit"),
        (50, 3, 0.4, "unfit"),
    ],
)
def test_first_contacts_need_rate_and_exposure_and_whole_video(
    rate: float, exposure_ms: float, repeated: float, fitness: str
) -> None:
    timing = Timing(rate, rate * (1 - repeated), 0.0, 0.0, repeated, 500)
    shutter = ExposureTime(exposure_ms / 1000, 0.0001, 12)
    assert contact_use(speed_rows(TABLE, timing, shutter), timing, HOLDS).fitness == fitness


def test_a_knocked_camera_spoils_every_use_of_places() -> None:
    moved = CalibrationRecheck((), Shift(3.0, -2.0, 5.0, 0.7, False), "", ())
    assert moved.true is False and "knocked" in moved.sentence and "+3.0 mm across" in moved.sentence
    zones = zones_of([rest(0.0, 300.0, 0.05, 0.1)], flat(0.3))
    assert layout_use(zones, moved, TABLE).fitness == "unfit"
    turned = CalibrationRecheck((), Shift(0.0, 0.0, 0.2, 0.7, True), "", ())
    assert turned.true is False and "other end" in turned.sentence
    assert CalibrationRecheck((), None, "no cloth", ()).true is None


# ---- colours
# ------------------------------------------------------------------------------------------------------


def test_the_margin_of_two_colours_is_in_their_own_sigmas() -> None:
    rng = np.random.default_rng(6)
    margins = []
    for apart in (0.06, 0.15, 0.3):
        looks = []
        for k in range(40):
            reds = [
                ball(0, 500 + 80 * i, "red", chroma=tuple(rng.normal((0.2, 0.1), 0.02))) for i in range(5)
            ]
            looks.append(
                Look(k, (*reds, ball(300, 737, "brown", chroma=tuple(rng.normal((0.2 + apart, 0.1), 0.03)))))
            )
        brown_red = margins_of(looks)[0]
        assert brown_red.pair == ("brown", "red") and brown_red.sigmas is not None
        assert brown_red.sigmas == pytest.approx(
            apart / 0.05, rel=0.3
        )  # 0.02 and 0.03 to the middle between them
        assert brown_red.alone_right == 1.0
        margins.append(brown_red.sigmas)
    assert margins == sorted(margins)
    unseen = margins_of([Look(0, (ball(0, 500, "red"),))])[0]
    assert unseen.sigmas is None and unseen.alone_right is None


# ---- against the picture
# ------------------------------------------------------------------------------------------


def test_residuals_by_cushion_show_the_way_the_camera_was_knocked() -> None:
    calibration = flat(0.5)
    w, length, z = TABLE.half_width_mm, TABLE.length_mm, calibration.table.nose_height_mm
    s = np.linspace(0.15, 0.85, 30)
    lines = {
        BOTTOM: [((2 * t - 1) * w, 0.0, z) for t in s],
        TOP: [((2 * t - 1) * w, length, z) for t in s],
        LEFT: [(-w, t * length, z) for t in s],
        RIGHT: [(w, t * length, z) for t in s],
    }
    points = Points.join(
        [Points.of(calibration.camera.pixels_from_table(p), m, 0.5) for m, p in lines.items()]
    )
    assert all(g.rms_px < 1e-6 for g in groups_of(points, calibration))
    knocked = replace(calibration, camera=replace(calibration.camera, cx_px=calibration.camera.cx_px + 1.0))
    found = {g.name: g for g in groups_of(points, knocked)}
    sizes = {n: abs(g.mean_px) for n, g in found.items()}
    ends = max(("nose, bottom", "nose, top"), ("nose, left", "nose, right"), key=lambda pair: sizes[pair[0]])
    assert [sizes[n] for n in ends] == pytest.approx([1.0, 1.0], abs=0.15)
    assert found[ends[0]].mean_px == pytest.approx(
        -found[ends[1]].mean_px, abs=0.2
    )  # in at one side, out at the other
    assert all(g.scatter_px < 0.15 for g in found.values())


@dataclass(frozen=True)
class Clip:
    video: Path
    calibration_file: Path
    calibration: Calibration
    certificate: Certificate
    still: ByteArray
    solution: Solution


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Clip:
    """Two seconds and a half of a table at rest, ten images a second, with its camera's exact calibration."""
    import av

    folder = tmp_path_factory.mktemp("certify")
    scene, camera, _ = random_layout_scene(300, *SIZE, people=0.0, tilt_deg=6.0)
    linear = render(scene, camera_rays(camera, scene.table.ball_radius_mm), 0.0).linear
    video = folder / "rest & still.mp4"
    sensor = Sensor(noise=0.004, read_noise=0.002, quality=0, chroma=1, blur_px=0.6, halo=0.2)
    with av.open(str(video), "w") as out:
        stream = out.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt, stream.time_base = *SIZE, "yuv420p", Fraction(1, 10)
        stream.options = {"crf": "16", "preset": "veryfast", "threads": "1"}
        first = develop(linear, replace(sensor, noise=0.0, read_noise=0.0), np.random.default_rng(0)).astype(
            np.float32
        )
        noise = np.random.default_rng(0).normal(0, 1.5, first.shape).astype(np.float32)
        for k in range(24):
            noisy = first + np.roll(noise, (5 * k, 17 * k), axis=(0, 1))
            frame = av.VideoFrame.from_ndarray(np.clip(noisy + 0.5, 0, 255).astype(np.uint8), format="rgb24")
            frame.pts = k
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    calibration = Calibration(camera, scene.table, 0.1, 0.2, SigmaModel((0.25, 0, 0, 0, 0, 0), 0.1))
    file = folder / "table.json"
    calibration.save(file)
    solve = recheck_module.solve_table
    solved: list[tuple[ByteArray, Solution]] = []

    def recorded(images: Sequence[ByteArray], table: TableSpec, name: str = "") -> Solution:
        solved.append((images[0], solve(images, table, name)))
        return solved[-1][1]

    with (
        pytest.MonkeyPatch.context() as patch
    ):  # solving takes seconds; the knocked cameras see the same picture
        patch.setattr(recheck_module, "solve_table", recorded)
        certificate = certify(video, file, "2026-11-21")
    return Clip(video, file, calibration, certificate, *solved[0])


def test_a_true_calibration_is_found_true_and_balls_repeat(clip: Clip) -> None:
    c = clip.certificate
    assert c.standing.true is True, c.standing
    assert {g.name for g in c.standing.groups} >= {
        "nose, bottom",
        "nose, top",
        "nose, left",
        "nose, right",
        "baulk line",
    }
    assert c.rests >= 8 and c.spread_mm is not None and c.spread_mm < 0.4
    assert c.drift is None or not c.drift.minutes  # seconds tell nothing of minutes
    assert c.shutter is None and {u.name: u.fitness for u in c.uses}["First contacts"] in (
        "limited",
        "not known",
    )
    light = {a.topic: a.light for a in c.advice}
    assert light["image rate"] == "red" and light["focus"] == light["flicker"] == "green"
    assert c.finding


@pytest.mark.parametrize(("dx_px", "holds"), [(0.0, True), (1.5, False), (6.0, False)])
def test_a_knocked_camera_is_named(
    clip: Clip, dx_px: float, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recheck_module, "solve_table", lambda *_: clip.solution)
    camera = clip.calibration.camera
    told = replace(clip.calibration, camera=replace(camera, cx_px=camera.cx_px + dx_px))
    found = recheck_calibration(clip.still, told, ())
    assert found.true is holds and found.shift is not None
    expected = dx_px * clip.calibration.mm_per_px(0.0, TABLE.length_mm / 2)
    assert found.shift.mean_mm == pytest.approx(expected, rel=0.15, abs=1.0)
    assert ("knocked" in found.sentence) is not holds


# ---- page and command
# ---------------------------------------------------------------------------------------------


def test_the_page_is_whole_harmless_and_the_same_each_time(clip: Clip) -> None:
    nasty = replace(clip.certificate, video='<script>alert(1)</script>"', notes=("<img src=x>",))
    page = certificate_html(nasty, clip.calibration.table)
    assert "<script" not in page and "<img" not in page and "&lt;script&gt;" in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)|url\(|@import""", page)  # nothing from outside
    assert page == certificate_html(nasty, clip.calibration.table)
    other_day = certificate_html(replace(nasty, date="2027-01-02"), clip.calibration.table)
    assert other_day.replace("2027-01-02", "2026-11-21") == page
    assert page.count("no ball lay here") == sum(not z.rests for z in clip.certificate.zones) > 0
    for apart_s, known in ((20.0, False), (90.0, True)):
        drifted = replace(nasty, drift=Drift(rests=3, median_mm=0.1, worst_mm=0.3, apart_s=apart_s))
        said = certificate_html(drifted, clip.calibration.table)
        assert f"{apart_s:.0f} s apart: 0.10 mm" in said and ("Minutes apart: not known" in said) is not known


def test_the_page_prints_on_one_sheet(clip: Clip, tmp_path: Path, browser: Any) -> None:
    file = tmp_path / "page.html"
    # the longest words: every sentence of every light, six spots, five pairs
    c = clip.certificate
    long = replace(
        c,
        notes=("baulk line and D were measured in the picture",) * 2,
        uses=tuple(replace(u, reason=u.reason + " " + "word " * 12) for u in c.uses),
    )
    file.write_text(certificate_html(long, clip.calibration.table), encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 390  # a phone
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) == 1


def test_the_command_writes_page_and_json(
    clip: Clip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("referee.commands.certify.measured", lambda *_: clip.certificate)
    out = tmp_path / "page.html"
    with pytest.raises(SystemExit) as ended:
        cli.main(["certify", str(clip.calibration_file), str(clip.video), "-o", str(out), "--json"])
    record = json.loads(capsys.readouterr().out)
    assert ended.value.code == 1 and record["finding"] is True  # ten images a second are a finding
    assert record["kind"] == "cueref-certificate" and len(record["zones"]) == ACROSS * ALONG
    assert {len(record["versions"][k]) for k in ("detector_sha256", "centre_sha256", "pair_sha256")} == {
        64
    } and record["standing"]["true"] is True
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("case", ["no calibration", "another size", "a bad date", "no video"])
def test_what_cannot_be_used_is_one_sentence(
    clip: Clip, tmp_path: Path, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file, video, date = clip.calibration_file, clip.video, "2026-11-21"
    if case == "no calibration":
        file = tmp_path / "other.json"
        file.write_text("{}")
    elif case == "another size":
        file = tmp_path / "other.json"
        replace(clip.calibration, camera=replace(clip.calibration.camera, width_px=640, height_px=360)).save(
            file
        )
    elif case == "a bad date":
        date = "2026-13-41"
    else:
        video = tmp_path / "none.mp4"
    with pytest.raises(SystemExit) as ended:
        cli.main(["certify", str(file), str(video), "--date", date, "-o", str(tmp_path / "page.html")])
    told = capsys.readouterr().err
    assert (
        ended.value.code == 2
        and "expected" in told
        and "found" in told
        and not (tmp_path / "page.html").exists()
    )


def test_help_shows_an_example() -> None:
    import typer

    from referee.cli import add_command

    app = typer.Typer()
    add_command(app, "certify")
    assert "Example: cueref certify" in CliRunner().invoke(app, ["--help"]).output
