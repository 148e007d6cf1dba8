"""The recorder's score sheet as a page and as PDF, with date, venue, players and lines to sign.

It holds what snooker 5.3 asks of a recorder: each stroke played, fouls where necessary, and how many points
each player has scored as required; breaks beside it. PDF by ReportLab (extra `print`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from calibration.texts import clock, unusable_input
from referee.outputs import words
from referee.outputs.document import (
    FrameJson,
    Match,
    Stroke,
    break_of,
    frames_won,
    is_declared,
    name_of,
    record_fault,
)
from referee.outputs.fonts import font_file, runs
from referee.outputs.open_questions import hanging_on, hanging_words, open_questions
from referee.outputs.pages import environment
from referee.outputs.report import report_html
from referee.outputs.statistics import Break, breaks_of
from referee.outputs.words import PLAIN, Say

_EASTERN = "STSong-Light"
"""A typeface that every PDF viewer brings for Chinese characters; nothing of it is in the file."""
_CALL, _LINE = "#fff2c4", "#999999"


@dataclass(frozen=True, slots=True)
class SheetHead:
    """What a match does not know of itself. Empty fields are lines to be filled in by hand."""

    date: str = ""
    venue: str = ""
    competition: str = ""
    referee: str = ""


NO_HEAD = SheetHead()


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A stroke: points in the column of the player who gets them, those of a foul in brackets."""

    n: int
    time: str
    striker: str
    what: str
    note: str
    a: str
    b: str
    run: str
    score: str
    call: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything that stands on a sheet. `breaks`: name and break, in order of play."""

    match: Match
    head: SheetHead
    frames: tuple[tuple[FrameJson, tuple[SheetRow, ...]], ...]
    breaks: tuple[tuple[str, Break], ...]
    won: tuple[int, int]
    fault: str | None
    say: Say = field(default=PLAIN)

    @property
    def provisional(self) -> str:
        """How many questions await the referee, and how many strokes hang on them; empty of none."""
        played = {row.n for _, rows in self.frames for row in rows}
        found = [q for q in open_questions(self.match) if q.stroke["n"] in played]
        below = hanging_words(hanging_on(found), self.say)
        said = self.say.t("sheet.provisional", n=len(found)) if found else ""
        return f"{said} {below[0].upper()}{below[1:]}." if below else said


def sheet_of(match: Match, head: SheetHead = NO_HEAD, say: Say | None = None) -> Sheet:
    """The sheet of a match."""
    say = say or words.say_of(match)
    frames = tuple(
        (f, tuple(_row(match, s, say) for s in match["strokes"] if s["frame"] == f["n"]))
        for f in match["frames"]
    )
    breaks = () if is_declared(match) else breaks_of(match["strokes"])
    named = tuple((name_of(match, b.side), b) for b in breaks)
    return Sheet(match, head, frames, named, frames_won(match["frames"]), record_fault(match), say)


def _row(match: Match, s: Stroke, say: Say) -> SheetRow:
    foul = s["foul"]
    side = (foul["penalty_to"] if foul else None) or s["striker"]  # 14.1 takes them from its striker
    scored = str(s["points"]) if s["points"] else ""
    points = (f"({foul['penalty']})" if foul["penalty"] else "") if foul else scored
    return SheetRow(
        n=s["n"],
        time="" if s["start_s"] is None else clock(s["start_s"]),
        striker=name_of(match, s["striker"]),
        what=words.happened(s, say),
        note=f"{words.ruling_words(match, s, say)} {words.clause_of(s)}" if foul else "",
        a=points if side == "A" else "",
        b=points if side == "B" else "",
        run=str(break_of(s) or ""),
        score=f"{s['score'][0]}–{s['score'][1]}",
        call=s["verdict"] == "call",
    )


def score_sheet_html(match: Match, head: SheetHead = NO_HEAD, say: Say | None = None) -> str:
    """The sheet as one page made for A4 paper; the game's report of declared facts."""
    say = say or words.say_of(match)
    if is_declared(match):
        return report_html(match, texts=say.texts)
    sheet = sheet_of(match, head, say)
    return (
        environment()
        .get_template("score_sheet.html.j2")
        .render(
            sheet=sheet,
            match=match,
            say=say,
            winner=lambda side: name_of(match, side) if side else "",
        )
    )


