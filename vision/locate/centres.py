"""Ball centres by a small network: how far a sphere's image lies from where it is thought to be.

Outlines are pulled towards the light: the lit limb stands out, the dark one runs into the ball's own
shadow. The network has seen many lamps and reads the light from the ball itself. Each ball is resampled so
that its silhouette (were it where it is thought) is the unit circle, whatever camera, place and size; the
answer is the shift in radii and its sigma. Contract: models/MODEL_CARD.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.detect.onnx_model import open_model
from vision.io.picture import F32, Picture, median
from vision.locate.outline import fit_outlines, silhouette_mm

F64 = npt.NDArray[np.float64]

WINDOW_PX = 32
SPAN_RADII = 1.6  # the window reaches this far from the centre
_RING = 16  # middle and matrix of an ellipse are six numbers
_NEAR_RADII = 0.04  # a longer shift is looked at again from its end
_FARTHEST_RADII = 0.2  # it was trained on starts within 0.15 of a radius
_LIGHT_SIGMA_RADII = 0.023  # one sigma of what light from a side does to the detector's places
_SIGMA_FACTOR = 1.2  # the network's own sigma on scenes of another kind than it was trained on
_FAINT = 1.1  # doubt from which a second start is worth its time
_CLEAR = 0.4  # contrast of ball and cloth (RGB 0..1) from which the sigma is as true as the network thinks
_MIRRORS = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # of the window's axes u and v
_FINE_PX = 1.7  # a window's pixel covers at most this many of the picture's

_AXIS = (np.arange(WINDOW_PX) - (WINDOW_PX - 1) / 2) * (2 * SPAN_RADII / WINDOW_PX)
_FAR = np.hypot(*np.meshgrid(_AXIS, _AXIS)).ravel()  # of each pixel of a window from its middle, in radii
_BALL = np.flatnonzero(_FAR < 0.65)
_CLOTH = np.flatnonzero((_FAR > 1.15) & (_FAR < 1.5))


@dataclass(frozen=True, slots=True)
class Windows:
    """`image` (B, 3, P, P) RGB 0..1; `mm_from_unit` (B, 2, 2): table mm of a shift by one radius in the
    window.
    """

    image: F32
    mm_from_unit: F64


def windows(picture: Picture, camera: Camera, radius_mm: float, centres_mm: F64) -> Windows:
    """Windows around balls whose centres (B, 2) mm are thought to be there."""
    middle, px_from_unit, mm_from_unit = frames(camera, radius_mm, centres_mm)
    return Windows(sampled(picture, middle, px_from_unit), mm_from_unit)


def frames(camera: Camera, radius_mm: float, centres_mm: F64) -> tuple[F64, F64, F64]:
    """Of balls at (B, 2) mm: their silhouettes' middles (B, 2) px, px from unit circle (B, 2, 2), and the
    table mm of a shift by one radius (B, 2, 2).
    """
    count = len(centres_mm)
    centres = np.column_stack((centres_mm, np.full(count, radius_mm)))
    ring = silhouette_mm(centres, radius_mm, np.asarray(camera.centre_mm, np.float64), _RING)
    h = 1.0
    probes = np.concatenate(
        (ring.reshape(-1, 3), *(centres + d for d in ((h, 0, 0), (-h, 0, 0), (0, h, 0), (0, -h, 0))))
    )
    px = camera.pixels_from_table(probes)
    n = count * _RING
    xp, xm, yp, ym = (px[n + k * count : n + (k + 1) * count] for k in range(4))
    px_from_mm = np.stack(((xp - xm) / (2 * h), (yp - ym) / (2 * h)), axis=2)
    middle, px_from_unit = ring_frame(px[:n].reshape(count, _RING, 2))
    return middle, px_from_unit, np.asarray(np.linalg.solve(px_from_mm, px_from_unit), np.float64)


def ring_frame(ring_px: F64) -> tuple[F64, F64]:
    """Middle (B, 2) and the matrix (B, 2, 2) px from unit circle, of silhouettes (B, R, 2) at even angles."""
    angle = np.arange(ring_px.shape[1]) * (2 * np.pi / ring_px.shape[1])
    circle = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    middle = ring_px.mean(axis=1)
    return middle, np.einsum("brp,rc->bpc", ring_px - middle[:, None], circle) * (2 / ring_px.shape[1])


def sampled(picture: Picture, middle_px: F64, px_from_unit: F64) -> F32:
    """The windows (B, 3, P, P), RGB 0..1."""
    pitch = float(np.sqrt(np.median(np.abs(np.linalg.det(px_from_unit))))) * 2 * SPAN_RADII / WINDOW_PX
    level = 0
    while pitch / (1 << level) > _FINE_PX:
        level += 1
    return picture.windows(middle_px, px_from_unit, SPAN_RADII, WINDOW_PX, level)


class CentreNet:
    """Runs the network. Raises UnusableInput when the model file is absent or not the one in the manifest."""

    def __init__(self, path: Path | None = None, threads: int = 1) -> None:
        self._session = open_model("ball_centre", path, threads)

    def refined(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        thought_mm: F64,
        thought_sigma_mm: F64,
        thorough: bool = True,
    ) -> tuple[F64, F64, F64]:
        """Centres (B, 2) mm, one sigma per axis (B,) mm and doubt (B,): the places thought of and the
        network, weighed.

        `thorough`, for balls at rest: each window is asked with its mirror images too. And where ball and
        cloth look alike the answer depends on where it starts; the mean of two starts, the place thought
        of and the outline fitted there, is nearer.
        """
        xy, sigma, doubt = self._weighed(picture, camera, radius_mm, thought_mm, thought_sigma_mm, thorough)
        faint = np.flatnonzero(doubt > _FAINT)
        if thorough and len(faint):
            fits = fit_outlines(
                picture, camera, radius_mm, thought_mm[faint], float(thought_sigma_mm[faint].mean())
            )
            fitted = [k for k, f in zip(faint, fits, strict=True) if f is not None]
            if fitted:
                starts = np.array([(f.x_mm, f.y_mm) for f in fits if f is not None])
                own = np.array([f.sigma_mm for f in fits if f is not None])
                again, _, _ = self._weighed(picture, camera, radius_mm, starts, own, thorough)
                xy[fitted] = (xy[fitted] + again) / 2
        return xy, sigma, doubt

    def _weighed(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        thought_mm: F64,
        thought_sigma_mm: F64,
        mirrored: bool,
    ) -> tuple[F64, F64, F64]:
        """Centres, sigma and doubt (`_doubt`) from one start each."""
        shift, sigma, doubt = self.shifts(picture, camera, radius_mm, thought_mm, mirrored)
        again = np.hypot(*shift.T) > _NEAR_RADII * radius_mm
        if again.any():
            # it was trained on starts about here: from farther away its answer is a better start
            more, surer, _ = self.shifts(
                picture, camera, radius_mm, thought_mm[again] + shift[again], mirrored
            )
            ok = np.isfinite(surer)
            shift[again] += np.where(ok[:, None], more, 0.0)
            sigma[again] = np.where(ok, surer, sigma[again])
        said = np.where(np.isfinite(sigma), (_SIGMA_FACTOR * sigma) ** 2, 1e9)
        thought = thought_sigma_mm**2 + (_LIGHT_SIGMA_RADII * radius_mm) ** 2
        share = thought / (thought + said)
        both = np.sqrt(thought * said / (thought + said))
        # where the network cannot say, the place thought of stands
        return (
            thought_mm + share[:, None] * shift,
            np.where(np.isfinite(sigma), both, thought_sigma_mm),
            doubt,
        )

    def shifts(
        self, picture: Picture, camera: Camera, radius_mm: float, centres_mm: F64, mirrored: bool = False
    ) -> tuple[F64, F64, F64]:
        """Shift (B, 2) mm from the given centres, one sigma per axis (B,) mm, inf where it cannot say, and
        its doubt (B,), `_doubt`, by which the sigma was raised where it is above 1: ball and cloth look
        alike.

        `mirrored`: the mean of the answers to the windows and their mirror images, four times the price.
        """
        if len(centres_mm) == 0:
            return np.zeros((0, 2)), np.zeros(0), np.ones(0)
        found = windows(picture, camera, radius_mm, centres_mm)
        out = self.asked(found.image, mirrored)
        mm = np.einsum("bmc,bc->bm", found.mm_from_unit, out[:, :2])
        scale = np.sqrt(np.abs(np.linalg.det(found.mm_from_unit)))
        sure = np.hypot(out[:, 0], out[:, 1]) < _FARTHEST_RADII
        doubt = _doubt(found.image)
        return (
            np.where(sure[:, None], mm, 0.0),
            np.where(sure, scale * np.exp(out[:, 2]) * np.maximum(doubt, 1.0), np.inf),
            doubt,
        )

    def asked(self, image: F32, mirrored: bool) -> F64:
        """The network's answers (B, 3) to windows (B, 3, P, P); `mirrored`: the means over each window's
        mirror images.
        """
        answers = []
        for u, v in _MIRRORS if mirrored else _MIRRORS[:1]:
            seen = np.ascontiguousarray(image[:, :, ::v, ::u])
            answers.append(
                np.asarray(self._session.run(["shift"], {"image": seen})[0], np.float64) * (u, v, 1)
            )
        return np.asarray(np.mean(answers, axis=0), np.float64)


def _ball_and_cloth(image: F32) -> tuple[F32, F32]:
    """Medians (B, 3) of windows' middles and of what lies about the balls."""
    flat = image.reshape(*image.shape[:2], -1)
    return median(flat[:, :, _BALL], axis=2), median(flat[:, :, _CLOTH], axis=2)


def _doubt(image: F32) -> F64:
    """Factor (B,) on the network's sigma where above 1: it knows too little of balls on a cloth of their own
    colour.
    """
    ball, cloth = _ball_and_cloth(image)
    contrast = np.linalg.norm(ball - cloth, axis=1)
    return np.asarray(np.sqrt(_CLEAR / np.maximum(contrast, 0.02)), np.float64)


def brightness(picture: Picture, camera: Camera, radius_mm: float, centres_mm: F64) -> tuple[F64, F64]:
    """Light of balls at (B, 2) mm over that of the cloth about them (B,), and the windows' frames (B, 2,
    2).
    """
    found = windows(picture, camera, radius_mm, centres_mm)
    ball, cloth = (part.mean(axis=1) for part in _ball_and_cloth(found.image**2))  # roughly linear
    return np.asarray(ball / np.maximum(cloth, 1e-4), np.float64), found.mm_from_unit
