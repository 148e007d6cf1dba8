"""`report.html` of a match judged from declared facts: the game in its own terms, one self-contained file."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.table.games import counts_points
from calibration.texts import clock
from referee.outputs import words
from referee.outputs.document import Match, frames_won, name_of
from referee.outputs.pages import environment
from referee.outputs.words import PLAIN, Say
from referee.rules.registry import unit_of


@dataclass(frozen=True, slots=True)
class RulingView:
    """One ruled fact as the page shows it; all text, escaped by the template."""

    stroke: str  # the stroke's number; empty for a choice, event or referee's act
    line: int
    time: str
    who: str
    on: str
    seen: str
    text: str
    clause: str
    score: str
    kind: str  # foul, points, act or plain
    state: tuple[tuple[str, str], ...]


def game_report_html(match: Match, say: Say = PLAIN) -> str:
    """The page as text: score, each rack (frame, game, board) with its rulings and the game's state."""
    rulings, game = match.get("rulings", []), match["game"]
    views: dict[int, list[RulingView]] = {}
    for r in rulings:
        views.setdefault(r["frame"], []).append(_view(match, r, say))
    racks = match.get("match", {}).get("racks", [0, 0])
    final = words.state_words(rulings[-1]["state_words"], say) if rulings else []
    return (
        environment()
        .get_template("game_report.html.j2")
        .render(
            match=match,
            t=say.t,
            lang=say.texts.language,
            title=" – ".join(match["players"]),
            game=say.t(f"games.{game}"),
            unit=unit_of(game),
            points=counts_points(game),
            racks=racks,
            frames=[(f, views.get(f["n"], [])) for f in match["frames"]],
            final=final,
            figures=figures(match),
            clock=clock,
            warnings=[words.note_words(match, w, say) for w in match["warnings"]],
            winner=lambda side: name_of(match, side) if side else "",
        )
    )


def figures(match: Match) -> list[tuple[str, str, str]]:
    """Name (`stats.row_NAME`) and both sides' figures that follow from declared strokes alone."""
    rows: list[tuple[str, str, str]] = []

    def row(label: str, of: dict[str, int]) -> None:
        rows.append((label, str(of["A"]), str(of["B"])))

    strokes = match["strokes"]
    row("strokes", {x: sum(s["striker"] == x for s in strokes) for x in "AB"})
    row("balls_pocketed", {x: sum(len(s["potted"]) for s in strokes if s["striker"] == x) for x in "AB"})
    row("fouls", {x: sum(s["striker"] == x and bool(s["foul"]) for s in strokes) for x in "AB"})
    if counts_points(match["game"]):
        row("points", dict(zip("AB", match["score"], strict=True)))
    unit = unit_of(match["game"])
    row(f"{unit}s_won", dict(zip("AB", frames_won(match["frames"]), strict=True)))
    return rows


def _view(match: Match, r: dict[str, object], say: Say) -> RulingView:
    values = r["values"]
    assert isinstance(values, dict)
    by = r["by"]
    is_stroke = r["type"] in ("stroke", "shot", "break")
    score = r["score"]
    assert isinstance(score, list)
    state = r["state_words"]
    assert isinstance(state, list)
    scored = bool(values.get("points_to_striker")) or bool(values.get("points")) or bool(r["rack_over"])
    return RulingView(
        stroke=str(r["stroke"]) if is_stroke else "",
        line=int(str(r["line"])),
        time=clock(r["t_s"] if isinstance(r["t_s"], int | float) else None),
        who=name_of(match, by) if by in ("A", "B") and isinstance(by, str) else say.t("report.referee"),
        on=say.phrase(str(r["on"])) if is_stroke else "",
        seen=say.record(str(r["seen"])),
        text=say.record(str(r["text"])),
        clause=str(r["clause"] or ""),
        score=f"{score[0]}–{score[1]}",
        kind="foul" if values.get("foul") else "points" if scored else "plain" if is_stroke else "act",
        state=tuple((label, value) for label, value in words.state_words(state, say)),
    )
