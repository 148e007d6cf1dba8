"""Random looks of the pieces and tables of pool, black ball and carrom, as makers sell them.

Keys are the names of `vision.detect.looks`: what is alike to a camera has one look.
"""

from __future__ import annotations

from collections.abc import Callable

from calibration.table.pieces import POOL_TINTS
from vision.render.board import BoardLook
from vision.render.discs import DiscLook
from vision.render.looks import Rng, linear
from vision.render.scene import BallLook, Rgb

Hsv = tuple[float, float, float]
_Span = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]

# hue in degrees, saturation and value on a screen under white light
_POOL: dict[str, _Span] = {
    "yellow": ((34, 56), (0.72, 1.0), (0.72, 1.0)),
    "blue": ((205, 246), (0.62, 1.0), (0.28, 0.78)),
    "red": ((-16, 9), (0.75, 1.0), (0.5, 1.0)),
    "purple": ((254, 312), (0.32, 0.9), (0.2, 0.66)),
    "green": ((125, 172), (0.6, 1.0), (0.24, 0.62)),
    "pink": ((-22, 14), (0.32, 0.66), (0.85, 1.0)),
    "black": ((0, 360), (0.0, 0.4), (0.02, 0.16)),
}
_CLOTHS: tuple[_Span, ...] = (
    ((195, 222), (0.5, 1.0), (0.3, 0.8)),  # tournament and electric blue
    ((195, 222), (0.5, 1.0), (0.3, 0.8)),
    ((100, 172), (0.5, 1.0), (0.25, 0.85)),  # greens, to the turquoise of bright halls
    ((100, 172), (0.5, 1.0), (0.25, 0.85)),
    ((0, 360), (0.0, 0.12), (0.25, 0.75)),  # greys
    ((0, 360), (0.0, 0.12), (0.25, 0.75)),
    ((-20, 8), (0.5, 0.9), (0.25, 0.6)),  # burgundy and red
    ((28, 45), (0.2, 0.6), (0.4, 0.7)),  # camel
    ((255, 300), (0.3, 0.7), (0.25, 0.5)),  # purple
)


def _drawn(rng: Rng, span: _Span) -> Hsv:
    h, s, v = (float(rng.uniform(*part)) for part in span)
    return h, s, v


def pool_cloth(rng: Rng) -> Rgb:
    """A cloth as pool tables have it."""
    return linear(*_drawn(rng, _CLOTHS[int(rng.integers(0, len(_CLOTHS)))]))


def _tints(rng: Rng) -> dict[str, Hsv]:
    """One maker's colours; the orange is lighter and yellower than the red, the maroon darker than both or
    a brown.
    """
    out = {name: _drawn(rng, span) for name, span in _POOL.items()}
    red = out["red"]
    hue = min(max(red[0] + 12, float(rng.uniform(8, 32))), 33.0)
    orange = out["orange"] = (hue, float(rng.uniform(0.8, 1)), float(rng.uniform(0.72, 1)))
    if rng.random() < 0.6:
        value = float(rng.uniform(0.42, 0.72)) * red[2]
        out["maroon"] = (red[0] + float(rng.uniform(-10, 14)), float(rng.uniform(0.6, 1)), value)
    else:
        value = float(rng.uniform(0.4, 0.82)) * orange[2]
        out["maroon"] = (float(rng.uniform(14, 30)), float(rng.uniform(0.55, 0.95)), value)
    return out


def cream(rng: Rng) -> Rgb:
    """White to old ivory."""
    return linear(rng.uniform(34, 60), rng.uniform(0.0, 0.32), rng.uniform(0.84, 1.0))


def cue_ball(rng: Rng) -> BallLook:
    """Plain, with six spots, or with one maker's mark."""
    kind = float(rng.random())
    tone = linear(rng.choice([0.0, 0.0, 220.0, 130.0]), 0.9, float(rng.uniform(0.3, 0.9)))
    spots, cosine = (
        (6, float(rng.uniform(0.955, 0.985))) if kind < 0.35 else (1, float(rng.uniform(0.93, 0.985)))
    )
    return BallLook(cream(rng), 4, tone, spots=0 if kind > 0.6 else spots, spot_cosine=cosine)


def pool_looks(rng: Rng) -> dict[str, BallLook]:
    """A set of numbered balls with its cue-ball."""
    tints, white = _tints(rng), cream(rng)
    television = float(rng.random()) < 0.3  # 4 and 12 pink, 5 and 13 purple
    base = white if rng.random() < 0.93 else linear(0, 0, float(rng.uniform(0.03, 0.15)))
    ring, half = float(rng.uniform(0.24, 0.42)), float(rng.uniform(0.4, 0.62))
    numbers = dict(zip(POOL_TINTS, range(1, 8), strict=True)) | {"black": 8, "pink": 4}
    if television:
        numbers["purple"] = 5
    looks = {"white": cue_ball(rng)}
    for tint, number in numbers.items():
        rgb = linear(*tints[tint])
        looks[tint] = BallLook(rgb, 4, number=number, circle=white, circle_radius=ring)
        if tint != "black":
            looks[f"{tint} stripe"] = BallLook(
                base, 4, band=rgb, band_half=half, number=number + 8, circle=white, circle_radius=ring
            )
    gone = "orange" if television else "pink"
    return {name: look for name, look in looks.items() if name.split()[0] != gone}


