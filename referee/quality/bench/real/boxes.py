"""Real pictures and clips whose balls somebody drew boxes about: which detections are balls, and which balls
in motion are detected.

`labels.json` in a folder of pictures: picture to a list of [name, xmin, ymin, xmax, ymax] in pixels; the name
is a kind, or "ball" where nobody wrote it; others are left out. `close_views.json` beside it lists pictures
that do not show the whole table. In a clip's entry of `truth.json`, `white_boxes` and `object_boxes` are the
boxes of two balls by number of the image. Some balls have no box, so that what is counted as none may be one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.table.pieces import SNOOKER
from calibration.texts import unusable_input
from referee.quality.bench.real.truth import FILE as TRUTH_FILE
from referee.quality.bench.ways import Place, Seen, detected, on_table, on_way
from vision.calibrated import solved_view
from vision.detect.detector import Detector
from vision.io.images import VideoImage, read_image, read_video
from vision.io.picture import Picture
from vision.layout import read_layout
from vision.observer import Observer
from vision.plane import BallPlane

FILE, CLOSE_VIEWS = "labels.json", "close_views.json"
_EXPECTED = "expected boxes of balls in pictures (docs/bench.md)"
_SLACK = 1 / 3  # of a box's size by which a ball's centre may lie outside it: boxes are good to some pixels
_MOVES_PX = 3.0  # a box that goes less from one image to the next may lie still
_ON_WAY_MM = 35.0  # half a diameter, and a third of one for boxes good to two or three pixels

Box = tuple[float, float, float, float]
"""xmin, ymin, xmax, ymax, px."""


@dataclass(frozen=True, slots=True)
class BoxedPicture:
    """A picture with the boxes of its balls, each with a kind or "ball"."""

    file: Path
    boxes: tuple[tuple[str, Box], ...]


@dataclass(frozen=True, slots=True)
class BoxesJudged:
    """What was detected in a picture or clip. `found`: boxes with a ball of the layout, of which the kind of
    `named` is written down. `on`, `off`: confidences of detections on a box, and of others on the table.
    `moving`: speed mm/s and confidence of the surest detection (0: none of 0.1 or more) of a boxed ball in an
    image in which it moves.
    """

    name: str
    refused: str = ""
    boxes: int = 0
    found: int = 0
    named: int = 0
    named_right: int = 0
    on: tuple[float, ...] = ()
    off: tuple[float, ...] = ()
    moving: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class BoxedClip:
    """A clip with the boxes of some of its balls, each by the number of the image."""

    file: Path
    balls: tuple[tuple[tuple[int, Box], ...], ...]


Boxed = BoxedPicture | BoxedClip


def has_boxes(folder: Path) -> bool:
    """Whether a folder holds pictures with boxes."""
    return (folder / FILE).is_file()


def read_boxes(folder: Path) -> tuple[BoxedPicture, ...]:
    """The pictures of a folder that show a whole table. Raises UnusableInput for labels of another form."""
    file, close = folder / FILE, folder / CLOSE_VIEWS
    try:
        labels = json.loads(file.read_text(encoding="utf-8"))
        left_out = set(json.loads(close.read_text(encoding="utf-8"))) if close.is_file() else set()
        kinds = {*SNOOKER.names, "ball"}
        return tuple(
            BoxedPicture(
                folder / name, tuple((str(b[0]), _box(b[1:])) for b in labels[name] if b[0] in kinds)
            )
            for name in sorted(labels)
            if name not in left_out and (folder / name).is_file()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise unusable_input(
            "errors.found_a_bad_or_missing_value_not_bad_or_missing_value",
            file=file,
            expected=_EXPECTED,
            error=error,
        ) from None


def boxed_clips(folder: Path) -> tuple[BoxedClip, ...]:
    """The clips of snooker in a folder with truth whose balls have boxes."""
    entries = json.loads((folder / TRUTH_FILE).read_text(encoding="utf-8"))
    out = []
    for name in sorted(entries):
        entry = entries[name] if isinstance(entries[name], dict) else {}
        boxes = [entry[k] for k in ("white_boxes", "object_boxes") if isinstance(entry.get(k), dict)]
        balls = tuple(tuple(sorted((int(k), _box(b)) for k, b in ball.items())) for ball in boxes)
        if balls and entry.get("game", "snooker") == "snooker" and (folder / name).is_file():
            out.append(BoxedClip(folder / name, balls))
    return tuple(out)


def judge_boxes(item: Boxed) -> BoxesJudged:
    """What is detected in a picture, or of a clip's balls in motion."""
    return _judge_picture(item) if isinstance(item, BoxedPicture) else _judge_clip(item)


def _box(values: Sequence[Any]) -> Box:
    x0, y0, x1, y1 = (float(v) for v in values)
    return x0, y0, x1, y1


