"""Exposure and glare: clipped and dark pictures, and reflections larger than a lamp's on a ball."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.texts import sentence
from vision.advice.aim import TableView
from vision.advice.exposure_time import ExposureTime
from vision.advice.terms import Advice, ended, light_above, light_below, worst
from vision.io.picture import Picture
from vision.observation import Observation

F64 = npt.NDArray[np.float64]

CLIPPED_SHARE = (0.03, 0.30)
"""Share of the table's pixels with a colour channel at full scale (amber, red above). The lamps'
reflections on 22 balls and a whole white ball are 0.1 %. See docs/lab for the colours lost."""

CLOTH_LUMA = (0.10, 0.06)
"""The cloth's median luma as a share of full scale (amber, red below); see docs/lab for the balls lost."""

DARK_CONTRAST = (40.0, 20.0)
"""Median contrast of the dark balls to the cloth beside them in grey levels (amber, red below): the outline
fit's bias is (20 / contrast)^2 px (vision/locate/outline.py): 0.25 px at 40, one pixel at 20."""

SHUTTER_MS = (6.0, 17.0)
"""Exposure time (amber, red above). At 4 m/s, an ordinary hard stroke, 6 ms smear a ball by half its
diameter: the outline's half-way crossing then still lies on the ball's own edge; 17 ms (a whole interval at
60 images a second) smear it by more than a diameter, and nothing of it is seen at full contrast."""

HIGHLIGHT_SHARE = (0.16, 0.35)
"""Share of a ball's disc that a reflection may cover (amber, red above). A ball is a mirror of focal length
R / 2: a canopy 2 m long and 0.6 m wide, 1 m above the table, is imaged 26 x 8 mm: 10 % of the disc."""

GLARE_BALLS = (2.0, 12.0)
"""Clipped area on the cloth in one piece, in discs of a ball (amber, red above): one ball alone may be white.
"""

_DARK = ("brown", "blue", "black")  # not green, which looks like a green cloth in any light
_FULL = 0.985  # of full scale: clipped
_BRIGHT = 0.93  # of full scale: a reflection, though blurred by the lens


@dataclass(frozen=True, slots=True)
class Levels:
    """The table's luma: median of the cloth and the clipped share; `dark_contrast` in grey levels or None."""

    cloth: float
    clipped_share: float
    dark_contrast: float | None


def full_scale(picture: Picture) -> tuple[float, float]:
    """Black and white of the picture's luma in its own numbers."""
    return (0.0, 255.0) if picture.full_range else (16.0, 235.0)


def measure_levels(picture: Picture, view: TableView, balls: Sequence[Observation]) -> Levels:
    """Luma over the table and the dark balls' contrast."""
    low, high = full_scale(picture)
    y, u, v = (p[::2, ::2] for p in picture.level(1))
    mask = view.mask(y.shape[1], y.shape[0])
    if not mask.any():
        mask = np.ones(y.shape, np.bool_)
    inside = np.stack((y[mask], u[mask], v[mask]), axis=1).astype(np.float32)
    cloth = (float(np.median(inside[:, 0])) - low) / (high - low)
    share = float((picture.rgb_from_yuv(inside).max(axis=1) >= _FULL).mean())
    dark = [b for b in balls if b.colour in _DARK]
    contrast = float(np.median(ball_contrasts(picture, view, dark))) if dark else None
    return Levels(cloth, share, contrast)


def exposure(
    picture: Picture, view: TableView | None, balls: Sequence[Observation], shutter: ExposureTime | None
) -> Advice:
    """Clipping, darkness, and the exposure time where it is known."""
    if view is None:
        return Advice("exposure", "amber", None, "%", sentence("advice.exposure_is_judged_when"))
    levels = measure_levels(picture, view, balls)
    found = [_brightness(levels), _clipping(levels)]
    if levels.dark_contrast is not None:
        light = light_below(levels.dark_contrast, *DARK_CONTRAST)
        text = sentence("advice.dark_balls_differ", dark_contrast=f"{levels.dark_contrast:.0f}")
        text = ended(text, None if light == "green" else sentence("advice.more_light_or_a_longer"))
        found.append(
            Advice(
                "exposure",
                light,
                round(levels.dark_contrast, 1),
                sentence("advice.unit_dark_balls"),
                text,
            )
        )
    if shutter is not None:
        found.insert(0, shutter_advice(shutter))
    decided = worst(found)
    if decided.light == "green" and shutter is None:
        text = sentence("advice.how_long_one_picture", sentence=decided.sentence)
        return Advice("exposure", "green", decided.value, decided.unit, text)
    return decided


def shutter_advice(shutter: ExposureTime) -> Advice:
    """The light of an exposure time measured from a ball's smear."""
    light = light_above(shutter.seconds * 1000, *SHUTTER_MS)
    value, sigma = shutter.seconds * 1000, shutter.sigma_s * 1000
    smear = shutter.seconds * 4000.0
    text = sentence(
        "advice.one_picture_is_exposed_for_ms",
        value=f"{value:.1f}",
        sigma=f"{sigma:.1f}",
        smear=f"{smear:.0f}",
    )
    remedy = sentence("advice.set_the_exposure_time_by_hand", shutter_ms=f"{SHUTTER_MS[0]:.0f}")
    text = ended(text, None if light == "green" else remedy)
    return Advice("exposure", light, round(value, 2), sentence("advice.unit_exposure"), text)


