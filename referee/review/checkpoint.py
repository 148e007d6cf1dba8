"""Where a review stands after a closed stroke, so that a killed run goes on from there.

Perception, tracker and intake are kept as data (`referee.journal.snapshot`), never pickled: the file lies in
a folder that others may write. A checkpoint is used only by the code that wrote it, because another version's
objects may lack what this one's code asks of them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import calibration
import tracker
import vision
from calibration.table.specs import TableSpec
from referee.facts import judged, seen
from referee.journal import snapshot
from referee.match.snooker import intake
from referee.review import perception
from vision.detect.onnx_model import MODELS, model_path

_MAGIC = b"cueref checkpoint 1\n"
_SHA256_BYTES = 32
_STATE = (tracker.Tracker, perception.PerceptionState, intake.Intake)
_OVER_UNTIL_0D1D15D = (
    b"\x80\x05\x95@\x00\x00\x00\x00\x00\x00\x00\x8c\x12referee.checkpoint\x94\x8c\nCheckpoint\x94\x93\x94)\x81"
    b"\x94]\x94(J\xff\xff\xff\xffG\x00\x00\x00\x00\x00\x00\x00\x00K\x00NNNeb."
)
"""How versions up to 0d1d15d end the checkpoint of a run that was over. It is compared, never unpickled."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """`image_index`, `t_s`: the last image fed. `tracks_at`: length of tracks.csv so far, bytes.

    `observer`: a `PerceptionState`; the field's name is that of stored checkpoints.
    """

    image_index: int
    t_s: float
    tracks_at: int
    tracker: Any
    observer: Any
    intake: Any

    @property
    def over(self) -> bool:
        """Whether the run saw every image; nothing is asked of its objects then."""
        return self.image_index < 0 and self.tracker is None


OVER = Checkpoint(-1, 0.0, 0, None, None, None)
"""The checkpoint of a run that has seen every image."""


def pack(checkpoint: Checkpoint) -> bytes:
    """The checkpoint as bytes: magic, hash of the code, hash of the data, data."""
    data = snapshot.dump(checkpoint)
    return _MAGIC + _code() + hashlib.sha256(data).digest() + data


def unpack(stored: bytes) -> Checkpoint | None:
    """The checkpoint; None for bytes that are damaged, or that other code wrote in the middle of a run."""
    if stored.endswith(_OVER_UNTIL_0D1D15D):
        return OVER
    if not stored.startswith(_MAGIC):
        return None
    code, rest = stored[len(_MAGIC) :][:_SHA256_BYTES], stored[len(_MAGIC) + _SHA256_BYTES :]
    digest, data = rest[:_SHA256_BYTES], rest[_SHA256_BYTES:]
    if hashlib.sha256(data).digest() != digest:
        return None
    try:
        found = snapshot.load(data)
    except snapshot.SnapshotError:
        return None
    if not isinstance(found, Checkpoint):
        return None
    if found.over:
        return OVER
    return found if code == _code() and _is_state(found) else None


def _is_state(found: Checkpoint) -> bool:
    """Whether the objects are those that a run goes on with, not others that a snapshot may hold as well."""
    given = (found.tracker, found.observer, found.intake)
    if found.tracks_at < 0 or not all(isinstance(v, cls) for v, cls in zip(given, _STATE, strict=True)):
        return False
    table = TableSpec()
    return _alike(found.tracker, tracker.Tracker(table)) and _alike(found.intake, intake.Intake(table))


def _alike(found: object, fresh: object) -> bool:
    """Whether an object carries what one carries that was just made; it may hold what begins as None."""
    has, wants = snapshot.attributes(found), snapshot.attributes(fresh)
    return has.keys() == wants.keys() and all(
        wants[k] is None
        or (isinstance(has[k], type(wants[k])) and (snapshot.is_checked(has[k]) or _alike(has[k], wants[k])))
        for k in wants
    )


@cache
def _code() -> bytes:
    """32 bytes that differ when the code of the objects in a checkpoint differs, or a network does."""
    folders = [Path(next(iter(package.__path__))) for package in (calibration, vision, tracker)]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    files += [Path(str(module.__file__)) for module in (intake, seen, judged, snapshot, perception)]
    files += [model_path(name) for name in MODELS]
    digest = hashlib.sha256()
    for file in (*files, Path(__file__)):
        digest.update(file.read_bytes())
    return digest.digest()