def _judge_picture(picture: BoxedPicture) -> BoxesJudged:
    """The picture read alone, as `cueref layout` does; beside its balls every observation, however unsure."""
    detector, name = Detector(), picture.file.name
    try:
        found = solved_view(picture.file, parse_table(DEFAULT_TABLE, None), detector)[0]
        pixels = Picture.from_bgr(read_image(picture.file))
        said = read_layout([pixels], found, detector)
    except UnusableInput as error:
        return BoxesJudged(name, str(error), len(picture.boxes))
    balls = _paired(picture, said)
    seen = [o for o in Observer(found, detector).look(pixels) if on_table((o.x_mm, o.y_mm), found.table)]
    on = [o for _, o in _paired(picture, seen)]
    return BoxesJudged(
        name,
        "",
        len(picture.boxes),
        len(balls),
        sum(kind != "ball" for kind, _ in balls),
        sum(kind == ball.colour for kind, ball in balls),
        tuple(o.confidence for o in on),
        tuple(o.confidence for o in seen if o not in on),
    )


class _Seen(Protocol):
    """What lies at a pixel."""

    @property
    def x_px(self) -> float: ...
    @property
    def y_px(self) -> float: ...


One = TypeVar("One", bound=_Seen)


def _paired(picture: BoxedPicture, seen: Iterable[One]) -> list[tuple[str, One]]:
    """The kind of each box in which something is seen, with what is nearest to its middle."""
    left, out = list(seen), []
    for kind, box in picture.boxes:
        near = [o for o in left if _in_box((o.x_px, o.y_px), box)]
        if near:
            own = min(near, key=lambda o: math.dist((o.x_px, o.y_px), _middle(box)))
            left.remove(own)
            out.append((kind, own))
    return out


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _in_box(at: tuple[float, float], box: Box) -> bool:
    dx, dy = _SLACK * (box[2] - box[0]), _SLACK * (box[3] - box[1])
    return box[0] - dx <= at[0] <= box[2] + dx and box[1] - dy <= at[1] <= box[3] + dy


def _judge_clip(clip: BoxedClip) -> BoxesJudged:
    """The boxed balls of a clip in the images in which they move; the detector alone, in every image."""
    detector = Detector()
    try:
        found = solved_view(clip.file, parse_table(DEFAULT_TABLE, None), detector)[0]
    except UnusableInput as error:
        return BoxesJudged(clip.file.name, str(error))
    plane = BallPlane(found.camera, found.table)
    images = [i for i in read_video(clip.file) if isinstance(i, VideoImage)]
    wanted: dict[int, list[_OnWay]] = {}
    for ball in clip.balls:
        for seen in _on_ways(dict(ball), found, images):
            wanted.setdefault(seen.image, []).append(seen)
    moving: list[tuple[float, float]] = []
    for k in sorted(wanted):
        places = detected(detector, plane, images[k].picture)
        moving += [(way.speed_mm_s, way.surest(places)) for way in wanted[k]]
    return BoxesJudged(clip.file.name, moving=tuple(moving))


@dataclass(frozen=True, slots=True)
class _OnWay:
    """A boxed ball in an image in which it moves, with its way half an interval before and after."""

    image: int
    speed_mm_s: float
    way_mm: tuple[Place, Place, Place]

    def surest(self, seen: Sequence[Seen]) -> float:
        """The highest confidence of the detections on the way."""
        before, at, after = self.way_mm
        near = on_way(seen, before, at, _ON_WAY_MM) | on_way(seen, at, after, _ON_WAY_MM)
        return max((c for _, _, c in near), default=0.0)


def _on_ways(ball: Mapping[int, Box], found: Calibration, images: Sequence[VideoImage]) -> list[_OnWay]:
    """The images before and after which a ball moves; those that show the one before again are left out.

    Where images repeat, the stated speed is up to a fifth too high: they stand for a slower camera's.
    """
    shown = sorted(k for k in ball if k < len(images))
    new = shown[:1] + [k for before, k in pairwise(shown) if ball[k] != ball[before]]
    new = new[:1] + [
        k for before, k in pairwise(new) if math.dist(_middle(ball[k]), _middle(ball[before])) > 1
    ]
    at = {k: _table_place(ball[k], found) for k in new}
    out = []
    for a, b, c in zip(new, new[1:], new[2:], strict=False):
        steps = ((a, b), (b, c))
        ways_px = [math.dist(_middle(ball[p]), _middle(ball[q])) for p, q in steps]
        if min(ways_px) < _MOVES_PX or not on_table(at[b], found.table) or c - a > 3:
            continue
        speeds = [math.dist(at[p], at[q]) / max(images[q].t_s - images[p].t_s, 1e-6) for p, q in steps]
        middles = [((at[p][0] + at[q][0]) / 2, (at[p][1] + at[q][1]) / 2) for p, q in steps]
        out.append(_OnWay(b, max(speeds), (middles[0], at[b], middles[1])))
    return out


def _table_place(box: Box, found: Calibration) -> tuple[float, float]:
    x, y = found.camera.table_from_pixels(np.array([_middle(box)]), found.table.ball_radius_mm)[0][:2]
    return float(x), float(y)
