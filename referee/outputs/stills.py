"""Still pictures of a stroke from its video: whole, with the balls' trails, and enlarged where it matters.

One pass through the stroke; of each wanted moment the nearest image is kept. JPEG, so that a page can hold
them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.table.board import origin_of_records_mm
from calibration.table.pieces import colour_of
from calibration.table.specs import TableSpec
from referee.outputs.annotated import blur_of, drawable, outline_colour
from referee.outputs.diagram import stroke_paths
from referee.outputs.document import Match, Stroke, camera_of_match, cue_ball_of, table_of
from referee.outputs.tracks import BallPath, Tracks
from vision.io.images import read_video
from vision.io.picture import U8

WIDEST_PX = 1280
"""A page shows whole pictures no wider; the enlarged part is cut from the full picture before."""
CLOSE_UP_PX = 480
REACH_BALLS = 7.0
"""Half the side of an enlarged part, in ball radii: two balls that meet and what lies beside them."""
_POCKET_REACH_BALLS = 9.0
_JPEG_QUALITY = 88
_AFTER_REST_S = 0.2
_BEFORE_S = 0.05


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment worth a still. `key` names it; `at_mm`: what to enlarge, in the records' frame;
    None: the whole table."""

    key: str
    t_s: float
    at_mm: tuple[float, float] | None = None
    ball: str | None = None
    pocket: str | None = None


@dataclass(frozen=True, slots=True)
class Still:
    """A moment with its picture, and the enlarged part where there is one; JPEG files. `t_s`: the image's."""

    moment: Moment
    t_s: float
    picture: bytes
    close_up: bytes | None


def moments_of(stroke: Stroke, table: TableSpec, tracks: Tracks) -> tuple[Moment, ...]:
    """Before the stroke, at first contact, at each pot, at rest; moments of unknown time are left out."""
    cue_ball, down = cue_ball_of(stroke), origin_of_records_mm(table)
    found = [Moment("before", stroke["start_s"] - _BEFORE_S)]
    first = stroke["first_contact"]
    if first is not None and first["t_s"] is not None:
        found.append(
            Moment("first_contact", first["t_s"], _here(tracks, cue_ball, first["t_s"]), first["ball"])
        )
    fallen = [(p["ball"], p["pocket"], p["t_s"]) for p in stroke["potted"]]
    places: dict[str, tuple[float, float]] = {p.name: (p.x_mm, p.y_mm - down) for p in table.pockets}
    for ball, pocket, t_s in fallen:
        if t_s is not None:
            found.append(Moment("pot", t_s, places.get(pocket) if pocket else None, ball, pocket))
    in_off = stroke["cue_ball_pocket"] if stroke["cue_ball"] == "pocketed" else None
    if in_off is not None and in_off in places:
        found.append(Moment("in_off", _last_s(tracks, stroke), places[in_off], cue_ball, in_off))
    found.append(Moment("rest", stroke["end_s"] + _AFTER_REST_S))
    return tuple(found)


def _here(tracks: Tracks, ball: str, t_s: float) -> tuple[float, float] | None:
    path = tracks.get(ball)
    found = path.at(t_s) if path is not None else None
    return (found[0], found[1]) if found is not None else None


def _last_s(tracks: Tracks, stroke: Stroke) -> float:
    """When the cue-ball was last seen to move in a stroke; its end without a path."""
    path = tracks.get(cue_ball_of(stroke))
    moving = (
        [t for t, s in zip(path.t_s, path.state, strict=True) if s == "moving" and t <= stroke["end_s"]]
        if path is not None
        else []
    )
    return max((t for t in moving if t >= stroke["start_s"]), default=stroke["end_s"])


