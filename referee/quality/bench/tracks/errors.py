"""The error model of vision: runs of observations of one ball from the pixel tier, to be replayed.

A run is what followed upon each other in the images of one ball at one rest, or of one ball in one motion:
errors, claimed sigmas, confidences, colour likelihoods and the images in which it was not found, in their
order. Playing whole runs again keeps what is correlated: the same rest seen twice has nearly the same
error, and a ball that was missed is likely missed again. What a camera adds everywhere (its calibration,
the side that its light comes from) is kept apart, as a smooth field over the table, so that runs of all
cameras can stand in for each other.

File: JSON, `columns` says the order in a row; errors and sigmas in hundredths of a mm, confidences in
thousandths, log-probabilities in tenths; 0 in place of a row: not found.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from calibration.result import SigmaModel
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from vision.observation import BALL_CLASSES

Rng = np.random.Generator
Zone = Literal["open", "cushion", "pocket", "pair", "near_cover"]
Anchor = Literal["open", "beside", "pocket", "cover", "ball"]
SPEEDS_MM_S = (0.0, 100.0, 300.0, 800.0, 1500.0, 2500.0, 4000.0)
"""Lower edges of the speed classes of moving runs."""
KIND = "cueref-bench-errors"
SCHEMA = 1
SHIPPED = Path(__file__).with_name("errors.json")
_LEAST_POOL = 12


@dataclass(frozen=True, slots=True)
class Row:
    """One observation's error. At rest `a, b` are along x and y, in motion along and across the path, mm."""

    a_mm: float
    b_mm: float
    sigma_mm: float
    confidence: float
    logp: tuple[float, ...]


Run = tuple[Row | None, ...]


@dataclass(frozen=True, slots=True)
class RestRun:
    camera: int
    colour: str
    zone: Zone
    rows: Run


@dataclass(frozen=True, slots=True)
class MovingRun:
    """`speed_mm_s`: of each row's image."""

    camera: int
    colour: str
    near_cover: bool
    speeds_mm_s: tuple[float, ...]
    rows: Run


@dataclass(frozen=True, slots=True)
class FalseRun:
    """Something seen that is no ball. Rows' places are relative to the `pocket`'s centre, for `open` and
    `beside` (a ball at rest whose shadow it is: nearer to it than a diameter) to the table's centre, else
    to the first of them: beside an arm (`cover`) or a moving `ball`.

    `looks`: in how many images its place was looked at, seen there or not.
    """

    camera: int
    anchor: Anchor
    pocket: str
    looks: int
    rows: Run


@dataclass(frozen=True, slots=True)
class CameraErrors:
    """One camera's share. `field`: six coefficients (1, u, v, u^2, uv, v^2) for x and for y, mm.

    `sigma`: what its calibration says of itself, six coefficients and a floor
    (`calibration.result.SigmaModel`).
    `images`: those with something to look at; `covered_images`: with a cover among them. `cover_known`: how
    often what hides a ball is known for a cover.
    """

    camera: int
    image_hz: float
    exposure_s: float
    mm_per_px: float
    width_px: int
    field_x: tuple[float, ...]
    field_y: tuple[float, ...]
    sigma: tuple[float, ...]
    images: int
    covered_images: int
    cover_known: float

    def offset_mm(self, x_mm: float, y_mm: float, table: TableSpec) -> tuple[float, float]:
        """Where the camera's calibration moves a place, mm."""
        u, v = x_mm / table.half_width_mm, 2 * y_mm / table.length_mm - 1
        return _quadratic(self.field_x, u, v), _quadratic(self.field_y, u, v)

    def sigma_mm(self, x_mm: float, y_mm: float, table: TableSpec) -> float:
        """What the calibration claims for a place, mm."""
        half = table.length_mm / 2
        return SigmaModel(self.sigma[:-1], self.sigma[-1]).at(
            x_mm / table.half_width_mm, (y_mm - half) / half
        )


def _quadratic(c: tuple[float, ...], u: float, v: float) -> float:
    return c[0] + c[1] * u + c[2] * v + c[3] * (u * u) + c[4] * (u * v) + c[5] * (v * v)


