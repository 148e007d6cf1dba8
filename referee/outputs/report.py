"""`report.html`: one self-contained file; no script, no outside host, readable on a phone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from calibration.files import whole_file
from calibration.table.specs import TableSpec
from calibration.texts import Texts, clock, spoken
from referee.match.weighing import percent
from referee.outputs import words
from referee.outputs.diagram import FILLS, LETTERS, stroke_svg, symbols_svg
from referee.outputs.document import Match, Stroke, break_of, frames_won, is_declared, name_of, table_of
from referee.outputs.games import scorer_of
from referee.outputs.games.report import game_report_html
from referee.outputs.open_questions import OpenQuestion, open_questions, provisional_words
from referee.outputs.pages import environment
from referee.outputs.statistics import MatchStatistics, PlayerStatistics, Share, statistics_of
from referee.outputs.tracks import Tracks, read_tracks
from referee.outputs.words import Say, decided_words
from referee.rules.registry import unit_of

REPORT_FILE = "report.html"
EVIDENCE_FOLDER = "evidence"


@dataclass(frozen=True, slots=True)
class StrokeView:
    """A stroke as the page shows it; all text, escaped by the template.

    `hangs_on`: the stroke on whose question this one hangs, None where on none; `hanging`: those that hang on
    this one.
    """

    n: int
    time: str
    striker: str
    on: str
    happened: str
    ruling: str
    clause: str
    kind: str  # foul, points, call or plain
    verdict: str
    confidence: str
    points: int
    run: int
    score: str
    gap: bool
    question: str
    candidates: tuple[tuple[str, str, str], ...]
    options: tuple[str, ...]
    diagram: str  # SVG made by this package from numbers and fixed words only
    hangs_on: int | None = None
    hanging: tuple[int, ...] = ()


def write_report(out_dir: Path, match: Match, tracks: Tracks | None = None) -> Path:
    """Write `report.html` into `out_dir`; paths come from `tracks` or from its `tracks.csv`."""
    rows = tracks if tracks is not None else read_tracks(out_dir)
    target = out_dir / REPORT_FILE
    with whole_file(target) as temporary:
        page = report_html(match, rows, evidence=_evidence_beside(out_dir))
        temporary.write_text(page, encoding="utf-8")
    return target


def _evidence_beside(out_dir: Path) -> Callable[[int], str] | None:
    """The evidence pages that `cueref export` left in the folder; None where there is none."""
    there = {p.name for p in (out_dir / EVIDENCE_FOLDER).glob("stroke-*.html")}
    if not there:
        return None
    return lambda n: f"{EVIDENCE_FOLDER}/stroke-{n}.html" if f"stroke-{n}.html" in there else ""


def report_html(
    match: Match,
    tracks: Tracks | None = None,
    texts: Texts | None = None,
    evidence: Callable[[int], str] | None = None,
) -> str:
    """The page as text, in the language of this process without `texts`.

    `evidence`: the address of a stroke's evidence page, empty where there is none; None for a file, which
    says how such pages are made.
    """
    say = words.say_of(match, texts or spoken())
    if is_declared(match):
        return game_report_html(match, say)
    table, rows = table_of(match), tracks or {}
    asked = open_questions(match)

    def view(s: Stroke) -> StrokeView:
        return stroke_view(match, s, table, rows, say, asked)

    known = {f["n"] for f in match["frames"]}
    page = environment().get_template("report.html.j2")
    return page.render(
        match=match,
        t=say.t,
        say=say,
        lang=say.texts.language,
        served=evidence is not None,
        evidence=evidence or (lambda n: ""),
        symbols=symbols_svg(table),
        letters=_legend(_colours(match)),
        frames=[(f, [view(s) for s in match["strokes"] if s["frame"] == f["n"]]) for f in match["frames"]],
        loose=[view(s) for s in match["strokes"] if s["frame"] not in known],
        won=frames_won(match["frames"]),
        provisional=provisional_words(asked, say),
        clock=clock,
        winner=lambda side: name_of(match, side) if side else "",
        **_head(match, say),
        **_statistics(match, rows, say),
    )


def _head(match: Match, say: Say) -> dict[str, object]:
    """Title, warnings and unit of the page, by the names of its template."""
    unit = unit_of(match["game"])
    return {
        "title": " – ".join(match["players"]),
        "warnings": [words.warning_words(match, w, say) for w in match["warnings"]],
        "not_usable": words.unusable_words(match, say),
        "unit": say.t(f"console.unit_{unit}").capitalize(),
        "units": say.t(f"console.units_{unit}"),
    }


def _statistics(match: Match, tracks: Tracks, say: Say) -> dict[str, object]:
    """What the page's statistics show, by the names of its template."""
    stats = statistics_of(match, tracks)
    return {
        "stats": stats,
        "rows": statistic_rows(match["game"], stats, say),
        "attempts": "pot_success" in scorer_of(match["game"]).figures,
        "breaks": [(name_of(match, b.side), b) for b in stats.breaks[:12]],
        "charts": [score_svg(match, f["n"], say) for f in match["frames"]],
        "bars": [ball_bars(s) for s in stats.sides],
    }


