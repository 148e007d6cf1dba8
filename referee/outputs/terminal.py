"""The table of strokes and the score that a review prints at its end."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.outputs.document import Match, break_of, name_of
from referee.outputs.words import (
    ball_on_words,
    clause_of,
    clock,
    happened,
    question_words,
    ruling_words,
    unusable_words,
)

_REFERENCES = {
    "before": "where it stood before",
    "mark": "the visible mark",
    "computed": "the computed spot",
}


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
    """One row a stroke."""
    table = Table(title=None, header_style="bold", pad_edge=False)
    for name in ("#", "time", "striker", "ball on", "what happened", "ruling", "break", "score"):
        table.add_column(name, justify="right" if name in ("#", "break") else "left", overflow="fold")
    frame = None
    for s in match["strokes"]:
        if frame is not None and s["frame"] != frame:
            table.add_section()
        frame = s["frame"]
        ruling = ruling_words(match, s) + (f" [{clause_of(s)}]" if clause_of(s) else "")
        style = "red" if s["foul"] else "green" if s["points"] else ""
        if s["verdict"] == "call":
            ruling, style = f"referee's call: {question_words(match, s)}", "yellow"
        cells = (
            str(s["n"]),
            clock(s["start_s"]),
            name_of(match, s["striker"]),
            ball_on_words(s),
            happened(s),
            ruling,
            str(break_of(s) or ""),
            f"{s['score'][0]}–{s['score'][1]}",
        )
        table.add_row(*(Text(c, style=style if i == 5 else "") for i, c in enumerate(cells)))
    return table


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
