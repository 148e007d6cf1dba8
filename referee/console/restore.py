"""Reads the balls of a picture or of a moment of the video, for the restore page."""

from __future__ import annotations

from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.calibrate import calibrate
from calibration.camera import Camera
from calibration.result import Calibration
from calibration.table.board import origin_of_records_mm
from calibration.table.games import PIECES
from calibration.table.pieces import SNOOKER, PieceSet, colour_of
from calibration.table.specs import TableSpec
from calibration.texts import clock, unusable_input
from referee.console.match_view import MatchView
from referee.console.placement import compare, spots_of_layout
from referee.geometry import BallAt
from referee.outputs.annotated import calibration_of
from referee.outputs.document import LayoutByColour, Match, Stroke, table_of
from vision.detect.detector import Detector
from vision.io.images import MAX_PIXELS, read_video
from vision.io.picture import Picture
from vision.layout import read_layout

AVERAGED_IMAGES = 3  # of one moment: their mean is less noisy


def restore_at(match: MatchView, n: int, at_s: float) -> dict[str, Any]:
    """The balls at a moment of the match's video against the position before stroke `n`.

    In a live match the balls on the table now are compared, whatever the moment.
    """
    stroke = _stroke(match, n)
    return {"stroke": n, **restore_layout(match, stroke["before"], at_s)}


def restore_layout(match: MatchView, layout: LayoutByColour, at_s: float) -> dict[str, Any]:
    """The balls at a moment of the match's video, or now in a live match, against a layout."""
    return _compared(match, layout, layout_at(match, at_s), calibration_of(match.document))


def spots_at(match: MatchView, at_s: float, tolerance_mm: float) -> dict[str, Any]:
    """Every colour near a spot at a moment of the video, or now in a live match, against its due place."""
    table, calibration = table_of(match.document), calibration_of(match.document)
    balls = [
        BallAt(f"{colour}_{k}" if colour == "red" else colour, colour, p[0], p[1], p[2])
        for colour, places in layout_at(match, at_s).items()
        for k, p in enumerate(places, 1)
    ]
    camera = calibration.camera if calibration else None
    pieces, found = pieces_of(match.document), []
    for spot in spots_of_layout(balls, table, tolerance_mm):
        here = (spot.due_mm[0] + spot.dx_mm, spot.due_mm[1] + spot.dy_mm)
        found.append({**asdict(spot), "px": _on_picture(spot.ball, spot.due_mm, here, camera, table, pieces)})
    return {"spots": found, "size_px": [camera.width_px, camera.height_px] if camera else None}


def layout_at(match: MatchView, at_s: float) -> LayoutByColour:
    """The balls at a moment of the video; now in a live match."""
    now = match.balls_now()
    if now is None:
        _check_moment(match, at_s)
        now = _tracked(match, at_s)
    return layout_of_video(match, at_s) if now is None else now


def _check_moment(match: MatchView, at_s: float) -> None:
    """Raises UnusableInput for a moment behind the recording's end: a track holds its last place for ever."""
    end_s = match.document["video"]["duration_s"]
    if at_s > end_s > 0.0:
        raise unusable_input("errors.moment_of_the_recording", end=clock(end_s), at_s=f"{at_s:g}")


def _on_picture(
    colour: str,
    target_mm: tuple[float, float],
    now_mm: tuple[float, float] | None,
    camera: Camera | None,
    table: TableSpec,
    pieces: PieceSet,
) -> dict[str, Any] | None:
    """Where a ball belongs and where it is, in px of the camera's picture; None where it shows neither."""
    if camera is None:
        return None
    marks = outlines({colour: [[*target_mm, 0.0]]}, camera, table, pieces)
    if not marks:
        return None
    here = outlines({colour: [[*now_mm, 0.0]]}, camera, table, pieces) if now_mm is not None else []
    return {**marks[0], "now_px": [here[0]["x_px"], here[0]["y_px"]] if here else None}


def restore_picture(match: MatchView, n: int, data: bytes) -> dict[str, Any]:
    """The balls of a picture (its file's bytes) against the position before stroke `n`.

    A picture of the match's own camera is read with its calibration; in any other picture the table is found
    first.
    """

    stroke = _stroke(match, n)
    bgr = decoded(data)
    known = calibration_of(match.document)
    camera = known.camera if known else None
    if camera is None or (camera.width_px, camera.height_px) != (bgr.shape[1], bgr.shape[0]):
        known = calibrate([bgr], table_of(match.document))
    assert known is not None
    now = layout_of([Picture.from_bgr(bgr)], known, pieces_of(match.document))
    return {"stroke": n, **_compared(match, stroke["before"], now, known)}


