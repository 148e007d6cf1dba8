"""A whole match in other forms: strokes as CSV, chapters (WebVTT), markers (EDL)."""

from __future__ import annotations

import re
from typing import cast

from calibration.texts import unusable_input
from referee.outputs import words
from referee.outputs.cells import csv_text
from referee.outputs.digits import meant
from referee.outputs.document import Match, Stroke, break_of, is_declared, match_bytes, name_of, record_fault
from referee.outputs.words import Say

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


def match_json(match: Match) -> bytes:
    """`match.json` again, with the digits that are written now; earlier versions wrote up to seventeen."""
    return match_bytes(cast("Match", meant(match)))


def strokes_csv(match: Match) -> str:
    """One line a stroke; no cell begins like a formula. A match whose journal was changed has a further
    column that says so.
    """
    fault = record_fault(match)
    more = ("record_fault",) if fault else ()
    cells = (stroke_cells(match, s) + ([fault] if fault else []) for s in match["strokes"])
    return csv_text((*STROKE_COLUMNS, *more), cells)


def chapters_vtt(match: Match, say: Say | None = None) -> str:
    """WebVTT chapters, one a stroke; times on the video's clock."""
    say, fault = say or words.say_of(match), record_fault(match)
    lines = ["WEBVTT", "", *([f"NOTE {_cue_text(fault)}", ""] if fault else [])]
    for s in _with_times(match):
        end_s = max(s["end_s"], s["start_s"] + 0.001)
        lines += [
            f"stroke-{s['n']}",
            f"{_vtt_time(s['start_s'])} --> {_vtt_time(end_s)}",
            _cue_text(_title(match, s, say)),
            "",
        ]
    return "\n".join(lines)


def markers_edl(match: Match, rate_hz: float, start: str = "00:00:00:00", say: Say | None = None) -> str:
    """Markers as an edit decision list (CMX 3600 with `|C:..|M:..|D:` notes, which editors import).

    Timecode without drop frames at the nearest whole rate; `start`: that of the first image, as the camera
    or the recorder wrote it. Raises UnusableInput for no timecode at that rate.
    """
    rate = max(1, round(rate_hz))
    first = images_of_timecode(start, rate)
    say, fault = say or words.say_of(match), record_fault(match)
    out = ["TITLE: cueref", "FCM: NON-DROP FRAME", *([f"* {' '.join(fault.split())}"] if fault else []), ""]
    for i, s in enumerate(_with_times(match), start=1):
        image = first + max(0, round(s["start_s"] * rate))
        at, to = _timecode(image, rate), _timecode(image + 1, rate)
        colour = (
            "Yellow" if s["verdict"] == "call" else "Red" if s["foul"] else "Green" if s["points"] else "Blue"
        )
        note = " ".join(_title(match, s, say).split()).replace(
            "|", "/"
        )  # a line of its own would be another edit
        out += [
            f"{i:03d}  001      V     C        {at} {to} {at} {to}",
            f" |C:ResolveColor{colour} |M:{note} |D:1",
            "",
        ]
    return "\n".join(out)


def _with_times(match: Match) -> list[Stroke]:
    """Declared facts may lack times: those strokes have no place in a video."""
    return [s for s in match["strokes"] if not is_declared(match) or s["start_s"] is not None]


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


def _title(match: Match, s: Stroke, say: Say) -> str:
    seen, ruling = words.happened(s, say), words.ruling_words(match, s, say)
    return f"{s['n']} {name_of(match, s['striker'])}: {seen}. {ruling}. {s['score'][0]}–{s['score'][1]}"


def _cue_text(text: str) -> str:
    """Cue text of WebVTT: no markup, no line that ends the cue, no arrow that begins another."""
    flat = " ".join(text.split())
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _vtt_time(t_s: float) -> str:
    milliseconds = max(0, round(t_s * 1000))
    rest, ms = divmod(milliseconds, 1000)
    return f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.{ms:03d}"


_TIMECODE = re.compile(r"(\d\d):(\d\d):(\d\d)[:.](\d\d)")


def images_of_timecode(text: str, rate: int) -> int:
    """Images from midnight to a timecode `HH:MM:SS:FF` without drop frames. Raises UnusableInput."""
    found = _TIMECODE.fullmatch(text.strip())
    hours, minutes, seconds, image = (int(g) for g in found.groups()) if found else (99, 0, 0, 0)
    if hours > 23 or minutes > 59 or seconds > 59 or image >= rate:
        raise unusable_input("make.error_timecode", rate=rate, text=repr(text[:20]))
    return ((hours * 60 + minutes) * 60 + seconds) * rate + image


def _timecode(images: int, rate: int) -> str:
    """The timecode so many images after midnight; after 24 hours it begins again."""
    rest, image = divmod(images, rate)
    return f"{rest // 3600 % 24:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}:{image:02d}"
