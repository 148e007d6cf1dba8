"""`annotated.mp4`: the video with the balls outlined and named, the score and the rulings.

Image by image, so that memory does not grow with the video; every image keeps its presentation time.
H.264 by libx264, or MPEG-4 where FFmpeg has no libx264.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from calibration.camera import Camera
from calibration.files import whole_file
from calibration.result import SIGMA_TERMS, Calibration, SigmaModel
from calibration.table.board import origin_of_records_mm
from calibration.table.games import PIECES
from calibration.table.pieces import SNOOKER, colour_of
from calibration.table.specs import TableSpec
from calibration.texts import clock, unusable_input
from referee.outputs.blur import TableBlur
from referee.outputs.diagram import LETTERS
from referee.outputs.document import (
    Match,
    Stroke,
    break_of,
    camera_from_record,
    name_of,
    record_fault,
    table_of,
)
from referee.outputs.fonts import eastern_font, font_file, runs
from referee.outputs.tracks import Tracks
from referee.outputs.words import (
    NO_BALL_ON,
    Say,
    ball_on_words,
    clause_of,
    question_words,
    ruling_words,
    say_of,
)
from vision.detect.detector import Detector
from vision.io.images import VideoImage, probe, read_video
from vision.io.picture import U8, Picture

ANNOTATED_FILE = "annotated.mp4"
CLOCK = Fraction(1, 90000)
"""Time base of the written video: fine enough for every container's stamps."""
RULING_SHOWN_S = 3.0
BT709, BT601 = 1, 6
"""Matrix coefficients as H.264 numbers them."""

Colour = tuple[int, int, int]
OUTLINES: dict[str, Colour] = {
    "white": (255, 255, 255),
    "red": (60, 60, 255),
    "yellow": (0, 220, 255),
    "green": (120, 255, 120),
    "brown": (90, 150, 220),
    "blue": (255, 150, 60),
    "pink": (200, 160, 255),
    "black": (190, 190, 190),
    "purple": (230, 110, 170),
    "orange": (40, 140, 255),
    "maroon": (110, 90, 190),
}


@dataclass(frozen=True, slots=True)
class Overlay:
    """Everything that is drawn, looked up by time."""

    match: Match
    tracks: Tracks
    camera: Camera | None
    table: TableSpec
    starts_s: tuple[float, ...]
    say: Say

    def stroke_at(self, t_s: float) -> Stroke | None:
        """The stroke that is being played or was played last."""
        i = bisect_right(self.starts_s, t_s) - 1
        return self.match["strokes"][i] if i >= 0 else None


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a video: match time from and to, the paths in it. `begins_s`: match time of the file's 0."""

    video: Path
    span_s: tuple[float, float]
    tracks: Tracks
    begins_s: float = 0.0


def calibration_of(match: Match) -> Calibration | None:
    """The calibration that a match.json describes; its sigma is the residual everywhere."""
    record = match["calibration"]
    camera = camera_from_record(record["camera"])
    if camera is None:
        return None
    residual = record["residual_mm"] or 0.5
    sigma = SigmaModel((residual**2, *([0.0] * (SIGMA_TERMS - 1))), 0.1)
    return Calibration(camera, table_of(match), record["residual_px"] or 0.0, residual, sigma)


def write_annotated(
    video: Path,
    out_dir: Path,
    match: Match,
    tracks: Tracks,
    progress: Callable[[int, int], None] | None = None,
    span_s: tuple[float, float] | None = None,
    name: str = ANNOTATED_FILE,
    blur: bool = False,
    begins_s: float = 0.0,
    slow: float = 1.0,
    say: Say | None = None,
) -> Path:
    """Write the annotated video into `out_dir`; `span_s` cuts out a piece, `progress` gets (image, of).

    `slow`: how many times slower than it was. `begins_s`: match time of the video's own 0. `blur`: people
    are made unrecognisable as `referee.outputs.blur` says. Raises UnusableInput when the video cannot be
    read, or is to be blurred and the match has no camera.
    """
    blurred = blur_of(match) if blur else None
    info = probe(video)
    piece = Piece(video, span_s or (0.0, float("inf")), tracks, begins_s)
    target = out_dir / name
    with whole_file(target) as temporary:
        writer = FilmWriter(temporary, info.rate_hz)
        for image, t_s in film(writer, overlay_of(match, tracks, say), piece, blurred, slow=slow):
            del t_s
            if progress:
                progress(image.index + 1, info.images)
        writer.close(video)
    return target


