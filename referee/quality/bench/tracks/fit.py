"""The error model measured: a filmed clip observed as a review observes it, held against its exact truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from calibration.camera import Camera
from calibration.result import Calibration
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from referee.quality.bench.pixels.play import crowd, draw_script
from referee.quality.bench.pixels.scenes import Setting, draw_setting
from referee.quality.bench.pixels.tier import CameraPlan
from referee.quality.bench.records import VISIBLE
from referee.quality.bench.tracks.cells import Capsule, distance_mm
from referee.quality.bench.tracks.errors import (
    Anchor,
    CameraErrors,
    ErrorModel,
    FalseRun,
    MovingRun,
    RestRun,
    Row,
    Run,
    Zone,
    field_terms,
    zone_of,
)
from referee.quality.bench.tracks.play import kind
from referee.review.pipeline import calibration_found
from vision.detect.detector import Detector
from vision.io.images import read_video
from vision.observation import CellMask, ImageObservations, Observation
from vision.observer import Observer
from vision.render.play.director import Script
from vision.render.scene import Ball
from vision.render.scene import Capsule as Limb
from vision.render.visibility import visible_shares

F64 = np.ndarray[Any, np.dtype[np.float64]]
_MATCH_MM = 26.0  # half a ball: further away it is another thing
_STILL_MM_S = 3.0
_LONGEST_RUN = 24
_LINK_MM, _LINK_S = 15.0, 0.5
_NEAR_BALL_MM, _NEAR_POCKET_MM = 80.0, 130.0
_FALLING_S = 0.3
_FIELD_PRIOR_MM = 1.0
_ONE_REST_MM = 0.4  # how far the mean of one rest may lie from a smooth field
_LEAST_FOR_FIELD = 12
_LEAST_HIDDEN = 10
# a ball is seen a little off its true place: beside a cell's edge, in the next cell (where spots lie)
_BESIDE_MM = 6.0
_NEAR_PERSON_MM = 60.0


@dataclass(frozen=True, slots=True)
class Truth:
    """`t_s` (n,), `names`, `xy_mm` (n, balls, 2), nan where a ball is off the table.

    `visible` (n, balls): share of each ball's outline in sight. `people`: for each image what lies over the
    table as the camera sees it at the height of the balls.
    """

    t_s: F64
    names: tuple[str, ...]
    xy_mm: F64
    visible: F64
    people: tuple[tuple[Capsule, ...], ...]

    @staticmethod
    def beside(video: Path) -> Truth:
        """The `.frames.npz` that `cueref synth` and the bench write beside a clip."""
        path = video.with_suffix("").with_name(video.stem + ".frames.npz")
        try:
            with np.load(path) as data:
                t, xy = data["t"].astype(float), data["xy"].astype(float) * 1000
                return Truth(
                    t, tuple(str(n) for n in data["names"]), xy, np.ones(xy.shape[:2]), ((),) * len(t)
                )
        except (OSError, KeyError, ValueError) as error:
            raise unusable_input("errors.exact_positions_of_a_clips_balls", path=path, error=error) from None

    def beside_person(self, i: int, x_mm: float, y_mm: float) -> bool:
        """Whether something lies over the table near the place in image i."""
        return any(distance_mm(x_mm, y_mm, c) - c.radius_mm < _NEAR_PERSON_MM for c in self.people[i])

    def speeds(self) -> F64:
        """Velocities (n, balls, 2), mm/s; nan beside the moments at which a ball comes or goes."""
        v = np.full_like(self.xy_mm, np.nan)
        step = (self.t_s[2:] - self.t_s[:-2])[:, None, None]
        v[1:-1] = (self.xy_mm[2:] - self.xy_mm[:-2]) / step
        v[0], v[-1] = 0.0, 0.0
        return v


@dataclass(slots=True)
class _Track:
    """One ball's rows under way."""

    rows: list[Row | None] = field(default_factory=list)
    places: list[tuple[float, float]] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    ways: list[tuple[float, float]] = field(default_factory=list)
    colour: str = ""
    zone: Zone = "open"
    near: bool = False
    moving: bool = False


