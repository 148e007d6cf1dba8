"""Where a review stands after a closed stroke, so that a killed run goes on from there.

The state of observer, tracker and intake is pickled; it is read back by an unpickler that knows only this
project's own value types and numpy's arrays, because the file lies in a folder that others may write.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import calibration
import tracker
import vision
from referee.facts import records
from referee.match import intake

_OWN = (
    "tracker.",
    "vision.observation",
    "vision.change.gate",
    "vision.observer",
    "vision.view.knock",
    "vision.view.usable",
    "vision.detect.colour",
    "vision.locate.spot_marks",
    "vision.locate.highlights",
    "vision.change.altered",
    "vision.change.lying",
    "calibration.table.specs",
    "calibration.camera",
    "calibration.result",
    "calibration.monitor.knocked",
    "calibration.monitor.patches",
    "referee.review.checkpoint",
    "referee.match.intake",
    "referee.facts.records",
)
_OTHERS = {
    ("collections", "deque"),
    ("collections", "defaultdict"),
    ("collections", "OrderedDict"),
    ("collections", "Counter"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
    ("numpy.core.numeric", "_frombuffer"),
    ("builtins", "set"),
    ("builtins", "frozenset"),
    ("builtins", "list"),
    ("builtins", "dict"),
    ("builtins", "tuple"),
    ("copyreg", "_reconstructor"),
    ("builtins", "object"),
}

_FIRST_NAME = ("referee.checkpoint", "Checkpoint")
"""The class's name in journals up to version 0.1.0; a finished review of that time opens by it."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`image_index`, `t_s`: the last image fed. `tracks_at`: length of tracks.csv so far, bytes."""

    image_index: int
    t_s: float
    tracks_at: int
    tracker: Any
    observer: Any
    intake: Any


def pack(checkpoint: Checkpoint) -> bytes:
    """The checkpoint as bytes."""
    return _code() + pickle.dumps(checkpoint, protocol=5)


def unpack(data: bytes) -> Checkpoint | None:
    """The checkpoint, or None when the bytes are not one of ours (another version, or tampered with).

    Objects of another version may lack what this one's code asks of them; of a run that was over nothing is
    asked.
    """
    code, data = data[: len(_code())], data[len(_code()) :]
    try:
        found = _Unpickler(io.BytesIO(data)).load()
    except Exception:  # a damaged pickle raises anything
        return None
    if not isinstance(found, Checkpoint):
        return None
    return found if code == _code() or found.image_index < 0 else None


@cache
def _code() -> bytes:
    """32 bytes that are others when the code of what is stored is another."""
    digest = hashlib.sha256()
    for package in (calibration, vision, tracker):
        for file in sorted(Path(next(iter(package.__path__))).rglob("*.py")):
            digest.update(file.read_bytes())
    for module in (intake, records):
        digest.update(Path(str(module.__file__)).read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.digest()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == _FIRST_NAME:
            return Checkpoint
        own = any(module == o or (o.endswith(".") and module.startswith(o)) for o in _OWN)
        if (module, name) in _OTHERS or (own and "." not in name):
            found = super().find_class(module, name)
            if (module, name) in _OTHERS or isinstance(found, type):
                return found
        raise pickle.UnpicklingError(f"a checkpoint holds no {module}.{name}")
