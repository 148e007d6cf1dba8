"""The table of strokes and the score that a review prints at its end."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.outputs.document import Match, Stroke, break_of, name_of
from referee.outputs.words import (
    Say,
    ball_on_words,
    clause_of,
    clock,
    happened,
    question_words,
    ruling_words,
    say_of,
    unusable_words,
)

_REFERENCES = {
    "before": "where it stood before",
    "mark": "the visible mark",
    "computed": "the computed spot",
}


_WIDEST_NAME = 16
"""Columns of a name; a longer one is wrapped between its words."""


def print_match(match: Match, console: Console | None = None) -> None:
    """Print strokes, warnings, spotting and score; names are shown as text, never as markup."""
    out = console or Console()
    out.print(strokes_table(match))
    for check in match["spotting"]:
        words = {True: "on its spot", False: "OFF its spot", None: "not decided"}[check["ok"]]
        reference = _REFERENCES[check.get("reference", "computed")]
        out.print(
            Text(
                f"{clock(check['t_s'])} {check['ball']} respotted on {check['spot']}:"
                f" {check['offset_mm']:.1f} mm off ± {2 * check['sigma_mm']:.1f}"
                f" (from {reference}),"
                f" {words}"
            )
        )
    for warning in match["warnings"]:
        at = f"{clock(warning['t_s'])} " if warning["t_s"] is not None else ""
        out.print(Text(f"! {at}{warning['text']}", style="yellow"))
    if match.get("unusable"):
        out.print(Text(f"! not usable: {unusable_words(match)}", style="yellow"))
    out.print(score_line(match))


def strokes_table(match: Match) -> Table:
    """Strokes in order, readable at 80 columns: what was on, what happened and the ruling share a column,
    so that no word and no clause is broken.
    """
    say = say_of(match)
    table = Table(title=None, header_style="bold", box=None, pad_edge=False, padding=(0, 1))
    for name, right in (("#", True), ("time", True), ("striker", False), ("stroke", False), ("score", True)):
        table.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=right,
            max_width=_WIDEST_NAME if name == "striker" else None,
        )
    frame = None
    for s in match["strokes"]:
        if frame is not None and s["frame"] != frame:
            table.add_row("", "", "", Text(f"frame {s['frame']}", style="bold"), "")
        frame = s["frame"]
        table.add_row(
            str(s["n"]),
            clock(s["start_s"]),
            Text(name_of(match, s["striker"])),
            _stroke_text(match, s, say),
            f"{s['score'][0]}–{s['score'][1]}",
        )
    return table


def _stroke_text(match: Match, s: Stroke, say: Say) -> Text:
    """`on red: first red; red potted in top left`, then the ruling on a line of its own."""
    ruling = ruling_words(match, s, say) + (f" ({clause_of(s)})" if clause_of(s) else "")
    style = "red" if s["foul"] else "green" if s["points"] else ""
    if s["verdict"] == "call":
        ruling, style = f"referee's call: {question_words(match, s, say)}", "yellow"
    run = break_of(s)
    ruling += f", break {run}" if run and run != s["points"] else ""
    text = Text(f"on {ball_on_words(s, say)}: {happened(s, say)}\n")
    return text.append(ruling, style=style)


def score_line(match: Match) -> Text:
    """Names and score, with frames when there is more than one."""
    a, b = match["players"]
    text = Text(f"{a} {match['score'][0]}–{match['score'][1]} {b}", style="bold")
    won = [sum(f["winner"] == side for f in match["frames"]) for side in "AB"]
    if len(match["frames"]) > 1 or any(won):
        text.append(f"   frames {won[0]}–{won[1]}")
    calls = sum(s["verdict"] == "call" for s in match["strokes"])
    if calls:
        text.append(f"   {calls} referee's call{'s' if calls > 1 else ''} open")
    return text
