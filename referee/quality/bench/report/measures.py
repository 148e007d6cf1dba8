"""From records to measures: for each thing that is measured, its trials with their camera and circumstances.

A measure is either errors (millimetres, seconds) or trials that failed or not. Both tiers give measures of
the same names where they measure the same, so that everything behind works on either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from calibration.table.pieces import PieceSet
from referee.match.touching import touching_verdict
from referee.quality.bench.records import (
    VISIBLE,
    BallAtRest,
    BallInMotion,
    CalibrationJudged,
    ExtraBall,
    Fact,
    FirstContact,
    Identity,
    Knock,
    LayoutJudged,
    Method,
    NotJudged,
    Pot,
    Record,
    Repeat,
    Respot,
    RestAgain,
    StrokeJudged,
    Timing,
    Told,
    TouchingPair,
    Where,
)
from referee.quality.bench.tracks.errors import CameraErrors
from referee.quality.bench.tracks.judge import InventedStroke, TrackStroke

ZERO_GAP_MM = 0.05
"""True gaps below it count as touching: no simulation and no table has them exact."""
SILENT_RATIO = 3.0
"""A calibration that is more than 1 mm off and this many of its own sigmas is silently wrong."""
FLAGGED_S, HEALED_S = 5.0, 10.0
"""A knock is to be known and healed within these."""
TOLD: dict[Told, str] = {"all": "all_told", "size": "size_told", "nothing": "untold"}
"""How a measure's parts end, by what the tables' owners told: `rest` has `rest_all_told` as one."""
SLOW_MM_S, FAST_MM_S = 2000.0, 6000.0


@dataclass(slots=True)
class Samples:
    """Trials of one measure, as columns. `errors`: values are errors; else 1 for failed, 0 for not.

    `exposure_ms` 0: not known. `unit` of the values, for people.
    """

    errors: bool
    unit: str = ""
    camera: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    mm_per_px: list[float] = field(default_factory=list)
    exposure_ms: list[float] = field(default_factory=list)


class Measures:
    """Measures by name, each begun when its first trial comes."""

    def __init__(self) -> None:
        self.by_name: dict[str, Samples] = {}
        self._where: tuple[int, float, float] = (0, 0.0, 0.0)

    def at(self, where: Where, mm_per_px: float | None = None) -> Measures:
        """The circumstances of what is added next."""
        self._where = where.camera, mm_per_px or where.mm_per_px, where.exposure_s * 1000
        return self

    def at_camera(self, camera: CameraErrors, image_hz: float) -> Measures:
        """The same for the tracks tier."""
        exposure = camera.exposure_s * (camera.image_hz / image_hz if image_hz else 1.0)
        self._where = camera.camera, camera.mm_per_px, min(exposure, 1 / max(image_hz, 1.0)) * 1000
        return self

    def error(self, name: str, value: float, unit: str = "mm") -> None:
        self._add(name, True, value, unit)

    def trial(self, name: str, failed: bool) -> None:
        self._add(name, False, float(failed), "")

    def _add(self, name: str, errors: bool, value: float, unit: str) -> None:
        s = self.by_name.get(name)
        if s is None:
            s = self.by_name[name] = Samples(errors, unit)
        s.camera.append(self._where[0])
        s.value.append(value)
        s.mm_per_px.append(self._where[1])
        s.exposure_ms.append(self._where[2])


def usual(where: Where) -> bool:
    """Whether it is what the reach is stated for: 1080p, and 50 images a second where it is a clip."""
    return min(where.width_px, where.height_px) == 1080 and (
        where.source == "layout" or round(where.image_hz) == 50
    )


def pixel_measures(
    records: Iterable[Record], method: Method = "cueref", only_usual: bool = False
) -> dict[str, Samples]:
    """Measures of the pixel tier; `only_usual`: of 1080p50 (and 1080p pictures) alone."""
    m = Measures()
    for r in records:
        if (only_usual and not usual(r.where)) or getattr(r, "method", method) != method:
            continue
        if method != "cueref" and not hasattr(r, "method"):
            continue
        _pixel(m, r)
    return m.by_name


def _pixel(m: Measures, r: Record) -> None:
    count = _COUNTERS.get(type(r))
    if count is not None:  # others are counted by world
        count(m.at(r.where), r)


def _layout(m: Measures, r: LayoutJudged) -> None:
    m.trial("layout" if r.stroke is not None else "layout_single", not r.right)
    m.trial("layout_extra", r.extra > 0)


def _first_contact(m: Measures, r: FirstContact) -> None:
    first_contact(m, r.right, r.certain, r.question, r.dt_s, r.allowed_s)


def _touching_pair(m: Measures, r: TouchingPair) -> None:
    if r.verdict != "not_seen":
        touching(m, r.true_gap_mm, r.verdict)


def _respot(m: Measures, r: Respot) -> None:
    respot(m, r.true_offset_mm, r.verdict)


def _identity(m: Measures, r: Identity) -> None:
    for k in range(r.contacts):
        m.trial("identity", k < r.swaps)


def _fact(m: Measures, r: Fact) -> None:
    if r.certain:
        m.trial("certain_wrong", not r.right)


def _knock(m: Measures, r: Knock) -> None:
    flagged = r.flagged_s is not None and r.flagged_s <= FLAGGED_S
    healed = r.healed_s is not None and r.healed_s <= HEALED_S
    m.trial("knock", r.false_before or not flagged or not healed)


def _stroke(m: Measures, r: StrokeJudged) -> None:
    if r.true_stroke is not None:
        m.trial("stroke_missed", r.said_stroke is None)
        m.trial("pot_false", False)
    m.trial("stroke_invented", r.true_stroke is None)


def _repeat(m: Measures, r: Repeat) -> None:
    m.at(r.where, r.mm_per_px).error("repeat", r.spread_mm)


def _rest_again(m: Measures, r: RestAgain) -> None:
    m.error("rest_again", r.difference_mm)


def _not_judged(m: Measures, r: NotJudged) -> None:
    m.trial("broke_down", r.crash)


def _extra_ball(m: Measures, r: ExtraBall) -> None:
    m.error("extra_sigma", r.sigma_mm)


def _rest(m: Measures, r: BallAtRest) -> None:
    m.at(r.where, r.mm_per_px)
    if r.visible < VISIBLE:
        m.trial("unseeable_missed", r.dx_mm is None)
        return
    m.trial("ball_missed", r.dx_mm is None)
    if r.dx_mm is None or r.dy_mm is None:
        return
    wrong = r.said_colour != r.colour
    m.trial("colour", wrong)
    if r.colour in ("red", "brown"):
        m.trial("red_brown", wrong and r.said_colour in ("red", "brown"))
    for name in split("rest", r.where):
        m.error(name, math.hypot(r.dx_mm, r.dy_mm))
    if r.sigma_mm:
        sigma(m, "rest", r.dx_mm, r.dy_mm, r.sigma_mm)


def split(measure: str, where: Where) -> tuple[str, str]:
    """The measure of all tables and that of those whose owners tell as much as this one's."""
    return measure, f"{measure}_{TOLD[where.told]}"


