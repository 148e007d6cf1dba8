"""Decoded frames of any pixel format as pictures in planar YUV 4:2:0 of 8 bits, upright.

Planar YUV is converted plane by plane, so that range and matrix stay as the stream declares them; libswscale
would turn full range into limited range. Other formats are converted by libswscale.
"""

from __future__ import annotations

import re
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.io.picture import U8, Picture

_PLANAR = re.compile(r"yuva?(j?)4(\d)(\d)p(?:(9|10|12|14|16)(le|be))?")
_GREY = re.compile(r"gray(?:(9|10|12|14|16)(le|be))?")
_HALVED = {
    ("2", "0"): (True, True),
    ("2", "2"): (True, False),
    ("4", "4"): (False, False),
    ("4", "0"): (False, True),
}
"""For 4:a:b, whether chroma has half the width and half the height."""
_HD_LINES = 720  # lines from which BT.709 is assumed of a stream that declares no matrix


def picture_from_frame(frame: Any, rotation: int | None = None) -> Picture:
    """A decoded PyAV frame as a picture, turned upright by its metadata or by `rotation` degrees."""
    turn = round(rotation if rotation is not None else getattr(frame, "rotation", 0) or 0) % 360
    planes, frame = _planes(frame)
    if turn in (90, 180, 270):
        planes = [np.ascontiguousarray(np.rot90(p, turn // 90)) for p in planes]
    space = int(frame.colorspace)
    standard = "709" if space == 1 or (space not in (4, 5, 6, 7) and frame.height >= _HD_LINES) else "601"
    full = int(frame.color_range) == 2 or frame.format.name.startswith("yuvj")
    return Picture(planes[0], planes[1], planes[2], standard, full)


def _planes(frame: Any) -> tuple[list[U8], Any]:
    """Y, U, V of 4:2:0 and the frame that declares their range and matrix."""
    name = frame.format.name
    planar, grey = _PLANAR.fullmatch(name), _GREY.fullmatch(name)
    if planar is not None and (planar[2], planar[3]) in _HALVED:
        halved = _HALVED[planar[2], planar[3]]
        y, u, v = (_eight_bits(p, planar[4], planar[5]) for p in frame.planes[:3])
        return [y, *(_halved(c, *halved) for c in (u, v))], frame
    if grey is not None:
        y = _eight_bits(frame.planes[0], grey[1], grey[2])
        none = np.full(((y.shape[0] + 1) // 2, (y.shape[1] + 1) // 2), 128, np.uint8)
        return [y, none, none], frame
    if frame.format.is_rgb or frame.format.has_palette:
        frame = frame.reformat(
            format="yuv420p", dst_colorspace="ITU709" if frame.height >= _HD_LINES else "ITU601"
        )
    else:
        frame = frame.reformat(
            format="yuv420p", src_color_range=frame.color_range, dst_color_range=frame.color_range
        )
    return [_eight_bits(p, None, None) for p in frame.planes[:3]], frame


def _eight_bits(plane: Any, bits: str | None, order: str | None) -> U8:
    """One plane (H, W) as uint8, without a copy if it has 8 bits."""
    if bits is None:
        return np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)[:, : plane.width]
    kind = np.dtype("<u2" if order == "le" else ">u2")
    deep: npt.NDArray[np.uint16] = np.frombuffer(plane, kind).reshape(plane.height, plane.line_size // 2)
    deep = np.ascontiguousarray(deep[:, : plane.width], np.uint16)
    return np.asarray(cv2.convertScaleAbs(deep, alpha=1.0 / (1 << (int(bits) - 8))), np.uint8)


def _halved(chroma: U8, has_half_width: bool, has_half_height: bool) -> U8:
    """Chroma at half the size of luma in both directions, averaged."""
    if has_half_width and has_half_height:
        return chroma
    height, width = chroma.shape
    size = (width if has_half_width else (width + 1) // 2, height if has_half_height else (height + 1) // 2)
    return np.asarray(cv2.resize(chroma, size, interpolation=cv2.INTER_AREA), np.uint8)
