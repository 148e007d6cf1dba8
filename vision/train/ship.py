"""The models' files: ONNX, and the manifest that says what each is, a section a model."""

from __future__ import annotations

import re
from pathlib import Path

from calibration.files import write_text
from vision.observation import BALL_CLASSES
from vision.train.detector.scores import Scores

HEAD = "# Models that ship with cueref. The sha256 is checked before a model is loaded.\n"

_DETECTOR = """[ball_detector]
file = "ball_detector.onnx"
sha256 = "{sha256}"
input = "image: float32 (N, 3, H, W), RGB 0..1, the plane of the ball centres \
at 12 px a ball diameter, H and W multiples of 8"
output = "maps: float32 (N, 12, H/2, W/2): ball logit, dx, dy (px), 8 class logits, cover logit"
classes = {classes}
sets = ["snooker", "english_billiards"]
trained_on = "{patches} rendered patches of 128 px from vision.render, no real picture"
seed = {seed}
steps = {steps}
training_minutes = {minutes:.1f}

[ball_detector.scores]
# {scored} rendered patches with seeds never trained on; balls at least half in sight
balls = {s.balls}
found = {s.found}
false = {s.false}
colours_right = {s.colours_right}
centre_px_median = {s.centre_px:.3f}
"""


def detector_section(
    sha256: str, *, patches: int, seed: int, steps: int, minutes: float, scored: int, scores: Scores
) -> str:
    """The detector's section."""
    classes = "[" + ", ".join(f'"{c}"' for c in BALL_CLASSES) + "]"
    return _DETECTOR.format(
        sha256=sha256,
        classes=classes,
        patches=patches,
        seed=seed,
        steps=steps,
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
