"""The real clips of folders, reviewed side by side; each result is kept as soon as it is whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from calibration.files import whole_file, work_folder
from calibration.table.parse import DEFAULT_TABLE, parse_table
from referee.facts.calls import start_of
from referee.quality.bench.real.boxes import (
    Boxed,
    BoxesJudged,
    boxed_clips,
    has_boxes,
    judge_boxes,
    read_boxes,
)
from referee.quality.bench.real.judge import ClipJudged, judge, refused
from referee.quality.bench.real.truth import TrueClip, read_truth
from referee.quality.bench.real.worse import drawn, write_worse
from referee.review.pipeline import ReviewOptions, review
from referee.workers import Share

Tell = Callable[[str, int, int], None]
"""Called with (stage, done, of)."""


def measure_real(
    folders: Sequence[Path], kept: Path, share: Share, tell: Tell, worse: int = 0, seed: int = 0
) -> None:
    """Compare every clip of the folders with its truth, as it is and `worse` times made worse, each in a way
    that the seed draws; one whose result lies in `kept` is not run again.

    Raises UnusableInput for a folder without truth.
    """
    with_truth = [folder for folder in folders if not has_boxes(folder)]
    clips = [replace(c, worse=n) for f in with_truth for c in read_truth(f) for n in range(worse + 1)]
    if not clips:
        return
    kept.mkdir(parents=True, exist_ok=True)
    files = {clip: kept / f"{clip.video.parent.name}-{clip.name}.json" for clip in clips}
    left = [clip for clip in clips if not files[clip].is_file()]
    tell("real clips", len(clips) - len(left), len(clips))
    for clip, found in share(partial(measure_clip, seed=seed), left):
        with whole_file(files[clip]) as part:
            part.write_text(json.dumps(asdict(found)) + "\n", encoding="utf-8")
        left.remove(clip)
        tell("real clips", len(clips) - len(left), len(clips))


def measure_boxes(folders: Sequence[Path], kept: Path, share: Share, tell: Tell) -> None:
    """Compare detections with the boxes of pictures and clips; one whose result lies in `kept` is not looked
    at again.
    """
    items: list[Boxed] = []
    for folder in folders:
        items += read_boxes(folder) if has_boxes(folder) else boxed_clips(folder)
    if not items:
        return
    kept.mkdir(parents=True, exist_ok=True)
    files = {item.file: kept / f"{item.file.parent.name}-{item.file.name}.json" for item in items}
    left = [item for item in items if not files[item.file].is_file()]
    tell("pictures with boxes", len(items) - len(left), len(items))
    for item, found in share(judge_boxes, left):
        with whole_file(files[item.file]) as part:
            part.write_text(json.dumps(asdict(found)) + "\n", encoding="utf-8")
        left.remove(item)
        tell("pictures with boxes", len(items) - len(left), len(items))


def kept_boxes(kept: Path) -> tuple[BoxesJudged, ...]:
    """The results in a folder, by file name."""
    records = [json.loads(f.read_text(encoding="utf-8")) for f in sorted(kept.glob("*.json"))]
    return tuple(
        BoxesJudged(
            **{
                **r,
                "on": tuple(r["on"]),
                "off": tuple(r["off"]),
                "moving": tuple((float(v), float(c)) for v, c in r["moving"]),
            }
        )
        for r in records
    )


def kept_results(kept: Path) -> tuple[ClipJudged, ...]:
    """The results in a folder, by file name."""
    records = [json.loads(f.read_text(encoding="utf-8")) for f in sorted(kept.glob("*.json"))]
    return tuple(ClipJudged(**{**r, "notes": tuple(r["notes"])}) for r in records)


def measure_clip(clip: TrueClip, seed: int) -> ClipJudged:
    """Review one clip into a folder that is thrown away; a refusal is a result too. `seed`: of how it is made
    worse.
    """
    table = parse_table(clip.table or DEFAULT_TABLE, clip.ball_mm, None, clip.game)
    start = None if clip.start is None else start_of(clip.start, clip.game)
    with work_folder("cueref-bench-") as work:
        video = clip.video
        if clip.worse:
            video = work / "worse.mp4"
            write_worse(clip.video, video, drawn(seed, clip.video.name, clip.worse))
        try:
            return judge(
                clip, dict(review(video, work / "review", ReviewOptions(table, clip.game, start=start)))
            )
        except UnusableInput as error:
            return refused(clip, str(error).replace(f"{video}: ", ""))


def real_measures(judged: Sequence[ClipJudged]) -> dict[str, Any]:
    """All clips together, and each of them, as `report.json` holds it."""
    total = {
        name: sum(getattr(j, name) for j in judged)
        for name in ("strokes", "right", "asked", "wrong", "missed", "invented", "facts", "facts_right")
    }
    return {
        "clips": len(judged),
        "refused": sum(bool(j.refused) for j in judged),
        **total,
        "each": [asdict(j) for j in judged],
    }