def _brightness(levels: Levels) -> Advice:
    light, percent = light_below(levels.cloth, *CLOTH_LUMA), 100 * levels.cloth
    key = "advice.cloth_is_at_of_full_scale" if light == "green" else "advice.picture_is_dark_cloth"
    text = sentence(key, percent=f"{percent:.0f}")
    return Advice("exposure", light, round(percent, 1), sentence("advice.unit_luma"), text)


def _clipping(levels: Levels) -> Advice:
    light, percent = light_above(levels.clipped_share, *CLIPPED_SHARE), 100 * levels.clipped_share
    if light == "green":
        text = sentence("advice.table_is_clipped", percent=f"{percent:.2f}")
    else:
        text = sentence("advice.table_is_burnt_out_shorten", percent=f"{percent:.1f}")
    return Advice("exposure", light, round(percent, 2), sentence("advice.unit_clipped"), text)


def ball_contrasts(picture: Picture, view: TableView, balls: Sequence[Observation]) -> F64:
    """Difference (B,) of each ball from the ring around it in grey levels, chroma weighted by 1.5."""
    if not balls:
        return np.zeros(0)
    inner, outer = _disc(0.6), _ring(1.35, 1.8)
    values = _sampled(picture, view, balls, np.concatenate((inner, outer)))
    difference = np.median(values[:, : len(inner)], axis=1) - np.median(values[:, len(inner) :], axis=1)
    return np.asarray(np.linalg.norm(difference * (1.0, 1.5, 1.5), axis=1), np.float64)


def _sampled(picture: Picture, view: TableView, balls: Sequence[Observation], places: F64) -> F64:
    """Y, U, V (B, K, 3) at places (K, 2) radii from each ball's centre."""
    centre = np.array([(b.x_px, b.y_px) for b in balls])
    at = (centre[:, None] + places[None] * view.ball_px / 2).astype(np.float32)
    return picture.sample_yuv(np.ascontiguousarray(at[..., 0]), np.ascontiguousarray(at[..., 1])).astype(
        np.float64
    )


def _disc(radius: float, step: float = 0.1) -> F64:
    """Places (K, 2) on a grid inside a disc."""
    axis = np.arange(-radius, radius + 1e-9, step)
    x, y = (a.ravel() for a in np.meshgrid(axis, axis))
    keep = x**2 + y**2 <= radius**2
    return np.stack((x[keep], y[keep]), axis=1)


def _ring(inner: float, outer: float) -> F64:
    """Places (K, 2) on three circles."""
    angle = np.arange(0, 2 * np.pi, np.pi / 12)
    return np.concatenate(
        [
            np.stack((r * np.cos(angle), r * np.sin(angle)), axis=1)
            for r in (inner, (inner + outer) / 2, outer)
        ]
    )


def glare(pictures: Sequence[Picture], view: TableView | None, balls: Sequence[Observation]) -> Advice:
    """Reflections on the balls, and on the cloth in all pictures, so that a shirt does not count."""
    if view is None or not pictures:
        return Advice("glare", "amber", None, "%", sentence("advice.glare_is_judged_when_the_table"))
    area = cloth_glare_balls(pictures, view)
    light = light_above(area, *GLARE_BALLS)
    if light == "green":
        text = sentence("advice.no_part_of_the_cloth_reflects")
    else:
        text = sentence("advice.patch_of_the_cloth_as_large", area=f"{area:.0f}")
    found = [Advice("glare", light, round(area, 2), sentence("advice.unit_glare"), text)]
    coloured = [b for b in balls if b.colour != "white"]
    if coloured:
        found.insert(0, _ball_glare(pictures[-1], view, coloured))
    return worst(found)


def _ball_glare(picture: Picture, view: TableView, balls: Sequence[Observation]) -> Advice:
    share = float(np.median(highlight_shares(picture, view, balls)))
    light = light_above(share, *HIGHLIGHT_SHARE)
    text = sentence("advice.lamps_cover_of_a_ball", percent=f"{100 * share:.0f}")
    text = ended(text, None if light == "green" else sentence("advice.their_reflections_hide"))
    return Advice("glare", light, round(100 * share, 1), sentence("advice.unit_of_a_ball"), text)


def highlight_shares(picture: Picture, view: TableView, balls: Sequence[Observation]) -> F64:
    """Share of each ball's disc that is nearly at full scale, (B,)."""
    low, high = full_scale(picture)
    luma = _sampled(picture, view, balls, _disc(0.9))[..., 0]
    return np.asarray((luma > low + _BRIGHT * (high - low)).mean(axis=1), np.float64)


def cloth_glare_balls(pictures: Sequence[Picture], view: TableView) -> float:
    """The largest clipped piece on the table that all pictures share, in discs of a ball."""
    low, high = full_scale(pictures[0])
    level = 1 if view.ball_px > 8 else 0
    planes = [p.level(level)[0] for p in pictures]
    least = np.min(np.stack(planes), axis=0) if len(planes) > 1 else planes[0]
    height, width = least.shape
    bright = (least > low + _BRIGHT * (high - low)) & view.mask(width, height)
    if not bright.any():
        return 0.0
    _, _, stats, _ = cv2.connectedComponentsWithStats(bright.astype(np.uint8), connectivity=8)
    disc = np.pi / 4 * (view.ball_px / (1 << level)) ** 2
    return float(stats[1:, cv2.CC_STAT_AREA].max() / disc)