def sigma(m: Measures, of: str, dx_mm: float, dy_mm: float, sigma_mm: float) -> None:
    """Whether each axis' error lies within one and two of the claimed sigmas."""
    for d in (dx_mm, dy_mm):
        m.error(f"{of}_ratio", abs(d) / sigma_mm, "sigmas")
        m.trial(f"{of}_beyond_1_sigma", abs(d) > sigma_mm)
        m.trial(f"{of}_beyond_2_sigma", abs(d) > 2 * sigma_mm)


def _motion(m: Measures, r: BallInMotion) -> None:
    m.at(r.where, r.mm_per_px)
    if r.visible < VISIBLE or r.speed_mm_s > FAST_MM_S:
        return
    m.trial("motion_lost", r.dx_mm is None)
    if r.dx_mm is not None and r.dy_mm is not None:
        m.error("motion_slow" if r.speed_mm_s <= SLOW_MM_S else "motion_fast", math.hypot(r.dx_mm, r.dy_mm))
        if r.sigma_mm:
            sigma(m, "motion", r.dx_mm, r.dy_mm, r.sigma_mm)


def first_contact(
    m: Measures, right: bool | None, certain: bool, question: bool, dt_s: float | None, allowed_s: float
) -> None:
    """One stroke's first contact."""
    m.trial("first_question", question)
    if certain and not question and right is not None:
        m.trial("first_contact", not right)
    if right and dt_s is not None:
        m.error("first_time", abs(dt_s) * 1000, "ms")
        m.trial("first_time_late", abs(dt_s) > allowed_s)


def touching(m: Measures, gap_mm: float, verdict: str) -> None:
    """One pair of balls: yes, no or unknown."""
    if gap_mm > 1.0:
        m.trial("touch_apart", verdict != "no")
    elif gap_mm < ZERO_GAP_MM:
        m.trial("touch_zero", verdict == "no")
    elif gap_mm >= 0.2:
        m.trial("touch_near", verdict == "yes")
    if gap_mm <= 1.0:
        m.trial("touch_unknown", verdict == "unknown")


def respot(m: Measures, offset_mm: float, verdict: str) -> None:
    """One colour put back."""
    m.trial("respot_not_seen", verdict == "not_seen")
    if offset_mm >= 3.0:
        m.trial("respot_off", verdict != "flagged")
    elif offset_mm <= 1.0:
        m.trial("respot_on", verdict == "flagged")


def _pot(m: Measures, r: Pot) -> None:
    if r.true_pocket is not None:
        m.trial("pot", r.said_pocket != r.true_pocket)
        if r.said_pocket is None or r.said_pocket == r.true_pocket:
            return
    elif r.said_pocket is None:
        return
    m.trial("pot_false", True)
    m.trial("pot_false_hands", r.hands)