def _as_if(run: RestRun | MovingRun, colour: str) -> Run:
    """The run with its colour's likelihood and another colour's exchanged: what it says, of a ball of that
    colour.
    """
    a, b = BALL_CLASSES.index(run.colour), BALL_CLASSES.index(colour)
    if a == b:
        return run.rows
    return tuple(None if row is None else _exchanged(row, a, b) for row in run.rows)


def _exchanged(row: Row, a: int, b: int) -> Row:
    logp = list(row.logp)
    logp[a], logp[b] = logp[b], logp[a]
    return Row(row.a_mm, row.b_mm, row.sigma_mm, row.confidence, tuple(logp))


def speed_class(speed_mm_s: float) -> int:
    """Index of the class of `SPEEDS_MM_S`."""
    return bisect_right(SPEEDS_MM_S, speed_mm_s) - 1


class ErrorModel:
    """Pools of runs to draw from; read-only. `provenance`: where they were measured."""

    def __init__(
        self,
        provenance: dict[str, Any],
        cameras: Sequence[CameraErrors],
        rest: Sequence[RestRun],
        moving: Sequence[MovingRun],
        false: Sequence[FalseRun],
    ) -> None:
        self.provenance = provenance
        self.cameras, self.rest, self.moving, self.false = (
            tuple(cameras),
            tuple(rest),
            tuple(moving),
            tuple(false),
        )
        self._rest_pools: dict[tuple[str, str], list[RestRun]] = {}
        self._moving_pools: dict[tuple[str, int, bool], list[tuple[MovingRun, int]]] = {}
        for run in self.rest:
            # an outline that an arm cuts says nothing of balls that lie free
            free = () if run.zone == "near_cover" else ((run.colour, ""),)
            for key in ((run.colour, run.zone), ("", run.zone), *free):
                self._rest_pools.setdefault(key, []).append(run)
        for m in self.moving:
            for i, speed in enumerate(m.speeds_mm_s):
                for key2 in (
                    (m.colour, speed_class(speed), m.near_cover),
                    ("", speed_class(speed), m.near_cover),
                    ("", speed_class(speed), False),
                ):
                    self._moving_pools.setdefault(key2, []).append((m, i))

    def rest_run(self, rng: Rng, colour: str, zone: Zone) -> Run:
        """A rest like this one: of the colour and zone; where few were seen, of the zone or of the colour."""
        for key in (
            (colour, zone),
            ("", zone) if zone in ("near_cover", "pocket") else (colour, ""),
            (colour, ""),
            (colour, "open"),
        ):
            pool = self._rest_pools.get(key, [])
            if len(pool) >= _LEAST_POOL or (key == (colour, "open") and pool):
                return _as_if(pool[int(rng.integers(len(pool)))], colour)
        return _as_if(self.rest[int(rng.integers(len(self.rest)))], colour)

    def moving_run(self, rng: Rng, colour: str, speed_mm_s: float, near_cover: bool) -> Run:
        """What followed in some motion from an image with about this speed on."""
        k = speed_class(speed_mm_s)
        for key in (
            (colour, k, near_cover),
            ("", k, near_cover),
            ("", k, False),
            ("", k - 1, False),
            ("", k + 1, False),
        ):
            pool = self._moving_pools.get(key, [])
            if len(pool) >= 3 * _LEAST_POOL:
                run, i = pool[int(rng.integers(len(pool)))]
                return _as_if(run, colour)[i:]
        return _as_if(self.moving[int(rng.integers(len(self.moving)))], colour)

    # -- file -----------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """The model as JSON text, one run a line."""
        head = {
            "kind": KIND,
            "schema": SCHEMA,
            "provenance": self.provenance,
            "speeds_mm_s": SPEEDS_MM_S,
            "columns": [
                "a_mm x100",
                "b_mm x100",
                "sigma_mm x100",
                "confidence x1000",
                *(f"logp_{c} x10" for c in BALL_CLASSES),
            ],
        }
        lines = [f'"{k}": {json.dumps(v)}' for k, v in head.items()]
        lines.append(
            '"cameras": [\n'
            + ",\n".join(json.dumps(_camera(c), separators=(",", ":")) for c in self.cameras)
            + "\n]"
        )
        for name, runs in (("rest", self.rest), ("moving", self.moving), ("false", self.false)):
            lines.append(
                f'"{name}": [\n'
                + ",\n".join(json.dumps(_run(r), separators=(",", ":")) for r in runs)
                + "\n]"
            )
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @staticmethod
    def load(path: Path) -> ErrorModel:
        """Read a file of `to_text`; UnusableInput when it is none."""
        expected = f"{path}: expected an error model written by cueref bench"
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            if record["kind"] != KIND or record["schema"] != SCHEMA:
                raise ValueError(f"kind {record['kind']!r}, schema {record['schema']!r}")
            return ErrorModel(
                record["provenance"],
                [_camera_from(c) for c in record["cameras"]],
                [RestRun(r["c"], r["b"], r["z"], _rows(r["e"])) for r in record["rest"]],
                [
                    MovingRun(r["c"], r["b"], bool(r["n"]), tuple(r["v"]), _rows(r["e"]))
                    for r in record["moving"]
                ],
                [FalseRun(r["c"], r["at"], r["p"], r["l"], _rows(r["e"])) for r in record["false"]],
            )
        except OSError as error:
            raise unusable_input(
                "errors.found_3", expected=expected, reason=error.strerror or error
            ) from error
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise unusable_input("errors.found_something_else", expected=expected, error=error) from error