def stills_of(
    video: Path, match: Match, stroke: Stroke, tracks: Tracks, blur: bool = False, begins_s: float = 0.0
) -> tuple[Still, ...]:
    """The stills of a stroke in order of time; those that the video does not reach are left out.

    `begins_s`: match time of the video's own 0. Raises UnusableInput when the video cannot be read.
    """
    table, camera = table_of(match), camera_of_match(match)
    wanted = sorted(moments_of(stroke, table, tracks), key=lambda m: m.t_s)
    pictures = _nearest(video, [m.t_s - begins_s for m in wanted], blur_of(match) if blur else None)
    paths = stroke_paths(stroke, tracks)
    found = []
    for moment, taken in zip(wanted, pictures, strict=True):
        if taken is None:
            continue
        t_s, picture = taken
        close = None if camera is None else _close_up(picture, moment, camera, table)
        if moment.key == "rest" and camera is not None:
            picture = picture.copy()
            draw_trails(picture, paths.values(), camera, table)
        found.append(Still(moment, t_s + begins_s, _jpeg(_fitted(picture)), close))
    return tuple(found)


def _nearest(video: Path, times_s: Sequence[float], blurred: object) -> list[tuple[float, U8] | None]:
    """For each time of the video (ascending) the nearest image, (H, W, 3) BGR; None beyond its end."""
    found: list[tuple[float, U8] | None] = [None] * len(times_s)
    if not times_s:
        return found
    last_s = times_s[-1] + 0.5
    for image in read_video(video, max(0.0, times_s[0] - 0.5)):
        if image.t_s > last_s:
            break
        near = [k for k, t in enumerate(times_s) if _nearer(image.t_s, t, found[k])]
        if blurred is None and not near:
            continue
        picture, _ = drawable(image.picture)
        if blurred is not None:
            blurred.apply(image, picture)  # type: ignore[attr-defined]
        for k in near:
            found[k] = (image.t_s, picture)
    return found


def _nearer(t_s: float, wanted_s: float, known: tuple[float, U8] | None) -> bool:
    return known is None or abs(t_s - wanted_s) < abs(known[0] - wanted_s)


def draw_trails(picture: U8, paths: object, camera: Camera, table: TableSpec) -> None:
    """Draw the ways of moving balls over a picture (H, W, 3 BGR), in place: a dark edge, then the colour."""
    thick, up = max(2, picture.shape[0] // 270), origin_of_records_mm(table)
    for path in paths:  # type: ignore[attr-defined]
        assert isinstance(path, BallPath)
        seen = [xy for xy, s in zip(path.xy_mm, path.state, strict=True) if s != "hidden"]
        if len(seen) < 2:
            continue
        px = camera.pixels_from_table([(x, y + up, table.piece_plane_mm) for x, y in seen])
        px = px[np.isfinite(px).all(axis=1)]
        points = np.round(px * 16).astype(np.int32).reshape(-1, 1, 2)
        for colour, width in (((0, 0, 0), thick + 2), (outline_colour(colour_of(path.ball)), thick)):
            cv2.polylines(picture, [points], False, colour, width, cv2.LINE_AA, 4)


def _close_up(picture: U8, moment: Moment, camera: Camera, table: TableSpec) -> bytes | None:
    if moment.at_mm is None:
        return None
    x, y = moment.at_mm
    r, z = table.ball_radius_mm, table.piece_plane_mm
    y += origin_of_records_mm(table)
    centre, beside = camera.pixels_from_table([(x, y, z), (x + r, y, z)])
    if not np.isfinite((centre, beside)).all():
        return None
    ball_px = math.dist(centre, beside)
    reach = round(ball_px * (_POCKET_REACH_BALLS if moment.pocket else REACH_BALLS))
    height, width = picture.shape[:2]
    reach = min(reach, height // 2, width // 2)
    u = min(max(round(float(centre[0])), reach), width - reach)
    v = min(max(round(float(centre[1])), reach), height - reach)
    part = picture[v - reach : v + reach, u - reach : u + reach]
    if part.size == 0:
        return None
    return _jpeg(cv2.resize(part, (CLOSE_UP_PX, CLOSE_UP_PX), interpolation=cv2.INTER_CUBIC))


def _fitted(picture: U8) -> U8:
    height, width = picture.shape[:2]
    if width <= WIDEST_PX:
        return picture
    size = (WIDEST_PX, round(height * WIDEST_PX / width))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _jpeg(picture: object) -> bytes:
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])  # type: ignore[call-overload]
    assert done
    return bytes(data)
