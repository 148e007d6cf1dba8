"""From recordings of one's own table to a network for it, or to the answer that none is better."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.texts import sentence, unusable_input
from referee.quality.room.certain import sure_strokes
from referee.quality.room.gather import Gathered, gather
from referee.quality.room.verdict import LEAST_BLOCKS, Verdict, judge, with_strokes
from referee.quality.room.watched import Recording, watch
from vision.detect.detector import Detector
from vision.detect.onnx_model import shipped_path
from vision.io.images import probe
from vision.train.detector.adapt import Adapted, AdaptOptions, adapt
from vision.train.detector.fit import FitOptions
from vision.train.detector.room import RoomImages, load_room, save_room, score_room
from vision.train.detector.scores import score_patches
from vision.train.shards import Sharing, alone
from vision.train.ship import (
    BALL_DETECTOR,
    DISC_DETECTOR,
    PIECE_DETECTOR,
    HeldBack,
    Network,
    Origin,
    adapted_section,
    write_section,
)

NETWORKS = {n.name: n for n in (BALL_DETECTOR, PIECE_DETECTOR, DISC_DETECTOR)}
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RoomOptions:
    """`out`: the ONNX file to write, None for `own-models/` and its usual name; `work`: what is labelled and
    rendered is kept there and used again. `patches`: rendered ones, and two thirds of
    that of the room.
    """

    out: Path | None
    work: Path
    patches: int
    fit: FitOptions
    start: Path | None = None
    scored: int = 500


@dataclass(frozen=True, slots=True)
class RoomResult:
    """The verdict, and the file that was written, None where the network in use stays the better one."""

    verdict: Verdict
    written: Path | None


def train_room(
    recordings: Sequence[Recording], options: RoomOptions, say: Say = print, sharing: Sharing = alone
) -> RoomResult:
    """Adapt the network of the recordings' game. A file is written only where it is better by `judge`.

    Raises UnusableInput for recordings that no review would take, or of which too little is certain, and for
    a place to write where the networks lie that ship.
    """
    for recording in recordings:
        probe(recording.video)  # a file that cannot be used is told before others are watched
    detector = Detector(options.start, pieces=PIECES[recordings[0].game])
    network = NETWORKS[detector.path.stem]
    out = options.out or Path("own-models") / f"{network.name}.onnx"
    _check_out(out, network)
    gathered = [_gathered(r, detector, options.work, say) for r in recordings]
    trained = [g.trained for g in gathered if g.trained is not None]
    held = [g.held for g in gathered if g.held is not None]
    _check_enough(recordings, trained, held)
    wanted = AdaptOptions(options.work, detector.path, network, options.patches, options.scored, options.fit)
    adapted = adapt(wanted, trained, say, sharing)
    verdict = _judged(detector.path, adapted, held)
    if verdict.better:
        _describe(adapted.path, network, recordings, detector.path, options, adapted, verdict)
        after = _strokes_with(adapted.path, recordings, say)
        verdict = with_strokes(verdict, sum(g.strokes for g in gathered), after)
    if verdict.better:
        _write(out, adapted.path)
        _describe(out, network, recordings, detector.path, options, adapted, verdict)
    for file in (adapted.path, adapted.path.with_name("manifest.toml")):
        file.unlink(missing_ok=True)
    return RoomResult(verdict, out if verdict.better else None)


def _check_out(out: Path, network: Network) -> None:
    if out.stem != network.name or out.suffix != ".onnx":
        raise unusable_input("errors.room_out_named", out=out, name=f"{network.name}.onnx")
    if out.resolve().parent == shipped_path(network.name).resolve().parent:
        raise unusable_input("errors.room_out_elsewhere", out=out)


def _check_enough(
    recordings: Sequence[Recording], trained: Sequence[RoomImages], held: Sequence[RoomImages]
) -> None:
    blocks = sum(len(set(h.blocks.tolist())) for h in held)
    if not trained or blocks < LEAST_BLOCKS:
        videos = ", ".join(str(r.video) for r in recordings)
        raise unusable_input("errors.room_too_short", videos=videos, least=LEAST_BLOCKS, found=blocks)


def _gathered(recording: Recording, detector: Detector, work: Path, say: Say) -> Gathered:
    """The labelled images of a recording, from `work` where an earlier run has left them."""
    folder = work / f"room_{_identity(recording, detector)}"
    paths, done = [folder / f"{name}.npz" for name in ("trained", "held")], folder / "done"
    if not done.is_file():
        say(sentence("terminal.room_watching", video=recording.video))
        folder.mkdir(parents=True, exist_ok=True)
        found = gather(watch(recording, detector), detector)
        for path, room in zip(paths, (found.trained, found.held), strict=True):
            path.unlink(missing_ok=True)
            if room is not None:
                save_room(path, room)
        done.write_text(f"{found.strokes}\n", encoding="utf-8")
    trained, held = (load_room(p) if p.is_file() else None for p in paths)
    kept = Gathered(trained, held, int(done.read_text(encoding="utf-8")))
    (images, balls), (later, later_balls) = _size(kept.trained), _size(kept.held)
    say(
        sentence(
            "terminal.room_labelled",
            video=recording.video,
            images=images,
            balls=balls,
            held_images=later,
            held_balls=later_balls,
        )
    )
    return kept


def _size(room: RoomImages | None) -> tuple[int, int]:
    return (0, 0) if room is None else (len(room), int((room.balls[:, :, 0] == room.balls[:, :, 0]).sum()))


def _identity(recording: Recording, detector: Detector) -> str:
    """What makes two runs see the same in a recording: its bytes, what was said of it, and the network."""
    calibration = None if recording.calibration is None else Calibration.load(recording.calibration)
    said = {
        "game": recording.game,
        "table": recording.table.as_fields(),
        "calibration": None if calibration is None else calibration.to_text(),
        "format": 2,
    }
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    digest.update(detector.path.read_bytes())
    with recording.video.open("rb") as file:
        digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def _judged(start: Path, adapted: Adapted, held: Sequence[RoomImages]) -> Verdict:
    before, after = (
        {(n, b): s for n, room in enumerate(held) for b, s in score_room(path, room).items()}
        for path in (start, adapted.path)
    )
    rendered = (score_patches(start, adapted.held_out), score_patches(adapted.path, adapted.held_out))
    return judge(before, after, rendered)


def _strokes_with(path: Path, recordings: Sequence[Recording], say: Say) -> int:
    """How many strokes of the recordings have one explanation where a network sees them."""
    found = 0
    for recording in recordings:
        say(str(sentence("terminal.room_again", video=recording.video)))
        detector = Detector(path, pieces=PIECES[recording.game])
        found += sure_strokes(watch(recording, detector).events)
    return found


def _write(out: Path, adapted: Path) -> None:
    """The network, whole or not at all."""
    out.parent.mkdir(parents=True, exist_ok=True)
    part = out.with_suffix(".part")
    part.write_bytes(adapted.read_bytes())
    part.replace(out)


def _describe(
    out: Path,
    network: Network,
    recordings: Sequence[Recording],
    start: Path,
    options: RoomOptions,
    adapted: Adapted,
    verdict: Verdict,
) -> None:
    """Say in the manifest beside a file how it came about and what was measured."""
    origin = Origin(
        hashlib.sha256(start.read_bytes()).hexdigest(),
        tuple(r.video.name for r in recordings),
        adapted.patches,
        adapted.rendered,
        options.fit.seed,
        options.fit.steps,
        adapted.minutes,
    )
    held = HeldBack(verdict.before, verdict.after, verdict.blocks, verdict.chance)
    text = adapted_section(network, adapted.sha256, origin, held, len(adapted.held_out), verdict.rendered[1])
    write_section(out.with_name("manifest.toml"), network.name, text)
