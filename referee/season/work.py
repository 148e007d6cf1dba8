"""One recording of a batch, reviewed by whichever process gets it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from calibration.calibrate import Side
from calibration.errors import FolderInUse, UnusableInput
from calibration.files import work_folder, write_text
from calibration.table.specs import TableSpec
from referee.facts.calls import read_calls
from referee.journal import JOURNAL_FILE
from referee.outputs.document import MATCH_FILE
from referee.review.perception import PIECE_S, Seen
from referee.review.pieces import Piece, pieces_of, review_joined
from referee.review.pipeline import ReviewOptions, calibration_of, review
from referee.season.recordings import Recording, at_hand, stamp
from referee.season.stores import get_file, is_address, joined, local_folder, put_folder
from vision.capture.address import shown
from vision.io.images import probe

LONG_S = 2 * PIECE_S
"""A shorter recording has one piece, or a second one that is hardly worth a process."""
IN_USE_S = 3600.0
"""How long a folder in use is waited for: two hours of 1080p50 take a core less (docs/accuracy.md)."""
_LOOK_AGAIN_S = 1.0
RECORD_FILE = "batch.json"
"""Beside a match: of which recording, with which options. Written last: where it is, the match is whole."""


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for every recording of a batch. `calibration`: a file that every worker sees.

    `bottom_at`: as of a review.
    """

    table: TableSpec
    game: str = "snooker"
    calibration: str | None = None
    bottom_at: Side | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A recording, the destination of the batch (a folder or an address of a store), options."""

    recording: Recording
    destination: str
    options: Options

    @property
    def folder(self) -> Path:
        """Where its match is made: in the destination, else in this machine's cache for a store."""
        stored = is_address(self.destination)
        return (local_folder(self.destination) if stored else Path(self.destination)) / self.recording.name


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job. `state`: reviewed now, kept from an earlier batch, or failed with `error`.

    `seconds`: what it took this time. `worker`: number of the process.
    """

    name: str
    state: Literal["reviewed", "kept", "failed"]
    seconds: float
    worker: int
    error: str | None = None


def do(job: Job) -> Outcome:
    """Review one recording; what is unusable becomes an outcome, so that the others go on.

    A job whose process was killed is done again by another, which goes on from its last closed stroke. Every
    other error is a mistake of ours and is raised.
    """
    return _outcome(job, lambda: _done(job))


def _outcome(job: Job, work: Callable[[], Literal["reviewed", "kept"]]) -> Outcome:
    """What became of a job's work, begun again where another process is at work in the match's folder.

    That is a worker whose batch was stopped and that ends its recording nevertheless.
    """
    begun = time.monotonic()
    state: Literal["reviewed", "kept", "failed"]
    while True:
        try:
            state, error = work(), None
        except FolderInUse as held:
            if time.monotonic() - begun < IN_USE_S:
                time.sleep(_LOOK_AGAIN_S)
                continue
            state, error = "failed", shown(str(held))
        except (UnusableInput, OSError) as problem:
            state, error = "failed", shown(str(problem))
        return Outcome(job.recording.name, state, time.monotonic() - begun, os.getpid(), error)


def _done(job: Job) -> Literal["reviewed", "kept"]:
    record = _record(job)
    if _is_kept(job, record):
        return "kept"
    with at_hand(job.recording) as video:
        review(video, job.folder, _review_options(job))
    _keep(job, record)
    return "reviewed"


def pieces_for(job: Job) -> list[Piece]:
    """The pieces in which a long recording is worked on side by side; none where it is reviewed in one go.

    So are short recordings, those of a store, those that are done, and those that an earlier run began.
    Raises UnusableInput and OSError as a review does.
    """
    if job.recording.remote or (job.folder / JOURNAL_FILE).exists() or _is_kept(job, _record(job)):
        return []
    video, options = Path(job.recording.source), _review_options(job)
    if probe(video).duration_s < LONG_S:
        return []
    pieces = pieces_of(video, calibration_of(video, options), options.game)
    return pieces if len(pieces) > 1 else []


def join(job: Job, pieces: list[Piece], *results: list[Seen]) -> Outcome:
    """Review a recording from what was seen in its pieces; as `do` otherwise."""

    def work() -> Literal["reviewed", "kept"]:
        record = _record(job)
        if _is_kept(job, record):
            return "kept"
        review_joined(Path(job.recording.source), job.folder, _review_options(job), pieces, results)
        _keep(job, record)
        return "reviewed"

    return _outcome(job, work)


def _review_options(job: Job) -> ReviewOptions:
    return ReviewOptions(
        table=job.options.table,
        game=job.options.game,
        calibration=None if job.options.calibration is None else Path(job.options.calibration),
        calls=() if job.recording.calls is None else read_calls(Path(job.recording.calls), job.options.game),
        bottom_at=job.options.bottom_at,
    )


def _is_kept(job: Job, record: dict[str, object]) -> bool:
    if is_address(job.destination):
        return _kept(job) == record
    return (job.folder / MATCH_FILE).is_file() and _kept(job) == record


def _keep(job: Job, record: dict[str, object]) -> None:
    """Say that a match is whole; in a store, put it there first."""
    write_text(job.folder / RECORD_FILE, json.dumps(record, indent=1) + "\n")
    if is_address(job.destination):
        put_folder(job.folder, joined(job.destination, job.recording.name), last=RECORD_FILE)
        shutil.rmtree(job.folder)


def _record(job: Job) -> dict[str, object]:
    """Of which recording and with which options the match is, as far as they decide it."""
    read = [path for path in (job.recording.calls, job.options.calibration) if path is not None]
    options = asdict(job.options)
    if options["bottom_at"] is None:  # so that what an older batch made is kept
        del options["bottom_at"]
    return {
        "source": shown(job.recording.source),
        "stamp": stamp(job.recording),
        "options": json.loads(json.dumps(options)),
        "files": {Path(path).name: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in read},
    }


def _kept(job: Job) -> object:
    file = job.folder / RECORD_FILE
    if not is_address(job.destination):
        with suppress(OSError, ValueError):
            return json.loads(file.read_bytes())
        return None
    with work_folder("cueref-record-") as folder, suppress(ValueError):
        copy = folder / RECORD_FILE
        if get_file(joined(joined(job.destination, job.recording.name), RECORD_FILE), copy):
            return json.loads(copy.read_bytes())
    return None