def british_looks(rng: Rng) -> dict[str, BallLook]:
    """Reds, yellows, the black with its 8, and a cue-ball."""
    tints = _tints(rng)
    number = None if rng.random() < 0.25 else 8
    return {
        "white": cue_ball(rng),
        "red": BallLook(linear(*tints["red"])),
        "yellow": BallLook(linear(*tints["yellow"])),
        "black": BallLook(
            linear(*tints["black"]), 4, number=number, circle_radius=float(rng.uniform(0.25, 0.4))
        ),
    }


def disc_looks(rng: Rng, wood: Rgb) -> dict[str, DiscLook]:
    """Men, Queen and striker of one set; the striker is of any colour and print. White men are of straw to
    peach, and of one set in three nearly of the board's `wood`.
    """
    pale = linear(rng.uniform(12, 50), rng.uniform(0.08, 0.55), rng.uniform(0.7, 1.0))
    if rng.random() < 0.35:
        off, tint = float(rng.uniform(0.75, 1.35)), float(rng.uniform(-0.06, 0.06))
        gains = (off * (1 + tint), off, off * (1 - tint))
        pale = tuple(min(c * g, 0.95) for c, g in zip(wood, gains, strict=True))  # type: ignore[assignment]
    dark = linear(rng.uniform(0, 40), rng.uniform(0.0, 0.5), rng.uniform(0.05, 0.24))
    queen = linear(rng.uniform(-18, 8), rng.uniform(0.7, 1), rng.uniform(0.45, 0.95))
    rings = _rings(rng)
    gloss, grain = float(rng.uniform(0.0, 0.12)), float(rng.uniform(0.01, 0.12))
    wall = float(rng.uniform(0.3, 0.95))
    kind = float(rng.random())
    if kind < 0.55:
        body = linear(rng.uniform(30, 55), rng.uniform(0.02, 0.35), rng.uniform(0.8, 1))
    elif kind < 0.85:
        body = linear(rng.uniform(0, 360), rng.uniform(0.3, 1), rng.uniform(0.3, 1))
    else:
        body = linear(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.05, 0.4))
    ink = linear(rng.uniform(0, 360), rng.uniform(0.3, 1), rng.uniform(0.1, 0.9))
    star = int(rng.choice([0, 4, 5, 6, 8]))
    own = tuple(
        (float(rng.uniform(0.3, 0.92)), float(rng.uniform(0.02, 0.07)), ink)
        for _ in range(int(rng.integers(0, 3)))
    )
    return {
        "white disc": DiscLook(pale, rings(pale), gloss=gloss, grain=grain, wall=wall),
        "black disc": DiscLook(dark, rings(dark), gloss=gloss, grain=grain, wall=wall),
        "red disc": DiscLook(queen, rings(queen), gloss=gloss, grain=grain, wall=wall),
        "striker": DiscLook(body, own, star, ink, gloss, 0.02, wall),
    }


def _rings(rng: Rng) -> Callable[[Rgb], tuple[tuple[float, float, Rgb], ...]]:
    """Turned grooves, the same on all men of a set: lighter or darker than the body."""
    drawn = [
        (float(rng.uniform(0.15, 0.9)), float(rng.uniform(0.02, 0.07)), float(rng.choice([0.6, 0.75, 1.25])))
        for _ in range(int(rng.integers(0, 4)))
    ]

    def shades(body: Rgb) -> tuple[tuple[float, float, Rgb], ...]:
        return tuple((at, half, tuple(min(c * gain, 1.0) for c in body)) for at, half, gain in drawn)  # type: ignore[misc]

    return shades


def board_look(rng: Rng) -> BoardLook:
    """Plywood from pale to brown, black or red lines, a frame of another wood."""
    wood = linear(rng.uniform(24, 48), rng.uniform(0.15, 0.65), rng.uniform(0.6, 0.98))
    line = (
        linear(0, 0, rng.uniform(0.03, 0.25)) if rng.random() < 0.75 else linear(rng.uniform(0, 30), 0.8, 0.4)
    )
    circle = (
        linear(rng.uniform(-12, 8), rng.uniform(0.7, 1), rng.uniform(0.4, 0.8))
        if rng.random() < 0.7
        else line
    )
    begin = float(rng.uniform(120, 165))
    frame = linear(rng.uniform(0, 35), rng.uniform(0.3, 0.9), rng.uniform(0.08, 0.6))
    return BoardLook(
        wood,
        line,
        circle,
        frame,
        float(rng.uniform(45, 110)),
        float(rng.uniform(0.02, 0.3)),
        float(rng.uniform(3.5, 6.5)),
        float(rng.uniform(1.0, 3.0)),
        bool(rng.random() < 0.6),
        int(rng.choice([0, 0, 4, 6, 8, 8, 12])),
        int(rng.choice([0, 0, 8, 12, 16])),
        (begin, float(rng.uniform(220, 310)), begin + float(rng.uniform(-5, 40)), float(rng.uniform(9, 32))),
        float(rng.choice([0.0, 0.0, rng.uniform(0.02, 0.4)])),
        float(rng.uniform(0.0, 0.04)),
        float(rng.choice([0.0, rng.uniform(0.0, 0.15)])),
        linear(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.02, 0.5)),
        int(rng.integers(0, 1 << 30)),
    )
