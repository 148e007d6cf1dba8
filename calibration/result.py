"""A finished calibration and its file: the solved camera, the measured table, and their uncertainty."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from calibration import json_text
from calibration.camera import Camera, FloatArray
from calibration.files import write_text
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input

FILE_KIND = "cueref-calibration"
FILE_SCHEMA = 1
SIGMA_TERMS = 6
_MOST_MM = 1e4  # a place that is less sure than a table is long is no place


@dataclass(frozen=True, slots=True)
class SigmaModel:
    """Standard deviation of a position per axis, over the table; the variance is a quadratic.

    variance = c0 + c1 u + c2 v + c3 u^2 + c4 u v + c5 v^2, where u = x / half width and
    v = (y - length/2) / (length/2); never below `floor_mm` squared.
    """

    coefficients: tuple[float, ...]
    floor_mm: float

    def __post_init__(self) -> None:
        if len(self.coefficients) != SIGMA_TERMS or not all(math.isfinite(c) for c in self.coefficients):
            raise ValueError(f"expected {SIGMA_TERMS} finite coefficients, got {self.coefficients!r}")
        if not all(abs(c) <= _MOST_MM**2 for c in self.coefficients):
            raise ValueError(f"expected coefficients up to {_MOST_MM**2:g} mm², got {self.coefficients!r}")
        if not 0 < self.floor_mm <= _MOST_MM:
            raise ValueError(f"floor_mm must be positive and at most {_MOST_MM:g}, got {self.floor_mm!r}")

    def at(self, u: float, v: float) -> float:
        """The standard deviation (mm) at (u, v)."""
        c0, c1, c2, c3, c4, c5 = self.coefficients
        variance = c0 + c1 * u + c2 * v + c3 * u * u + c4 * u * v + c5 * v * v
        return math.sqrt(max(variance, self.floor_mm**2))

    def with_more(self, sigma_mm: float) -> SigmaModel:
        """The model with an independent error that is the same everywhere."""
        first, *rest = self.coefficients
        return SigmaModel((first + sigma_mm**2, *rest), self.floor_mm)

    def turned(self) -> SigmaModel:
        """The model of the table seen from its other end."""
        c0, c1, c2, c3, c4, c5 = self.coefficients
        return SigmaModel((c0, -c1, -c2, c3, c4, c5), self.floor_mm)

    def larger(self, factor: float) -> SigmaModel:
        """The model with every standard deviation larger by a factor."""
        return SigmaModel(tuple(c * factor**2 for c in self.coefficients), self.floor_mm * factor)


@dataclass(frozen=True, slots=True)
class Calibration:
    """Camera and table solved from pictures.

    `table`: dimensions and marks as measured. `residual_px`, `residual_mm`: root mean square distance of the
    edges from the model, less bias and bends of the cushions. `sigma`: standard deviation of a place on the
    table by calibration alone. `spot_sigma`: of its distance from a spot, which an error of the table's size
    moves with the place (None: as `sigma`). `baulk_certainty`: probability that the end with y = 0 is the
    baulk end (0.5 for a table without baulk marks). `notes`: plain sentences on assumptions and ambiguities.
    """

    camera: Camera
    table: TableSpec
    residual_px: float
    residual_mm: float
    sigma: SigmaModel
    baulk_certainty: float = 1.0
    notes: tuple[str, ...] = ()
    spot_sigma: SigmaModel | None = None

    def sigma_mm(self, x_mm: float, y_mm: float) -> float:
        """One standard deviation (mm) per axis of the place (x, y) mm due to calibration."""
        return self._at(self.sigma, x_mm, y_mm)

    def spot_sigma_mm(self, x_mm: float, y_mm: float) -> float:
        """One standard deviation (mm) per axis, due to calibration, of a place (x, y) mm against a spot or a
        place of a rack near it.
        """
        return self._at(self.spot_sigma or self.sigma, x_mm, y_mm)

    def _at(self, model: SigmaModel, x_mm: float, y_mm: float) -> float:
        half = self.table.length_mm / 2
        return model.at(x_mm / self.table.half_width_mm, (y_mm - half) / half)

    def with_sigmas(self, changed: Callable[[SigmaModel], SigmaModel]) -> Calibration:
        """The calibration with both its sigmas changed in the same way."""
        spot = None if self.spot_sigma is None else changed(self.spot_sigma)
        return replace(self, sigma=changed(self.sigma), spot_sigma=spot)

    def mm_per_px(self, x_mm: float, y_mm: float) -> float:
        """Size (mm) of a pixel on the cloth near (x, y) mm: square root of the area that it covers."""
        return float(self.pixel_sizes_mm([(x_mm, y_mm)])[0])

    def pixel_sizes_mm(self, xy_mm: npt.ArrayLike) -> FloatArray:
        """`mm_per_px` (N,) of places (N, 2) mm."""
        xy = np.asarray(xy_mm, dtype=np.float64).reshape(-1, 2)
        points = np.zeros((3, len(xy), 3))
        points[..., :2] = xy
        points[1, :, 0] += 1.0
        points[2, :, 1] += 1.0
        here, along, across = self.camera.pixels_from_table(points.reshape(-1, 3)).reshape(3, -1, 2)
        a, b = along - here, across - here
        area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
        return np.asarray(1.0 / np.sqrt(np.maximum(area, 1e-12)), dtype=np.float64)

    def to_text(self) -> str:
        """The calibration as JSON text; every digit is kept."""
        record = {"kind": FILE_KIND, "schema": FILE_SCHEMA, **asdict(self), "table": self.table.as_fields()}
        return json.dumps(record, indent=1) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the calibration as JSON, whole or not at all (temporary name, then renamed)."""
        target = Path(path)
        try:
            target.parent.resolve(strict=True)  # a folder mistyped is not made
            write_text(target, self.to_text())
        except OSError as error:
            raise unusable_input(
                "errors.place_to_write_the_calibration", target=target, error=error
            ) from error

    @staticmethod
    def load(path: str | Path) -> Calibration:
        """Read a calibration file; UnusableInput when it is not one."""
        source = Path(path)
        expected = "expected a calibration written by cueref calibrate"
        try:
            text = source.read_text(encoding="utf-8")
        except OSError as error:
            raise unusable_input(
                "errors.found", source=source, expected=expected, reason=error.strerror or error
            ) from error
        except ValueError as error:
            raise unusable_input(
                "errors.found_text_that_is_not_json", source=source, expected=expected
            ) from error
        return Calibration.from_text(text, str(source))

    @staticmethod
    def from_text(text: str, source: str) -> Calibration:
        """The calibration that `to_text` wrote; `source` names it in errors. Raises UnusableInput."""
        expected = "expected a calibration written by cueref calibrate"
        try:
            record = json_text.loads(text)
        except ValueError as error:
            raise unusable_input(
                "errors.found_text_that_is_not_json", source=source, expected=expected
            ) from error
        if not isinstance(record, dict) or record.get("kind") != FILE_KIND:
            raise unusable_input("errors.found_other_json", source=source, expected=expected)
        if record.get("schema") != FILE_SCHEMA:
            raise unusable_input(
                "errors.schema", source=source, file_schema=FILE_SCHEMA, schema=repr(record.get("schema"))
            )
        try:
            return _from_record(record)
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise unusable_input(
                "errors.found_a_bad_or_missing_value", source=source, expected=expected, error=error
            ) from error


