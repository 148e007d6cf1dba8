"""Soaks that add up: one line a soak in a file that is kept, and their sums, by the code that ran.

Every soak counts with what it found. A stroke that other load on the machine took is a stroke lost.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calibration.files import write_text
from calibration.texts import said, unusable_input

_COLUMNS = (
    "code",
    "soaks",
    "hours",
    "load",
    "faults",
    "clear strokes",
    "lost",
    "certain and wrong",
    "scores wrong",
    "in a fault: strokes, not seen, certain and wrong",
    "images skipped",
)
_ADDED = ("strokes", "lost", "certain", "certain_and_wrong", "scores_checked", "scores_wrong")


def code_of(root: Path) -> str:
    """The commit of the code in a checkout, with `+` where files differ from it; "" outside of one."""
    try:
        said = subprocess.run(
            ("git", "-C", str(root), "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=+"),
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def line_of(figures: dict[str, Any]) -> dict[str, Any]:
    """What the file keeps of a soak's figures (`score.summary`, with its findings)."""
    about = figures["about"]
    return {
        "begun_unix": about["begun_unix"],
        "seed": about["seed"],
        "code": about.get("code", ""),
        "hours": figures["hours"],
        "size": about["size"],
        "load": figures["process"].get("load_median"),
        "images_judged": figures["camera"]["images_judged"],
        "images_skipped": figures["camera"]["images_skipped"],
        "faults": figures["faults"],
        "clear": {k: figures["clear"][k] for k in _ADDED},
        "hidden": {k: figures["hidden"][k] for k in _ADDED},
        "extra_rulings": len(figures["extra_rulings"]),
        "findings": figures["findings"],
    }


def add(ledger: Path, figures: dict[str, Any]) -> None:
    """Add a soak, or put it in the place of its earlier line. Raises UnusableInput, OSError."""
    new = line_of(figures)
    known = [x for x in read(ledger) if (x["begun_unix"], x["seed"]) != (new["begun_unix"], new["seed"])]
    lines = sorted([*known, new], key=lambda x: (x["begun_unix"], x["seed"]))
    write_text(ledger, "".join(json.dumps(x, sort_keys=True) + "\n" for x in lines))


def read(ledger: Path) -> list[dict[str, Any]]:
    """The soaks of a file; none where it is not there. Raises UnusableInput for another file."""
    if not ledger.exists():
        return []
    try:
        found = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]
        for line in found:
            _of([line])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise unusable_input("errors.soaks_of_a_ledger", file=ledger, error=error) from None
    return found


def markdown(soaks: Sequence[dict[str, Any]]) -> str:
    """The sums as a table, a row for each code, the newest first, and one for all."""
    by_code: dict[str, list[dict[str, Any]]] = {}
    for soak in sorted(soaks, key=lambda x: -float(x["begun_unix"])):
        by_code.setdefault(soak["code"] or "unknown", []).append(soak)
    rows = [_row(code, some) for code, some in by_code.items()]
    if len(rows) > 1:
        rows.append(_row("all", soaks))
    lines = [_line(_COLUMNS), "| --- " * len(_COLUMNS) + "|", *rows]
    return "\n".join(lines) + "\n"


def _of(soaks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    judged = sum(s["images_judged"] + s["images_skipped"] for s in soaks)
    return {
        "hours": sum(s["hours"] or 0.0 for s in soaks),
        "loads": sorted(s["load"] or 0.0 for s in soaks),
        "faults": sum(sum(s["faults"].values()) for s in soaks),
        "clear": {k: sum(s["clear"][k] for s in soaks) for k in _ADDED},
        "hidden": {k: sum(s["hidden"][k] for s in soaks) for k in _ADDED},
        "skipped": sum(s["images_skipped"] for s in soaks) / max(1, judged),
    }


def _row(name: str, soaks: Sequence[dict[str, Any]]) -> str:
    s = _of(soaks)
    clear, hidden = s["clear"], s["hidden"]
    return _line(
        (
            name,
            f"{len(soaks)}",
            f"{s['hours']:.2f}",
            f"{s['loads'][0]:.0f} to {s['loads'][-1]:.0f}",
            f"{s['faults']}",
            f"{clear['strokes']}",
            f"{clear['lost']}",
            f"{clear['certain_and_wrong']}",
            f"{clear['scores_wrong']} of {clear['scores_checked']}",
            f"{hidden['strokes']}, {hidden['lost']}, {hidden['certain_and_wrong']}",
            f"{100 * s['skipped']:.1f} %",
        )
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(said(c) for c in cells)} |"
