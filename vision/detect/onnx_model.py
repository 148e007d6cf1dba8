"""ONNX models that ship with the package, or that a club trained itself, opened after a check of their sha256
against the manifest beside them.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import onnxruntime as ort

from calibration.texts import unusable_input

_IN_WHEEL, _IN_REPOSITORY = (Path(__file__).parents[level] / "models" for level in (1, 2))


OWN_MODELS = "CUEREF_MODELS"
"""Names a folder of models and their manifest, as `cueref train` writes them; what lies there goes first."""
MODELS = ("ball_detector", "ball_centre", "ball_pair", "piece_detector", "disc_detector", "ball_print")


def model_path(name: str) -> Path:
    """The model file of that name: one's own, else inside an installed wheel, else the repository's."""
    own = os.environ.get(OWN_MODELS)
    if own and (Path(own) / f"{name}.onnx").is_file():
        return Path(own) / f"{name}.onnx"
    return shipped_path(name)


def shipped_path(name: str) -> Path:
    """The model file of that name that ships, whatever one's own folder holds."""
    return (_IN_WHEEL if _IN_WHEEL.is_dir() else _IN_REPOSITORY) / f"{name}.onnx"


def open_model(name: str, path: Path | None = None, threads: int = 1) -> ort.InferenceSession:
    """A session on the CPU. Raises UnusableInput when the file is absent or not the one in the manifest."""
    data = _checked(path or model_path(name))
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # shapes change from call to call, so that a memory plan for one shape is of no use
    options.enable_mem_pattern = False
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def manifest_of(path: Path) -> dict[str, Any]:
    """The manifest beside a model file, a table a model. Raises UnusableInput where there is none."""
    manifest = path.with_name("manifest.toml")
    if not manifest.is_file():
        raise unusable_input("errors.models_manifest_with_its_sha256", manifest=manifest)
    return _parsed(manifest.read_text(encoding="utf-8"))


@lru_cache(maxsize=4)
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


def _checked(path: Path) -> bytes:
    if not path.is_file():
        raise unusable_input("errors.model", path=path)
    data = path.read_bytes()
    entry = manifest_of(path).get(path.stem, {})
    found = hashlib.sha256(data).hexdigest()
    if entry.get("sha256") != found:
        raise unusable_input(
            "errors.sha256_as_in_manifest_toml", path=path, sha256=entry.get("sha256"), found=found
        )
    return data
