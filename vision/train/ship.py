"""The models' files: ONNX, and the manifest that says what each is, a section a model."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from calibration.files import write_text
from calibration.table.games import PIECES
from calibration.table.pieces import BILLIARDS, BILLIARDS_SPOTTED, CARROM, SNOOKER
from vision.detect.looks import LOOKS
from vision.train.detector.room import BlockScore
from vision.train.detector.scores import Scores

HEAD = "# Models that ship with cueref. The sha256 is checked before a model is loaded.\n"

_DETECTOR_HEAD = """[{name}]
file = "{name}.onnx"
sha256 = "{sha256}"
input = "image: float32 (N, 3, H, W), RGB 0..1, the plane of the ball centres \
at 12 px a ball diameter, H and W multiples of 8"
output = "maps: float32 (N, {maps}, H/2, W/2): piece logit, dx, dy (px), {looks} class logits, cover logit"
classes = {classes}
sets = {sets}
"""
_TRAINED = """trained_on = "{patches} rendered patches of 128 px from vision.render ({kinds}), \
no real picture"
seed = {seed}
steps = {steps}
batch = {batch}
training_minutes = {minutes:.1f}
"""
_ADAPTED = """trained_on = "{patches} patches of one's own recordings, labelled by themselves, and \
{rendered} rendered ones, from the network whose sha256 is origin"
origin = "{origin}"
recordings = {recordings}
seed = {seed}
steps = {steps}
training_minutes = {minutes:.1f}
"""
_SCORES = """
[{name}.scores]
# {scored} rendered patches with seeds never trained on; balls at least half in sight
balls = {s.balls}
found = {s.found}
false = {s.false}
colours_right = {s.colours_right}
centre_px_median = {s.centre_px:.3f}
"""
_HELD_BACK = """
[{name}.room]
# the ends of the recordings, never trained on, in {blocks} stretches: the network of origin, and this one
images = {was.images}
balls = {was.balls}
missed = [{was.missed}, {now.missed}]
false = [{was.false}, {now.false}]
misnamed = [{was.misnamed}, {now.misnamed}]
centre_px = [{was.centre_px:.3f}, {now.centre_px:.3f}]
chance = {chance:.4f}
"""


@dataclass(frozen=True, slots=True)
class Network:
    """A detector's name, the looks that it tells apart, the piece sets for which it is used, and the kinds of
    patches that it is trained on in equal shares.
    """

    name: str
    looks: tuple[str, ...]
    sets: tuple[str, ...]
    patch_kinds: tuple[str, ...]


_BALLS = (SNOOKER.name, BILLIARDS.name, BILLIARDS_SPOTTED.name)
BALL_DETECTOR = Network("ball_detector", SNOOKER.names, _BALLS, ("snooker",))
PIECE_DETECTOR = Network(
    "piece_detector",
    LOOKS,
    tuple(sorted({p.name for p in PIECES.values()} - {*_BALLS, CARROM.name})),
    ("snooker", "games"),
)
DISC_DETECTOR = Network("disc_detector", LOOKS, (CARROM.name,), ("boards",))


def detector_section(
    network: Network,
    sha256: str,
    *,
    patches: int,
    seed: int,
    steps: int,
    batch: int,
    minutes: float,
    scored: int,
    scores: Scores,
) -> str:
    """The detector's section."""
    trained = _TRAINED.format(
        patches=patches,
        kinds=", ".join(network.patch_kinds),
        seed=seed,
        steps=steps,
        batch=batch,
        minutes=minutes,
    )
    return _head(network, sha256) + trained + _SCORES.format(name=network.name, scored=scored, s=scores)


@dataclass(frozen=True, slots=True)
class Origin:
    """How an adapted detector came about. `sha256`: of the network that it was trained on from."""

    sha256: str
    recordings: tuple[str, ...]
    patches: int
    rendered: int
    seed: int
    steps: int
    minutes: float


@dataclass(frozen=True, slots=True)
class HeldBack:
    """What was measured on one's own recordings, before and after, in `blocks` stretches of time; `chance`:
    probability that so large a gain is chance.
    """

    was: BlockScore
    now: BlockScore
    blocks: int
    chance: float


def adapted_section(
    network: Network, sha256: str, origin: Origin, held: HeldBack, scored: int, scores: Scores
) -> str:
    """The section of a detector that was adapted to one's own table."""
    adapted = _ADAPTED.format(
        patches=origin.patches,
        rendered=origin.rendered,
        origin=origin.sha256,
        recordings=json.dumps(origin.recordings, ensure_ascii=False),
        seed=origin.seed,
        steps=origin.steps,
        minutes=origin.minutes,
    )
    measured = _SCORES.format(name=network.name, scored=scored, s=scores)
    here = _HELD_BACK.format(
        name=network.name, was=held.was, now=held.now, blocks=held.blocks, chance=held.chance
    )
    return _head(network, sha256) + adapted + measured + here


def _head(network: Network, sha256: str) -> str:
    classes, sets = (
        "[" + ", ".join(f'"{c}"' for c in names) + "]" for names in (network.looks, network.sets)
    )
    return _DETECTOR_HEAD.format(
        name=network.name,
        sha256=sha256,
        maps=4 + len(network.looks),
        looks=len(network.looks),
        classes=classes,
        sets=sets,
    )


def write_section(path: Path, name: str, text: str) -> None:
    """Put a model's section into `manifest.toml`; the other models' stay as they are."""
    old = path.read_text(encoding="utf-8") if path.is_file() else HEAD
    parts = re.split(r"(?m)^(?=\[)", old)
    kept = [p.rstrip() for p in parts if not re.match(rf"\[{re.escape(name)}[\].]", p)]
    write_text(path, "\n\n".join([*kept, text.rstrip()]) + "\n")