def _calibration(m: Measures, r: CalibrationJudged) -> None:
    for name in split("calibration_refused", r.where):
        m.trial(name, r.refused)
    if r.refused or r.worst_mm is None:
        return
    for name in split("calibration_worst", r.where):
        m.error(name, r.worst_mm)
    for name in split("calibration_over_1", r.where):
        m.trial(name, r.worst_mm > 1.0)
    m.trial("calibration_silent", r.worst_mm > 1.0 and (r.worst_ratio or 0.0) > SILENT_RATIO)


def _timing(m: Measures, r: Timing) -> None:
    if r.decode_s and r.images:
        m.error("decode_ms", r.decode_s / r.images * 1000, "ms an image")
    if r.baseline_s is not None:
        m.error("baseline_ms", r.baseline_s * 1000, "ms an image")
    if r.review_s and r.decode_s and r.video_s:
        m.error("review_ms", r.review_s / max(r.images, 1) * 1000, "ms an image")
        m.error("review_of_decode", r.review_s / max(r.decode_s, r.video_s / 4 / 1.5), "times")
        m.trial("review_slow", r.video_s / r.review_s < 3.0)


def _track_stroke(m: Measures, s: TrackStroke) -> None:
    """What is counted of a stroke of the tracks tier that was seen."""
    m.trial("stroke_invented", False)
    for k in range(s.contacts):
        m.trial("identity", k < s.swaps)
    for k in range(s.pots):
        m.trial("pot", k >= s.pots_right)
    m.trial("pot_false", s.pots_false > 0)
    first_contact(m, s.first_right, s.first_certain, s.first_question, s.first_dt_s, s.first_allowed_s)
    m.trial("question", s.question)
    wrong = sum(w.certain for w in s.wrong)
    for k in range(s.facts):
        m.trial("certain_wrong", k < wrong)
    for far, sigma_mm, dx, dy in s.rests:
        m.error("rest", far)
        sigma(m, "rest", dx, dy, sigma_mm)
    for k in range(s.forms):
        m.trial("solid_stripe", k < s.forms_wrong)
    for gap, said_gap, sigma_mm, _ in s.touching:
        touching(m, gap, touching_verdict(said_gap, sigma_mm))
    for offset, dx_error, _, _, ok in s.respots:
        finding = "undecided" if ok is None else "ok" if ok else "flagged"
        respot(m, offset, "not_seen" if dx_error is None else finding)


def game_measures(records: Iterable[Record], pieces: PieceSet) -> dict[str, Samples]:
    """Measures of another game's pixels, of all sizes of picture, by what its targets name."""
    m = Measures()
    for r in records:
        m.at(r.where)
        if isinstance(r, LayoutJudged):
            m.trial("layout", not r.right)
        elif isinstance(r, BallAtRest) and r.visible >= VISIBLE:
            _game_rest(m, r, pieces)
        elif isinstance(r, Fact):
            _game_fact(m, r)
    return m.by_name


def _game_rest(m: Measures, r: BallAtRest, pieces: PieceSet) -> None:
    if r.dx_mm is None or r.dy_mm is None or r.said_colour is None:
        return
    m.error("rest", math.hypot(r.dx_mm, r.dy_mm))
    forms = {pieces.form_of(r.colour), pieces.form_of(r.said_colour)}
    if forms <= {"solid", "stripe"}:
        m.trial("solid_stripe", len(forms) > 1)


def _game_fact(m: Measures, r: Fact) -> None:
    if r.fact == "pot":
        m.trial("pot", not r.right)
    if r.certain:
        m.trial("certain_wrong", not r.right)
        if r.fact == "first_contact":
            m.trial("first_contact", not r.right)


def track_measures(
    strokes: Sequence[TrackStroke], invented: Sequence[InventedStroke], cameras: Sequence[CameraErrors]
) -> dict[str, Samples]:
    """Measures of the tracks tier; circumstances are the error model's cameras'."""
    m = Measures()
    by_number = {c.camera: c for c in cameras}
    for s in strokes:
        camera = by_number[s.camera]
        m.at_camera(camera, s.image_hz)
        m.trial("stroke_missed", not s.seen)
        m.trial("layout", not s.layout_right)
        if s.seen:
            _track_stroke(m, s)
    for i in invented:
        m.at_camera(by_number[i.camera], i.image_hz).trial("stroke_invented", True)
    return m.by_name


_COUNTERS: dict[type[Record], Callable[[Measures, Any], None]] = {
    BallAtRest: _rest,
    BallInMotion: _motion,
    CalibrationJudged: _calibration,
    ExtraBall: _extra_ball,
    Fact: _fact,
    FirstContact: _first_contact,
    Identity: _identity,
    Knock: _knock,
    LayoutJudged: _layout,
    NotJudged: _not_judged,
    Pot: _pot,
    Repeat: _repeat,
    Respot: _respot,
    RestAgain: _rest_again,
    StrokeJudged: _stroke,
    Timing: _timing,
    TouchingPair: _touching_pair,
}
"""What is counted of each kind of record."""