def _legend(colours: set[str]) -> dict[str, str]:
    """The letter of each kind that has one: a numbered ball bears its number, a cue-ball nothing."""
    return {c: letter for c, letter in LETTERS.items() if c in colours and letter not in ("", c)}


def _colours(match: Match) -> set[str]:
    """The kinds of balls that lie on the table in a match."""
    return {c for s in match["strokes"] for layout in (s["before"], s["after"]) for c in layout}


def stroke_view(
    match: Match,
    s: Stroke,
    table: TableSpec,
    tracks: Tracks,
    say: Say | None = None,
    asked: Sequence[OpenQuestion] | None = None,
) -> StrokeView:
    """All that a stroke's card shows. `asked`: the match's open questions, where they are known already."""
    say = say or words.say_of(match)
    found = open_questions(match) if asked is None else asked
    own = next((q for q in found if s["n"] in (q.stroke["n"], *(h["n"] for h in q.hanging))), None)
    root = None if own is None or own.stroke["n"] == s["n"] else own.stroke["n"]
    return StrokeView(
        n=s["n"],
        time=clock(s["start_s"]),
        striker=name_of(match, s["striker"]),
        on=words.ball_on_words(s, say),
        happened=words.happened(s, say),
        ruling=words.ruling_words(match, s, say),
        clause=words.clause_of(s),
        kind=_kind(s),
        verdict=_verdict(s, root, say),
        confidence=_confidence(s, say),
        points=s["points"],
        run=break_of(s),
        score="; ".join(filter(None, (f"{s['score'][0]}–{s['score'][1]}", words.state_hangs_words(s, say)))),
        gap=s["gap_before"],
        question=words.question_words(match, s, say, False) if s["verdict"] == "call" else "",
        candidates=_candidates(match, s, say),
        options=tuple(words.choice_words(match, o, say) for o in s["options"]),
        diagram=stroke_svg(s, table, tracks, turn=say.turn, pocket=say.pocket),
        hangs_on=root,
        hanging=tuple(h["n"] for h in own.hanging) if own is not None and root is None else (),
    )


def _kind(s: Stroke) -> str:
    """How a stroke's card is coloured."""
    if s["verdict"] == "call":
        return "call"
    if s["foul"]:
        return "foul"
    return "points" if s["points"] else "plain"


def _verdict(s: Stroke, root: int | None, say: Say) -> str:
    """Who decided a stroke, or the stroke on whose question it hangs (`root`)."""
    if root is not None:
        return say.t("console.hangs_on_stroke", n=root)
    return decided_words(s, say, "board.call", "report.certain")


def _candidates(match: Match, s: Stroke, say: Say) -> tuple[tuple[str, str, str], ...]:
    """The answers to a stroke's question: what happened, how likely, what it would mean."""
    practice = s["striker"] is None
    return tuple(
        (
            words.facts_words(match, c["facts"], say),
            percent(c["weight"]),
            words.means_words(match, c.get("means"), say, practice),
        )
        for c in s["candidates"]
    )


