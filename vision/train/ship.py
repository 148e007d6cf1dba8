"""The model's files: ONNX, manifest and where it stands."""

from __future__ import annotations

from pathlib import Path

from vision.observation import BALL_CLASSES
from vision.train.scores import Scores

MANIFEST = """# Models that ship with cueref. The sha256 is checked before a model is loaded.

[ball_detector]
file = "ball_detector.onnx"
sha256 = "{sha256}"
input = "image: float32 (N, 3, H, W), RGB 0..1, the plane of the ball centres at 12 px a ball diameter, H and W multiples of 8"
output = "maps: float32 (N, 12, H/2, W/2): ball logit, dx, dy (px), 8 class logits, cover logit"
classes = {classes}
trained_on = "{patches} rendered patches of 128 px from vision.synth, no real picture"
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


def write_manifest(path: Path, sha256: str, *, patches: int, seed: int, steps: int, minutes: float, scored: int,
                   scores: Scores) -> None:
    """Write `manifest.toml` beside the model."""
    classes = "[" + ", ".join(f'"{c}"' for c in BALL_CLASSES) + "]"
    text = MANIFEST.format(sha256=sha256, classes=classes, patches=patches, seed=seed, steps=steps, minutes=minutes,
                           scored=scored, s=scores)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