def decoded(data: bytes) -> Any:
    """The picture (H, W, 3) BGR of a PNG or JPEG file's bytes. Raises UnusableInput."""
    size = picture_size(data)
    if size is None or size[0] * size[1] > MAX_PIXELS:
        raise unusable_input("errors.png_or_jpeg_of_at_most_pixels", max_pixels=MAX_PIXELS, size=size or "?")
    bgr = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if bgr is None:
        raise unusable_input("errors.png_or_jpeg")
    return bgr


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG or JPEG from its head, before anything is decoded; None for others."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 + length
    return None


def pieces_of(document: Match) -> PieceSet:
    """The set of the match's game; snooker's for a game that is not known."""
    return PIECES.get(document["game"], SNOOKER)


def layout_of(pictures: list[Picture], calibration: Calibration, pieces: PieceSet) -> LayoutByColour:
    """Pieces by kind, `[x_mm, y_mm, sigma_mm]`, of pictures of one moment of rest.

    Places are in the frame of the game's records, so that they can be compared with a match's: carrom's have
    their origin at the board's centre.
    """
    out: LayoutByColour = {}
    down = origin_of_records_mm(calibration.table)
    for ball in read_layout(pictures, calibration, Detector(pieces=pieces), pieces=pieces):
        out.setdefault(ball.colour, []).append([ball.x_mm, ball.y_mm - down, ball.sigma_mm])
    return out


def pictures_at(path: Path, at_s: float) -> list[Picture]:
    """A few images of a video from a moment on."""
    found = [i.picture for i in islice(read_video(path, max(0.0, at_s - 1e-6)), AVERAGED_IMAGES)]
    if not found:
        raise unusable_input("errors.image_at_s_not_none_that_can_be_decoded", path=path, at_s=f"{at_s:g}")
    return found


def jpeg_at(match: MatchView, at_s: float) -> bytes:
    """The image of the match's video at a moment, as a JPEG file; the camera's last one in a live match."""
    live = match.picture_now()
    if live is not None:
        return _jpeg(live)
    _check_moment(match, at_s)
    if match.video is None:
        raise unusable_input("errors.matchs_video_to_show_s", folder=match.folder, at_s=f"{at_s:g}")
    return _jpeg(pictures_at(match.video, at_s)[0])


def _jpeg(picture: Picture) -> bytes:
    done, data = cv2.imencode(".jpg", picture.bgr())
    assert done
    return bytes(data)


def layout_of_video(match: MatchView, at_s: float) -> LayoutByColour:
    """The balls in the match's video at a moment, read anew."""
    calibration = calibration_of(match.document)
    if match.video is None or calibration is None:
        raise unusable_input("errors.matchs_video_and_its_camera", folder=match.folder, at_s=f"{at_s:g}")
    return layout_of(pictures_at(match.video, at_s), calibration, pieces_of(match.document))


def _tracked(match: MatchView, at_s: float) -> LayoutByColour | None:
    """Where the review's tracks say the balls lie; None without rows of balls at rest."""
    if not any("rest" in path.state for path in match.tracks.values()):
        return None
    out: LayoutByColour = {}
    for ball, path in match.tracks.items():
        here = path.at(at_s)
        if here is not None:
            out.setdefault(colour_of(ball), []).append([here[0], here[1], 0.5])
    return out


def _stroke(match: MatchView, n: int) -> Stroke:
    stroke = match.stroke(n)
    if stroke is None:
        raise unusable_input("errors.one_of_the_matchs_strokes_not_no_such_stroke", n=n)
    return stroke


def _compared(
    match: MatchView, target: LayoutByColour, now: LayoutByColour, calibration: Calibration | None
) -> dict[str, Any]:
    table, pieces = table_of(match.document), pieces_of(match.document)
    compared = compare(target, now, table)
    balls = [asdict(b) for b in compared]
    camera = calibration.camera if calibration else None
    targets = [
        {**px, "done": b.done, "left_mm": b.left_mm}
        for b in compared
        if b.target_mm
        and (px := _on_picture(b.colour, b.target_mm, b.now_mm, camera, table, pieces)) is not None
    ]
    return {
        "balls": balls,
        "size_px": [camera.width_px, camera.height_px] if camera else None,
        "targets": sorted(targets, key=lambda t: -(t["left_mm"] or 1e9)),
        "outlines": outlines(target, camera, table, pieces) if camera else [],
    }


def outlines(
    layout: LayoutByColour, camera: Camera, table: TableSpec, pieces: PieceSet
) -> list[dict[str, Any]]:
    """Where pieces of a layout of the records would appear in the camera's picture: circles in pixels."""
    out = []
    up, z = origin_of_records_mm(table), table.piece_plane_mm
    for kind, places in layout.items():
        radius = table.ball_radius_mm * pieces.size_share(kind)
        for x, y, *_ in places:
            points = camera.pixels_from_table([(x, y + up, z), (x + radius, y + up, z)])
            if np.isfinite(points).all():
                reach = float(np.hypot(*(points[1] - points[0])))
                out.append(
                    {
                        "colour": kind,
                        "x_px": float(points[0][0]),
                        "y_px": float(points[0][1]),
                        "r_px": reach,
                    }
                )
    return out
