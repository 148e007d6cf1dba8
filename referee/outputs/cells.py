"""CSV cells that a spreadsheet does not run: names come from people."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA_SIGNS = tuple("=+-@＝＋－＠")
"""First signs that spreadsheets read as a formula, the full-width forms too."""


def safe_cell(value: object) -> str:
    """A cell's text; text that a spreadsheet would take for a formula gets an apostrophe in front.

    Numbers stay numbers (a minus in front of one is no formula). Control characters go, because a
    leading tab or carriage return hides a formula's sign from a naive check.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = "".join(c for c in str(value) if c.isprintable())
    return f"'{text}" if text.lstrip()[:1] in FORMULA_SIGNS else text


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV document with safe cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([safe_cell(v) for v in row] for row in rows)
    return out.getvalue()