def _camera(c: CameraErrors) -> dict[str, Any]:
    out: dict[str, Any] = {name: getattr(c, name) for name in c.__slots__}
    return {k: [round(x, 4) for x in v] if isinstance(v, tuple) else v for k, v in out.items()}


def _camera_from(values: dict[str, Any]) -> CameraErrors:
    told: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return CameraErrors(**told)


def _run(r: RestRun | MovingRun | FalseRun) -> dict[str, Any]:
    rows = [0 if row is None else _numbers(row) for row in r.rows]
    if isinstance(r, RestRun):
        return {"c": r.camera, "b": r.colour, "z": r.zone, "e": rows}
    if isinstance(r, MovingRun):
        return {
            "c": r.camera,
            "b": r.colour,
            "n": int(r.near_cover),
            "v": [round(s) for s in r.speeds_mm_s],
            "e": rows,
        }
    return {"c": r.camera, "at": r.anchor, "p": r.pocket, "l": r.looks, "e": rows}


def _numbers(row: Row) -> list[int]:
    errors = [round(v * 100) for v in (row.a_mm, row.b_mm, row.sigma_mm)]
    return [*errors, round(row.confidence * 1000), *(round(v * 10) for v in row.logp)]


def _rows(values: Iterable[Any]) -> Run:
    return tuple(
        None
        if not v
        else Row(
            v[0] / 100,
            v[1] / 100,
            max(v[2] / 100, 0.01),
            v[3] / 1000,
            tuple(x / 10 for x in v[4 : 4 + len(BALL_CLASSES)]),
        )
        for v in values
    )


def zone_of(x_mm: float, y_mm: float, others: Iterable[tuple[float, float]], table: TableSpec) -> Zone:
    """Where a ball lies, as far as it matters for seeing it: in a pocket's mouth, beside a ball, at a
    cushion, in the open.
    """
    d = table.ball_diameter_mm
    if any(math.hypot(x_mm - p.x_mm, y_mm - p.y_mm) < p.drop_radius_mm + 1.5 * d for p in table.pockets):
        return "pocket"
    if any(math.hypot(x_mm - ox, y_mm - oy) < 1.25 * d for ox, oy in others):
        return "pair"
    edge = min(table.half_width_mm - abs(x_mm), y_mm, table.length_mm - y_mm)
    return "cushion" if edge < 1.5 * d else "open"


def field_terms(
    x_mm: np.ndarray[Any, np.dtype[np.float64]], y_mm: np.ndarray[Any, np.dtype[np.float64]], table: TableSpec
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The basis of `CameraErrors.offset_mm` at places (n,): (n, 6)."""
    u, v = x_mm / table.half_width_mm, 2 * y_mm / table.length_mm - 1
    return np.stack((np.ones_like(u), u, v, u * u, u * v, v * v), axis=1)
