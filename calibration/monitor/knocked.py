"""The pose of a knocked camera, from the shifts of patches of the calibrated view.

The lens stays the same. Rotation and position are solved by least squares over the patches' shifts, each with
its own covariance and Cauchy's loss, always relative to the calibrated view, so that errors do not add up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, rotation_matrix, rotation_vector
from calibration.monitor.patches import (
    Shifts,
    choose_patches,
    crop,
    found_again,
    patch_of,
    shifts_of,
    shrunk_px,
)
from calibration.result import Calibration

ByteArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

_WIDTH_PX = 2000  # width to which larger pictures are shrunk; a millimetre stays a good part of a pixel
_REACH_SHARE = 0.06  # of the width: reach of the search after a hard knock
_SIGMAS = np.array([0.03, 0.03, 0.03, 15.0, 15.0, 15.0])
"""Prior of a knock: rotation (rad) about the camera's axes, then shift (mm).

A level view cannot distinguish a small rotation from a shift.
"""

_STEPS = 4  # of measuring shifts and solving the pose
_ENOUGH_PX = 0.15  # a step that is smaller needs no further one
_LEAST_SEEN = 6  # patches
_SEEN_SHARE = 0.25  # of the patches; with fewer somebody stands before the camera
_AGREE_SHARE = 0.5  # of the patches seen that must fit the pose
_AGREE_SIGMAS = 4.0
_ROUNDS = 25
_SAME_SLOPE = 0.05  # prior sigmas: derivatives taken so near are the same to a thousandth
_RENEW_AFTER = 20  # checks in a row without a match after which a patch is taken anew
_RENEW_SAME = 4.0  # grey levels that a patch at rest may change between checks


@dataclass(frozen=True, slots=True)
class View:
    """The pose of a picture's view.

    `shift_mm`: largest shift on the table relative to the reference camera, nan when too few patches are
    seen. `sigma_mm`: its standard deviation. `camera`: the pose that fits the patches, None where none does.
    `agreeing`: share of the patches that are seen, of all, and agree with it.
    """

    shift_mm: float
    sigma_mm: float
    camera: Camera | None
    agreeing: float = 0.0


_UNSEEN = View(float("nan"), float("nan"), None)


class MovedCheck:
    """Compares patches of the calibrated view with later pictures."""

    def __init__(self, calibration: Calibration, reference_luma: ByteArray) -> None:
        """`reference_luma`: (H, W) uint8 of the view that was calibrated."""
        self.calibration = calibration
        self.shrink = max(1, round(reference_luma.shape[1] / _WIDTH_PX))
        self._patches = list(choose_patches(calibration, self._small(reference_luma), self.shrink))
        self._other: list[tuple[int, ByteArray | None]] = [(0, None)] * len(self._patches)

    def check(self, luma: ByteArray, now: Camera | None = None) -> View:
        """The view of a picture (H, W) uint8 relative to the camera `now` (None: the calibrated one)."""
        now = now or self.calibration.camera
        small = self._small(luma)
        if len(self._patches) < _LEAST_SEEN:
            return _UNSEEN
        found = self._solved(small, now)
        if found is None or found.camera is None:
            start = self._far(small)
            far = None if start is None else self._solved(small, start)
            found = far if far is not None and (far.camera is not None or found is None) else found
        if found is None:
            return _UNSEEN
        if found.camera is not None:
            self._renew(small, found)
        shift, sigma = found.against(now, self.calibration)
        return View(shift, sigma, found.camera, found.agreeing * sum(found.seen) / len(found.seen))

    def _small(self, luma: ByteArray) -> ByteArray:
        if self.shrink == 1:
            return luma
        size = (luma.shape[1] // self.shrink, luma.shape[0] // self.shrink)
        whole = luma[: size[1] * self.shrink, : size[0] * self.shrink]
        return np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)

    def _expected(self, camera: Camera) -> FloatArray:
        points = np.array([p.point_mm for p in self._patches])
        rest = np.array([p.rest_px for p in self._patches], dtype=np.float64)
        return np.asarray(shrunk_px(camera, points, self.shrink) + rest, dtype=np.float64)

    def _solved(self, small: ByteArray, start: Camera) -> _Pose | None:
        """The pose, by turns of measuring the shifts and solving; None when too few patches are seen."""
        camera, pose = start, None
        for _ in range(_STEPS):
            expected = self._expected(camera)
            shifts = shifts_of(self._patches, small, expected)
            if shifts.seen.sum() < max(_LEAST_SEEN, _SEEN_SHARE * len(self._patches)):
                return None
            pose = self._pose(shifts)
            step = float(np.nanmax(np.linalg.norm(self._expected(pose.best) - expected, axis=1)))
            camera = pose.best
            if step < _ENOUGH_PX:
                break
        return pose

    def _pose(self, shifts: Shifts, loose_px: float = 0.0) -> _Pose:
        seen = shifts.seen
        points = np.array([p.point_mm for p in self._patches])[seen]
        at = shifts.at_px[seen] - np.array([p.rest_px for p in self._patches])[seen]
        covariance = shifts.covariance[seen] + np.eye(2) * loose_px**2
        whiten = np.linalg.cholesky(np.linalg.inv(covariance)).transpose(0, 2, 1)
        base = self.calibration.camera

        q = np.zeros(6)
        weight = np.ones(len(points))
        slope, sloped_at = np.zeros(0), np.full(6, np.inf)
        for _ in range(_ROUNDS):
            camera = posed(base, q * _SIGMAS)
            here = shrunk_px(camera, points, self.shrink)
            if float(np.abs(q - sloped_at).max()) > _SAME_SLOPE:
                moved = [
                    shrunk_px(posed(camera, d), points, self.shrink) - here for d in np.diag(_SIGMAS * 1e-4)
                ]
                slope, sloped_at = np.nan_to_num(whiten @ (np.stack(moved, axis=2) / 1e-4)), q
            off = np.nan_to_num(np.einsum("nij,nj->ni", whiten, here - at), nan=1e3)
            size = np.linalg.norm(off, axis=1)
            # Cauchy's loss on each piece, bend at 3 sigma; the prior stays quadratic
            weight = 1.0 / (1.0 + (size / 3.0) ** 2)
            normal = np.einsum("nij,n,nik->jk", slope, weight, slope) + np.eye(6)
            step = np.linalg.solve(normal, np.einsum("nij,n,ni->j", slope, weight, off) + q)
            q = q - step
            if float(np.abs(step).max()) < 1e-4:
                break
        covariance = np.linalg.inv(normal) * np.outer(_SIGMAS, _SIGMAS)
        agreeing = float(np.mean(size < _AGREE_SIGMAS))
        return _Pose(posed(base, q * _SIGMAS), covariance, agreeing, tuple(seen.tolist()))

    def _far(self, small: ByteArray) -> Camera | None:
        """A first pose after a hard knock: pieces sought over a wide stretch."""
        reach = round(_REACH_SHARE * small.shape[1])
        at, seen = np.zeros((len(self._patches), 2)), np.zeros(len(self._patches), np.bool_)
        for n, patch in enumerate(self._patches):
            # a nose looks the same all along: only what has edges in both directions is found again
            corner = float(np.linalg.eigvalsh(patch.inverse[:2, :2])[1]) < _CORNER
            found = found_again(patch, small, reach) if corner else None
            if found is not None:
                at[n], seen[n] = found, True
        if seen.sum() < _LEAST_SEEN:
            return None
        pose = self._pose(Shifts(at, np.tile(np.eye(2), (len(at), 1, 1)), seen), 1.0)
        return pose.best if pose.agreeing >= _AGREE_SHARE else None

    def _renew(self, small: ByteArray, pose: _Pose) -> None:
        """Pieces that were hidden at the beginning, or changed for good, are taken anew once they lie
        still.
        """
        camera = pose.best
        expected = self._expected(camera)
        for n, (patch, at, seen) in enumerate(zip(self._patches, expected, pose.seen, strict=True)):
            if seen:
                self._other[n] = (0, None)
                continue
            count, before = self._other[n]
            now = crop(small, at).round().astype(np.uint8)
            same = before is not None and float(cv2.absdiff(now, before).mean()) < _RENEW_SAME
            self._other[n] = (count + 1 if same else 0, now)
            if same and count + 1 >= _RENEW_AFTER:
                place = shrunk_px(camera, np.array([patch.point_mm]), self.shrink)[0]
                self._patches[n] = patch_of(small, patch.point_mm, place) or patch
                self._other[n] = (0, None)


_CORNER = 1e-3
"""Variance (px^2 for residues of one grey level) of the worse direction up to which a piece has two."""


@dataclass(frozen=True, slots=True)
class _Pose:
    """A solved pose, its covariance (6, 6), the share of the pieces seen that agree with it, which were
    seen.
    """

    best: Camera
    covariance: FloatArray
    agreeing: float
    seen: tuple[bool, ...]

    @property
    def camera(self) -> Camera | None:
        return self.best if self.agreeing >= _AGREE_SHARE else None

    def against(self, other: Camera, calibration: Calibration) -> tuple[float, float]:
        """Greatest shift over the table against another camera and its sigma, mm."""
        at, z = _over_table(calibration)
        px = self.best.pixels_from_table(np.column_stack((at, np.full(len(at), z))))
        shift = np.linalg.norm(other.table_from_pixels(px, z) - at, axis=1)
        worst = int(np.nanargmax(np.nan_to_num(shift, nan=1e6)))
        columns = []
        for n in range(6):
            step = np.zeros(6)
            step[n] = 1e-3 * _SIGMAS[n]
            columns.append((posed(self.best, step).table_from_pixels(px[worst], z)[0] - at[worst]) / step[n])
        jacobian = np.array(columns)
        variance = float(np.linalg.eigvalsh(jacobian.T @ self.covariance @ jacobian)[-1])
        return float(np.nan_to_num(shift[worst], nan=1e6)), max(variance, 0.0) ** 0.5


def posed(camera: Camera, change: FloatArray) -> Camera:
    """The camera turned by `change[:3]` (rad, its own axes) and shifted by `change[3:]` (mm, its own
    axes).
    """
    turn = rotation_matrix((float(change[0]), float(change[1]), float(change[2])))
    t = turn @ np.asarray(camera.translation_mm) + change[3:]
    return replace(
        camera,
        rotation=rotation_vector(turn @ camera.matrix_camera_from_table),
        translation_mm=(float(t[0]), float(t[1]), float(t[2])),
    )


def shift_between(a: Camera, b: Camera, calibration: Calibration) -> float:
    """Greatest distance (mm) on the table between the places that two cameras give the same pixel."""
    at, z = _over_table(calibration)
    return float(np.nanmax(np.linalg.norm(a.shift_mm(b, at, z), axis=1)))


def shift_px(a: Camera, b: Camera, calibration: Calibration) -> float:
    """Greatest distance (px) in the picture between the same places of the table under two cameras."""
    at, z = _over_table(calibration)
    points = np.column_stack((at, np.full(len(at), z)))
    return float(np.nanmax(np.linalg.norm(a.pixels_from_table(points) - b.pixels_from_table(points), axis=1)))


def healed(calibration: Calibration, view: View) -> Calibration:
    """The calibration with the pose that a view was measured with; its sigma grows by the measurement's."""
    assert view.camera is not None
    less_sure = calibration.with_sigmas(lambda sigma: sigma.with_more(view.sigma_mm))
    note = "the camera was knocked; its pose was measured again"
    notes = calibration.notes if note in calibration.notes else (*calibration.notes, note)
    return replace(less_sure, camera=view.camera, notes=notes)


def _over_table(calibration: Calibration) -> tuple[FloatArray, float]:
    """Places (N, 2) spread over the table and the height (mm) of the ball centres."""
    table = calibration.table
    across = np.linspace(-0.95, 0.95, 3) * table.half_width_mm
    along = np.linspace(0.03, 0.97, 5) * table.length_mm
    return np.array([(x, y) for x in across for y in along]), table.piece_plane_mm
