"""The certificate as data: everything the page and `--json` show, made from one video and one calibration."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calibration.calibrate import still_image
from calibration.result import Calibration
from calibration.texts import unusable_input
from referee import __version__
from referee.quality.certify.colours import Margin, margins_of
from referee.quality.certify.recheck import CalibrationRecheck, recheck_calibration
from referee.quality.certify.rests import Drift, drift_of, find_rests
from referee.quality.certify.survey import Survey, survey
from referee.quality.certify.uses import SpeedRow, Use, contact_use, layout_use, speed_rows, touching_use
from referee.quality.certify.zones import Pair, Zone, pairs_of, zones_of
from vision.advice.aim import view_of
from vision.advice.clock import COLUMNS, ROWS, Timing, flicker, image_rate, measure_timing
from vision.advice.exposure_time import ExposureTime, exposure_time
from vision.advice.summary import LIGHTS, Advice, advise
from vision.detect.onnx_model import model_path

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Versions:
    """What measured: this program, the networks' files, the calibration's file."""

    cueref: str
    detector_sha256: str
    centre_sha256: str
    pair_sha256: str
    calibration_sha256: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """One installation's certificate. `date` is told or the video file's; nothing else depends on the day.

    `residual_px, residual_mm`: the calibration's own; `sigma_mm`: its error at (place, mm). `rests`: balls
    that lay still; `spread_mm`, `fit_mm`: medians of their single-image fits' scatter and own sigma.
    """

    video: str
    calibration: str
    date: str
    duration_s: float
    images: int
    size_px: tuple[int, int]
    camera: str
    camera_height_mm: float
    residual_px: float
    residual_mm: float
    notes: tuple[str, ...]
    standing: CalibrationRecheck
    zones: tuple[Zone, ...]
    rests: int
    looks: int
    spread_mm: float | None
    fit_mm: float | None
    drift: Drift | None
    pairs: tuple[Pair, ...]
    timing: Timing | None
    shutter: ExposureTime | None
    speeds: tuple[SpeedRow, ...]
    colours: tuple[Margin, ...]
    advice: tuple[Advice, ...]
    uses: tuple[Use, ...]
    versions: Versions

    @property
    def finding(self) -> bool:
        """Whether a use is limited or unfit, a light is red, or the calibration no longer holds."""
        return (
            any(u.fitness in ("limited", "unfit") for u in self.uses)
            or any(a.light == "red" for a in self.advice)
            or self.standing.true is False
        )

    def to_json(self) -> dict[str, Any]:
        """For `--json`: the fields, numbers to four decimals, and what follows from them."""
        record = _rounded(asdict(self))
        record["standing"]["true"] = self.standing.true
        record["standing"]["sentence"] = self.standing.sentence
        return {"kind": "cueref-certificate", "schema": SCHEMA, "finding": self.finding, **record}


def certify(
    video: Path,
    calibration_file: Path,
    date: str | None = None,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> Certificate:
    """Certify a camera by its calibration and one of its videos.

    Raises UnusableInput when either cannot be read, when they are not of one camera's size, when the view
    changes, or when neither the table nor a ball is found where the calibration has it.
    """
    calibration = Calibration.load(calibration_file)
    seen = survey(video, calibration, tell)
    rests = find_rests(seen.looks)
    table = calibration.table
    standing = recheck_calibration(
        still_image([p.bgr() for p in seen.stills], str(video)), calibration, rests
    )
    if standing.shift is None and not any(look.balls for look in seen.looks):
        raise unusable_input("errors.calibrated_table_in_the_picture", video=video, refusal=standing.refusal)
    zones, pairs = zones_of(rests, calibration), pairs_of(seen.looks, table)
    timing, shutter = measure_timing(seen.clock), exposure_time(seen.smears_s)
    speeds = speed_rows(table, timing, shutter)
    return Certificate(
        video=video.name,
        calibration=calibration_file.name,
        date=date if date is not None else _file_date(video),
        duration_s=seen.info.duration_s,
        images=len(seen.clock),
        size_px=(calibration.camera.width_px, calibration.camera.height_px),
        camera=calibration.camera.model,
        camera_height_mm=float(calibration.camera.centre_mm[2]),
        residual_px=calibration.residual_px,
        residual_mm=calibration.residual_mm,
        notes=calibration.notes,
        standing=standing,
        zones=zones,
        rests=len(rests),
        looks=len(seen.looks),
        spread_mm=_median([r.spread_mm for r in rests]),
        fit_mm=_median([r.fit_sigma_mm for r in rests]),
        drift=drift_of(rests),
        pairs=pairs,
        timing=timing,
        shutter=shutter,
        speeds=speeds,
        colours=margins_of(seen.looks),
        advice=_advice(seen, calibration, shutter),
        uses=(
            layout_use(zones, standing, table),
            touching_use(zones, pairs),
            contact_use(speeds, timing, standing),
        ),
        versions=_versions(calibration_file),
    )


def _advice(seen: Survey, calibration: Calibration, shutter: ExposureTime | None) -> tuple[Advice, ...]:
    """The lights of `vision.advice.summary`; flicker in the worst of the video's stretches, rate over all
    of it.
    """
    stills = seen.stills
    spread = [stills[0], stills[len(stills) // 2], stills[-1]] if len(stills) > 2 else list(stills)
    found = {a.topic: a for a in advise(spread, calibration, (), seen.newest, shutter)}
    view = view_of(stills[-1], calibration)
    mask = None if view is None else view.mask(COLUMNS, ROWS)
    judged = [a for a in (flicker(w, mask) for w in seen.windows) if a.value is not None]
    if judged:
        found["flicker"] = max(judged, key=lambda a: (LIGHTS.index(a.light), a.value or 0.0))
    found["image rate"] = image_rate(seen.clock)
    return tuple(found.values())


def _median(values: list[float]) -> float | None:
    values = sorted(values)
    return values[len(values) // 2] if values else None


def _file_date(path: Path) -> str:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()


def _versions(calibration_file: Path) -> Versions:
    detector, centre, pair = (
        _sha256(model_path(name)) for name in ("ball_detector", "ball_centre", "ball_pair")
    )
    return Versions(__version__, detector, centre, pair, _sha256(calibration_file))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(v) for v in value]
    return value
