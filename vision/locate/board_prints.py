"""Marks printed on a carrom board that look like C/m.

Rings, arcs and the tips of a star are the size of a C/m and of the wood's colour inside, as a white is. But a
board's print is the same for each of its four seats: it repeats at a quarter turn about the
centre. C/m do not, not even in the rack, whose lattice repeats at a sixth. And a print has no wall, so that
its place is vague.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.table.board import CARROM_BOARD, SEATS
from calibration.table.specs import TableSpec

F64 = npt.NDArray[np.float64]

_SAME_MM = 2.5  # two places that a quarter turn maps onto each other; also two looks at one print
_SURE_TURNS = 2
"""Least number of a place's three other quarter turns at which something of its kind lies, from which all of
it is print: of thirteen pieces three lie so by chance in one layout of a million, and two a quarter turn
apart in one of a hundred.
"""
_TELLS_MM = 5.0  # shift of a print by the camera's slant from which no piece is where it seems to be
_VAGUE = (
    1.5  # times the usual sigma of a look: rings had 1.1 to 1.25 mm, men 0.2 from above and 0.7 from the side
)


@dataclass(frozen=True, slots=True)
class Print:
    """A printed mark (mm, table frame) and the sigma (mm) of its look."""

    x_mm: float
    y_mm: float
    sigma_mm: float


def drawn_circles(table: TableSpec, eye_mm: tuple[float, float, float]) -> tuple[Print, ...]:
    """The filled circles of the law that a slanted view tells from the queen: the centre's and the bases'.

    Straight from above a piece that covers one is just where the circle is.
    """
    half = table.width_mm / 2
    scale = half / CARROM_BOARD.half_mm
    seats = (at for seat in SEATS for at in CARROM_BOARD.base_circles(seat))
    places = np.array([(0.0, 0.0), *seats]) * scale + _middle(table)
    seen = _at_tops(places, table, eye_mm)
    off = np.hypot(*(seen - places).T)
    return tuple(
        Print(float(x), float(y), 0.0) for (x, y), d in zip(seen, off.tolist(), strict=True) if d > _TELLS_MM
    )


def found_prints(
    known: Sequence[Print],
    xy_mm: F64,
    sigma_mm: F64,
    kinds: Sequence[str],
    table: TableSpec,
    eye_mm: tuple[float, float, float],
) -> tuple[Print, ...]:
    """The prints known after a whole look at `xy_mm` (B, 2), `sigma_mm` (B,) of the likeliest `kinds`.

    Where two vague things of one kind lie a quarter turn apart, or three however exact, all four places of
    that turn are prints. Places are those of discs' tops; the print lies below, so that a slanted view shifts
    it. `eye_mm`: the camera.
    """
    out = list(known) or list(drawn_circles(table, eye_mm))
    middle = _middle(table)
    vague = sigma_mm > _VAGUE * float(np.median(sigma_mm)) if len(sigma_mm) else np.zeros(0, np.bool_)
    off = _at_surface(xy_mm, table, eye_mm) - middle
    names = np.array(kinds)
    for i in np.flatnonzero(np.hypot(*off.T) > table.ball_diameter_mm).tolist():
        turns = _quarter_turns(off[i])
        alike = (np.hypot(*(off[:, None] - turns[1:]).T) < _SAME_MM) & (names == names[i])
        if np.count_nonzero(alike) >= _SURE_TURNS:
            beside = alike.any(axis=0)
        else:
            beside = (alike[[0, 2]] & vague).any(axis=0) & vague[i]
        if beside.any():
            sigma = float(np.mean([sigma_mm[i], *sigma_mm[beside]]))
            tops = _at_tops(turns + middle, table, eye_mm)
            marks = [Print(float(x), float(y), sigma) for x, y in tops]
            out += [m for m in marks if not any(_near(m, p) for p in out)]
    return tuple(out)


def on_prints(prints: Sequence[Print], xy_mm: F64, sigma_mm: F64) -> npt.NDArray[np.bool_]:
    """Whether what is seen (B,) is a print, and no piece that lies on one: that is seen more exactly."""
    out = np.zeros(len(xy_mm), np.bool_)
    for p in prints:
        near = np.hypot(xy_mm[:, 0] - p.x_mm, xy_mm[:, 1] - p.y_mm) < _SAME_MM + p.sigma_mm
        out |= near & (sigma_mm > p.sigma_mm / _VAGUE)
    return out


def _middle(table: TableSpec) -> F64:
    return np.array([0.0, (table.bottom_mm + table.top_mm) / 2])


def _at_surface(xy_mm: F64, table: TableSpec, eye_mm: tuple[float, float, float]) -> F64:
    """Where on the board things are (B, 2) that are seen at `xy_mm` (B, 2) in the plane of discs' tops."""
    x, y, z = eye_mm
    return np.asarray((x, y) + (xy_mm - (x, y)) * z / (z - table.piece_plane_mm))


def _at_tops(xy_mm: F64, table: TableSpec, eye_mm: tuple[float, float, float]) -> F64:
    """The opposite of `_at_surface`."""
    x, y, z = eye_mm
    return np.asarray((x, y) + (xy_mm - (x, y)) * (z - table.piece_plane_mm) / z)


def _quarter_turns(off_mm: F64) -> F64:
    """A place (2,) from the centre after no, one, two and three quarter turns, (4, 2)."""
    x, y = off_mm
    return np.array([(x, y), (-y, x), (-x, -y), (y, -x)])


def _near(a: Print, b: Print) -> bool:
    return bool(np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < _SAME_MM)