def write_sheet_pdf(target: Path, sheet: Sheet, share: Callable[[float], None] = lambda done: None) -> None:
    """Write the sheet as a PDF of A4 pages. Raises UnusableInput where ReportLab is missing, OSError."""
    try:
        from reportlab.lib.pagesizes import A4
        from reportlab.lib.units import mm
        from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate
    except ImportError:
        raise unusable_input("make.error_extra", name="reportlab") from None
    _register_fonts()
    margin = 14 * mm
    match = sheet.match
    title = " – ".join(match["players"])
    document = BaseDocTemplate(
        str(target),
        pagesize=A4,
        leftMargin=margin,
        rightMargin=margin,
        topMargin=margin,
        bottomMargin=margin + 6 * mm,
        title=title,
        author="cueref",
        lang=sheet.say.texts.language,
    )
    area = Frame(margin, margin + 6 * mm, document.width, document.height, 0, 0, 0, 0)

    def foot(canvas: Any, made: Any) -> None:
        canvas.saveState()
        _draw_foot(canvas, title, made.page, margin, A4[0] - margin)
        canvas.restoreState()

    document.addPageTemplates(PageTemplate(frames=[area], onPage=foot))
    whole = sum(len(rows) for _, rows in sheet.frames) + 1
    parts: list[Any] = _head_parts(sheet, document.width)
    done = 0
    for frame, rows in sheet.frames:
        parts += _frame_parts(sheet, frame, rows, document.width)
        done += len(rows)
        share(0.5 * done / whole)
    parts += _breaks_parts(sheet, document.width) + _signature_parts(sheet, document.width)
    document.build(parts)
    share(1.0)


@cache
def _register_fonts() -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Sheet", str(font_file())))
    pdfmetrics.registerFont(TTFont("Sheet-Bold", str(font_file(bold=True))))
    pdfmetrics.registerFontFamily(
        "Sheet", normal="Sheet", bold="Sheet-Bold", italic="Sheet", boldItalic="Sheet"
    )
    pdfmetrics.registerFont(UnicodeCIDFont(_EASTERN))


def _marked(text: str) -> str:
    """Text for a paragraph of ReportLab: escaped, other scripts in the typeface that knows them."""
    return "".join(
        f'<font name="{_EASTERN}">{escape(part)}</font>' if east else escape(part)
        for part, east in runs(text)
    )


def _draw_foot(canvas: Any, title: str, page: int, left: float, right: float) -> None:
    """The match and the page's number at the foot of each page; the typeface changes within the line."""
    x = left
    for part, east in runs(title):
        font = _EASTERN if east else "Sheet"
        canvas.setFont(font, 8)
        canvas.drawString(x, 26, part)
        x += canvas.stringWidth(part, font, 8)
    canvas.setFont("Sheet", 8)
    canvas.drawRightString(right, 26, str(page))


@cache
def _styles() -> dict[str, Any]:
    from reportlab.lib.styles import ParagraphStyle

    plain = ParagraphStyle("plain", fontName="Sheet", fontSize=8.5, leading=11)
    return {
        "plain": plain,
        "bold": ParagraphStyle("bold", plain, fontName="Sheet-Bold"),
        "right": ParagraphStyle("right", plain, alignment=2),
        "number": ParagraphStyle("number", plain, fontName="Sheet-Bold", alignment=2),
        "title": ParagraphStyle("title", plain, fontName="Sheet-Bold", fontSize=16, leading=21, spaceAfter=5),
        "section": ParagraphStyle(
            "section", plain, fontName="Sheet-Bold", fontSize=11, leading=14, spaceBefore=11, spaceAfter=4
        ),
    }


def _cell(text: str, style: str = "plain") -> Any:
    from reportlab.platypus import Paragraph

    return Paragraph(_marked(text), _styles()[style])


def _table(
    rows: list[list[Any]], widths: Sequence[float], commands: Sequence[Any] = (), head: int = 1
) -> Any:
    from reportlab.platypus import LongTable, TableStyle

    made = LongTable(rows, colWidths=list(widths), repeatRows=head)
    plain = [
        ("GRID", (0, 0), (-1, -1), 0.4, _LINE),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ("LEFTPADDING", (0, 0), (-1, -1), 4),
        ("RIGHTPADDING", (0, 0), (-1, -1), 4),
    ]
    made.setStyle(TableStyle([*plain, *commands]))
    return made


