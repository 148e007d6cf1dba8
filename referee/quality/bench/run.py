"""A run carried out: clips, cameras and chunks shared out, each kept as soon as it is whole."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from calibration.files import work_folder, write_text
from calibration.texts import unusable_input
from referee.quality.bench.options import BenchOptions
from referee.quality.bench.pixels.tier import CameraPlan, measure_camera, plan_cameras
from referee.quality.bench.real.tier import kept_boxes, kept_results, measure_boxes, measure_real
from referee.quality.bench.records import Record
from referee.quality.bench.report import plots
from referee.quality.bench.report.document import Measured, document, write_html
from referee.quality.bench.rooms.setting import plan_rooms
from referee.quality.bench.rooms.studio.tracer import need_tracer
from referee.quality.bench.rooms.tier import measure_room
from referee.quality.bench.store import Store
from referee.quality.bench.tracks.errors import SHIPPED, ErrorModel
from referee.quality.bench.tracks.fit import fit_camera, merged
from referee.quality.bench.tracks.tier import TrackChunk, TrackPlan, measure_chunk, plan_tracks
from referee.workers import Share

Tell = Callable[[str, int, int], None]
"""Called with (stage, done, of)."""
LEAST_CAMERAS = 8
"""With fewer cameras of its own a run resamples the shipped errors."""


def carry_out(options: BenchOptions, store: Store, share: Share, tell: Tell) -> None:
    """Measure what is not on disk yet; the pixel tier before the tracks tier, which resamples its errors."""
    measure_real([Path(d) for d in options.real], store.real, share, tell, options.worse, options.seed)
    measure_boxes([Path(d) for d in options.real], store.boxes, share, tell)
    _carry_out_rooms(options, store, share, tell)
    plans = plan_cameras(options.seed, options.cameras, options.strokes, options.layouts, options.game)
    left = store.camera_left(plans)
    tell("cameras", len(plans) - len(left), len(plans))
    for plan, (records, errors) in share(_camera, left):
        store.save_camera(plan.number, records, errors)
        left.remove(plan)
        tell("cameras", len(plans) - len(left), len(plans))
    if not options.tracks:
        return
    model = error_file(options, store).resolve()
    chunks = plan_tracks(options.seed, options.tracks, model, game=options.game)
    todo = store.chunks_left(chunks)
    tell("chunks of strokes", len(chunks) - len(todo), len(chunks))
    for chunk, result in share(measure_chunk, todo):
        store.save_chunk(chunk.number, result)
        todo.remove(chunk)
        tell("chunks of strokes", len(chunks) - len(todo), len(chunks))


def _carry_out_rooms(options: BenchOptions, store: Store, share: Share, tell: Tell) -> None:
    """The second world; empty rooms are kept in the run's folder until all is measured."""
    plans = plan_rooms(
        options.seed,
        options.rooms,
        options.room_strokes,
        options.room_layouts,
        options.game,
        options.room_flights,
        options.room_visits,
    )
    left = store.rooms_left(plans)
    if not left:
        return
    need_tracer()
    tell("rooms", len(plans) - len(left), len(plans))
    for plan, records in share(partial(measure_room, cache=store.folder.resolve() / "traced"), left):
        store.save_room(plan.number, records)
        left.remove(plan)
        tell("rooms", len(plans) - len(left), len(plans))
    shutil.rmtree(store.folder / "traced", ignore_errors=True)


def error_file(options: BenchOptions, store: Store) -> Path:
    """The model that this run's tracks tier uses, in the run's folder from its first chunk on: it never
    changes again.
    """
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
    with work_folder("cueref-bench-") as work:
        return measure_camera(plan, work), fit_camera(plan, work) if plan.strokes else None


def measured(options: BenchOptions, store: Store) -> Measured:
    """Everything that is on disk."""
    strokes, invented, cpu_s = store.strokes()
    errors = ErrorModel.load(store.errors_file) if store.errors_file.is_file() else None
    real = kept_results(store.real)
    rooms = tuple(store.room_records())
    records = tuple(store.records())
    return Measured(
        options, records, tuple(strokes), tuple(invented), cpu_s, errors, real, rooms, kept_boxes(store.boxes)
    )


__all__ = ["TrackChunk", "TrackPlan", "carry_out", "measured"]


def write_errors(options: BenchOptions, store: Store, target: Path) -> None:
    models = store.camera_errors()
    if not models:
        raise unusable_input("errors.run_with_filmed_strokes_to_fit", target=target, folder=store.folder)
    provenance = {"made_by": "cueref bench --fit-errors", "seed": options.seed, "cameras": len(models)}
    target.write_text(merged(models, provenance, 2000).to_text(), encoding="utf-8")


def write_report(options: BenchOptions, store: Store) -> dict[str, Any]:
    """Write report.json, the plots and report.html; returns the document."""
    found = measured(options, store)
    doc: dict[str, Any] = _plain(document(found))
    pictures = plots.draw(found) if plots.available() else {}
    if pictures:
        (store.folder / "plots").mkdir(exist_ok=True)
    for name, png in pictures.items():
        (store.folder / "plots" / f"{name}.png").write_bytes(png)
    (store.folder / "report.json").write_text(
        json.dumps(doc, indent=1, allow_nan=False) + "\n", encoding="utf-8"
    )
    write_html(store.folder / "report.html", doc, pictures)
    return doc


def _plain(value: Any) -> Any:
    """JSON has no nan: what cannot be said is null."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
