"""The models' files: ONNX, and the manifest that says what each is, a section a model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from calibration.files import write_text
from calibration.table.games import PIECES
from calibration.table.pieces import BILLIARDS, CARROM, SNOOKER
from vision.detect.looks import LOOKS
from vision.train.detector.scores import Scores

HEAD = "# Models that ship with cueref. The sha256 is checked before a model is loaded.\n"

_DETECTOR = """[{name}]
file = "{name}.onnx"
sha256 = "{sha256}"
input = "image: float32 (N, 3, H, W), RGB 0..1, the plane of the ball centres \
at 12 px a ball diameter, H and W multiples of 8"
output = "maps: float32 (N, {maps}, H/2, W/2): piece logit, dx, dy (px), {looks} class logits, cover logit"
classes = {classes}
sets = {sets}
trained_on = "{patches} rendered patches of 128 px from vision.render ({kinds}), no real picture"
seed = {seed}
steps = {steps}
batch = {batch}
training_minutes = {minutes:.1f}

[{name}.scores]
# {scored} rendered patches with seeds never trained on; balls at least half in sight
balls = {s.balls}
found = {s.found}
false = {s.false}
colours_right = {s.colours_right}
centre_px_median = {s.centre_px:.3f}
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


BALL_DETECTOR = Network("ball_detector", SNOOKER.names, (SNOOKER.name, BILLIARDS.name), ("snooker",))
PIECE_DETECTOR = Network(
    "piece_detector",
    LOOKS,
    tuple(sorted({p.name for p in PIECES.values()} - {SNOOKER.name, BILLIARDS.name, CARROM.name})),
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
    classes, sets = (
        "[" + ", ".join(f'"{c}"' for c in names) + "]" for names in (network.looks, network.sets)
    )
    return _DETECTOR.format(
        name=network.name,
        sha256=sha256,
        maps=4 + len(network.looks),
        looks=len(network.looks),
        classes=classes,
        sets=sets,
        patches=patches,
        seed=seed,
        steps=steps,
        batch=batch,
        kinds=", ".join(network.patch_kinds),
        minutes=minutes,
        scored=scored,
        s=scores,
    )


def write_section(path: Path, name: str, text: str) -> None:
    """Put a model's section into `manifest.toml`; the other models' stay as they are."""
    old = path.read_text(encoding="utf-8") if path.is_file() else HEAD
    parts = re.split(r"(?m)^(?=\[)", old)
    kept = [p.rstrip() for p in parts if not re.match(rf"\[{re.escape(name)}[\].]", p)]
    write_text(path, "\n\n".join([*kept, text.rstrip()]) + "\n")
