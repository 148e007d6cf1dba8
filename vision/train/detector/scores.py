"""Scores of a detector on pictures with exact truth: found, false, colours, centres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from vision.detect.detector import LEAST_CONFIDENCE, Detection, decode
from vision.detect.looks import LOOKS
from vision.render.patches import PX_PER_DIAMETER
from vision.train.detector.data import PatchSet

MATCH_PX = 5.0
STREAK_PX = PX_PER_DIAMETER
"""A ball that goes further than its diameter during the exposure is a streak."""
MIN_VISIBLE = 0.5
EDGE_PX = 7.0


@dataclass(frozen=True, slots=True)
class Scores:
    """Counts over a set. `confusion[i][j]`: balls of class i read as j; `centre_px`: median distance at 12
    px a diameter. Balls less than half in sight are neither demanded nor false. Streaks are counted by
    themselves; one is found by a sight anywhere on it, and further sights on it are not false.
    """

    balls: int
    found: int
    streaks: int
    streaks_found: int
    false: int
    colours_right: int
    centre_px: float
    confusion: tuple[tuple[int, ...], ...]

    def text(self) -> str:
        """One line for people."""
        return (
            f"{self.found}/{self.balls} found, {self.streaks_found}/{self.streaks} streaks,"
            f" {self.false} false, {self.colours_right}/{self.found} colours"
            f" right, centres {self.centre_px:.2f} px (median, 12 px a diameter)"
        )


def score_patches(model: Path, patches: PatchSet, threshold: float = LEAST_CONFIDENCE) -> Scores:
    """Run the ONNX file over a patch set; balls at the patches' very edge are left out."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    looks = session.get_outputs()[0].shape[1]
    looks = len(LOOKS) if not isinstance(looks, int) else looks - 4
    total = Scores(0, 0, 0, 0, 0, 0, 0.0, tuple((0,) * looks for _ in range(looks)))
    errors: list[float] = []
    for image, rows in zip(patches.images, patches.balls, strict=True):
        x = np.ascontiguousarray(image.transpose(2, 0, 1)[None], np.float32) / 255
        total = _add(total, session.run(None, {"image": x})[0][0], rows, image.shape[0], threshold, errors)
    return replace(total, centre_px=float(np.median(errors)) if errors else float("nan"))


def _add(
    total: Scores,
    maps: NDArray[np.float32],
    rows: NDArray[np.float32],
    size: int,
    threshold: float,
    errors: list[float],
) -> Scores:
    """The counts so far (`total`) with those of one picture: network output `maps`, true balls `rows`, side
    `size` px. Distances of centres in px are added to `errors`.
    """
    truth = rows[~np.isnan(rows[:, 0])]

    def inside(x: float, y: float) -> bool:
        return EDGE_PX < x < size - EDGE_PX and EDGE_PX < y < size - EDGE_PX

    found = [d for d in decode(maps, threshold) if inside(d.u_px, d.v_px)]
    demanded = [k for k, b in enumerate(truth) if b[3] >= MIN_VISIBLE and inside(b[0], b[1])]
    streaks = [k for k in demanded if np.hypot(*truth[k][4:6]) > STREAK_PX]
    matched = _matched(found, truth, streaks)
    standing = [(d, k, gap) for d, k, gap in matched if k in demanded and k not in streaks]
    errors += [gap for _, _, gap in standing]
    confusion = [list(row) for row in total.confusion]
    right = 0
    for d, k, _ in standing:
        colour, true = int(np.argmax(d.look_logp)), int(truth[k, 2])
        confusion[true][colour] += 1
        right += colour == true
    return Scores(
        total.balls + len(demanded) - len(streaks),
        total.found + len(standing),
        total.streaks + len(streaks),
        total.streaks_found + len({k for _, k, _ in matched if k in streaks}),
        total.false + len(found) - len(matched),
        total.colours_right + right,
        0.0,
        tuple(tuple(row) for row in confusion),
    )


def _matched(
    found: Sequence[Detection], truth: NDArray[np.float32], streaks: Sequence[int]
) -> list[tuple[Detection, int, float]]:
    """The sights that are on a ball, each with the ball's number and the distance in px. A ball has one, a
    streak any number.
    """
    matched: list[tuple[Detection, int, float]] = []
    taken: set[int] = set()
    for d in found:
        free = [k for k in range(len(truth)) if k not in taken or k in streaks]
        gap, k = min(((_off_px(truth[k], d.u_px, d.v_px), k) for k in free), default=(np.inf, -1))
        if gap <= MATCH_PX:
            taken.add(k)
            matched.append((d, k, gap))
    return matched


def _off_px(row: NDArray[np.float32], u_px: float, v_px: float) -> float:
    """How far a sight lies from a ball's way during the exposure, from its centre if it stands; px."""
    way = np.array([row[4], row[5]], float)
    off = np.array([u_px - row[0], v_px - row[1]], float)
    length = float(np.hypot(*way))
    if length <= STREAK_PX:
        return float(np.hypot(*off))
    along = np.clip(off @ way / length, -length / 2, length / 2)
    return float(np.hypot(*(off - along * way / length)))


def confusion_text(scores: Scores) -> str:
    """The confusion matrix as a small table."""
    names = LOOKS[: len(scores.confusion)]
    short = [n.replace(" stripe", "/").replace(" disc", "o")[:7] for n in names]
    head = "read as   " + " ".join(f"{c:>7}" for c in short)
    lines = [
        f"{c:<10}" + " ".join(f"{n:>7}" for n in row) for c, row in zip(short, scores.confusion, strict=True)
    ]
    return "\n".join([head, *lines])


def one_thread() -> None:
    """Keep OpenCV to one thread beside the network's."""
    cv2.setNumThreads(1)
