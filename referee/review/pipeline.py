"""The review: a video in, a refereed match out.

A run that was stopped, even killed, goes on from its last closed stroke (`referee.review.watching`) when
the same command is given again, and ends with the same `match.json`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from calibration.calibrate import Side
from calibration.errors import FolderInUse, UnusableInput
from calibration.files import LOCK_FILE, only_writer, sync_folder
from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.table.specs import TableSpec
from calibration.texts import clock, sentence, unusable_input
from referee.facts.calls import Call, CallBeforeStroke, Start
from referee.journal import JOURNAL_FILE, RUN, Journal
from referee.outputs.convert import video_json
from referee.outputs.document import MATCH_FILE, Match
from referee.outputs.tracks import PART_FILE
from referee.review.perception import Seen
from referee.review.watching import Declarations, Watch, checkpoint_lost
from vision import process
from vision.calibrated import calibration_for
from vision.detect.detector import Detector
from vision.io.ahead import ahead
from vision.io.images import (
    Unusable,
    VideoImage,
    VideoInfo,
    probe,
    read_video,
    sample_images,
    temporal_filter,
    watch_video,
)
from vision.io.sound import clicks
from vision.view.usable import SAME_SHAPE
from vision.wrong_game import calibration_for_game, check_pictures

_CHECKED = 2  # images beside the first one in which it is looked whether the pieces are another game's
_AHEAD = 6  # images decoded ahead; each keeps about 3 MB at 1080p


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """What a person told the review. `start` None: assumed. `table` is nominal, before calibration.

    `bottom_at`: the side of the picture at which baulk, the head end or player A is; None: found.
    """

    table: TableSpec
    game: str = "snooker"
    calibration: Path | None = None
    calls: tuple[Call, ...] = ()
    start: Start | None = None
    bottom_at: Side | None = None


Progress = Callable[[str, int, int], None]
"""Called with (stage, done, of)."""


@dataclass(frozen=True, slots=True)
class Worked:
    """What was worked out before the review: the table, and what is seen in all images, in order."""

    calibration: Calibration
    seen: Iterator[Seen]


def review(
    video: Path,
    out: Path,
    options: ReviewOptions,
    progress: Progress | None = None,
    note: Callable[[str], None] | None = None,
    worked: Worked | None = None,
) -> Match:
    """Review a video into the folder `out`; returns the match as written.

    `note` is told, in a sentence, when an unfinished review cannot be gone on with and begins anew, and of
    calls for a stroke that did not follow. `worked`: what other processes found in the video; its images are
    not looked at then.

    Raises UnusableInput for a video, calibration or folder that cannot be used, OSError and sqlite3.Error for
    a disk that fails; nothing is written before the table has been found. OpenCV and malloc are set for the
    whole process (`vision.process`).
    """
    tell, warn = progress or (lambda stage, done, of: None), note or warnings.warn
    process.prepare(keep_memory=True)
    info = probe(video)
    identity = _identity(video, info, options)
    resumed, made = _resumable(out, identity), not out.exists()
    detector = Detector(pieces=PIECES[options.game])
    calibration = resumed or (worked and worked.calibration) or _calibration(video, options, detector, tell)
    _check_size(video, info, calibration)
    with only_writer(out, "cueref review"):
        if resumed is None and _resumable(out, identity) is not None:
            raise FolderInUse(sentence("errors.folder_of_its_own_not_that_another_review_just", out=out))
        try:
            lost = _set_aside_unreadable(out)
            if lost is not None:
                warn(lost)
            with Journal(out / JOURNAL_FILE) as journal:
                if resumed is None or lost is not None:
                    _begin(journal, identity, calibration, info, options.game)
                journal.check_chain()
                declared = Declarations(options.game, options.calls, options.start)
                watch = Watch(out, declared, calibration, detector, journal)
                match = _watched(watch, video, info, worked, tell)
        except NothingSeen:
            if resumed is None:
                _leave_nothing(out, made)
            raise
        for call in _of_no_stroke(options.calls, match):
            warn(sentence("terminal.call_of_no_stroke", time=clock(call.t_s)))
        return match


def _watched(watch: Watch, video: Path, info: VideoInfo, worked: Worked | None, tell: Progress) -> Match:
    """The match as written, after everything in the video that an earlier run has not had."""
    if watch.at is None and not watch.ended:
        watch.tracker.listen(clicks(video), info.duration_s)
    if worked is None:
        _watch_all(watch, video, info, tell)
    else:
        _join_all(watch, worked.seen, info, tell)
    tell("writing", 0, 1)
    match = watch.write(video_json(info))
    tell("writing", 1, 1)
    return match


def _of_no_stroke(calls: Sequence[Call], match: Match) -> list[CallBeforeStroke]:
    """Calls for a stroke to come, made after the last one began."""
    last_s = max((s["start_s"] for s in match["strokes"]), default=-math.inf)
    return [c for c in calls if isinstance(c, CallBeforeStroke) and c.t_s > last_s]


class NothingSeen(UnusableInput):
    """A video that was opened and gave no image."""


def _set_aside_unreadable(out: Path) -> str | None:
    """Give the journal of an unfinished review another name when its checkpoint cannot be gone on from.

    Nothing is deleted. Returns the sentence about it; None where the review goes on or is new. Raises
    UnusableInput for a journal that was changed: its owner decides what becomes of it.
    """
    file = out / JOURNAL_FILE
    if not file.is_file():
        return None
    with Journal(file) as journal:
        if not checkpoint_lost(journal):
            return None
        journal.check_chain()
        begun = next(iter(journal.entries()), None)
    stamp = re.sub(r"\D", "", begun.at if begun is not None else "")[:14]
    aside = file.with_name(f"journal.{stamp}.{secrets.token_hex(3)}.sqlite")
    os.rename(file, aside)  # closed in order, so that no rollback file belongs to the old name
    sync_folder(out)
    return (
        f"{out}: the state of the unfinished review is damaged or of another version; the review begins anew,"
        f" the journal of before is kept as {aside.name}"
    )


def _leave_nothing(out: Path, made: bool) -> None:
    """Remove what a review wrote that saw no image; the folder too, when the review `made` it."""
    for name in (JOURNAL_FILE, PART_FILE, LOCK_FILE):
        (out / name).unlink(missing_ok=True)
    if made:
        with suppress(OSError):  # somebody put a file there meanwhile
            out.rmdir()


def _identity(video: Path, info: VideoInfo, options: ReviewOptions) -> str:
    """What makes two runs the same one: the video's bytes (by size and ends) and every option."""
    size = video.stat().st_size
    digest = hashlib.sha256(f"{size} {info.images} {info.width_px}x{info.height_px}\n".encode())
    with video.open("rb") as file:
        digest.update(file.read(1 << 20))
        file.seek(max(0, size - (1 << 20)))
        digest.update(file.read(1 << 20))
    given = {
        "table": options.table.as_fields(),
        "game": options.game,
        "calibration": (
            options.calibration.read_text() if options.calibration and options.calibration.is_file() else None
        ),
        "calls": [repr(c) for c in options.calls],
        "start": repr(options.start),
    }
    if options.bottom_at is not None:  # without it a review of older code goes on
        given["bottom_at"] = options.bottom_at
    digest.update(json.dumps(given, sort_keys=True).encode())
    return digest.hexdigest()


