"""What was seen in the images of a clip, as bytes: the input of a review behind its pixels.

An image: flags, time since the one before, number of balls; a ball: place, colour and how sure of it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np

from vision.observation import BALL_CLASSES, CellMask, ImageObservations, Observation

IMAGE = struct.Struct("<BBB")
BALL = struct.Struct("<HHBB")
LOOKED, COVERED, REPEATED, UNUSABLE, FAR, ROOM = (1 << k for k in range(6))
MOST_IMAGES, MOST_BALLS = 400, 30
_STEPS_S = (0.02, 0.04, 0.04, 0.1, 1.0, 8.0)
_GRID_MM = 0.06  # so that two bytes reach from 200 mm before a cushion to 3,730 mm


def read(data: bytes) -> Iterator[ImageObservations]:
    """The images of an input; what is cut off at its end is passed over."""
    at, t_s = 0, 0.0
    for index in range(MOST_IMAGES):
        if at + IMAGE.size > len(data):
            return
        flags, step, count = IMAGE.unpack_from(data, at)
        at += IMAGE.size
        t_s += _STEPS_S[step % len(_STEPS_S)]
        balls = []
        for _ in range(count % (MOST_BALLS + 1)):
            if at + BALL.size > len(data):
                break
            balls.append(_ball(*BALL.unpack_from(data, at)))
            at += BALL.size
        if flags & UNUSABLE:
            yield ImageObservations(index, t_s, (), None, None, unusable="images_lost")
            continue
        yield ImageObservations(
            index,
            t_s,
            () if flags & REPEATED else tuple(balls),
            _mask(flags) if flags & LOOKED else None,
            _mask(flags >> 1) if flags & COVERED else None,
            bool(flags & REPEATED),
        )


def _ball(x: int, y: int, colour: int, sure: int) -> Observation:
    odds = np.full(len(BALL_CLASSES), -4.0)
    odds[colour % len(BALL_CLASSES)] = 0.0
    odds -= np.log(np.exp(odds).sum())
    place = x * _GRID_MM - 1100.0, y * _GRID_MM - 200.0
    return Observation(*place, 0.4 + colour / 64, 0.0, 0.0, tuple(map(float, odds)), (sure + 1) / 256)


def _mask(seed: int) -> CellMask:
    """Half of the table, a quarter, or nothing."""
    bits = np.zeros((60, 32), np.uint8)
    bits[: (0, 15, 30, 60)[seed % 4]] = 1
    return CellMask(-1017.0, -128.0, 64.0, 32, 60, bits.tobytes())


def seeds() -> list[bytes]:
    """A red that is potted, and a miss: balls at rest, a stroke, balls at rest."""
    return [_stroke(0.0), _stroke(180.0), _stroke(0.0) + _stroke(180.0)]


def _stroke(aside_mm: float) -> bytes:
    images = [_image({"white": (0.0, 1000.0), "red": (0.0, 1500.0), "black": (0.0, 3245.0)})] * 30
    for k in range(40):
        white = 1000.0 + min(12.0 * k, 450.0)
        red = (aside_mm + 20.0 * max(0, k - 37), 1500.0 + 40.0 * max(0, k - 37))
        images.append(_image({"white": (0.0, white), "red": red, "black": (0.0, 3245.0)}))
    images += [_image({"white": (0.0, 1450.0), "black": (0.0, 3245.0)})] * 50
    return b"".join(images)


def _image(balls: dict[str, tuple[float, float]]) -> bytes:
    parts = [IMAGE.pack(0, 1, len(balls))]
    for colour, (x, y) in balls.items():
        place = round((x + 1100.0) / _GRID_MM), round((y + 200.0) / _GRID_MM)
        parts.append(BALL.pack(*place, BALL_CLASSES.index(colour), 250))
    return b"".join(parts)
