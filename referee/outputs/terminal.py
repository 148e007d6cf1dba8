"""The table of strokes and the score that a review prints at its end."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from calibration.texts import clock, sentence, spoken
from referee.outputs.document import Match, SpottingJson, Stroke, break_of, frames_won, name_of
from referee.outputs.open_questions import hanging_on, hanging_words, open_questions, root_of
from referee.outputs.words import (
    NO_BALL_ON,
    Say,
    ball_on_words,
    clause_of,
    happened,
    note_words,
    question_words,
    ruling_words,
    say_of,
    state_hangs_words,
    unusable_words,
)
from referee.rules.registry import unit_of

_WIDEST_NAME = 16
"""Columns of a name; a longer one is wrapped between its words."""


def progress_words(stage: str) -> str:
    """What a bar of progress shows of a stage (`finding the table`), in the language of the terminal."""
    return sentence(f"terminal.progress_{stage.replace(' ', '_')}")


def print_match(match: Match, console: Console | None = None) -> None:
    """Print strokes, warnings, spotting and score; names are shown as text, never as markup."""
    out = console or Console()
    out.print(strokes_table(match))
    for check in match["spotting"]:
        out.print(Text(_spotting_line(check, say_of(match, spoken()))))
    for warning in match["warnings"]:
        at = f"{clock(warning['t_s'])} " if warning["t_s"] is not None else ""
        out.print(Text(f"! {at}{note_words(match, warning, Say(spoken()))}", style="yellow"))
    if match.get("unusable"):
        out.print(Text(sentence("terminal.not_usable", what=unusable_words(match)), style="yellow"))
    out.print(score_line(match))


def _spotting_line(check: SpottingJson, say: Say) -> str:
    found = {True: "on", False: "off", None: "undecided"}[check["ok"]]
    return sentence(
        "terminal.respotted",
        time=clock(check["t_s"]),
        ball=say.ball(check["ball"]),
        spot=say.spot(check["spot"]),
        off=f"{check['offset_mm']:.1f}",
        sigma=f"{2 * check['sigma_mm']:.1f}",
        reference=sentence(f"terminal.reference_{check.get('reference', 'computed')}"),
        finding=sentence(f"spots.{found}"),
    )


def strokes_table(match: Match) -> Table:
    """Strokes in order, readable at 80 columns: what was on, what happened and the ruling share a column,
    so that no word and no clause is broken.
    """
    say = say_of(match, spoken())
    table = Table(title=None, header_style="bold", box=None, pad_edge=False, padding=(0, 1))
    for name, right in (
        *(("number", True), ("time", True)),
        *(("striker", False), ("stroke", False), ("score", True)),
    ):
        table.add_column(
            sentence(f"terminal.column_{name}"),
            justify="right" if right else "left",
            no_wrap=right,
            max_width=_WIDEST_NAME if name == "striker" else None,
        )
    frame, roots = None, root_of(open_questions(match))
    for s in match["strokes"]:
        if frame is not None and s["frame"] != frame:
            table.add_row("", "", "", Text(say.t("board.frame", n=s["frame"]), style="bold"), "")
        frame = s["frame"]
        table.add_row(
            str(s["n"]),
            clock(s["start_s"]),
            Text(name_of(match, s["striker"])),
            _stroke_text(match, s, say, roots.get(s["n"])),
            f"{s['score'][0]}–{s['score'][1]}",
        )
    return table


def _stroke_text(match: Match, s: Stroke, say: Say, root: int | None) -> Text:
    """`on red: first red; red potted in top left`, then the ruling or question on a line of its own.

    `root`: the stroke on whose question this one hangs.
    """
    ruling = ruling_words(match, s, say) + (f" ({clause_of(s)})" if clause_of(s) else "")
    style = "red" if s["foul"] else "green" if s["points"] else ""
    run = break_of(s)
    ruling += say.t("terminal.break", run=run) if run and run != s["points"] else ""
    if s["verdict"] == "call":
        ruling, style = sentence("terminal.call", question=question_words(match, s, say, False)), "yellow"
    if root is not None:
        ruling = sentence("console.hangs_on_stroke", n=root)
    on, seen = ball_on_words(s, say), happened(s, say)
    if hangs := state_hangs_words(s, say):
        ruling += f" – {hangs}"
    text = Text((seen if on == NO_BALL_ON else sentence("terminal.stroke", on=on, happened=seen)) + "\n")
    return text.append(ruling, style=style)


def score_line(match: Match) -> Text:
    """Names and score, with frames when there is more than one."""
    a, b = match["players"]
    text = Text(f"{a} {match['score'][0]}–{match['score'][1]} {b}", style="bold")
    won = frames_won(match["frames"])
    if len(match["frames"]) > 1 or any(won):
        units = sentence(f"console.units_{unit_of(match['game'])}")
        text.append(f"   {sentence('terminal.frames', units=units, a=won[0], b=won[1])}")
    found = open_questions(match)
    if found:
        said = sentence("terminal.calls_open" if len(found) > 1 else "terminal.call_open", n=len(found))
        below = hanging_words(hanging_on(found), say_of(match, spoken()))
        text.append(f"   {'; '.join(filter(None, (said, below)))}")
    return text