def overlay_of(match: Match, tracks: Tracks, say: Say | None = None) -> Overlay:
    """What is drawn over a match's video, with its words; English without `say`."""
    starts = tuple(s["start_s"] for s in match["strokes"])
    camera = camera_from_record(match["calibration"]["camera"])
    return Overlay(match, tracks, camera, table_of(match), starts, say or say_of(match))


def film(
    writer: FilmWriter,
    overlay: Overlay | None,
    piece: Piece,
    blurred: TableBlur | None,
    *,
    slow: float = 1.0,
    at_s: float = 0.0,
) -> Iterator[tuple[VideoImage, float]]:
    """Write one piece behind `at_s` of the film; gives each image that was written and its match time.

    `overlay` None: nothing is drawn.
    """
    start_s, end_s = piece.span_s
    for image in read_video(piece.video, max(0.0, start_s - piece.begins_s)):
        t_s = image.t_s + piece.begins_s
        if t_s > end_s:
            return
        picture, as_decoded = drawable(image.picture)
        if blurred is not None:
            blurred.apply(image, picture)
        if overlay is not None:
            draw_overlay(picture, overlay, t_s)
        place_s = at_s + slow * max(0.0, t_s - max(start_s, piece.begins_s))
        writer.write(picture, place_s, image.picture.standard if as_decoded else "601")
        yield image, t_s


def blur_of(match: Match) -> TableBlur:
    """What makes people unrecognisable in a match's pictures. Raises UnusableInput without a camera."""
    calibration = calibration_of(match)
    if calibration is None:
        raise unusable_input("errors.match_with_its_camera_to_know")
    pieces = PIECES.get(match["game"], SNOOKER)
    return TableBlur(calibration, Detector(pieces=pieces), pieces)


