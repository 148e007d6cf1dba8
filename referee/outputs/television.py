"""Transparent pictures for television: names (lower third), a break, the frame's score.

RGBA PNG of the whole picture, 1920 x 1080 or twice that, so that a mixer lays it over the camera as it is.
Everything stays within the title-safe area (EBU R 95: 5 % from each edge).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from calibration.texts import unusable_input
from referee.outputs.diagram import DARK_TEXT, FILLS, LETTERS
from referee.outputs.fonts import eastern_font, font_file, runs

if TYPE_CHECKING:
    from PIL.Image import Image as Picture
    from PIL.ImageDraw import ImageDraw as Pen
    from PIL.ImageFont import FreeTypeFont

WIDTH_PX, HEIGHT_PX = 1920, 1080
BASE_PX = 972
"""Lower edge of what is drawn: nine tenths of the height, inside the title-safe area."""
WIDEST_PX = 1700
_A, _B, _BACK, _DIM = (11, 111, 184, 255), (184, 67, 11, 255), (16, 22, 28, 235), (0, 0, 0, 205)
_INK, _SOFT, _GOLD = (255, 255, 255, 255), (205, 213, 220, 255), (255, 225, 74, 255)
_MOST_BALLS = 36  # a maximum break

Colour = tuple[int, int, int, int]
Kind = Literal["names", "break", "frame"]


@dataclass(frozen=True, slots=True)
class Board:
    """What the pictures say. `title`: competition or venue, may be empty; `words`: labels in the language."""

    players: tuple[str, str]
    score: tuple[int, int]
    frames: tuple[int, int]
    frame_words: str
    break_words: str
    striker: int | None = None
    break_points: int = 0
    balls: tuple[str, ...] = ()
    title: str = ""


def television_png(kind: Kind, board: Board, scale: int = 1) -> bytes:
    """The picture as a PNG file. `scale` 2: 3840 x 2160.

    Raises UnusableInput where Pillow is missing, and for a break that there is none of.
    """
    canvas = _Canvas(scale)
    if kind == "names":
        _names(canvas, board)
    elif kind == "break":
        if not board.break_points or board.striker is None:
            raise unusable_input("make.error_break")
        _break(canvas, board, board.striker)
    else:
        _frame(canvas, board)
    return canvas.png()


class _Canvas:
    """A transparent picture; all sizes in pixels of 1920 x 1080."""

    def __init__(self, scale: int) -> None:
        try:
            from PIL import Image, ImageDraw, ImageFont
        except ImportError:
            raise unusable_input("make.error_extra", name="pillow") from None
        self._scale = scale
        self._fonts = ImageFont
        self.picture: Picture = Image.new("RGBA", (WIDTH_PX * scale, HEIGHT_PX * scale), (0, 0, 0, 0))
        self._draw: Pen = ImageDraw.Draw(self.picture)
        self._known: dict[tuple[int, bool, bool], FreeTypeFont] = {}

    def png(self) -> bytes:
        out = io.BytesIO()
        self.picture.save(out, "PNG", optimize=True)
        return out.getvalue()

    def box(self, left: float, top: float, right: float, bottom: float, fill: Colour) -> None:
        s = self._scale
        self._draw.rectangle((left * s, top * s, right * s - 1, bottom * s - 1), fill=fill)

    def width(self, text: str, size: int, bold: bool = True) -> float:
        return sum(self._font(size, bold, east).getlength(part) for part, east in runs(text)) / self._scale

    def fitted(self, text: str, size: int, room: float, bold: bool = True) -> tuple[str, int]:
        """The text and a size at which it fits: down to two thirds, then cut with an ellipsis."""
        least = size * 2 // 3
        while size > least and self.width(text, size, bold) > room:
            size -= 2
        if self.width(text, size, bold) > room:
            while text and self.width(text + "…", size, bold) > room:
                text = text[:-1]
            text += "…"
        return text, size

    def text(
        self,
        x: float,
        middle: float,
        text: str,
        size: int,
        fill: Colour = _INK,
        *,
        bold: bool = True,
        anchor: str = "l",
    ) -> None:
        """Text on a line whose capitals stand around `middle`. `anchor`: l, m or r of it at `x`."""
        width = self.width(text, size, bold)
        left = x - (0 if anchor == "l" else width if anchor == "r" else width / 2)
        for part, east in runs(text):
            font = self._font(size, bold, east)
            base = (middle + 0.365 * size) * self._scale  # capitals of DejaVu are 0.73 of its size high
            self._draw.text((left * self._scale, base), part, font=font, fill=fill, anchor="ls")
            left += font.getlength(part) / self._scale

    def disc(self, x: float, y: float, r: float, kind: str) -> None:
        s = self._scale
        fill = FILLS.get(kind, "#888888")
        box = ((x - r) * s, (y - r) * s, (x + r) * s, (y + r) * s)
        self._draw.ellipse(box, fill=fill, outline=_INK, width=2 * s)
        ink = (17, 17, 17, 255) if kind in DARK_TEXT else _INK
        self.text(x, y, LETTERS.get(kind, ""), round(r * 1.1), ink, anchor="m")

    def _font(self, size: int, bold: bool, eastern: bool) -> FreeTypeFont:
        key = (size, bold, eastern)
        if key not in self._known:
            file = (eastern_font() if eastern else None) or font_file(bold)
            self._known[key] = self._fonts.truetype(str(file), size * self._scale)
        return self._known[key]


def _names(canvas: _Canvas, board: Board) -> None:
    """Both players beside each other, the frames between them, the title below."""
    top, middle = BASE_PX - (152 if board.title else 96), 96
    side, gap = 640, 150
    left = (WIDTH_PX - 2 * side - gap) / 2
    for k, (x, accent) in enumerate(((left, _A), (left + side + gap, _B))):
        canvas.box(x, top, x + side, top + middle, _BACK)
        canvas.box(x, top + middle - 8, x + side, top + middle, accent)
        name, size = canvas.fitted(board.players[k], 44, side - 60)
        canvas.text(x + 30 if k == 0 else x + side - 30, top + 44, name, size, anchor="l" if k == 0 else "r")
    canvas.box(left + side, top, left + side + gap, top + middle, _DIM)
    canvas.text(WIDTH_PX / 2, top + 46, f"{board.frames[0]}–{board.frames[1]}", 48, _GOLD, anchor="m")
    if board.title:
        title, size = canvas.fitted(board.title, 28, 2 * side, bold=False)
        width = canvas.width(title, size, bold=False) + 60
        canvas.box((WIDTH_PX - width) / 2, top + middle, (WIDTH_PX + width) / 2, BASE_PX, _DIM)
        canvas.text(WIDTH_PX / 2, BASE_PX - 28, title, size, _SOFT, bold=False, anchor="m")


def _frame(canvas: _Canvas, board: Board) -> None:
    """The scoreboard: name and points of both, frames and the frame's number between them."""
    top, side, points, mid = BASE_PX - 84, 460, 130, 320
    left = (WIDTH_PX - 2 * (side + points) - mid) / 2
    right = WIDTH_PX - left
    canvas.box(left, top, right, BASE_PX, _BACK)
    for k, (box_x, name_x, anchor, accent) in enumerate(
        ((left + side, left + 28, "l", _A), (right - side - points, right - 28, "r", _B))
    ):
        canvas.box(box_x, top, box_x + points, BASE_PX, accent)
        canvas.text(box_x + points / 2, top + 42, str(board.score[k]), 50, anchor="m")
        name, size = canvas.fitted(board.players[k], 36, side - 70)
        canvas.text(name_x, top + 42, name, size, anchor=anchor)
        if board.striker == k:
            edge = left if k == 0 else right - 8
            canvas.box(edge, top, edge + 8, BASE_PX, _GOLD)
    canvas.text(WIDTH_PX / 2, top + 32, f"{board.frames[0]}–{board.frames[1]}", 38, _GOLD, anchor="m")
    words, size = canvas.fitted(board.frame_words, 20, mid - 20, bold=False)
    canvas.text(WIDTH_PX / 2, top + 66, words, size, _SOFT, bold=False, anchor="m")


def _break(canvas: _Canvas, board: Board, striker: int) -> None:
    """The player, the break, and the balls potted in it in order."""
    balls: Sequence[str] = board.balls[-_MOST_BALLS:]
    r = 19
    row = len(balls) * (2 * r + 6)
    name, size = canvas.fitted(board.players[striker], 40, 640)
    said = f"{board.break_words} {board.break_points}"
    head = canvas.width(name, size) + canvas.width(said, 46) + 130
    width = min(WIDEST_PX, max(head, row + 60))
    left, top = (WIDTH_PX - width) / 2, BASE_PX - (148 if balls else 88)
    canvas.box(left, top, left + width, top + 88, _BACK)
    canvas.box(left, top, left + 10, BASE_PX, _A if striker == 0 else _B)
    canvas.text(left + 40, top + 44, name, size)
    canvas.text(left + width - 34, top + 44, said, 46, _GOLD, anchor="r")
    if balls:
        canvas.box(left + 10, top + 88, left + width, BASE_PX, _DIM)
        for k, kind in enumerate(balls):
            canvas.disc(left + 44 + k * (2 * r + 6), BASE_PX - 30, r, kind)
