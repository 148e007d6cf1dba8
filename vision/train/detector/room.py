"""Pictures of one's own table with labels that were not drawn: what of them is known, and scores on it.

A picture here is the whole ball plane. Where `known` is 0 nobody knows what is there, and neither training
nor score looks at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from vision.detect.detector import STRIDE, Detection, decode
from vision.render.patches import PATCH_PX
from vision.train.detector.data import MAX_BALLS, PatchSet

UNKNOWN_LOOK = -1
"""Look of a ball that certainly lies there and whose name is in doubt."""
MATCH_PX = 5.0


@dataclass(frozen=True, slots=True)
class RoomImages:
    """Images of one recording. `images` (N, H, W, 3) uint8 RGB; `known` and `covers` (N, H/2, W/2) uint8: 1
    where what is there is known, and the share 0..255 that something hides as the network in use has it;
    `balls` (N, MAX_BALLS, 6) as in `PatchSet`, with looks down to `UNKNOWN_LOOK`; `blocks` (N,) int32:
    which stretch of time an image belongs to.
    """

    images: NDArray[np.uint8]
    known: NDArray[np.uint8]
    covers: NDArray[np.uint8]
    balls: NDArray[np.float32]
    blocks: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.images)


def save_room(path: Path, room: RoomImages) -> None:
    """Write the images, whole or not at all."""
    part = path.with_suffix(".part.npz")
    np.savez_compressed(part, **{f.name: getattr(room, f.name) for f in fields(RoomImages)})  # type: ignore[arg-type]
    part.replace(path)


def load_room(path: Path) -> RoomImages:
    """The images of a file that `save_room` wrote."""
    with np.load(path) as z:
        return RoomImages(*(z[f.name] for f in fields(RoomImages)))


@dataclass(frozen=True, slots=True)
class BlockScore:
    """Counts over a stretch of time, at known places only. `off_px`: sum of the distances of found resting
    and rolling balls from where they are known to be, at 12 px a diameter.
    """

    images: int = 0
    balls: int = 0
    missed: int = 0
    false: int = 0
    named: int = 0
    misnamed: int = 0
    off_px: float = 0.0

    @property
    def errors(self) -> int:
        """Missed, false and misnamed balls."""
        return self.missed + self.false + self.misnamed

    @property
    def centre_px(self) -> float:
        """Mean distance of found balls from where they are known to be."""
        return self.off_px / max(self.balls - self.missed, 1)

    def plus(self, other: BlockScore) -> BlockScore:
        """Both together."""
        return BlockScore(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(BlockScore)))


class Network:
    """A detector's file, run without its manifest: one that is just trained has none yet."""

    def __init__(self, path: Path) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def maps(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The maps (4 + looks, H/2, W/2) of a picture (H, W, 3) uint8 RGB."""
        x = np.ascontiguousarray(image.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
        return np.asarray(self._session.run(["maps"], {"image": x})[0][0], np.float32)


def score_room(path: Path, room: RoomImages) -> dict[int, BlockScore]:
    """A network's counts on a recording's images, by block."""
    network, found = Network(path), dict[int, BlockScore]()
    for k in range(len(room)):
        detections = decode(network.maps(room.images[k]))
        block = int(room.blocks[k])
        one = score_image(detections, room.balls[k], room.known[k])
        found[block] = found.get(block, BlockScore()).plus(one)
    return found


def score_image(
    detections: Sequence[Detection], balls: NDArray[np.float32], known: NDArray[np.uint8]
) -> BlockScore:
    """Counts of one image. A detection at an unknown place is neither right nor wrong."""
    truth = balls[~np.isnan(balls[:, 0])]
    free = list(range(len(truth)))
    false = named = misnamed = 0
    off_px = 0.0
    for d in detections:
        gaps = [off_way_px(truth[k], d.u_px, d.v_px) for k in free]
        nearest = int(np.argmin(gaps)) if gaps else -1
        if nearest < 0 or gaps[nearest] > MATCH_PX:
            near_a_ball = any(off_way_px(b, d.u_px, d.v_px) <= MATCH_PX for b in truth)
            false += bool(_at(known, d.u_px, d.v_px)) and not near_a_ball
            continue
        ball = truth[free.pop(nearest)]
        off_px += gaps[nearest]
        if ball[2] != UNKNOWN_LOOK:
            named += 1
            misnamed += int(np.argmax(d.look_logp)) != int(ball[2])
    return BlockScore(1, len(truth), len(free), false, named, misnamed, off_px)


def off_way_px(ball: NDArray[np.float32], u_px: float, v_px: float) -> float:
    """How far a sight lies from a ball's way during the exposure, from its centre if it stands; px."""
    way, off = ball[4:6].astype(float), np.array([u_px - ball[0], v_px - ball[1]], float)
    length = float(np.hypot(*way))
    if length < 1e-6:
        return float(np.hypot(*off))
    along = float(np.clip(off @ way / length, -length / 2, length / 2))
    return float(np.hypot(*(off - along * way / length)))


def _at(maps: NDArray[np.uint8], u_px: float, v_px: float) -> int:
    row = min(max(round((v_px - 0.5) / STRIDE), 0), maps.shape[0] - 1)
    column = min(max(round((u_px - 0.5) / STRIDE), 0), maps.shape[1] - 1)
    return int(maps[row, column])


HARD, AT_BALLS = 0.4, 0.35
"""Shares of the patches about places where the network in use is wrong or unsure, and about balls; the rest
lie anywhere."""
UNSURE = (0.05, 0.75)
"""What the network in use says with such a probability it is unsure of."""
_SHAKEN_PX = 28.0  # one sigma of a patch's middle about what it is cut out for


def cut_patches(rooms: Sequence[RoomImages], start: Path, count: int, seed: int) -> PatchSet:
    """`count` patches of the rooms' images, in equal shares; one seed, one result. `start`: network in
    use.
    """
    rng, network = np.random.default_rng(seed), Network(start)
    parts = []
    for n, room in enumerate(rooms):
        share = count // len(rooms) + (n < count % len(rooms))
        places = _places(room, network, share, rng)
        parts.append([_cut(room, k, u, v) for k, u, v in places])
    images, covers, balls, known = zip(*(p for part in parts for p in part), strict=True)
    return PatchSet(np.stack(images), np.stack(covers), np.stack(balls), np.stack(known))


def _places(
    room: RoomImages, network: Network, count: int, rng: np.random.Generator
) -> list[tuple[int, int, int]]:
    """Which image and where (u, v of the corner, even) each patch is cut."""
    hard, at_balls = list[tuple[int, float, float]](), list[tuple[int, float, float]]()
    for k in range(len(room)):
        truth = room.balls[k][~np.isnan(room.balls[k][:, 0])]
        at_balls += [(k, float(b[0]), float(b[1])) for b in truth]
        hard += [(k, u, v) for u, v in _hard(network.maps(room.images[k]), truth, room.known[k])]
    height, width = room.images.shape[1:3]
    out = []
    for _ in range(count):
        kind, among = rng.random(), at_balls
        if kind < HARD and hard:
            among = hard
        if kind < HARD + AT_BALLS and among:
            k, u, v = among[int(rng.integers(len(among)))]
            u, v = u + float(rng.normal(0, _SHAKEN_PX)), v + float(rng.normal(0, _SHAKEN_PX))
        else:
            k, u, v = (
                int(rng.integers(len(room))),
                float(rng.uniform(0, width)),
                float(rng.uniform(0, height)),
            )
        out.append((k, _corner(u, width), _corner(v, height)))
    return out


def _corner(middle: float, size: int) -> int:
    """The corner of a patch about a middle, within the picture; a multiple of the maps' stride."""
    return min(max(round(middle - PATCH_PX / 2), 0), size - PATCH_PX) // STRIDE * STRIDE


def _hard(
    maps: NDArray[np.float32], truth: NDArray[np.float32], known: NDArray[np.uint8]
) -> list[tuple[float, float]]:
    """Where the network misses a ball, sees a false one or is unsure, at known places."""
    seen = decode(maps, UNSURE[0])
    sure = [d for d in seen if d.confidence >= UNSURE[1]]
    missed = [b for b in truth if not any(off_way_px(b, d.u_px, d.v_px) <= MATCH_PX for d in sure)]
    false = [
        d
        for d in seen
        if _at(known, d.u_px, d.v_px) and not any(off_way_px(b, d.u_px, d.v_px) <= MATCH_PX for b in truth)
    ]
    return [(float(b[0]), float(b[1])) for b in missed] + [(d.u_px, d.v_px) for d in false]


def _cut(
    room: RoomImages, k: int, u: int, v: int
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.float32], NDArray[np.uint8]]:
    size, h = PATCH_PX, PATCH_PX // STRIDE
    i, j = v // STRIDE, u // STRIDE
    rows = room.balls[k][~np.isnan(room.balls[k][:, 0])].copy()
    rows[:, 0] -= u
    rows[:, 1] -= v
    inside = (np.abs(rows[:, :2] - size / 2) < size / 2 + 12).all(axis=1)
    balls = np.full((MAX_BALLS, 6), np.nan, np.float32)
    balls[: int(inside.sum())] = rows[inside][:MAX_BALLS]
    return (
        room.images[k, v : v + size, u : u + size],
        room.covers[k, i : i + h, j : j + h],
        balls,
        room.known[k, i : i + h, j : j + h],
    )
