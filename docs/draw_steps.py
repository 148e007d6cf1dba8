"""Draws the pictures of docs/how.md, and the README's, from the bundled clip: `python docs/draw_steps.py`.

It needs Pillow (extra `print`) for the film of one stroke.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

import av
import cv2
import numpy as np

from calibration.result import Calibration
from calibration.table.parse import DEFAULT_TABLE, parse_table
from referee.bundled import sample_clip
from referee.outputs.annotated import write_annotated
from referee.outputs.diagram import stroke_svg
from referee.outputs.document import read_match
from referee.outputs.tracks import read_tracks
from referee.review.pipeline import ReviewOptions, review
from vision.detect.detector import Detector
from vision.layout import pictures_at
from vision.plane import BallPlane

DOCS = Path(__file__).parent
AT_S = 1.0
"""All balls at rest, before the first stroke."""
FILM_S = (1.6, 5.8)
"""The first stroke: from the cue to the last ball that moves fast."""
WIDE_PX = 480
JPEG = (cv2.IMWRITE_JPEG_QUALITY, 85)


def draw_plane(target: Path, clip: Path, calibration: Calibration, detector: Detector) -> None:
    """The plane of the ball centres as the network sees it, and what it says of each place."""
    plane = BallPlane(calibration.camera, calibration.table)
    rgb = plane.rgb(pictures_at(clip, AT_S)[0])
    even = rgb[:, : rgb.shape[1] // 8 * 8, : rgb.shape[2] // 8 * 8]
    heat = detector.maps(even)[0]
    sure = 1 / (1 + np.exp(-np.clip(heat.squeeze(), -30, 30)))
    seen = np.ascontiguousarray((even.transpose(1, 2, 0)[..., ::-1] * 255).astype(np.uint8))
    grey = cv2.resize((sure * 255).astype(np.uint8), seen.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    glow = cv2.applyColorMap(grey, cv2.COLORMAP_INFERNO)
    cv2.imwrite(str(target), np.vstack((seen, np.zeros((8, seen.shape[1], 3), np.uint8), glow)), JPEG)


def draw_film(target: Path, film: Path) -> None:
    """A piece of the annotated video as a small moving picture, every second image."""
    with av.open(str(film)) as video:
        frames = islice(video.decode(video=0), 0, None, 2)
        first, *others = (f.to_image().resize((WIDE_PX, WIDE_PX * 9 // 16)) for f in frames)
    first.save(target, save_all=True, append_images=others, duration=80, loop=0, quality=45)


def cueref(*words: str | Path) -> None:
    subprocess.run([sys.executable, "-m", "cueref", *map(str, words)], check=True)


def main() -> None:
    clip = sample_clip()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cueref("calibrate", clip, "-o", folder / "table.json", "--draw", folder / "table.png")
        cv2.imwrite(str(DOCS / "how_table.jpg"), cv2.imread(str(folder / "table.png")), JPEG)
        cueref("layout", clip, "--at", str(AT_S), "--draw", DOCS / "layout.png")
        calibration = Calibration.load(folder / "table.json")
        draw_plane(DOCS / "how_plane.jpg", clip, calibration, Detector())
        review(clip, folder / "review", ReviewOptions(table=parse_table(DEFAULT_TABLE, None)))
        match, tracks = read_match(folder / "review"), read_tracks(folder / "review")
        stroke = stroke_svg(match["strokes"][0], calibration.table, tracks, standalone=True)
        (DOCS / "how_stroke.svg").write_text(stroke, encoding="utf-8")
        film = write_annotated(clip, folder, match, tracks, span_s=FILM_S)
        draw_film(DOCS / "review.webp", film)


if __name__ == "__main__":
    main()