def _resumable(out: Path, identity: str) -> Calibration | None:
    """The calibration of an earlier run of the same review in `out`, or None when there is none."""
    if not out.exists():
        return None
    if not out.is_dir():
        raise unusable_input("errors.folder_for_the_review", out=out)
    journal_file = out / JOURNAL_FILE
    if not journal_file.is_file():
        if (out / MATCH_FILE).exists():
            raise unusable_input("errors.empty_folder_or_an_unfinished", out=out, match_file=MATCH_FILE)
        return None
    with Journal(journal_file) as journal:
        found = _run_of(journal)
        if found is None:
            return None
        if found["identity"] != identity:
            raise unusable_input("errors.empty_folder_or_a_review_of_this", out=out)
        return Calibration.from_text(found["calibration"], str(journal_file))


def calibration_found(out: Path) -> Calibration | None:
    """The calibration that the review in a folder found; None where there is no review."""
    file = out / JOURNAL_FILE
    if not file.is_file():
        return None
    with Journal(file) as journal:
        run = _run_of(journal)
    return None if run is None else Calibration.from_text(run["calibration"], str(file))


def _run_of(journal: Journal) -> dict[str, str] | None:
    """What the journal says its run is about (`_begin`); None where it says nothing."""
    stored = journal.progress(RUN)
    try:
        found = json.loads(stored) if stored is not None else None
    except ValueError:
        found = stored
    if found is None:
        return None
    if not isinstance(found, dict) or not all(
        isinstance(found.get(k), str) for k in ("identity", "calibration")
    ):
        raise unusable_input("errors.what_its_run_is_about", path=journal.path)
    return found


