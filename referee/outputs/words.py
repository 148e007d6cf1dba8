"""Sentences about a stroke, the same in terminal, report and console."""

from __future__ import annotations

import re

from referee.outputs.diagram import colour_of
from referee.outputs.document import Match, Stroke, name_of

POCKET_WORDS = {
    "BL": "bottom left",
    "BR": "bottom right",
    "CL": "centre left",
    "CR": "centre right",
    "TL": "top left",
    "TR": "top right",
}


def ball_on_words(stroke: Stroke) -> str:
    """What was on: `red`, `any colour`, `pink (nominated)`, with the free ball said."""
    if "ruling" in stroke:
        return str(stroke["ruling"]["on"])
    on = (stroke["ball_on"] or "–").replace("_", " ")
    if stroke["nominated"]:
        on = (
            f"{stroke['nominated']} (nominated)"
            if on == "any colour"
            else f"{on}, {stroke['nominated']} nominated"
        )
    return f"{on}, free ball" if stroke["free_ball"] else on


def happened(stroke: Stroke) -> str:
    """What was seen: first contact, pots with their pocket, in-off, balls off the table."""
    if "ruling" in stroke:
        return str(stroke["ruling"]["seen"])
    first = stroke["first_contact"]
    parts = [f"first {ball_words(first['ball'])}" if first else "no ball hit"]
    parts += [f"{ball_words(p['ball'])} potted{_into(p['pocket'])}" for p in stroke["potted"]]
    if stroke["cue_ball"] == "pocketed":
        parts.append(f"in-off{_into(stroke['cue_ball_pocket'])}")
    if stroke["cue_ball"] == "off_table":
        parts.append("cue-ball off the table")
    parts += [f"{ball_words(b)} off the table" for b in stroke["off_table"] if b != "white"]
    gaps = [g for g in stroke.get("touching_gaps", []) if g["verdict"] != "no"]
    sure = [g["ball"] for g in gaps if g["verdict"] == "yes"]
    if sure or (stroke["touching"] and not gaps):
        parts.append("touching " + ", ".join(ball_words(b) for b in sure or stroke["touching"]))
    for g in gaps:
        if g["verdict"] == "unknown":
            parts.append(
                f"touching {ball_words(g['ball'])}? gap {g['gap_mm']:.1f} ± {2 * g['sigma_mm']:.1f} mm"
            )
    return "; ".join(parts)


def ruling_words(match: Match, stroke: Stroke) -> str:
    """The ruling in a referee's words, without the clause."""
    if "ruling" in stroke:
        return str(stroke["ruling"]["text"])
    foul = stroke["foul"]
    if stroke["striker"] is None:
        return "practice, no ruling"
    if foul is None:
        return (
            f"{stroke['points']} point{'' if stroke['points'] == 1 else 's'}"
            if stroke["points"]
            else "no score"
        )
    words = f"Foul, {foul['penalty']}"
    if foul["penalty_to"]:
        words += f" to {name_of(match, foul['penalty_to'])}"
    return f"{words}, and a miss" if stroke["miss"] else words


def question_words(match: Match, stroke: Stroke) -> str:
    """The question of a referee's call with the players' names in place of A and B."""
    return re.sub(r"\b[AB]\b", lambda side: name_of(match, side[0]), stroke["question"] or "What happened?")


def clause_of(stroke: Stroke) -> str:
    """The clause that the ruling names; empty when none is named."""
    if "ruling" in stroke:
        return stroke["ruling"]["clause"] or ""
    foul = stroke["foul"]
    return (foul["clause"] or "") if foul else ""


def clause_reference(stroke: Stroke) -> str:
    """The clause with its place in the rules' text: `snooker 3.12(a)(vii): section 3, rule 12(a)(vii)
    ...`.
    """
    clause = clause_of(stroke)
    place = re.fullmatch(r"snooker (\d+)\.(\d+)((?:\([a-z]+\))*)", clause)
    if place is None:
        return clause
    foul = stroke["foul"]
    reason = foul.get("reason") if foul else None
    why = f"; {reason.replace('_', ' ')}" if reason else ""
    return f"{clause}: official rules of snooker, section {place[1]}, rule {place[2]}{place[3]}{why}"


def ball_words(ball: str) -> str:
    """`red` for red_3: players do not number the reds."""
    return "cue-ball" if ball == "white" else colour_of(ball)


def unusable_words(match: Match) -> str:
    """How much of the video could not be used: `3 spans, 12.4 s in all`."""
    spans = match.get("unusable", [])
    seconds = sum(s["end_s"] - s["start_s"] for s in spans)
    return f"{len(spans)} span{'s' if len(spans) != 1 else ''}, {seconds:.1f} s in all"


def clock(t_s: float | None) -> str:
    """Seconds as m:ss or h:mm:ss; a dash for an unknown time."""
    if t_s is None:
        return "–"
    whole = max(0, int(t_s))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"


def _into(pocket: str | None) -> str:
    return f" in {POCKET_WORDS.get(pocket, pocket)}" if pocket else ""
