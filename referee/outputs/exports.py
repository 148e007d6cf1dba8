"""A whole match in other forms: strokes as CSV, chapters (WebVTT), markers (EDL), the recorder's sheet.

The score sheet holds what snooker 5.3 asks of a recorder: each stroke played, fouls where necessary, and
how many points each player has scored as required; breaks beside it.
"""

from __future__ import annotations

from referee.outputs import words
from referee.outputs.cells import csv_text
from referee.outputs.document import Match, Stroke, break_of, is_declared, name_of, record_fault
from referee.outputs.pages import environment
from referee.outputs.report import report_html
from referee.outputs.statistics import breaks_of, statistics_of

STROKE_COLUMNS = (
    "n",
    "frame",
    "striker",
    "start_s",
    "end_s",
    "ball_on",
    "nominated",
    "free_ball",
    "first_contact",
    "first_contact_confidence",
    "potted",
    "cue_ball",
    "off_table",
    "foul_clause",
    "penalty",
    "penalty_to",
    "miss",
    "points",
    "score_a",
    "score_b",
    "break",
    "verdict",
    "question",
)


def strokes_csv(match: Match) -> str:
    """One line a stroke; no cell begins like a formula. A match whose journal was changed has a further
    column that says so.
    """
    fault = record_fault(match)
    more = ("record_fault",) if fault else ()
    cells = (stroke_cells(match, s) + ([fault] if fault else []) for s in match["strokes"])
    return csv_text((*STROKE_COLUMNS, *more), cells)


def chapters_vtt(match: Match) -> str:
    """WebVTT chapters, one a stroke; times on the video's clock."""
    fault = record_fault(match)
    lines = ["WEBVTT", "", *([f"NOTE {_cue_text(fault)}", ""] if fault else [])]
    for s in _with_times(match):
        end_s = max(s["end_s"], s["start_s"] + 0.001)
        lines += [
            f"stroke-{s['n']}",
            f"{_vtt_time(s['start_s'])} --> {_vtt_time(end_s)}",
            _cue_text(_title(match, s)),
            "",
        ]
    return "\n".join(lines)


def markers_edl(match: Match, rate_hz: float) -> str:
    """Markers as an edit decision list (CMX 3600 with `|C:..|M:..|D:` notes, which editors import).

    Timecode without drop frames at the nearest whole rate, from zero at the first image.
    """
    rate = max(1, round(rate_hz))
    fault = record_fault(match)
    out = ["TITLE: cueref", "FCM: NON-DROP FRAME", *([f"* {' '.join(fault.split())}"] if fault else []), ""]
    for i, s in enumerate(_with_times(match), start=1):
        at, to = _timecode(s["start_s"], rate), _timecode(s["start_s"] + 1 / rate, rate)
        colour = (
            "Yellow" if s["verdict"] == "call" else "Red" if s["foul"] else "Green" if s["points"] else "Blue"
        )
        note = " ".join(_title(match, s).split()).replace("|", "/")  # a line of its own would be another edit
        out += [
            f"{i:03d}  001      V     C        {at} {to} {at} {to}",
            f" |C:ResolveColor{colour} |M:{note} |D:1",
            "",
        ]
    return "\n".join(out)


def score_sheet_html(match: Match) -> str:
    """The recorder's sheet as one page made for A4 paper; the game's report of declared facts."""
    if is_declared(match):
        return report_html(match)
    frames = [
        (f, [_sheet_row(match, s) for s in match["strokes"] if s["frame"] == f["n"]]) for f in match["frames"]
    ]
    stats = statistics_of(match)
    breaks = [(name_of(match, b.side), b) for b in breaks_of(match["strokes"])]
    return (
        environment()
        .get_template("score_sheet.html.j2")
        .render(
            match=match,
            frames=frames,
            stats=stats,
            breaks=breaks,
            fault=record_fault(match),
            won=[sum(f["winner"] == x for f in match["frames"]) for x in "AB"],
            winner=lambda side: name_of(match, side) if side else "",
        )
    )


def _with_times(match: Match) -> list[Stroke]:
    """Declared facts may lack times: those strokes have no place in a video."""
    return [s for s in match["strokes"] if not is_declared(match) or s["start_s"] is not None]


def _sheet_row(match: Match, s: Stroke) -> dict[str, object]:
    """A line of the sheet: points in the column of the player who gets them, fouls in brackets."""
    foul = s["foul"]
    side = foul["penalty_to"] if foul else s["striker"]
    points = f"({foul['penalty']})" if foul else str(s["points"]) if s["points"] else ""
    return {
        "n": s["n"],
        "time": words.clock(s["start_s"]),
        "striker": name_of(match, s["striker"]),
        "what": words.happened(s),
        "note": f"{words.ruling_words(match, s)} {words.clause_of(s)}" if foul else "",
        "a": points if side == "A" else "",
        "b": points if side == "B" else "",
        "run": break_of(s) or "",
        "score": f"{s['score'][0]}–{s['score'][1]}",
        "call": s["verdict"] == "call",
    }


def stroke_cells(match: Match, s: Stroke) -> list[object]:
    first, foul = s["first_contact"], s["foul"]
    potted = " ".join(f"{p['ball']}:{p['pocket'] or '?'}" for p in s["potted"])
    return [
        s["n"],
        s["frame"],
        name_of(match, s["striker"]),
        s["start_s"],
        s["end_s"],
        s["ball_on"],
        s["nominated"],
        s["free_ball"],
        first and first["ball"],
        first and first["confidence"],
        potted,
        s["cue_ball"],
        " ".join(s["off_table"]),
        foul and foul["clause"],
        foul["penalty"] if foul else 0,
        foul and foul["penalty_to"],
        s["miss"],
        s["points"],
        s["score"][0],
        s["score"][1],
        break_of(s),
        s["verdict"],
        s["question"],
    ]


def _title(match: Match, s: Stroke) -> str:
    return (
        f"{s['n']} {name_of(match, s['striker'])}: {words.happened(s)}. {words.ruling_words(match, s)}."
        f" {s['score'][0]}–{s['score'][1]}"
    )


def _cue_text(text: str) -> str:
    """Cue text of WebVTT: no markup, no line that ends the cue, no arrow that begins another."""
    flat = " ".join(text.split())
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _vtt_time(t_s: float) -> str:
    milliseconds = max(0, round(t_s * 1000))
    rest, ms = divmod(milliseconds, 1000)
    return f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.{ms:03d}"


def _timecode(t_s: float, rate: int) -> str:
    images = max(0, round(t_s * rate))
    rest, image = divmod(images, rate)
    return f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}:{image:02d}"