class Fitter:
    """Collects runs of one camera: `watch` clips, then `model`."""

    def __init__(self, camera: int, calibration: Calibration, image_hz: float, exposure_s: float) -> None:
        self.camera, self.calibration = camera, calibration
        self.table: TableSpec = calibration.table
        self.image_hz, self.exposure_s = image_hz, exposure_s
        self.rest: list[tuple[RestRun, list[tuple[float, float]]]] = []
        self.moving: list[tuple[MovingRun, list[tuple[float, float]], list[tuple[float, float]]]] = []
        self.false: list[FalseRun] = []
        self.images = self.covered_images = 0
        self.hidden = self.hidden_known = 0
        self._looked: list[CellMask | None] = []

    def watch(self, video: Path, truth: Truth) -> None:
        """Observe one clip and compare."""
        speeds = truth.speeds()
        observer = Observer(self.calibration, Detector())
        tracks: dict[int, _Track] = {}
        loose: list[tuple[float, Observation, Anchor, str]] = []
        for image in read_video(video):
            seen = observer.feed(image)
            if seen.repeated or (seen.looked is not None and not seen.looked.any):
                continue
            self.images += 1
            self.covered_images += seen.covered is not None
            self._looked.append(seen.looked)
            i = int(np.argmin(np.abs(truth.t_s - seen.t_s)))
            free = self._balls(tracks, truth, speeds, i, seen)
            loose += [
                (seen.t_s, o, *self._anchor(o, truth, speeds, i, seen))
                for o in free
                if self._counts(o, truth, i)
            ]
        for track in tracks.values():
            self._close(track)
        self.false += linked(loose, self.camera, self.table, self._looked)
        self._looked.clear()

    # -- balls ----------------------------------------------------------------------------------------

    def _balls(
        self, tracks: dict[int, _Track], truth: Truth, speeds: F64, i: int, seen: ImageObservations
    ) -> list[Observation]:
        """Add a row to each ball that was looked at; returns the observations that are no ball."""
        here = truth.xy_mm[i]
        names = [kind(n) for n in truth.names]
        there = [k for k in range(len(names)) if not np.isnan(here[k, 0])]
        free = seen.observations
        taken = _taken(there, here, free)
        for k in there:
            x, y = float(here[k, 0]), float(here[k, 1])
            if k not in taken and not _looked_about(seen.looked, x, y):
                continue
            known = seen.covered is not None and seen.covered.at(x, y)
            hidden = truth.visible[i, k] < VISIBLE
            if hidden:
                self.hidden += 1
                self.hidden_known += known
            if k not in taken and (known or hidden):
                continue
            others = [(float(here[j, 0]), float(here[j, 1])) for j in there if j != k]
            cut = truth.visible[i, k] < 0.97
            self._row(tracks, k, names[k], (x, y), others, speeds[i, k], taken.get(k), seen, cut)
        for k in [k for k in tracks if k not in there]:
            self._close(tracks.pop(k))
        used = {id(o) for o in taken.values()}
        return [o for o in free if id(o) not in used]

    def _row(
        self,
        tracks: dict[int, _Track],
        k: int,
        colour: str,
        at: tuple[float, float],
        others: list[tuple[float, float]],
        velocity: F64,
        obs: Observation | None,
        seen: ImageObservations,
        cut: bool,
    ) -> None:
        if np.isnan(velocity).any():
            return
        speed = float(np.hypot(*velocity))
        moving = speed > _STILL_MM_S
        reach = self.table.ball_radius_mm
        cover = seen.covered
        near = cut or (
            cover is not None
            and any(cover.at(at[0] + a, at[1] + b) for a in (-reach, 0, reach) for b in (-reach, 0, reach))
        )
        track = tracks.get(k)
        if track is not None and (
            track.moving != moving or track.near != near or len(track.rows) >= _LONGEST_RUN
        ):
            self._close(tracks.pop(k))
            track = None
        if track is None:
            zone: Zone = "near_cover" if near else zone_of(*at, others, self.table)
            track = tracks[k] = _Track(colour=colour, zone=zone, near=near, moving=moving)
        track.places.append(at)
        track.speeds.append(speed)
        track.ways.append((float(velocity[0]) / max(speed, 1e-6), float(velocity[1]) / max(speed, 1e-6)))
        if obs is None:
            track.rows.append(None)
            return
        track.rows.append(
            Row(obs.x_mm - at[0], obs.y_mm - at[1], obs.sigma_mm, obs.confidence, obs.colour_logp)
        )

    def _close(self, track: _Track) -> None:
        rows: Run = tuple(track.rows)
        if track.moving:
            run = MovingRun(self.camera, track.colour, track.near, tuple(track.speeds), rows)
            self.moving.append((run, track.places, track.ways))
        else:
            self.rest.append((RestRun(self.camera, track.colour, track.zone, rows), track.places))

    # -- what is no ball ------------------------------------------------------------------------------

    def _counts(self, obs: Observation, truth: Truth, i: int) -> bool:
        """Not a ball that is just falling: it has left the truth, but is one."""
        back = max(0, i - int(_FALLING_S * self.image_hz))
        gone = np.isnan(truth.xy_mm[i, :, 0]) & ~np.isnan(truth.xy_mm[back, :, 0])
        pockets = [
            p
            for p in self.table.pockets
            if math.hypot(obs.x_mm - p.x_mm, obs.y_mm - p.y_mm) < _NEAR_POCKET_MM
        ]
        return not (gone.any() and pockets)

    def _anchor(
        self, obs: Observation, truth: Truth, speeds: F64, i: int, seen: ImageObservations
    ) -> tuple[Anchor, str]:
        fast = np.hypot(speeds[i, :, 0], speeds[i, :, 1]) > _STILL_MM_S
        apart = np.hypot(truth.xy_mm[i, :, 0] - obs.x_mm, truth.xy_mm[i, :, 1] - obs.y_mm)
        if (fast & (apart < _NEAR_BALL_MM)).any():
            return "ball", ""
        for p in self.table.pockets:
            if math.hypot(obs.x_mm - p.x_mm, obs.y_mm - p.y_mm) < _NEAR_POCKET_MM:
                return "pocket", p.name
        d = 1.5 * self.table.ball_diameter_mm
        cover = seen.covered
        covered = cover is not None and any(
            cover.at(obs.x_mm + a, obs.y_mm + b) for a in (-d, 0, d) for b in (-d, 0, d)
        )
        if covered or truth.beside_person(i, obs.x_mm, obs.y_mm):
            return "cover", ""
        return ("beside" if (apart < self.table.ball_diameter_mm).any() else "open"), ""

    # -- the model ------------------------------------------------------------------------------------

    def model(self, provenance: dict[str, Any]) -> ErrorModel:
        """Everything watched, the camera's smooth field taken out of the rests and motions."""
        fx, fy = self._field()
        sigma = (*self.calibration.sigma.coefficients, self.calibration.sigma.floor_mm)
        px = self.calibration.camera.width_px
        mm_per_px = self.calibration.mm_per_px(0.0, self.table.length_mm / 2)
        camera = CameraErrors(
            self.camera,
            self.image_hz,
            self.exposure_s,
            mm_per_px,
            px,
            fx,
            fy,
            sigma,
            self.images,
            self.covered_images,
            self._known(),
        )
        rest = []
        for run, places in self.rest:
            rows = tuple(
                _without(row, camera.offset_mm(*at, self.table))
                for row, at in zip(run.rows, places, strict=True)
            )
            rest.append(RestRun(run.camera, run.colour, run.zone, rows))
        moving = []
        for m, places, ways in self.moving:
            own = [
                _without(row, camera.offset_mm(*at, self.table))
                for row, at in zip(m.rows, places, strict=True)
            ]
            rows = tuple(_along(row, way) for row, way in zip(own, ways, strict=True))
            moving.append(MovingRun(m.camera, m.colour, m.near_cover, m.speeds_mm_s, rows))
        return ErrorModel(provenance, [camera], rest, moving, self.false)

    def _known(self) -> float:
        """Share of the moments at which a hidden ball's cells were known to be covered; 1 where too few were
        hidden.
        """
        return self.hidden_known / self.hidden if self.hidden >= _LEAST_HIDDEN else 1.0

    def _field(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Ridge regression of each rest's mean error; a few rests say too little and give none."""
        means, at = [], []
        for run, places in self.rest:
            got = [(r.a_mm, r.b_mm, p) for r, p in zip(run.rows, places, strict=True) if r is not None]
            if got and run.zone != "near_cover":
                means.append((np.median([g[0] for g in got]), np.median([g[1] for g in got])))
                at.append(got[0][2])
        if len(means) < _LEAST_FOR_FIELD:
            return (0.0,) * 6, (0.0,) * 6
        where = np.array(at)
        basis = field_terms(where[:, 0], where[:, 1], self.table)
        e = np.clip(np.array(means, float), -8.0, 8.0)
        lhs = basis.T @ basis / _ONE_REST_MM**2 + np.eye(6) / _FIELD_PRIOR_MM**2
        both = np.linalg.solve(lhs, basis.T @ e / _ONE_REST_MM**2)
        return tuple(float(v) for v in both[:, 0]), tuple(float(v) for v in both[:, 1])


def _taken(there: Sequence[int], here: F64, free: Sequence[Observation]) -> dict[int, Observation]:
    """The observation of each ball that has one; `here` (balls, 2): true places in mm, `there`: balls on the
    table.
    """
    if not there or not free:
        return {}
    cost = np.array([[math.hypot(o.x_mm - here[k, 0], o.y_mm - here[k, 1]) for o in free] for k in there])
    pairs = zip(*scipy.optimize.linear_sum_assignment(np.minimum(cost, 4 * _MATCH_MM)), strict=True)
    return {there[a]: free[b] for a, b in pairs if cost[a, b] < _MATCH_MM}


def _without(row: Row | None, offset: tuple[float, float]) -> Row | None:
    return (
        None
        if row is None
        else Row(row.a_mm - offset[0], row.b_mm - offset[1], row.sigma_mm, row.confidence, row.logp)
    )


def _along(row: Row | None, way: tuple[float, float]) -> Row | None:
    """An error along x and y as one along and across the path."""
    if row is None:
        return None
    a, b = row.a_mm * way[0] + row.b_mm * way[1], -row.a_mm * way[1] + row.b_mm * way[0]
    return Row(a, b, row.sigma_mm, row.confidence, row.logp)


def linked(
    loose: Sequence[tuple[float, Observation, Anchor, str]],
    camera: int,
    table: TableSpec,
    looked: Sequence[CellMask | None],
) -> list[FalseRun]:
    """False observations that follow upon each other at one place are one thing; `looked` of every image."""
    centres: dict[str, tuple[float, float]] = {p.name: (p.x_mm, p.y_mm) for p in table.pockets}
    runs: list[tuple[Anchor, str, list[tuple[float, Observation]]]] = []
    for t, obs, anchor, pocket in loose:
        for a, p, things in reversed(runs):
            last_t, last = things[-1]
            near = math.hypot(obs.x_mm - last.x_mm, obs.y_mm - last.y_mm) < _LINK_MM
            same = anchor != "ball" and (a, p) == (anchor, pocket)
            if same and near and 0 < t - last_t < _LINK_S and len(things) < _LONGEST_RUN:
                things.append((t, obs))
                break
        else:
            runs.append((anchor, pocket, [(t, obs)]))
    out = []
    for anchor, pocket, things in runs:
        x0, y0 = centres.get(pocket, (0.0, table.length_mm / 2))
        if anchor in ("cover", "ball"):
            x0, y0 = things[0][1].x_mm, things[0][1].y_mm
        rows = tuple(
            Row(o.x_mm - x0, o.y_mm - y0, o.sigma_mm, o.confidence, o.colour_logp) for _, o in things
        )
        at = things[0][1]
        looks = sum(m is None or m.at(at.x_mm, at.y_mm) for m in looked)
        out.append(FalseRun(camera, anchor, pocket, max(looks, len(rows)), rows))
    return out


def merged(
    models: Sequence[ErrorModel], provenance: dict[str, Any], most_runs: int | None = None, seed: int = 1
) -> ErrorModel:
    """One model of several cameras; `most_runs` of each kind are kept, drawn at random."""
    rng = np.random.default_rng(seed)

    def some(runs: list[Any]) -> list[Any]:
        if most_runs is None or len(runs) <= most_runs:
            return runs
        return [runs[i] for i in sorted(rng.choice(len(runs), most_runs, replace=False))]

    cameras = [c for m in models for c in m.cameras]
    kept = [some([r for m in models for r in getattr(m, name)]) for name in ("rest", "moving")]
    return ErrorModel(provenance, cameras, kept[0], kept[1], [r for m in models for r in m.false])


def _looked_about(looked: CellMask | None, x_mm: float, y_mm: float) -> bool:
    """Whether the cell was looked at in which a ball of that true place would be seen, whatever its error."""
    around = [(x_mm + a, y_mm + b) for a in (-_BESIDE_MM, _BESIDE_MM) for b in (-_BESIDE_MM, _BESIDE_MM)]
    return looked is None or all(looked.at(*p) for p in around)


def truth_of(plan: CameraPlan) -> tuple[Truth, float]:
    """What the clip of a camera of the pixel tier shows in truth, each ball at its own row's moment;
    exposure, s.
    """
    setting = draw_setting((plan.seed, plan.number), plan.width_px, plan.height_px, plan.image_hz)
    table, camera = setting.scene.table, setting.camera
    rng = np.random.default_rng([plan.seed, plan.number, 2])
    script = draw_script(rng, table, plan.strokes, plan.number, plan.game)
    times = np.arange(int(script.end_s * plan.image_hz)) / plan.image_hz
    names = tuple(sorted({n for t in times for n in script.layout(float(t))}))
    xy = np.full((len(times), len(names), 2), np.nan)
    visible = np.ones(xy.shape[:2])
    people: list[tuple[Capsule, ...]] = []
    for i, t in enumerate(times):
        for n, p in script.layout(float(t)).items():
            xy[i, names.index(n)] = p
    if setting.shutter.readout_s > 0:
        _move_to_own_rows(xy, names, times, script, setting)
    for i, t in enumerate(times):
        limbs = crowd(script, float(t), plan.number)
        people.append(tuple(_as_seen(limb, camera, table.ball_radius_mm) for limb in limbs))
        for k in np.flatnonzero(~np.isnan(xy[i, :, 0])).tolist() if people[-1] else ():
            x, y = float(xy[i, k, 0]), float(xy[i, k, 1])
            if any(distance_mm(x, y, c) - c.radius_mm < 3 * table.ball_radius_mm for c in people[-1]):
                ball = Ball(kind(names[k]), x, y)
                (visible[i, k],) = visible_shares(camera, (ball,), limbs, table.ball_radius_mm)
    return Truth(times, names, xy, visible, tuple(people)), setting.shutter.exposure_s


def _move_to_own_rows(xy: F64, names: Sequence[str], times: F64, script: Script, setting: Setting) -> None:
    """Move the rolling balls (images, balls, 2), in place, to where they are when the shutter reads their
    rows.
    """
    camera, table = setting.camera, setting.scene.table
    moved = np.abs(np.diff(xy, axis=0, prepend=xy[:1])).max(axis=2) > 0.05
    for i, k in np.argwhere(moved).tolist():
        (px,) = camera.pixels_from_table([(*xy[i, k], table.ball_radius_mm)])
        delay_s = setting.shutter.row_delay_s(float(px[1]), camera.height_px)
        there = script.layout(float(times[i]) + delay_s).get(names[k])
        if there is not None:
            xy[i, k] = there


def _as_seen(limb: Limb, camera: Camera, height_mm: float) -> Capsule:
    """A limb cast from the camera onto the plane of the ball centres."""
    ox, oy, oz = camera.centre_mm

    def cast(p: tuple[float, float, float]) -> tuple[float, float, float]:
        grow = (oz - height_mm) / max(oz - p[2], 50.0)
        return ox + (p[0] - ox) * grow, oy + (p[1] - oy) * grow, grow

    (ax, ay, ga), (bx, by, gb) = cast(limb.a), cast(limb.b)
    return Capsule(ax, ay, bx, by, max(limb.radius_a_mm * ga, limb.radius_b_mm * gb))


def fit_camera(plan: CameraPlan, work: Path) -> ErrorModel | None:
    """The errors at one camera of the pixel tier, from the clip and the review that measuring left in `work`.

    None where no review was finished: what the table was not found in has no errors to resample.
    """
    video = next((work / n for n in ("clip.mp4", "clip.mkv") if (work / n).is_file()), None)

    calibration = calibration_found(work / "review")
    if video is None or calibration is None:
        return None
    truth, exposure_s = truth_of(plan)
    fitter = Fitter(plan.number, calibration, plan.image_hz, exposure_s)
    fitter.watch(video, truth)
    return fitter.model({"seed": plan.seed, "camera": plan.number})
