"""One recording of a batch, reviewed by whichever process gets it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from calibration.errors import UnusableInput
from calibration.files import write_text
from calibration.table.specs import TableSpec
from referee import __version__
from referee.facts.calls import read_calls
from referee.outputs.document import MATCH_FILE
from referee.review.pipeline import ReviewOptions, review
from referee.season.recordings import Recording, at_hand, stamp
from vision.capture.address import shown

RECORD_FILE = "batch.json"
"""Beside a match: of which recording, with which options. Written last: where it is, the match is whole."""


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for every recording of a batch. `calibration`: a file that every worker sees."""

    table: TableSpec
    game: str = "snooker"
    calibration: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A recording, the destination folder of the batch, options; `version` of cueref that planned it."""

    recording: Recording
    destination: str
    options: Options
    version: str = __version__

    @property
    def folder(self) -> Path:
        """Where its match lies."""
        return Path(self.destination) / self.recording.name


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
    begun = time.monotonic()
    try:
        state = _done(job)
        error = None
    except (UnusableInput, OSError) as problem:
        state, error = "failed", shown(str(problem))
    return Outcome(job.recording.name, state, time.monotonic() - begun, os.getpid(), error)


def _done(job: Job) -> Literal["reviewed", "kept", "failed"]:
    if job.version != __version__:
        raise UnusableInput(
            f"{job.recording.name}: expected version {job.version} of cueref at the worker, found"
            f" {__version__}"
        )
    record = _record(job)
    if (job.folder / MATCH_FILE).is_file() and _kept(job) == record:
        return "kept"
    options = ReviewOptions(
        table=job.options.table,
        game=job.options.game,
        calibration=None if job.options.calibration is None else Path(job.options.calibration),
        calls=() if job.recording.calls is None else read_calls(Path(job.recording.calls), job.options.game),
    )
    with at_hand(job.recording) as video:
        review(video, job.folder, options)
    write_text(job.folder / RECORD_FILE, json.dumps(record, indent=1) + "\n")
    return "reviewed"


def _record(job: Job) -> dict[str, object]:
    """Of which recording and with which options the match is, as far as they decide it."""
    read = [path for path in (job.recording.calls, job.options.calibration) if path is not None]
    return {
        "source": shown(job.recording.source),
        "stamp": stamp(job.recording),
        "options": json.loads(json.dumps(asdict(job.options))),
        "files": {Path(path).name: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in read},
    }


def _kept(job: Job) -> object:
    with suppress(OSError, ValueError):
        return json.loads((job.folder / RECORD_FILE).read_bytes())
    return None