def _from_record(record: dict[str, Any]) -> Calibration:
    residual_px, residual_mm = float(record["residual_px"]), float(record["residual_mm"])
    spot = record.get("spot_sigma")  # files of older code have none
    baulk = float(record["baulk_certainty"])
    if not (math.isfinite(residual_px) and math.isfinite(residual_mm) and 0.0 <= baulk <= 1.0):
        raise ValueError("residuals must be finite and baulk_certainty between 0 and 1")
    return Calibration(
        camera=built_from(Camera, record["camera"]),
        table=built_from(TableSpec, record["table"]),
        residual_px=residual_px,
        residual_mm=residual_mm,
        sigma=built_from(SigmaModel, record["sigma"]),
        baulk_certainty=baulk,
        notes=tuple(str(n) for n in record["notes"]),
        spot_sigma=None if spot is None else built_from(SigmaModel, spot),
    )


def built_from(kind: type[Any], values: dict[str, Any]) -> Any:
    """A value class of what a file says about its fields. Raises ValueError for a field of another type, and
    what the class itself raises.
    """
    if set(values) - {f.name for f in fields(kind)}:
        raise ValueError(f"unknown keys {sorted(set(values) - {f.name for f in fields(kind)})}")
    hints = get_type_hints(kind)
    given = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    for name, value in given.items():
        if not _fits(value, hints[name]):
            raise ValueError(f"{kind.__name__}.{name} cannot be {value!r:.60}")
    return kind(**given)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value of a file is of the type that its field has."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, a) for a in args)
    if origin is Literal:
        return value in args
    if origin is tuple:
        kinds = (args[0],) * len(value) if isinstance(value, tuple) and args[1:] == (...,) else args
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(_fits, value, kinds))
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def fit_sigma(u: Any, v: Any, variance: Any, floor_mm: float) -> SigmaModel:
    """The quadratic that is relatively nearest to sampled variances (mm^2) at (u, v); see `SigmaModel`.

    Were it nearest absolutely, the far end of a view from the side would take the near end below its floor.
    """
    u, v = np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64)
    basis = np.stack((np.ones_like(u), u, v, u * u, u * v, v * v), axis=1)
    least = np.maximum(np.asarray(variance, dtype=np.float64), floor_mm**2)
    coefficients = np.linalg.lstsq(basis / least[:, None], np.asarray(variance) / least, rcond=None)[0]
    return SigmaModel(tuple(float(c) for c in coefficients), floor_mm)
