"""The bench's reach table on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from calibration.texts import said
from referee.quality.bench.report.targets import number

WIDE = 110
"""Columns of a terminal from which the table has the intervals too."""
STYLES = {"reached": "green", "missed": "bold red", "beside": "dim"}


def print_report(doc: dict[str, Any], out: Path) -> None:
    """Print the reach table and where the page is."""
    screen = Console()
    if doc["worlds"]["names"]:
        screen.print(_worlds_table(doc["worlds"]))
        if any(r["verdict"] == "reached" and not r["sure"] for _, r in _limits(doc["worlds"])):
            screen.print(said("* too few to be sure that the limit holds"), style="dim")
    for part, title in (("real", "real footage, by strokes"), ("real_worse", "the same made worse")):
        if doc[part] is not None:
            screen.print(_real_table(doc[part], title))
    if any(part["n"] for target in doc["reach"] for part in target["parts"]):
        _print_reach(screen, doc)
    listed = f"{doc['failures']['n']} failures listed in {out / 'report.json'}"
    screen.print(said(f"{listed}; the whole report: {out / 'report.html'}"))


def _print_reach(screen: Console, doc: dict[str, Any]) -> None:
    screen.print(_reach_table(doc, screen.width >= WIDE))
    screen.print(said("* the interval reaches beyond the limit: too few to be sure"), style="dim")
    per = doc["tracks"]["cpu_ms_a_stroke"]
    if per is not None:
        tracks = doc["tracks"]
        wrong = sum(tracks["certain_and_wrong_by_fact"].values())
        screen.print(said(f"tracks tier: {tracks['strokes']} strokes, {per:.0f} ms of processor each"))
        screen.print(said(f"certain facts: {tracks['certain_facts']}, of them wrong: {wrong}"))


def _reach_table(doc: dict[str, Any], wide: bool) -> Table:
    table = Table(title=said(f"cueref bench, seed {doc['options']['seed']}"), box=box.SIMPLE, show_edge=False)
    table.add_column(said("measure"), min_width=22)
    for name in ("n", "value", *(["95 %"] if wide else []), "limit", "verdict"):
        table.add_column(
            said(name),
            justify="right" if name in ("n", "value", "limit") else "left",
            no_wrap=name in ("n", "verdict"),
        )
    for target in doc["reach"]:
        table.add_row(Text(said(target["name"]), style="bold"))
        for k, part in enumerate(target["parts"]):
            table.add_row(*_cells(part, wide), end_section=k == len(target["parts"]) - 1)
    return table


def _limits(worlds: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """(world, row of its limits), all worlds."""
    return [(name, row) for name, rows in worlds["limits"].items() for row in rows]


def _worlds_table(worlds: dict[str, Any]) -> Table:
    """The worlds side by side, each figure in the colour of its verdict, beside the limits.

    Measures that none of the worlds has are left out.
    """
    verdicts = {(name, row["row"]): row for name, row in _limits(worlds)}
    limits: dict[str, str] = {}
    for name, row in _limits(worlds):
        first = limits.setdefault(row["row"], row["limit"])
        if first != row["limit"]:
            limits[row["row"]] = f"{first}; {name} {row['limit']}"
    table = Table(title=said("worlds, each by itself"), box=box.SIMPLE, show_edge=False)
    table.add_column(said("measure"))
    for name in worlds["names"]:
        table.add_column(said(name), justify="right")
    if limits:
        table.add_column(said("limit"))
    for measure, *figures in worlds["rows"]:
        if any(figures):
            cells = [
                _judged(figure, verdicts.get((name, measure)))
                for name, figure in zip(worlds["names"], figures, strict=True)
            ]
            table.add_row(said(measure), *cells, *([said(limits.get(measure, ""))] if limits else []))
    return table


def _judged(figure: str, row: dict[str, Any] | None) -> Text:
    """A figure in the colour of its verdict; * where it is reached by too few to be sure."""
    if row is None or not figure:
        return Text(said(figure))
    doubt = "*" if row["verdict"] == "reached" and not row["sure"] else ""
    return Text(said(figure) + doubt, style=STYLES.get(row["verdict"], ""))


def _real_table(real: dict[str, Any], title: str) -> Table:
    """The real clips, one a row, and all of them together."""
    table = Table(title=said(title), box=box.SIMPLE, show_edge=False)
    table.add_column(said("clip"), overflow="fold")
    names = ("strokes", "right", "asked", "wrong", "missed", "invented")
    for name in names:
        table.add_column(said("certain, wrong" if name == "wrong" else name), justify="right")
    for clip in real["each"]:
        style = "bold red" if clip["wrong"] else "yellow" if clip["refused"] else ""
        words = f"{clip['clip']}: {clip['refused']}" if clip["refused"] else clip["clip"]
        table.add_row(Text(words, style=style), *(str(clip[name]) for name in names))
    table.add_section()
    table.add_row(said(f"all {real['clips']} clips"), *(str(real[name]) for name in names))
    return table


def _cells(part: dict[str, Any], wide: bool) -> list[str | Text]:
    unit = "share" if part["failures"] is not None else part["unit"]
    interval = "" if part["low"] is None else f"{number(part['low'], unit)} to {number(part['high'], unit)}"
    doubt = "*" if part["verdict"] == "reached" and not part["sure"] else ""
    return [
        f"  {said(part['words'])}, {said(part['tier'])}",
        str(part["n"]) if part["failures"] is None else said(f"{part['failures']} of {part['n']}"),
        number(part["value"], part["unit"]),
        *([said(interval)] if wide else []),
        number(part["limit"], part["unit"]),
        Text(said(part["verdict"]) + doubt, style=STYLES.get(part["verdict"], "yellow")),
    ]
