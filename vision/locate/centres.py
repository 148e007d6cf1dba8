"""Ball centres by a small network: the shift of a sphere's image from its assumed place.

Fitted outlines are biased towards the light: the lit limb stands out, the dark one merges with the ball's
shadow. The network was trained under many lamps and infers the light from the ball itself. Each ball is
resampled so that its silhouette at the assumed place is the unit circle, whatever camera, place and size. The
answer is the shift in radii and its sigma. Contract: models/MODEL_CARD.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.detect.onnx_model import open_model
from vision.io.picture import F32, Picture, median
from vision.locate.outline import Body, fit_outlines

F64 = npt.NDArray[np.float64]

WINDOW_PX = 32
"""Pixels along each side of a window."""
SPAN_RADII = 1.6
"""Half the side of a window, radii."""
_RING = 16  # points of a silhouette, from which the six numbers of an ellipse follow
_NEAR_RADII = 0.04  # after a longer shift the network runs again from the new place
_FARTHEST_RADII = 0.2  # a longer shift is no answer: the network was trained on starts within 0.15 radii
_STEP_RADII = 0.15  # from farther away the network is asked again, so much nearer each time
_MOST_STEPS = 5
_LIGHT_SIGMA_RADII = 0.023  # one sigma of the detector's error by light from one side
_SIGMA_FACTOR = 1.2  # error over the network's own sigma on scenes unlike those of training (docs/lab)
_FAINT = 1.1  # doubt from which a second start is taken
_CLEAR = 0.4  # contrast of ball and cloth (RGB 0..1) from which the network's sigma is right
_BLACK, _BLACK_DOUBT = 0.1, 1.05
"""Light over the cloth's below which a ball's outline is lost in its shadow, and its doubt then: its
highlights are asked where it is, and it teaches none."""
_LEAST_CONTRAST, _LEAST_LIGHT = 0.02, 1e-4
_UNKNOWN_MM2 = 1e9  # variance of a shift that the network could not give
_MIRRORS = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # of a window's axes u and v
_FINE_PX = 1.7  # picture pixels that a window's pixel covers at most
_PROBE_MM = 1.0  # step of the derivative of the projection

_AXIS = (np.arange(WINDOW_PX) - (WINDOW_PX - 1) / 2) * (2 * SPAN_RADII / WINDOW_PX)
_FAR = np.hypot(*np.meshgrid(_AXIS, _AXIS)).ravel()  # radii of a window's pixels from its middle
_BALL = np.flatnonzero(_FAR < 0.65)
_CLOTH = np.flatnonzero((_FAR > 1.15) & (_FAR < 1.5))


@dataclass(frozen=True, slots=True)
class Windows:
    """`image` (B, 3, P, P): RGB 0..1. `mm_from_unit` (B, 2, 2): table mm of one radius in the window."""

    image: F32
    mm_from_unit: F64


def windows(
    picture: Picture, camera: Camera, radius_mm: float, centres_mm: F64, top_mm: float | None = None
) -> Windows:
    """Windows around balls, or discs, with assumed centres (B, 2) mm."""
    middle, px_from_unit, mm_from_unit = frames(camera, radius_mm, centres_mm, top_mm)
    return Windows(sampled(picture, middle, px_from_unit), mm_from_unit)


def frames(
    camera: Camera, radius_mm: float, centres_mm: F64, top_mm: float | None = None
) -> tuple[F64, F64, F64]:
    """Frames of balls at (B, 2) mm, or of discs whose tops lie at `top_mm`.

    The middles of the silhouettes (B, 2) px, `px_from_unit` of the unit circle (B, 2, 2), and `mm_from_unit`
    (B, 2, 2): table mm of a shift by one radius.
    """
    count = len(centres_mm)
    body = Body(radius_mm, top_mm)
    centres = body.centres_mm(centres_mm)
    ring = body.ring_mm(centres, np.asarray(camera.centre_mm, np.float64), _RING)
    h = _PROBE_MM
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
    """Middles (B, 2) px and matrices (B, 2, 2) px of the unit circle, of silhouettes (B, R, 2)."""
    angle = np.arange(ring_px.shape[1]) * (2 * np.pi / ring_px.shape[1])
    circle = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    middle = ring_px.mean(axis=1)
    return middle, np.einsum("brp,rc->bpc", ring_px - middle[:, None], circle) * (2 / ring_px.shape[1])


def sampled(picture: Picture, middle_px: F64, px_from_unit: F64) -> F32:
    """Windows (B, 3, P, P), RGB 0..1, of frames as `frames` gives them."""
    pitch = float(np.sqrt(np.median(np.abs(np.linalg.det(px_from_unit))))) * 2 * SPAN_RADII / WINDOW_PX
    level = 0
    while pitch / (1 << level) > _FINE_PX:
        level += 1
    return picture.windows(middle_px, px_from_unit, SPAN_RADII, WINDOW_PX, level)


class CentreNet:
    """Runs the network. Raises UnusableInput when the model file is absent or not the one in the manifest."""

    def __init__(self) -> None:
        self._session = open_model("ball_centre")

    def refined(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        assumed_mm: F64,
        assumed_sigma_mm: F64,
        thorough: bool = True,
        top_mm: float | None = None,
    ) -> tuple[F64, F64, F64]:
        """Centres (B, 2) mm, one sigma per axis (B,) mm and doubt (B,), by network and assumed places.

        `top_mm`: height of the tops of flat discs, None for balls.

        `assumed_mm` (B, 2), `assumed_sigma_mm` (B,): the assumed places and one sigma per axis. `thorough`,
        for balls at rest: the network also sees each window's mirror images. Where ball and cloth look alike
        its answer depends on the start, and the mean of two starts (assumed place, fitted outline) is better.
        """
        xy, sigma, doubt = self._weighed(
            picture, camera, radius_mm, assumed_mm, assumed_sigma_mm, thorough, top_mm
        )
        faint = np.flatnonzero(doubt > _FAINT)
        if thorough and len(faint):
            fits = fit_outlines(
                picture,
                camera,
                radius_mm,
                assumed_mm[faint],
                float(assumed_sigma_mm[faint].mean()),
                top_mm=top_mm,
            )
            fitted = [k for k, f in zip(faint, fits, strict=True) if f is not None]
            if fitted:
                starts = np.array([(f.x_mm, f.y_mm) for f in fits if f is not None])
                own = np.array([f.sigma_mm for f in fits if f is not None])
                again, _, _ = self._weighed(picture, camera, radius_mm, starts, own, thorough, top_mm)
                xy[fitted] = (xy[fitted] + again) / 2
        return xy, sigma, doubt

    def _weighed(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        assumed_mm: F64,
        assumed_sigma_mm: F64,
        mirrored: bool,
        top_mm: float | None,
    ) -> tuple[F64, F64, F64]:
        """Centres, sigmas and doubts from one start each."""
        assumed_mm, shift, sigma, doubt = self._near_enough(
            picture, camera, radius_mm, assumed_mm, mirrored, top_mm
        )
        again = np.hypot(*shift.T) > _NEAR_RADII * radius_mm
        if again.any():
            # trained on starts near the truth, the network does better from its own answer
            more, surer, _ = self.shifts(
                picture, camera, radius_mm, assumed_mm[again] + shift[again], mirrored, top_mm
            )
            ok = np.isfinite(surer)
            shift[again] += np.where(ok[:, None], more, 0.0)
            sigma[again] = np.where(ok, surer, sigma[again])
        network = np.where(np.isfinite(sigma), (_SIGMA_FACTOR * sigma) ** 2, _UNKNOWN_MM2)
        assumed = assumed_sigma_mm**2 + (_LIGHT_SIGMA_RADII * radius_mm) ** 2
        share = assumed / (assumed + network)
        both = np.sqrt(assumed * network / (assumed + network))
        # without an answer of the network the assumed place is kept
        return (
            assumed_mm + share[:, None] * shift,
            np.where(np.isfinite(sigma), both, assumed_sigma_mm),
            doubt,
        )

    def _near_enough(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        start_mm: F64,
        mirrored: bool,
        top_mm: float | None,
    ) -> tuple[F64, F64, F64, F64]:
        """Starts (B, 2) mm from which the network has an answer, and its shifts, sigmas and doubts there. One
        that is too far away moves towards where the network points, step by step; where that leads nowhere
        the start stays.
        """
        at_mm = start_mm.copy()
        shift, sigma, doubt = self.shifts(picture, camera, radius_mm, at_mm, mirrored, top_mm)
        for _ in range(_MOST_STEPS):
            far = np.flatnonzero(~np.isfinite(sigma))
            if not len(far):
                break
            at_mm[far] += shift[far]
            shift[far], sigma[far], doubt[far] = self.shifts(
                picture, camera, radius_mm, at_mm[far], mirrored, top_mm
            )
        nowhere = ~np.isfinite(sigma)
        at_mm[nowhere], shift[nowhere] = start_mm[nowhere], 0.0
        return at_mm, shift, sigma, doubt

    def shifts(
        self,
        picture: Picture,
        camera: Camera,
        radius_mm: float,
        centres_mm: F64,
        mirrored: bool = False,
        top_mm: float | None = None,
    ) -> tuple[F64, F64, F64]:
        """Shifts (B, 2) mm from the given centres, one sigma per axis (B,) mm, and doubts (B,).

        A sigma is inf where there is no answer: it lies too far from the start, and the shift is a step
        towards it. The doubt is above 1 where ball and cloth look alike; it multiplies the sigma.
        `mirrored`: average over each window's mirror images, at four times the cost.
        """
        if len(centres_mm) == 0:
            return np.zeros((0, 2)), np.zeros(0), np.ones(0)
        found = windows(picture, camera, radius_mm, centres_mm, top_mm)
        out = self.answers(found.image, mirrored)
        mm = np.einsum("bmc,bc->bm", found.mm_from_unit, out[:, :2])
        scale = np.sqrt(np.abs(np.linalg.det(found.mm_from_unit)))
        far = np.hypot(out[:, 0], out[:, 1])
        sure, step = far < _FARTHEST_RADII, _STEP_RADII / np.maximum(far, _STEP_RADII)
        doubt = _doubt(found.image)
        return (
            np.where(sure[:, None], mm, step[:, None] * mm),
            np.where(sure, scale * np.exp(out[:, 2]) * np.maximum(doubt, 1.0), np.inf),
            doubt,
        )

    def answers(self, image: F32, mirrored: bool) -> F64:
        """The network's answers (B, 3) to windows (B, 3, P, P): shift u, v in radii and log sigma.

        `mirrored`: averaged over each window's mirror images.
        """
        answers = []
        for u, v in _MIRRORS if mirrored else _MIRRORS[:1]:
            seen = np.ascontiguousarray(image[:, :, ::v, ::u])
            answers.append(
                np.asarray(self._session.run(["shift"], {"image": seen})[0], np.float64) * (u, v, 1)
            )
        return np.asarray(np.mean(answers, axis=0), np.float64)


def _ball_and_cloth(image: F32) -> tuple[F32, F32]:
    """Median colours (B, 3) of the balls and of the cloth around them."""
    flat = image.reshape(*image.shape[:2], -1)
    return median(flat[:, :, _BALL], axis=2), median(flat[:, :, _CLOTH], axis=2)


def _doubt(image: F32) -> F64:
    """Factor (B,) by which the network's sigma is too small on a cloth of the ball's own colour; of a black
    ball at least `_BLACK_DOUBT`.
    """
    ball, cloth = _ball_and_cloth(image)
    contrast = np.linalg.norm(ball - cloth, axis=1)
    doubt = np.sqrt(_CLEAR / np.maximum(contrast, _LEAST_CONTRAST))
    return np.asarray(
        np.where(_light_share(image) < _BLACK, np.maximum(doubt, _BLACK_DOUBT), doubt), np.float64
    )


def _light_share(image: F32) -> F64:
    """Light (B,) of balls over that of the cloth around them."""
    ball, cloth = (part.mean(axis=1) for part in _ball_and_cloth(image**2))  # roughly linear
    return np.asarray(np.maximum(ball, _LEAST_LIGHT) / np.maximum(cloth, _LEAST_LIGHT), np.float64)


def brightness(picture: Picture, camera: Camera, radius_mm: float, centres_mm: F64) -> tuple[F64, F64]:
    """Light of balls at (B, 2) mm over that of the cloth around them (B,), and `mm_from_unit` (B, 2, 2)."""
    found = windows(picture, camera, radius_mm, centres_mm)
    return _light_share(found.image), found.mm_from_unit
