"""The model that ships keeps its contract and its scores on scenes never trained on. Needs no torch."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import pytest

import models
from vision.train.detector.data import HELD_OUT_SEED, load_patches, make_patches
from vision.train.detector.scores import score_patches

MODEL = Path(next(iter(models.__path__))) / "ball_detector.onnx"


def test_manifest_describes_the_file() -> None:
    entry = tomllib.loads(MODEL.with_name("manifest.toml").read_text(encoding="utf-8"))["ball_detector"]
    assert entry["sha256"] == hashlib.sha256(MODEL.read_bytes()).hexdigest()
    assert entry["classes"] == ["white", "red", "yellow", "green", "brown", "blue", "pink", "black"]
    assert MODEL.stat().st_size < 5_000_000  # the limit that the project sets itself


def test_shipped_detector_finds_balls_of_unseen_scenes(tmp_path: Path) -> None:
    # a guard of what the model card says, on few scenes: far below its scores something is broken
    make_patches(tmp_path, HELD_OUT_SEED + 50_000, 60)
    s = score_patches(MODEL, load_patches(tmp_path))
    assert s.balls > 100
    assert s.found >= 0.95 * s.balls  # small, slanting and cloth-coloured ones among them
    assert s.false <= 0.06 * s.balls
    assert s.colours_right >= 0.85 * s.found
    assert s.centre_px == pytest.approx(0.3, abs=0.15)