def calibration_of(video: Path, options: ReviewOptions) -> Calibration:
    """The table as `review` finds it. Raises UnusableInput as it does."""
    info = probe(video)
    detector = Detector(pieces=PIECES[options.game])
    calibration = calibration_for(video, options.calibration, options.table, detector, options.bottom_at)
    _check_size(video, info, calibration)
    return calibration


def _calibration(video: Path, options: ReviewOptions, detector: Detector, tell: Progress) -> Calibration:
    """The table, and a look whether the pieces on it are the game's."""
    tell("finding the table", 0, 1)
    first = next(read_video(video), None)  # a rack stands in the first image, if in any
    pictures = [image.picture for image in (*((first,) if first else ()), *sample_images(video, _CHECKED))]
    calibration = calibration_for_game(
        video, options.calibration, options.table, detector, options.game, pictures, options.bottom_at
    )
    check_pictures(pictures, calibration, PIECES[options.game], options.game, str(video))
    tell("finding the table", 1, 1)
    return calibration


def _check_size(video: Path, info: VideoInfo, calibration: Calibration) -> None:
    camera = calibration.camera
    small, large = sorted((camera.width_px, camera.height_px))
    narrow, wide = sorted((info.width_px, info.height_px))
    if abs(small * wide / (large * narrow) - 1) > SAME_SHAPE:
        raise unusable_input(
            "errors.images_of_the_shape_of_x",
            video=video,
            width_px=camera.width_px,
            height_px=camera.height_px,
            info_width_px=info.width_px,
            info_height_px=info.height_px,
        )


def _begin(journal: Journal, identity: str, calibration: Calibration, info: VideoInfo, game: str) -> None:
    """What the run is about: to go on from a kill, and for a console that opens it before it has ended."""
    record = {
        "identity": identity,
        "calibration": calibration.to_text(),
        "video": video_json(info),
        "game": game,
    }
    journal.set_progress(RUN, json.dumps(record).encode())


def _watch_all(watch: Watch, video: Path, info: VideoInfo, tell: Progress) -> None:
    """Feed every image that an earlier run has not."""
    if watch.ended:
        return
    seen = watch.at is not None
    try:
        unfiltered = watch_video(video, after=watch.at, found=temporal_filter(video))
        images = _halved(unfiltered, watch.observer.plane.gate_level)
        for image in ahead(images, _AHEAD):
            watch.feed(image)
            seen = seen or isinstance(image, VideoImage)
            if isinstance(image, VideoImage) and image.index % 10 == 0:
                tell("watching", image.index + 1, info.images)
        watch.close()
    except UnusableInput as error:
        raise error if seen else NothingSeen(str(error)) from None
    finally:
        watch.stop()
    tell("watching", info.images, info.images)


def _join_all(watch: Watch, seen: Iterator[Seen], info: VideoInfo, tell: Progress) -> None:
    """Take what was seen elsewhere in every image that an earlier run has not had."""
    if watch.ended:
        return
    try:
        for found in seen:
            if watch.at is not None and found.t_s <= watch.at[1]:
                continue
            watch.join(found)
            if found.index % 1000 == 0:
                tell("joining", found.index + 1, info.images)
        watch.close()
    finally:
        watch.stop()
    tell("joining", info.images, info.images)


def _halved(images: Iterator[VideoImage | Unusable], level: int) -> Iterator[VideoImage | Unusable]:
    """The same; luma is halved `level` times while it still lies in the cache of the processor that decoded
    it.
    """
    for image in images:
        if isinstance(image, VideoImage):
            image.picture.luma(level)
        yield image
