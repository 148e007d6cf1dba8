"""The balls in one picture, named: what `cueref layout` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice
from pathlib import Path

import cv2
import numpy as np

from calibration.errors import prefix
from calibration.result import Calibration
from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.pockets import no_rest_place
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from vision.detect.detector import Detector
from vision.detect.naming import assign_balls, ball_log_odds, place_nats, placed_logp
from vision.doubt import mostly_unsure, unsure_things
from vision.io.images import is_image_file, probe, read_image, read_video
from vision.io.picture import U8, Picture
from vision.locate.pairs import PairNet, near_pairs
from vision.locate.slant import per_axis_mm
from vision.observation import GapSeen, Observation
from vision.observer import Observer
from vision.view.usable import colourless

_OVER_DROP = 0.86
"""Drop radii from a pocket's middle within which no ball can lie, calibration's error included."""
_SAME_MM = 2.0  # distance of two looks at one ball
_AVERAGED_IMAGES = 3


@dataclass(frozen=True, slots=True)
class LayoutBall:
    """One ball: place on the cloth (mm, table frame), centre in the picture (px), one sigma per axis (mm).

    `own_sigma_mm`: without calibration's share, which cancels in the gap between near balls. `confidence`:
    probability that it is a ball of this colour.
    """

    colour: str
    x_mm: float
    y_mm: float
    x_px: float
    y_px: float
    sigma_mm: float
    own_sigma_mm: float
    confidence: float


def pictures_at(source: Path, at_s: float) -> list[Picture]:
    """What `read_layout` reads: a picture file's one, or the images of a video from `at_s` seconds on.

    Raises UnusableInput for a file or a moment without image.
    """
    if is_image_file(source):
        return [Picture.from_bgr(read_image(source))]
    info = probe(source)
    if not 0.0 <= at_s <= info.duration_s:
        raise unusable_input(
            "errors.between_0_and_s", source=source, duration_s=f"{info.duration_s:.2f}", at_s=f"{at_s:g}"
        )
    pictures = [i.picture for i in islice(read_video(source, max(at_s - 1e-6, 0.0)), _AVERAGED_IMAGES)]
    if not pictures:
        raise unusable_input("errors.image_at_s", source=source, at_s=f"{at_s:g}")
    return pictures


def check_size(source: Path, picture: Picture, calibration: Calibration) -> None:
    """Raises UnusableInput where the picture has not the size that was calibrated."""
    camera = calibration.camera
    if (camera.width_px, camera.height_px) != (picture.width_px, picture.height_px):
        raise unusable_input(
            "errors.images_of_x_as_calibrated",
            source=source,
            width_px=camera.width_px,
            height_px=camera.height_px,
            picture_width_px=picture.width_px,
            picture_height_px=picture.height_px,
        )


def read_layout(
    pictures: Sequence[Picture],
    calibration: Calibration,
    detector: Detector,
    name: str = "",
    pieces: PieceSet = SNOOKER,
) -> tuple[LayoutBall, ...]:
    """All pieces of one position, from one or several pictures of the same rest.

    Balls are those of the first picture; the others refine their places by averaging. Raises UnusableInput,
    with `name` (of the file) in front, where all pictures are grey, and where more things of a ball's size
    lie on the cloth than there are sure balls.
    """
    if all(colourless(p) for p in pictures):
        raise unusable_input("errors.picture_with_colours", where=prefix(name))
    table = calibration.table
    observer = Observer(calibration, detector, pieces)
    first, *others = [observer.look(p) for p in pictures]
    lying = [o for o in first if not no_rest_place(o.x_mm, o.y_mm, table, _OVER_DROP)]
    odds = ball_log_odds(lying, table, pieces=pieces)
    is_ball = [kind is not None for kind, _ in assign_balls(placed_logp(lying, table, pieces), odds, pieces)]
    taken = list(compress(lying, is_ball))
    rest = [(o, p) for o, p, ball in zip(lying, odds.tolist(), is_ball, strict=True) if not ball]
    covered = observer.plane.mask(observer.state.covered)
    things = unsure_things(pictures[0], calibration, taken, rest, covered)
    if mostly_unsure(things, len(taken), len(pieces.pieces)):
        raise unusable_input(
            "errors.balls_as_the_detector_knows_them", where=prefix(name), count=len(taken), things=things
        )
    balls = _seen_again(taken, others)
    logp = [_mean_logp(seen, table, pieces) for seen in balls]
    named = assign_balls(logp, odds[np.array(is_ball, bool)], pieces)
    return tuple(
        _ball(seen, kind, sure, calibration)
        for seen, (kind, sure) in zip(balls, named, strict=True)
        if kind is not None
    )


def _seen_again(
    balls: Sequence[Observation], others: Iterable[Sequence[Observation]]
) -> list[list[Observation]]:
    """The observations of each ball: its own, and those of other looks at the same place."""
    seen = [[ball] for ball in balls]
    for o in chain.from_iterable(others):
        near = (b for b in seen if np.hypot(b[0].x_mm - o.x_mm, b[0].y_mm - o.y_mm) < _SAME_MM)
        if (ball := next(near, None)) is not None:
            ball.append(o)
    return seen


def _mean_logp(seen: Sequence[Observation], table: TableSpec, pieces: PieceSet) -> list[float]:
    """Log-probability of each kind of one ball: the mean of its observations, and what its place says."""
    place = place_nats(seen[0].x_mm, seen[0].y_mm, table, pieces)
    return list((np.mean([o.colour_logp for o in seen], axis=0) + place).tolist())


def _ball(seen: list[Observation], name: str, confidence: float, calibration: Calibration) -> LayoutBall:
    weight = np.array([1 / o.sigma_mm**2 for o in seen])
    weight /= weight.sum()
    x, y, px, py = (
        float(np.dot(weight, [getattr(o, k) for o in seen])) for k in ("x_mm", "y_mm", "x_px", "y_px")
    )
    across = float(np.dot(weight, [o.sigma_mm for o in seen]))
    own = per_axis_mm(calibration.camera, x, y, across)
    # the error of calibration is the same in every picture and does not average out
    sigma = float(np.hypot(own, calibration.sigma_mm(x, y)))
    return LayoutBall(name, x, y, px, py, sigma, own, confidence)


def read_gaps(
    pictures: Sequence[Picture],
    calibration: Calibration,
    balls: Sequence[LayoutBall],
    pieces: PieceSet = SNOOKER,
) -> tuple[GapSeen, ...]:
    """The gaps between the cue-ball and balls beside it, averaged over the pictures of `read_layout`."""
    radius = calibration.table.ball_radius_mm
    places = np.array([(b.x_mm, b.y_mm) for b in balls]).reshape(-1, 2)
    near = near_pairs(places, radius, [i for i, b in enumerate(balls) if b.colour == pieces.cue])
    net = PairNet() if near else None
    looks = (
        [net.gaps(p, calibration.camera, radius, places, near) for p in pictures] if net is not None else []
    )
    out = []
    for i, j in near:
        found = [g for look in looks for g in look if (g.first, g.second) == (i, j)]
        if found:
            sigma = float(np.mean([g.sigma_mm for g in found]))
            out.append(GapSeen(i, j, float(np.mean([g.gap_mm for g in found])), sigma))
    return tuple(out)


_PAINT = {
    "white": (255, 255, 255),
    "red": (40, 40, 255),
    "yellow": (0, 220, 255),
    "green": (60, 255, 60),
    "brown": (60, 110, 200),
    "blue": (255, 140, 40),
    "pink": (200, 150, 255),
    "black": (160, 160, 160),
    "purple": (230, 90, 170),
    "orange": (30, 140, 255),
    "maroon": (70, 70, 190),
}  # BGR, bright enough to be visible over the ball itself


def draw_layout(
    bgr: U8, balls: Sequence[LayoutBall], calibration: Calibration, pieces: PieceSet = SNOOKER
) -> U8:
    """A copy of the picture with each piece's outline, kind and place."""
    out = bgr.copy()
    usual = max(pieces.kinds, key=lambda k: k.count).diameter_mm
    for ball in balls:
        kind = pieces.kind(ball.colour)
        size_mm = calibration.table.ball_radius_mm * kind.diameter_mm / usual
        radius, paint = size_mm / calibration.mm_per_px(ball.x_mm, ball.y_mm), _PAINT[kind.look.tint]
        centre = (round(ball.x_px * 16), round(ball.y_px * 16))
        cv2.circle(out, centre, round(radius * 16 * 1.15), paint, 1, cv2.LINE_AA, 4)
        text = f"{ball.colour} {ball.x_mm:.1f} {ball.y_mm:.1f}"
        at = (int(ball.x_px + radius * 1.2), int(ball.y_px - radius))
        for colour, width in (((0, 0, 0), 3), (paint, 1)):
            cv2.putText(out, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, width, cv2.LINE_AA)
    return out