def _head_parts(sheet: Sheet, width: float) -> list[Any]:
    from reportlab.platypus import Spacer

    match, head, t = sheet.match, sheet.head, sheet.say.t
    a, b = match["players"]
    fields = [
        [t("sheet.date"), head.date, t("sheet.venue"), head.venue],
        [t("sheet.player_a"), a, t("sheet.player_b"), b],
        [t("sheet.competition"), head.competition, t("sheet.referee"), head.referee],
        [
            t("sheet.frames"),
            f"{sheet.won[0]}–{sheet.won[1]}",
            t("sheet.score"),
            f"{match['score'][0]}–{match['score'][1]}",
        ],
    ]
    rows = [[_cell(x, "bold" if k % 2 == 0 else "plain") for k, x in enumerate(row)] for row in fields]
    parts = [
        _cell(t("sheet.title"), "title"),
        _table(rows, [0.14 * width, 0.36 * width] * 2, head=0),
        Spacer(0, 4),
        _cell(t("sheet.explained")),
    ]
    if sheet.provisional:
        parts.append(_cell(sheet.provisional, "bold"))
    if sheet.fault:
        parts.append(_cell(sheet.fault, "bold"))
    return parts


def _frame_parts(sheet: Sheet, frame: FrameJson, rows: Sequence[SheetRow], width: float) -> list[Any]:
    match, t = sheet.match, sheet.say.t
    title = t("sheet.frame", n=frame["n"], a=frame["score"][0], b=frame["score"][1])
    if frame["winner"]:
        title += t("sheet.won_by", name=name_of(match, frame["winner"]))
    names = [t(f"sheet.{key}") for key in ("number", "time", "striker", "stroke")]
    head = [*names, *match["players"], t("sheet.break"), t("sheet.score")]
    made = [[_cell(x, "number" if k in (0, 4, 5, 6, 7) else "bold") for k, x in enumerate(head)]]
    shaded = []
    for k, row in enumerate(rows, start=1):
        what = _cell(row.what) if not row.note else [_cell(row.what), _cell(row.note, "bold")]
        cells = [row.time, row.striker]
        made.append(
            [_cell(str(row.n), "right"), *(_cell(c) for c in cells), what]
            + [_cell(x, "right") for x in (row.a, row.b, row.run, row.score)]
        )
        if row.call:
            shaded.append(("BACKGROUND", (0, k), (-1, k), _CALL))
    shares = (0.06, 0.09, 0.15, 0.34, 0.1, 0.1, 0.07, 0.09)
    return [_cell(title, "section"), _table(made, [width * x for x in shares], shaded)]


def _breaks_parts(sheet: Sheet, width: float) -> list[Any]:
    if not sheet.breaks:
        return []
    t, say = sheet.say.t, sheet.say
    heads = (("player", "bold"), ("frame_short", "number"), ("points", "number"), ("balls", "bold"))
    rows = [[_cell(t(f"sheet.{key}"), style) for key, style in heads]]
    for name, b in sheet.breaks:
        balls = ", ".join(say.ball(x) for x in b.balls)
        rows.append([_cell(name), _cell(str(b.frame), "right"), _cell(str(b.points), "right"), _cell(balls)])
    return [
        _cell(t("sheet.breaks"), "section"),
        _table(rows, [0.27 * width, 0.1 * width, 0.1 * width, 0.53 * width]),
    ]


def _signature_parts(sheet: Sheet, width: float) -> list[Any]:
    """Lines to sign, kept together on one page."""
    from reportlab.platypus import KeepTogether, Spacer, Table, TableStyle

    names = [*sheet.match["players"], sheet.head.referee or sheet.say.t("sheet.referee")]
    gap, column = 0.05 * width, 0.3 * width
    signed = Table(
        [["", "", "", "", ""], [_cell(names[0]), "", _cell(names[1]), "", _cell(names[2])]],
        colWidths=[column, gap, column, gap, column],
        rowHeights=[34, None],
    )
    lines = [("LINEBELOW", (k, 0), (k, 0), 0.7, "#000000") for k in (0, 2, 4)]
    signed.setStyle(TableStyle([*lines, ("LEFTPADDING", (0, 0), (-1, -1), 0)]))
    return [KeepTogether([Spacer(0, 16), _cell(sheet.say.t("sheet.signatures"), "section"), signed])]
