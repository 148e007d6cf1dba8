"""The measure to beat: balls by OpenCV's Hough circles, colours by ranges of hue, saturation and value.

An honest attempt at what tutorials do: the cloth is the largest region of the commonest hue; circles are
looked for inside it at the size that a ball has there; a circle counts when most of its disc is not cloth;
its colour is the class of the median HSV. It knows nothing of the camera; its pixels are turned into
millimetres with the true camera, which flatters it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.table.specs import TableSpec
from referee.quality.bench.pixels.judge import SaidBall

U8 = NDArray[np.uint8]
_WIDEST_PX = 1920
_LEAST_RADIUS_PX = 11.0
"""Hough's gradient voting wants circles of some size: small pictures are enlarged until a ball has it."""
_EDGE, _VOTES = 60, 16
"""Of 12 pairs tried on 24 development pictures (286 balls) the one with most balls found less extra ones: 225
and 30.
"""


@dataclass(frozen=True, slots=True)
class Circle:
    """A ball as the baseline finds it: centre and radius in px, and its colour."""

    x_px: float
    y_px: float
    radius_px: float
    colour: str


def hough_balls(bgr: U8) -> list[Circle]:
    """Balls in a picture (H, W, 3) BGR; larger pictures than 1920 px are looked at reduced."""
    scale = min(1.0, _WIDEST_PX / bgr.shape[1])
    small = (
        bgr
        if scale == 1.0
        else np.asarray(cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    )
    hsv = np.asarray(cv2.cvtColor(cv2.GaussianBlur(small, (3, 3), 0), cv2.COLOR_BGR2HSV), np.uint8)
    found = _cloth(hsv)
    if found is None:
        return []
    bed, cloth, radius = found
    out = []
    for x, y, r in _circles(_unlike_cloth(small, bed, cloth), radius):
        colour = _colour(hsv, cloth, bed, x, y, r)
        if colour is not None:
            out.append(Circle((x + 0.5) / scale - 0.5, (y + 0.5) / scale - 0.5, r / scale, colour))
    return out


def _unlike_cloth(bgr: U8, bed: U8, cloth: U8) -> U8:
    """How far each pixel's colour is from the cloth's (H, W); 0 beyond the bed."""
    tone = np.median(bgr[cloth > 0], axis=0)
    far = np.abs(bgr.astype(np.int16) - tone.astype(np.int16)).max(axis=2)
    return np.asarray(np.where(bed > 0, np.minimum(far * 2, 255), 0), np.uint8)


def _circles(grey: U8, radius: float) -> list[tuple[float, float, float]]:
    """Circles (x, y, radius) in px about as large as a ball."""
    grow = max(1.0, _LEAST_RADIUS_PX / radius)
    big = cv2.resize(grey, None, fx=grow, fy=grow, interpolation=cv2.INTER_CUBIC)
    r = radius * grow
    found = cv2.HoughCircles(
        cv2.GaussianBlur(big, (0, 0), 1.2),
        cv2.HOUGH_GRADIENT,
        dp=1,
        minDist=1.7 * r,
        param1=_EDGE,
        param2=_VOTES,
        minRadius=math.floor(0.75 * r),
        maxRadius=math.ceil(1.3 * r),
    )
    rows = np.empty((0, 3)) if found is None else found.reshape(-1, 3)
    return [
        ((float(x) + 0.5) / grow - 0.5, (float(y) + 0.5) / grow - 0.5, float(q) / grow) for x, y, q in rows
    ]


def _cloth(hsv: U8) -> tuple[U8, U8, float] | None:
    """Masks (H, W) of the bed and of the cloth on it, and a ball's radius in px; None without a table."""
    h, w = hsv.shape[:2]
    middle = hsv[h // 4 : 3 * h // 4, w // 4 : 3 * w // 4].reshape(-1, 3)
    hue, sat, val = (int(v) for v in np.median(middle, axis=0))
    reach = 14 if sat > 60 else 90
    turn = np.abs((hsv[..., 0].astype(np.int16) - hue + 90) % 180 - 90)
    near = (
        (turn <= reach)
        & (np.abs(hsv[..., 1].astype(int) - sat) < 80)
        & (np.abs(hsv[..., 2].astype(int) - val) < 75)
    )
    cloth = cv2.morphologyEx(near.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    closed = cv2.morphologyEx(cloth, cv2.MORPH_CLOSE, np.ones((15, 15), np.uint8))
    shapes, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not shapes:
        return None
    largest = max(shapes, key=cv2.contourArea)
    if cv2.contourArea(largest) < 0.05 * h * w:
        return None
    bed = np.zeros((h, w), np.uint8)
    cv2.drawContours(bed, [cv2.convexHull(largest)], -1, 1, -1)
    (_, _), (a, b), _ = cv2.minAreaRect(largest)
    # a ball is 52.5 mm, a table 1778 by 3569 mm between the cushions
    radius = 26.25 * 0.5 * (min(a, b) / 1860.0 + max(a, b) / 3650.0)
    return bed, np.asarray(cloth, np.uint8), radius


def _colour(hsv: U8, cloth: U8, bed: U8, x: float, y: float, r: float) -> str | None:
    """The colour of a disc, or None when it is mostly cloth or not on the bed."""
    h, w = bed.shape
    x0, x1, y0, y1 = max(0, int(x - r)), min(w, int(x + r) + 2), max(0, int(y - r)), min(h, int(y + r) + 2)
    if x0 >= x1 or y0 >= y1 or not bed[min(h - 1, max(0, round(y))), min(w - 1, max(0, round(x)))]:
        return None
    gy, gx = np.mgrid[y0:y1, x0:x1]
    disc = (gx - x) ** 2 + (gy - y) ** 2 <= (0.75 * r) ** 2
    if not disc.any() or cloth[y0:y1, x0:x1][disc].mean() > 0.5:
        return None
    # the highlight says nothing of the colour
    pixels = hsv[y0:y1, x0:x1][disc]
    body = pixels[pixels[:, 2] <= np.percentile(pixels[:, 2], 85)]
    turned = (body[:, 0].astype(int) + 20) % 180  # red lies on both sides of zero
    return _class(
        float(np.median(turned) - 20) % 180, float(np.median(body[:, 1])), float(np.median(body[:, 2]))
    )


def _class(hue: float, sat: float, val: float) -> str:
    """OpenCV's hue (0..180), saturation and value (0..255) to a colour of the set."""
    if val < 50:
        return "black"
    if sat < 75:
        return "white" if val > 130 else "black"
    warm = hue >= 165 or hue < 7
    if warm and sat < 150 and val > 160:
        return "pink"
    if warm:
        return "red"
    if hue < 19:
        return "brown" if val < 150 else "red" if hue < 10 else "yellow"
    if hue < 38:
        return "yellow"
    if hue < 95:
        return "green"
    return "blue" if hue < 140 else "pink"


def baseline_layout(bgr: U8, camera: Camera, table: TableSpec) -> list[SaidBall]:
    """What the baseline says, in mm by the true camera (`table`: the true one)."""
    circles = hough_balls(bgr)
    if not circles:
        return []
    xy = camera.table_from_pixels([(c.x_px, c.y_px) for c in circles], table.ball_radius_mm)
    return [
        SaidBall(c.colour, float(p[0]), float(p[1]), 0.0)
        for c, p in zip(circles, xy, strict=True)
        if np.isfinite(p).all()
    ]
