"""A reviewed clip against its truth: layouts before strokes, strokes, first contacts, pots, touching balls,
respots.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from calibration.camera import Camera
from calibration.table.specs import TableSpec
from referee.match.weighing import CERTAIN
from referee.outputs.document import Match, SpottingJson, Stroke
from referee.quality.bench.pixels.film import ClipTruth
from referee.quality.bench.pixels.judge import Moment, SaidBall, TrueBall, judge_layout, judge_touching
from referee.quality.bench.records import (
    Fact,
    FirstContact,
    LayoutJudged,
    Pot,
    Record,
    Respot,
    StrokeJudged,
    TouchingPair,
    Where,
)
from referee.rules.snooker.facts import COLOURS
from vision.render.play.director import HandEvent, StrokeEvent
from vision.render.play.match import kind

SAME_STROKE_S = 0.7
"""A stroke said to start this near to a true one is that one."""
LOW_HAND_MM = 250.0
"""A limb below this height counts as hands on the table."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A clip, what is true of it and what the review said. `marks_off_mm`: spots' marks beside their computed
    places.
    """

    where: Where
    truth: ClipTruth
    camera: Camera
    table: TableSpec
    match: Match
    marks_off_mm: tuple[tuple[str, float, float], ...] = ()

    @property
    def matched(self) -> list[tuple[int | None, int | None]]:
        """Numbers of (true, said) strokes that are the same one; None on the side that lacks it."""
        said, out = list(enumerate(self.match["strokes"])), list[tuple[int | None, int | None]]()
        for i, event in enumerate(self.truth.strokes):
            near = min(said, key=lambda s: abs(s[1]["start_s"] - event.t_strike), default=None)
            if near is not None and abs(near[1]["start_s"] - event.t_strike) < SAME_STROKE_S:
                said.remove(near)
                out.append((i, near[0]))
            else:
                out.append((i, None))
        return out + [(None, j) for j, _ in said]


def judge_clip(clip: Reviewed) -> list[Record]:
    """All records of a reviewed clip but those of balls in motion and of identities."""
    out: list[Record] = []
    for i, j in clip.matched:
        stroke = None if j is None else clip.match["strokes"][j]
        event = None if i is None else clip.truth.strokes[i]
        out.append(_stroke(clip.where, i, j, event, stroke))
        if stroke is None or event is None or i is None:
            out += (
                _lost_pots(clip, i, event)
                if stroke is None
                else _false_pots(clip, None, stroke, stroke["potted"])
            )
            continue
        out += _before(clip, i, event, stroke)
        out += _touching(clip, i, event, stroke)
        out += _first_contact(clip, i, event, stroke)
        out += _pots(clip, i, event, stroke)
        out += _rulings(clip, i, event, stroke)
    return out + _respots(clip)


def said_balls(layout: dict[str, list[Any]]) -> list[SaidBall]:
    """The balls of a layout of `match.json`."""
    return [SaidBall(c, float(x), float(y), float(s)) for c, places in layout.items() for x, y, s in places]


def _stroke(
    where: Where, i: int | None, j: int | None, event: StrokeEvent | None, said: Stroke | None
) -> StrokeJudged:
    start = event.t_strike if event is not None else float(said["start_s"] if said else 0.0)
    if event is None or said is None:
        return StrokeJudged(where, i, j, start, None, None, None if said is None else said["verdict"])
    return StrokeJudged(
        where, i, j, start, said["start_s"] - event.t_strike, said["end_s"] - event.t_rest, said["verdict"]
    )


def _before(clip: Reviewed, i: int, event: StrokeEvent, stroke: Stroke) -> list[Record]:
    views = clip.truth.best_view[i]
    true = [TrueBall(kind(n), p[0], p[1], views.get(n, 1.0)) for n, p in event.played.start.items()]
    people = clip.truth.script.people(event.t_strike - 0.2)
    out = judge_layout(
        Moment(clip.where, i, "cueref", clip.camera, people), true, said_balls(stroke["before"])
    )
    layout = next(r for r in out if isinstance(r, LayoutJudged))
    unseen = _told_unseen(clip, stroke)
    told = 0 < unseen == layout.missed and not layout.extra and not layout.wrong_colour
    return [*out, Fact(clip.where, i, "layout", not told, layout.right, "", "")]


def _told_unseen(clip: Reviewed, stroke: Stroke) -> int:
    """How many colours the match says should be on the table before a stroke and are not seen."""
    said = [
        w["text"]
        for w in clip.match.get("warnings", [])
        if w["type"] == "colour_not_spotted" and w["t_s"] == stroke["start_s"]
    ]
    return sum(colour in text for text in said for colour in COLOURS)


def _touching(clip: Reviewed, i: int, event: StrokeEvent, stroke: Stroke) -> list[Record]:
    """The pairs of the cue-ball after the stroke; what the ruling says of each is the verdict."""
    true = [TrueBall(kind(n), p[0], p[1], 1.0) for n, p in event.played.end.items()]
    out: list[Record] = []
    for pair in judge_touching(clip.where, true, said_balls(stroke["after"]), clip.table):
        assert isinstance(pair, TouchingPair)
        pair = _as_said(pair, stroke)
        out.append(pair)
        if pair.verdict != "not_seen":
            yes = pair.verdict == "yes"
            right = pair.true_gap_mm < 0.05 if yes else pair.true_gap_mm > 0.0
            out.append(
                Fact(
                    clip.where,
                    i,
                    "touching",
                    pair.verdict != "unknown",
                    right,
                    pair.verdict,
                    f"{pair.true_gap_mm:.2f} mm",
                )
            )
    return out


def _as_said(pair: TouchingPair, stroke: Stroke) -> TouchingPair:
    """The pair with the gap that the review measured (the camera's own error cancels in it), where it names
    one.
    """
    if pair.gap_mm is None:
        return pair
    near = [g for g in stroke.get("touching_gaps", []) if kind(g["ball"]) == pair.balls[1]]
    if not near:
        return pair
    said = min(near, key=lambda g: abs(g["gap_mm"] - (pair.gap_mm or 0.0)))
    return replace(pair, gap_mm=said["gap_mm"], sigma_mm=said["sigma_mm"], verdict=said["verdict"])  # type: ignore[arg-type]  # one of the schema's words


def asked(stroke: Stroke, name: str) -> bool:
    """Whether a stroke became a referee's call whose candidates differ in the fact of that name, or in what
    else an answer may mean.
    """
    if stroke["verdict"] != "call":
        return False
    values = {repr(c["facts"].get(name)) for c in stroke["candidates"]}
    otherwise = any(name in o["facts"] for c in stroke["candidates"] for o in c.get("otherwise", []))
    return len(values) > 1 or otherwise or not stroke["candidates"]


def _first_contact(clip: Reviewed, i: int, event: StrokeEvent, stroke: Stroke) -> list[Record]:
    true = event.played.first_contact
    said = stroke["first_contact"]
    true_ball = None if true is None else kind(true[0])
    said_ball = None if said is None else said["ball"].split("_")[0]
    question = asked(stroke, "first_contact")
    certain = not question and (
        said["confidence"] >= CERTAIN if said is not None else stroke["verdict"] == "certain"
    )
    dt = None
    if true is not None and said is not None and said["t_s"] is not None and said_ball == true_ball:
        dt = said["t_s"] - event.t_strike - true[1]
    right = true_ball == said_ball
    return [
        FirstContact(clip.where, i, true_ball, said_ball, right, certain, question, dt, _allowed_s(event)),
        Fact(clip.where, i, "first_contact", certain, right, str(said_ball), str(true_ball)),
    ]


def _allowed_s(event: StrokeEvent) -> float:
    """5 ms or the time in which the cue-ball rolls 2 mm before its first contact, whichever is longer."""
    true, flight = event.played.first_contact, event.played.flight
    if true is None:
        return 0.005
    k = flight.names.index("white")
    a, b = flight.at(max(true[1] - 0.006, 0.0))[k], flight.at(max(true[1] - 0.002, 0.0))[k]
    speed = math.dist(a, b) / 0.004
    return max(0.005, 2.0 / max(speed, 1.0))


class SaidPot(NamedTuple):
    """A ball said to have fallen."""

    colour: str
    pocket: str | None
    t_s: float | None
    confidence: float


def _said_pots(stroke: Stroke) -> list[SaidPot]:
    """Every ball said to have fallen, the cue-ball too."""
    out = [SaidPot(p["ball"].split("_")[0], p["pocket"], p["t_s"], p["confidence"]) for p in stroke["potted"]]
    if stroke["cue_ball"] == "pocketed":
        out.append(SaidPot("white", stroke["cue_ball_pocket"], None, CERTAIN))
    return out


def _said_of(said: Sequence[SaidPot], colour: str, pocket: str) -> SaidPot | None:
    """The pot said of a colour: into that pocket if there is one, else the first."""
    alike = [s for s in said if s.colour == colour]
    into = [s for s in alike if s.pocket == pocket]
    return next(iter([*into, *alike]), None)


def _pots(clip: Reviewed, i: int, event: StrokeEvent, stroke: Stroke) -> list[Record]:
    said = _said_pots(stroke)
    open_question = asked(stroke, "potted") or asked(stroke, "cue_ball")
    out: list[Record] = []
    for name, pocket, _ in sorted(event.played.flight.pots, key=lambda p: p[0]):
        colour = kind(name)
        match = _said_of(said, colour, pocket)
        if match is not None:
            said.remove(match)
        certain = not open_question and (match is None or match.confidence >= CERTAIN)
        pocket_said = None if match is None else match.pocket or "?"
        out.append(Pot(clip.where, i, colour, pocket, pocket_said, certain, False))
        out.append(
            Fact(clip.where, i, "pot", certain, pocket_said == pocket, str(pocket_said), f"{colour} {pocket}")
        )
    for colour, where_to, t, confidence in said:
        certain = not open_question and confidence >= CERTAIN
        out.append(Pot(clip.where, i, colour, None, where_to or "?", certain, _hands(clip, t, stroke)))
        out.append(Fact(clip.where, i, "no_pot", certain, False, f"{colour} {where_to}", "none"))
    if not event.played.flight.pots and not said:
        out.append(Fact(clip.where, i, "no_pot", not open_question, True, "none", "none"))
    return out


def _lost_pots(clip: Reviewed, i: int | None, event: StrokeEvent | None) -> list[Record]:
    """The pots of a stroke that was not seen at all."""
    if event is None:
        return []
    return [
        Pot(clip.where, i, kind(n), pocket, None, False, False) for n, pocket, _ in event.played.flight.pots
    ]


def _false_pots(clip: Reviewed, i: int | None, stroke: Stroke, pots: Sequence[Any]) -> list[Record]:
    """The pots of a stroke that was invented."""
    out: list[Record] = []
    for p in pots:
        sure = stroke["verdict"] == "certain" and p["confidence"] >= CERTAIN
        out.append(
            Pot(
                clip.where,
                i,
                p["ball"].split("_")[0],
                None,
                p["pocket"] or "?",
                sure,
                _hands(clip, p["t_s"], stroke),
            )
        )
    return out


def _hands(clip: Reviewed, t_s: float | None, stroke: Stroke) -> bool:
    """Whether hands were over the table around a time."""
    t = stroke["end_s"] if t_s is None else t_s
    limbs = [limb for at in (t - 0.3, t, t + 0.3) for limb in clip.truth.script.people(at)]
    return any(min(limb.a[2], limb.b[2]) < LOW_HAND_MM for limb in limbs)


def _rulings(clip: Reviewed, i: int, event: StrokeEvent, stroke: Stroke) -> list[Record]:
    """Foul and points, where the play before was read right by all: the ball on is the true one."""
    played = event.played
    on = "red" if played.on == "red" else "any_colour"
    if stroke["ball_on"] != on or stroke["free_ball"] or stroke["striker"] != "AB"[played.striker]:
        return []
    certain = stroke["verdict"] == "certain"
    foul = stroke["foul"] is not None
    penalty = stroke["foul"]["penalty"] if stroke["foul"] is not None else 0
    said, true = f"{foul} {penalty} {stroke['points']}", f"{played.foul} {played.penalty} {played.points}"
    return [Fact(clip.where, i, "ruling", certain, said == true, said, true)]


def _respots(clip: Reviewed) -> list[Record]:
    """The checks of colours that hands put back."""
    checks = list(clip.match["spotting"])
    out: list[Record] = []
    for event in clip.truth.hands:
        if event.in_hand or event.ball == "white":
            continue
        near = sorted(
            (c for c in checks if c["ball"] == event.ball and abs(c["t_s"] - event.t) < 3.0),
            key=lambda c: c["t_s"],
        )
        checks = [c for c in checks if c not in near]
        if not near:
            true = _off(clip, event, "computed")
            out.append(Respot(clip.where, event.ball, *true, None, None, None, "not_seen", None))
            continue
        # the last one is where it lies; one before says something of a ball still in a hand
        out += _before_it_lay(clip, event, near[:-1])
        out += _where_it_lies(clip, event, near[-1])
    return out


def _before_it_lay(clip: Reviewed, event: HandEvent, early: Sequence[SpottingJson]) -> list[Fact]:
    """Whether the decided ones of these checks say rightly of a colour still in a hand where it will lie."""
    off_mm = math.hypot(*_off(clip, event, "computed"))
    return [
        Fact(
            clip.where,
            None,
            "respot",
            True,
            check["ok"] == (off_mm <= 2.0),
            f"{'ok' if check['ok'] else 'flagged'} before it lay",
            f"{off_mm:.2f} mm",
        )
        for check in early
        if check["ok"] is not None
    ]


def _where_it_lies(clip: Reviewed, event: HandEvent, check: SpottingJson) -> list[Record]:
    """The check of a colour that lies there: how far off it is said, and the verdict where truth is clear."""
    against: Literal["mark", "computed"] = "mark" if dict(check).get("reference") == "mark" else "computed"
    true, ok = _off(clip, event, against), check["ok"]
    verdict: Literal["undecided", "ok", "flagged"] = "undecided" if ok is None else "ok" if ok else "flagged"
    said = check["dx_mm"], check["dy_mm"], check["sigma_mm"]
    respot = Respot(clip.where, event.ball, *true, *said, verdict, against)
    off_mm = math.hypot(*true)
    if ok is None or 1.0 < off_mm < 3.0:
        return [respot]
    true_words = f"{off_mm:.2f} mm from the {against}"
    return [respot, Fact(clip.where, None, "respot", True, ok == (off_mm <= 1.0), verdict, true_words)]


def _off(clip: Reviewed, event: HandEvent, against: str) -> tuple[float, float]:
    """How far a hand put a colour from its spot's mark, or from the place that the dimensions give."""
    x, y = clip.table.spots[event.ball]
    if against == "mark":
        dx, dy = next(((dx, dy) for c, dx, dy in clip.marks_off_mm if c == event.ball), (0.0, 0.0))
        x, y = x + dx, y + dy
    return event.to[0] - x, event.to[1] - y
