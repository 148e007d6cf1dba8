"""A run carried out: cameras and chunks by several processes, each kept as soon as it is whole."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from calibration.files import write_text
from referee.quality.bench.options import BenchOptions
from referee.quality.bench.pixels.tier import CameraPlan, measure_camera, plan_cameras
from referee.quality.bench.processes import results
from referee.quality.bench.records import Record
from referee.quality.bench.report.document import Measured
from referee.quality.bench.store import Store
from referee.quality.bench.tracks.errors import SHIPPED, ErrorModel
from referee.quality.bench.tracks.tier import TrackChunk, TrackPlan, measure_chunk, plan_tracks

Tell = Callable[[str, int, int], None]
"""Called with (stage, done, of)."""
LEAST_CAMERAS = 8
"""With fewer cameras of its own a run resamples the shipped errors."""


def carry_out(options: BenchOptions, store: Store, processes: int, tell: Tell) -> None:
    """Measure what is not on disk yet; the pixel tier first, whose errors the tracks tier resamples."""
    plans = plan_cameras(options.seed, options.cameras, options.strokes, options.layouts)
    left = store.camera_left(plans)
    tell("cameras", len(plans) - len(left), len(plans))
    for plan, (records, errors) in results(_camera, left, processes):
        store.save_camera(plan.number, records, errors)
        left.remove(plan)
        tell("cameras", len(plans) - len(left), len(plans))
    if not options.tracks:
        return
    chunks = plan_tracks(options.seed, options.tracks, error_file(options, store))
    todo = store.chunks_left(chunks)
    tell("chunks of strokes", len(chunks) - len(todo), len(chunks))
    for chunk, result in results(measure_chunk, todo, processes):
        store.save_chunk(chunk.number, result)
        todo.remove(chunk)
        tell("chunks of strokes", len(chunks) - len(todo), len(chunks))


def error_file(options: BenchOptions, store: Store) -> Path:
    """The model that this run's tracks tier uses, in the run's folder from its first chunk on: it never
    changes again.
    """
    from referee.quality.bench.tracks.fit import merged

    file = store.errors_file
    if file.is_file():
        return file
    if options.errors:
        model = ErrorModel.load(Path(options.errors))
    else:
        own = store.camera_errors()
        model = ErrorModel.load(SHIPPED)
        if len(own) >= LEAST_CAMERAS:
            model = merged(
                own, {"made_by": "cueref bench", "seed": options.seed, "cameras": len(own)}, 20_000
            )
    write_text(file, model.to_text())
    return file


def _camera(plan: CameraPlan) -> tuple[list[Record], ErrorModel | None]:
    """One camera in a folder of its own, and what its errors teach the tracks tier."""
    from referee.quality.bench.tracks.fit import fit_camera

    work = Path(tempfile.mkdtemp(prefix="cueref-bench-"))
    try:
        return measure_camera(plan, work), fit_camera(plan, work) if plan.strokes else None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def measured(options: BenchOptions, store: Store) -> Measured:
    """Everything that is on disk."""
    strokes, invented, cpu_s = store.strokes()
    errors = ErrorModel.load(store.errors_file) if store.errors_file.is_file() else None
    return Measured(options, tuple(store.records()), tuple(strokes), tuple(invented), cpu_s, errors)


__all__ = ["TrackChunk", "TrackPlan", "carry_out", "measured"]
