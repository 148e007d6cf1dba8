"""Compares what a case expects with what came, as tests/cases/README.md says.

Only what is expected is tested; coordinates to 0.1 mm; `xy_limit` on its stated side within `tol_mm`;
a clause by either edition's number and by its parent; `miss: referee` leaves the miss and the clause
open, and the options are then a lower bound.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from referee.cases.model import Difference

XY_TOLERANCE_MM = 0.1
NOT_TESTED = frozenset(("title", "words", "note", "call", "clause_end", "then_skipped"))
LEFT_OPEN = frozenset(("miss", "clause"))
"""Not tested where the miss is the referee's to call."""
ALIASES = {"break_": "break", "break": "break_"}
_ABSENT = "(nothing)"
_LIMIT_ROUNDING_MM = 0.001


def differences(where: str, expect: Mapping[str, Any], got: Mapping[str, Any]) -> list[Difference]:
    """Every expected value of one step that did not come."""
    out: list[Difference] = []
    open_miss = expect.get("miss") == "referee"
    for field, wanted in expect.items():
        if field in NOT_TESTED or (open_miss and field in LEFT_OPEN):
            continue
        key = field if field in got else ALIASES.get(field, field)
        if key not in got:
            out.append(Difference(f"{where}.{field}", wanted, _ABSENT))
        elif field == "options" and open_miss:
            if set(wanted) - set(got[key]):
                out.append(Difference(f"{where}.{field} (at least)", wanted, got[key]))
        else:
            out += _compare(f"{where}.{field}", field, wanted, got[key])
    return out


def _compare(where: str, field: str, wanted: Any, got: Any) -> list[Difference]:
    if isinstance(wanted, Mapping):
        return _compare_objects(where, wanted, got)
    if isinstance(wanted, list):
        return _compare_lists(where, field, wanted, got)
    same = same_clause(wanted, got) if field == "clause" else _same(wanted, got)
    return [] if same else [Difference(where, wanted, got)]


def _compare_objects(where: str, wanted: Mapping[str, Any], got: Any) -> list[Difference]:
    if not isinstance(got, Mapping):
        return [Difference(where, wanted, got)]
    out: list[Difference] = []
    for name, value in wanted.items():
        if name in ("xy_limit", "side", "tol_mm", *NOT_TESTED):
            continue
        if name not in got:
            out.append(Difference(f"{where}.{name}", value, _ABSENT))
        else:
            out += _compare(f"{where}.{name}", name, value, got[name])
    if "xy_limit" in wanted and not within_limit(wanted, got.get("xy")):
        text = (
            f"{wanted['xy_limit']} {wanted.get('side', '')} within {wanted.get('tol_mm', 1.0)} mm, not"
            " touching"
        )
        out.append(Difference(f"{where}.xy", text, got.get("xy")))
    return out


def within_limit(wanted: Mapping[str, Any], xy: Any) -> bool:
    """Whether a placed ball lies within `tol_mm` of `xy_limit` (where it would touch), on the stated side."""
    if not _is_point(xy):
        return False
    limit_x, limit_y = wanted["xy_limit"]
    tolerance = float(wanted.get("tol_mm", 1.0))
    dx, dy = xy[0] - limit_x, xy[1] - limit_y
    side = str(wanted.get("side", ""))
    if side.startswith("above"):
        return bool(abs(dx) <= XY_TOLERANCE_MM and -_LIMIT_ROUNDING_MM <= dy <= tolerance)
    if side.startswith("below"):
        return bool(abs(dx) <= XY_TOLERANCE_MM and -tolerance <= dy <= _LIMIT_ROUNDING_MM)
    return math.hypot(dx, dy) <= tolerance


def _compare_lists(where: str, field: str, wanted: list[Any], got: Any) -> list[Difference]:
    if not isinstance(got, Sequence) or isinstance(got, str) or len(wanted) != len(got):
        return [Difference(where, wanted, got)]
    if wanted and all(isinstance(v, Mapping) and "ball" in v for v in wanted):
        return _compare_by_ball(where, wanted, got)
    if _is_numbers(wanted):
        same = _is_numbers(got) and _are_near(wanted, got)
    elif "order" in field or field == "positions":
        same = list(wanted) == list(got)
    else:
        same = Counter(map(str, wanted)) == Counter(map(str, got))
    return [] if same else [Difference(where, wanted, list(got))]


def _are_near(wanted: Sequence[float], got: Sequence[float]) -> bool:
    return all(abs(w - g) <= XY_TOLERANCE_MM for w, g in zip(wanted, got, strict=True))


def _compare_by_ball(where: str, wanted: list[Any], got: Sequence[Any]) -> list[Difference]:
    left = list(got)
    out: list[Difference] = []
    for value in wanted:
        match = next(
            (g for g in left if isinstance(g, Mapping) and str(g.get("ball")) == str(value["ball"])), None
        )
        if match is None:
            return [Difference(where, wanted, list(got))]
        left.remove(match)
        out += _compare_objects(f"{where}[{value['ball']}]", value, match)
    return out


def _same(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool) or wanted is None or got is None:
        return wanted is got
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return abs(wanted - got) <= 1e-6
    return bool(wanted == got)


def _is_numbers(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    )


def _is_point(value: Any) -> bool:
    return _is_numbers(value) and len(value) == 2


@functools.cache
def _alternatives() -> dict[str, str]:
    """Clause number -> the other edition's number of the same rule (snooker section 3, rules 10 and 12)."""
    text = importlib.resources.files("referee.cases").joinpath("clauses/snooker.json").read_text("utf-8")
    pairs = {}
    for clause in json.loads(text)["clauses"]:
        if "alt_id" in clause:
            pairs[_number(clause["id"])] = _number(clause["alt_id"])
    return pairs


def _number(clause: str) -> str:
    return clause.rsplit(" ", 1)[-1]


def same_clause(wanted: Any, got: Any) -> bool:
    """Whether two clause ids name the same rule: a parent covers its children, editions' numbers match."""
    if wanted is None or got is None:
        return wanted is got
    a, b = _number(str(wanted)), _number(str(got))
    others = _alternatives()
    return _covers(a, b) or _covers(others.get(a, a), b) or _covers(a, others.get(b, b))


def _covers(parent: str, child: str) -> bool:
    return child == parent or child.startswith((f"{parent}(", f"{parent}."))