def drawable(picture: Picture) -> tuple[U8, bool]:
    """(H, W, 3) BGR to draw on, and whether its colours are those of the planes read by BT.601.

    Going there and back by the same matrix keeps the planes as they are, so that the written video only
    has to carry the source's tag; that is ten times as fast as converting properly, and loses nothing.
    """
    height, width = picture.y.shape
    if picture.full_range or height % 2 or width % 2 or picture.u.shape != (height // 2, width // 2):
        return np.ascontiguousarray(picture.bgr()), False
    planes = np.concatenate([np.ascontiguousarray(p).reshape(-1) for p in (picture.y, picture.u, picture.v)])
    bgr = cv2.cvtColor(planes.reshape(height * 3 // 2, width), cv2.COLOR_YUV2BGR_I420)
    return np.asarray(bgr, np.uint8), True


def draw_overlay(picture: U8, overlay: Overlay, t_s: float) -> None:
    """Draw balls, score bar and ruling into the picture (H, W, 3 BGR uint8), in place."""
    if overlay.camera is not None:
        _draw_balls(picture, overlay, overlay.camera, t_s)
    stroke = overlay.stroke_at(t_s)
    bars = _captions(overlay.match, stroke, t_s, overlay.say)
    height = picture.shape[0]
    size = max(13, height // 36)
    _bar(picture, [bars[0]], 0, size, (20, 20, 20))
    if bars[1]:
        _bar(picture, [bars[1]], height - int(size * 1.9), size, _ruling_colour(stroke, t_s))


def _captions(match: Match, stroke: Stroke | None, t_s: float, say: Say) -> tuple[str, str]:
    """Score bar and ruling; the score counts a stroke only once it has ended."""
    done = [s for s in match["strokes"] if s["end_s"] <= t_s]
    score = done[-1]["score"] if done else match["start"]["score"]
    a, b = match["players"]
    changed = f"    {say.t('console.journal_changed').upper()}" if record_fault(match) else ""
    bar = f"{a}  {score[0]} - {score[1]}  {b}    {clock(t_s)}{changed}"
    if stroke is None:
        return bar, ""
    if t_s < stroke["end_s"]:
        name, on = name_of(match, stroke["striker"]), ball_on_words(stroke, say)
        text = "make.film_stroke_plain" if on == NO_BALL_ON else "make.film_stroke"
        return bar, say.t(text, n=stroke["n"], name=name, on=on)
    if t_s > stroke["end_s"] + RULING_SHOWN_S:
        return bar, ""
    words = ruling_words(match, stroke, say)
    if stroke["verdict"] == "call":
        words = f"{say.t('board.call')}: {question_words(match, stroke, say)}"
    run = break_of(stroke)
    tail = f"   {say.t('board.break')} {run}" if run and not stroke["foul"] else ""
    clause = f"   ({clause_of(stroke)})" if clause_of(stroke) else ""
    return bar, f"{words}{tail}{clause}"


def _ruling_colour(stroke: Stroke | None, t_s: float) -> Colour:
    """Grey until the stroke has ended: no ruling is given away before its time."""
    if stroke is None or t_s < stroke["end_s"]:
        return (20, 20, 20)
    if stroke["verdict"] == "call":
        return (0, 110, 150)
    return (30, 30, 150) if stroke["foul"] else (40, 90, 30) if stroke["points"] else (20, 20, 20)


def _draw_balls(picture: U8, overlay: Overlay, camera: Camera, t_s: float) -> None:
    radius = overlay.table.ball_radius_mm
    seen = [(ball, here) for ball, path in overlay.tracks.items() if (here := path.at(t_s)) is not None]
    if not seen:
        return
    up = origin_of_records_mm(overlay.table)
    xy = np.array([(h[0], h[1] + up) for _, h in seen])
    centres = np.column_stack((xy, np.full(len(xy), overlay.table.piece_plane_mm)))
    px = camera.pixels_from_table(centres)
    # a sphere's outline is nearly a circle; two tangent points give its size, nearer balls are larger
    reach = np.linalg.norm(camera.pixels_from_table(centres + np.array([radius, 0.0, 0.0])) - px, axis=1)
    for (ball, (_, _, state)), (u, v), r in zip(seen, px, reach, strict=True):
        if not np.isfinite((u, v, r)).all():
            continue
        colour = colour_of(ball)
        thick = 3 if state == "moving" else 1 if state == "hidden" else 2
        cv2.circle(
            picture,
            (round(u * 16), round(v * 16)),
            round((r + 2) * 16),
            outline_colour(colour),
            thick,
            cv2.LINE_AA,
            4,
        )
        label = LETTERS[colour] + (ball.partition("_")[2] if state == "moving" else "")
        _text(picture, label, (round(u + r), round(v - r)), max(14, round(r * 1.4)), outline_colour(colour))


def outline_colour(kind: str) -> Colour:
    """The colour in which a kind of ball or disc is drawn round: its own, or its tint in its game's set."""
    tint = next((k.look.tint for s in PIECES.values() for k in s.kinds if k.name == kind), "white")
    return OUTLINES.get(kind, OUTLINES[tint])


def _bar(picture: U8, lines: list[str], top: int, size: int, colour: Colour) -> None:
    height = int(size * 1.9) * len(lines)
    band = picture[top : top + height]
    band[:] = (band.astype(np.uint16) * 70 // 255 + np.array(colour, np.uint16) * 185 // 255).astype(np.uint8)
    for i, line in enumerate(lines):
        _line(picture, line, (size, top + int(size * (1.35 + 1.9 * i))), size)


def _line(picture: U8, text: str, at: tuple[int, int], size: int) -> None:
    """A line in white, smaller where it is too long; in ASCII without Pillow (extra `print`)."""
    mask = _mask(text, size, picture.shape[1] - 2 * at[0])
    if mask is None:
        _text(picture, text, at, size, (255, 255, 255))
        return
    top = at[1] - size
    place = picture[max(0, top) : top + mask.shape[0], at[0] : at[0] + mask.shape[1]]
    share = mask[mask.shape[0] - place.shape[0] :, : place.shape[1], None].astype(np.uint16)
    place[:] = (place * (255 - share) // 255 + share).astype(np.uint8)


@lru_cache(maxsize=64)
def _mask(text: str, size: int, room: int) -> U8 | None:
    """How much of each pixel (H, W, 0 to 255) a line of text covers, `size` px above its foot; None without
    Pillow.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        return None
    for height in range(round(1.15 * size), size // 2, -1):
        faces = [ImageFont.truetype(str(f or font_file()), height) for f in (None, eastern_font())]
        width = round(sum(faces[east].getlength(part) for part, east in runs(text)))
        if width <= room:
            break
    image, left = Image.new("L", (max(1, min(width, room)), round(1.35 * size))), 0.0
    for part, east in runs(text):
        ImageDraw.Draw(image).text((left, size), part, font=faces[east], fill=255, anchor="ls")
        left += faces[east].getlength(part)
    return np.asarray(image, np.uint8)


def _text(picture: U8, text: str, at: tuple[int, int], size: int, colour: Colour) -> None:
    """Text of about `size` pixels; OpenCV's strokes know ASCII only, so accents are taken off."""
    plain = unicodedata.normalize("NFKD", text.replace("–", "-").replace("’", "'"))
    plain = "".join(c if " " <= c <= "~" else "?" for c in plain if not unicodedata.combining(c))
    scale, thick = size / 26, max(1, size // 14)
    # an edge of shifted copies: a thicker stroke is set wider by some versions of OpenCV
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1), (1, 1)):
        place = (at[0] + dx, at[1] + dy)
        cv2.putText(picture, plain, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (0, 0, 0), thick, cv2.LINE_AA)
    cv2.putText(picture, plain, at, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, thick, cv2.LINE_AA)


class FilmWriter:
    """An MP4 file with one video stream; opened at the first image, whose size it takes.

    An image of another size, of a camera that was changed within a match, is fitted to it.
    """

    def __init__(self, path: Path, rate_hz: float) -> None:
        self._path = path
        self._rate = Fraction(rate_hz or 25.0).limit_denominator(1001)
        self._container: Any = None
        self._stream: Any = None

    def write(self, picture: U8, t_s: float, standard: str) -> None:
        height, width = (n - n % 2 for n in picture.shape[:2])
        if self._container is None:
            self._open(width, height, BT709 if standard == "709" else BT601)
        elif (width, height) != (self._stream.width, self._stream.height):
            width, height = self._stream.width, self._stream.height
            picture = np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture[:height, :width]), format="bgr24")
        frame.pts, frame.time_base = round(t_s / CLOCK), CLOCK
        self._container.mux(self._stream.encode(frame))

    def close(self, video: Path) -> None:
        if self._container is None:
            raise unusable_input("errors.images_in_the_span_asked", video=video)
        self._container.mux(self._stream.encode(None))
        self._container.close()

    def _open(self, width: int, height: int, matrix: int) -> None:
        x264 = "libx264" in av.codecs_available
        self._container = av.open(str(self._path), "w", options={"movflags": "+faststart"})
        self._stream = self._container.add_stream("libx264" if x264 else "mpeg4", rate=self._rate)
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        self._stream.codec_context.time_base = self._stream.time_base = CLOCK
        self._stream.codec_context.colorspace = matrix
        if x264:
            self._stream.options = {"preset": "veryfast", "crf": "23"}
        else:
            self._stream.bit_rate = width * height * 4