def _confidence(s: Stroke, say: Say) -> str:
    """How sure the first contact is; nothing where a person said what happened, or no other ball weighs."""
    first = s["first_contact"]
    sure = words.first_contact_sure(s)
    if first is None or s.get("decided") is not None or sure >= 0.995:
        return ""
    return say.t("report.first_contact", percent=f"{100 * sure:.0f}")


def statistic_rows(game: str, stats: MatchStatistics, say: Say) -> list[tuple[str, str, str]]:
    """Name (`stats.row_NAME` of the texts) and both sides' figures that say something of the game, ready to
    show.
    """
    a, b = stats.sides
    return [
        (name, _figure(name, a, stats, say), _figure(name, b, stats, say)) for name in scorer_of(game).figures
    ]


def _figure(name: str, side: PlayerStatistics, stats: MatchStatistics, say: Say) -> str:
    """A side's figure as it is shown; a dash where it is unknown."""
    whole_s = sum(s.table_time_s for s in stats.sides)
    average, time_s = side.average_break, side.shot_time_s
    shown = {
        "points_potted": str(side.points_potted),
        "points_from_fouls": str(side.points_from_fouls),
        "points_lost": str(side.points_lost),
        "balls_pocketed": str(sum(n for _, n in side.balls_potted)),
        "strokes_visits": f"{side.strokes} / {side.visits}",
        "highest_break": str(side.highest_break),
        "points_per_visit": "–" if average is None else f"{average:.1f}",
        "breaks_of_50_100": f"{side.fifties} / {side.centuries}",
        "pot_success": share_words(side.pots, say),
        "long_pot_success": share_words(side.long_pots, say),
        "safety_success": share_words(side.safeties, say),
        "fouls": str(side.fouls),
        "average_shot_time": "–" if time_s is None else f"{time_s:.1f} s",
        "table_time": f"{clock(side.table_time_s)}{_part(side.table_time_s, whole_s)}",
    }
    return shown[name]


def _part(time_s: float, whole_s: float) -> str:
    return f" ({100 * time_s / whole_s:.0f} %)" if whole_s > 0 else ""


def share_words(share: Share | None, say: Say) -> str:
    """`67 % (4 of 6)`; a dash where it is unknown or nothing was tried."""
    if share is None or share.percent is None:
        return "–"
    return say.t("stats.share", percent=f"{share.percent:.0f}", made=share.made, tried=share.tried)


def ball_bars(side: PlayerStatistics) -> list[tuple[str, str, int, float]]:
    """Colour, fill, balls potted and the bar's length in percent of the longest."""
    most = max((n for _, n in side.balls_potted), default=1)
    counts = dict(side.balls_potted)
    return [(c, FILLS[c], counts[c], 100.0 * counts[c] / most) for c in LETTERS if counts.get(c)]


def score_svg(match: Match, frame: int, say: Say, width: int = 640, height: int = 150) -> str:
    """Both scores over the strokes of a frame, as steps; side A solid, side B dashed."""
    strokes = [s for s in match["strokes"] if s["frame"] == frame]
    if len(strokes) < 2:
        return ""
    top = max(10, *(max(s["score"]) for s in strokes))
    step = (width - 50) / len(strokes)

    def line(side: int) -> str:
        y = [height - 20 - s["score"][side] / top * (height - 34) for s in strokes]
        return f"M36 {height - 20}" + "".join(f"H{36 + (i + 1) * step:.1f}V{v:.1f}" for i, v in enumerate(y))

    labels = f'<text x="2" y="{height - 17}">0</text><text x="2" y="16">{top}</text>'
    axis = f'<path d="M34 8V{height - 20}H{width - 8}" stroke="#889" fill="none"/>'
    a = f'<path d="{line(0)}" fill="none" style="stroke:var(--a)" stroke-width="3"/>'
    b = f'<path d="{line(1)}" fill="none" style="stroke:var(--b)" stroke-width="3" stroke-dasharray="7 5"/>'
    title = say.t("stats.score_of", unit=say.t(f"console.unit_{unit_of(match['game'])}"), n=frame)
    return (
        f'<svg class="chart" viewBox="0 0 {width} {height}" role="img">'
        f"<title>{title}</title>{axis}{labels}{a}{b}</svg>"
    )
