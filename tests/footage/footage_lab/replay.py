"""What vision sees of real clips, kept, so that tracker and referee can be run on it again in seconds.

`PYTHONPATH=.:tests/footage python -m footage_lab.replay keep KEPT DIR ... [--worse N] [--seed S]` reviews
every clip of the folders with a `truth.json`, as it is or (`--worse`) made worse in the N-th way that the
seed draws, and keeps what is seen of each in KEPT. `python -m footage_lab.replay judge KEPT ...` runs
tracker and referee of the code of now on it, and prints each stroke that is not certain and right.

A kept file is a pickle of this code's classes: it serves until they change. Real footage, and what is seen in
it, stay outside the project.
"""

from __future__ import annotations

import argparse
import pickle
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from calibration.table.parse import DEFAULT_TABLE, parse_table
from referee.facts.calls import start_of
from referee.quality.bench.real.judge import ClipJudged, judge, refused
from referee.quality.bench.real.truth import TrueClip, read_truth
from referee.quality.bench.real.worse import drawn, write_worse
from referee.review.perception import Seen
from referee.review.pieces import Piece, examined, pieces_of, review_joined
from referee.review.pipeline import ReviewOptions, calibration_of

Kept = tuple[TrueClip, Path, Sequence[Piece], Sequence[Sequence[Seen]], str]
"""A clip, the video that was seen, its pieces and what was seen in them; last why it was refused."""


def keep(clip: TrueClip, folder: Path, worse: int, seed: int) -> None:
    """Keep what is seen of a clip, if it is not kept yet."""
    name = f"{clip.video.parent.parent.name}-{clip.video.stem}{f'-{seed}-{worse}' if worse else ''}"
    file = folder / f"{name}.pickle"
    if file.exists():
        return
    video = clip.video
    if worse:
        video = folder / f"{name}.mp4"
        write_worse(clip.video, video, drawn(seed, clip.video.name, worse))
    kept: Kept
    try:
        calibration = calibration_of(video, _options(clip))
        pieces = pieces_of(video, calibration, clip.game)
        kept = clip, video, pieces, [examined(p) for p in pieces], ""
    except UnusableInput as error:
        kept = clip, video, (), (), str(error)
    file.write_bytes(pickle.dumps(kept))


def judged(file: Path) -> tuple[ClipJudged, Mapping[str, Any] | None]:
    """What the code of now makes of what was kept, and its `match.json`."""
    kept: Kept = pickle.loads(file.read_bytes())
    clip, video, pieces, results, why = kept
    if why:
        return refused(clip, why), None
    with tempfile.TemporaryDirectory() as out:
        try:
            match = review_joined(video, Path(out) / "review", _options(clip), pieces, results)
        except UnusableInput as error:
            return refused(clip, str(error)), None
    return judge(clip, dict(match)), match


def _options(clip: TrueClip) -> ReviewOptions:
    table = parse_table(clip.table or DEFAULT_TABLE, clip.ball_mm, None, clip.game)
    start = None if clip.start is None else start_of(clip.start, clip.game)
    return ReviewOptions(table, clip.game, start=start)


def _print(file: Path, found: ClipJudged, match: Mapping[str, Any] | None) -> None:
    counts = ", ".join(f"{k} {getattr(found, k)}" for k in ("right", "asked", "wrong", "missed", "invented"))
    print(f"{file.stem}: {counts} {found.refused} {'; '.join(found.notes)}".rstrip())
    for s in () if match is None else match["strokes"]:
        if s["verdict"] == "call":
            answers = [(c["facts"], round(c["weight"], 4)) for c in s["candidates"][:4]]
            print(f"    {s['n']} at {s['start_s']:.1f} s: {s['question']} {answers}")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    does = parser.add_subparsers(dest="does", required=True)
    keeping = does.add_parser("keep")
    keeping.add_argument("kept", type=Path)
    keeping.add_argument("folders", type=Path, nargs="+")
    keeping.add_argument("--worse", type=int, default=0)
    keeping.add_argument("--seed", type=int, default=0)
    does.add_parser("judge").add_argument("kept", type=Path, nargs="+")
    given = parser.parse_args()
    if given.does == "keep":
        given.kept.mkdir(parents=True, exist_ok=True)
        for clip in (c for folder in given.folders for c in read_truth(folder)):
            keep(clip, given.kept, given.worse, given.seed)
        return
    total: Counter[str] = Counter()
    for file in sorted(f for folder in given.kept for f in folder.glob("*.pickle")):
        found, match = judged(file)
        _print(file, found, match)
        total += Counter({k: getattr(found, k) for k in ("strokes", "right", "asked", "wrong", "missed")})
    print(dict(total))


if __name__ == "__main__":
    main()
