"""Pictures of a run, PNG: error against place on the table, by colour, truth of sigma, time. matplotlib
(extra `bench`).
"""

from __future__ import annotations

import importlib.util
import io
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from calibration.table.specs import SNOOKER_COLOURS, SNOOKER_TABLE
from calibration.texts import said
from referee.quality.bench.records import VISIBLE, BallAtRest, Record
from referee.quality.bench.report.document import Measured
from referee.quality.bench.report.measures import pixel_measures, track_measures

_COLOURS = {
    "white": "#d8d3c0",
    "red": "#c01818",
    "yellow": "#e8c11c",
    "green": "#0b6b3a",
    "brown": "#7a4a21",
    "blue": "#1d58b8",
    "pink": "#f28fb0",
    "black": "#202020",
}
_CELLS = (10, 20)
_LEAST_IN_CELL = 3
_DPI = 110
_ARROW = 80


def available() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw(measured: Measured) -> dict[str, bytes]:
    """Every plot that there is something for, by name."""
    import matplotlib

    matplotlib.use("Agg")
    makers: tuple[tuple[str, Callable[[Measured], Any]], ...] = (
        ("place", _place),
        ("colour", _colour),
        ("sigma", _sigma),
        ("resolution", _resolution),
        ("time", _time),
    )
    out = {}
    for name, make in makers:
        figure = make(measured)
        if figure is not None:
            data = io.BytesIO()
            figure.savefig(data, format="png", dpi=_DPI, bbox_inches="tight")
            out[name] = data.getvalue()
            figure.clear()
    return out


def _figure(width: float, height: float, columns: int = 1) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    return figure, figure.subplots(1, columns, squeeze=False)[0]


def _plain(axis: Any) -> None:
    """A logarithmic axis with plain numbers, 1, 2 and 5 of each decade."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_formatter(NullFormatter())


def _found(records: Sequence[Record]) -> list[BallAtRest]:
    return [
        r
        for r in records
        if isinstance(r, BallAtRest) and r.method == "cueref" and r.visible >= VISIBLE and r.dx_mm is not None
    ]


def _place(measured: Measured) -> Any:
    """Median error of balls at rest over the table, with arrows of it, `_ARROW` times too long."""
    balls = _found(measured.records)
    if len(balls) < 20:
        return None
    t = SNOOKER_TABLE
    x, y = np.array([b.x_mm for b in balls]), np.array([b.y_mm for b in balls])
    dx, dy = np.array([b.dx_mm or 0.0 for b in balls]), np.array([b.dy_mm or 0.0 for b in balls])
    i = np.clip(((x / t.width_mm + 0.5) * _CELLS[0]).astype(int), 0, _CELLS[0] - 1)
    j = np.clip((y / t.length_mm * _CELLS[1]).astype(int), 0, _CELLS[1] - 1)
    error, ux, uy = (np.full(_CELLS, np.nan) for _ in range(3))
    for a in range(_CELLS[0]):
        for b in range(_CELLS[1]):
            here = (i == a) & (j == b)
            if here.sum() >= _LEAST_IN_CELL:
                error[a, b] = np.median(np.hypot(dx[here], dy[here]))
                ux[a, b], uy[a, b] = np.median(dx[here]), np.median(dy[here])
    figure, (axes,) = _figure(11, 5.8)
    image = axes.imshow(
        error,
        origin="lower",
        extent=(0, t.length_mm, -t.half_width_mm, t.half_width_mm),
        cmap="viridis",
        vmin=0,
        vmax=max(1.0, float(np.nanpercentile(error, 95))),
    )
    cx = (np.arange(_CELLS[1]) + 0.5) * t.length_mm / _CELLS[1]
    cy = (np.arange(_CELLS[0]) + 0.5) * t.width_mm / _CELLS[0] - t.half_width_mm
    gx, gy = np.meshgrid(cx, cy)
    axes.quiver(gx, gy, uy, ux, angles="xy", scale_units="xy", scale=1 / _ARROW, color="white", width=0.0022)
    figure.colorbar(image, ax=axes, label=said("median error, mm"), shrink=0.8)
    axes.set(
        title=said(
            f"Balls at rest: error against place ({len(balls)} balls; arrows: median error, {_ARROW} times)"
        ),
        xlabel=said("y, mm from the bottom cushion (baulk at the left)"),
        ylabel="x, mm",
    )
    return figure


def _colour(measured: Measured) -> Any:
    balls = _found(measured.records)
    if len(balls) < 20:
        return None
    figure, (axes,) = _figure(8.5, 4.2)
    names = [c for c in SNOOKER_COLOURS if any(b.colour == c for b in balls)]
    for k, c in enumerate(names):
        e = np.array([math.hypot(b.dx_mm or 0.0, b.dy_mm or 0.0) for b in balls if b.colour == c])
        q = np.quantile(e, (0.5, 0.95, 0.999))
        axes.plot([k, k], [q[0], q[2]], color=_COLOURS[c], lw=2)
        axes.plot([k - 0.22, k + 0.22], [q[0], q[0]], color=_COLOURS[c], lw=6, solid_capstyle="butt")
        axes.plot([k - 0.12, k + 0.12], [q[1], q[1]], color=_COLOURS[c], lw=3, solid_capstyle="butt")
        wrong = sum(b.said_colour != c for b in balls if b.colour == c)
        axes.annotate(
            f"n {len(e)}\n{said(f'{wrong} misread')}",
            (k, q[2]),
            ha="center",
            va="bottom",
            fontsize=7,
            xytext=(0, 3),
            textcoords="offset points",
        )
    axes.set_xticks(range(len(names)), [said(n) for n in names])
    axes.set_yscale("log")
    _plain(axes.yaxis)
    axes.set(
        ylabel=said("error, mm"),
        title=said("Balls at rest by colour: median (thick), 95 %, 99.9 % (end of the line)"),
    )
    axes.grid(axis="y", alpha=0.3, which="both")
    axes.margins(y=0.18)
    return figure


def _sigma(measured: Measured) -> Any:
    """Share of axis errors within k sigmas against a normal distribution's."""
    parts = []
    for title, of in (
        ("pixels, rest", pixel_measures(measured.records)),
        ("tracks, rest", _tracks(measured)),
    ):
        for name, what in (("rest_ratio", title), ("motion_ratio", title.replace("rest", "motion"))):
            if name in of and len(of[name].value) >= 20:
                parts.append((what, np.sort(np.array(of[name].value))))
    if not parts:
        return None
    figure, (axes,) = _figure(6, 4.6)
    k = np.linspace(0, 4, 200)
    axes.plot(k, [math.erf(v / math.sqrt(2)) for v in k], "k--", lw=1, label=said("if they are true"))
    for what, ratios in parts:
        axes.plot(k, np.searchsorted(ratios, k) / len(ratios), label=f"{said(what)} (n {len(ratios)})")
    axes.set(
        xlabel=said("claimed sigmas"),
        ylabel=said("share of errors within"),
        title=said("How true the claimed sigmas are"),
        ylim=(0, 1.01),
        xlim=(0, 4),
    )
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", fontsize=8)
    return figure


def _tracks(measured: Measured) -> dict[str, Any]:
    if measured.errors is None or not measured.strokes:
        return {}
    return dict(track_measures(measured.strokes, measured.invented, measured.errors.cameras))


def _resolution(measured: Measured) -> Any:
    """Error against millimetres per pixel at the ball's place: medians and 95 % in classes of equal size."""
    of = pixel_measures(measured.records)
    names = [n for n in ("rest", "motion_slow", "motion_fast") if n in of and len(of[n].value) >= 40]
    if not names:
        return None
    figure, axes = _figure(4.2 * len(names), 3.8, len(names))
    for a, name in zip(axes, names, strict=True):
        scale, e = np.array(of[name].mm_per_px), np.array(of[name].value)
        order = np.argsort(scale)
        groups = np.array_split(order, min(12, len(order) // 20))
        middle = [float(np.median(scale[g])) for g in groups]
        a.plot(middle, [float(np.median(e[g])) for g in groups], "o-", label=said("median"))
        a.plot(middle, [float(np.quantile(e[g], 0.95)) for g in groups], "s-", label="95 %")
        a.set(
            title=said({"rest": "at rest", "motion_slow": "to 2 m/s", "motion_fast": "2 to 6 m/s"}[name]),
            xlabel=said("mm per px"),
            ylabel=said("error, mm"),
            yscale="log",
        )
        _plain(a.yaxis)
        a.grid(alpha=0.3, which="both")
        a.legend(fontsize=8)
    figure.tight_layout()
    return figure


def _time(measured: Measured) -> Any:
    of = pixel_measures(measured.records) | {
        n: s for n, s in pixel_measures(measured.records, "hough").items() if n == "baseline_ms"
    }
    names = [n for n in ("decode_ms", "review_ms", "baseline_ms") if n in of]
    if not names:
        return None
    figure, (axes,) = _figure(7, 3.4)
    words = {"decode_ms": "decoding alone", "review_ms": "whole review", "baseline_ms": "Hough and HSV"}
    axes.boxplot(
        [of[n].value for n in names],
        orientation="horizontal",
        tick_labels=[f"{said(words[n])} (n {len(of[n].value)})" for n in names],
    )
    axes.set(xscale="log", xlabel=said("ms an image"), title=said("Time"))
    _plain(axes.xaxis)
    axes.grid(axis="x", alpha=0.3, which="both")
    return figure
