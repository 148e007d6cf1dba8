"""The one builder of `match.json`: records of any game, seen or declared, to its JSON values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from enum import Enum
from typing import Any, cast

from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.table.pieces import colour_of
from referee.cases.model import Position
from referee.facts.judged import (
    Candidate,
    Decision,
    FoulRuled,
    FrameRecord,
    JudgedStroke,
    MatchRecord,
)
from referee.facts.seen import SeenBall, SeenFirstContact, SeenHand, SeenPot, SeenStroke
from referee.match.declared import MatchSetup, RuledFact
from referee.match.games.fold import JudgedGameStroke
from referee.match.games.naming import told
from referee.match.renaming import may_be, probability
from referee.match.touching import touching_verdict
from referee.outputs.digits import meant
from referee.outputs.document import (
    CalibrationJson,
    FrameJson,
    LayoutByColour,
    Match,
    SpottingJson,
    Stroke,
    VideoJson,
)
from referee.outputs.games import SCORERS
from referee.outputs.games.scorer import Json, Values
from referee.outputs.games.words import fact_words, outcome_text, ruling_text, state_words
from referee.rules.common.match import new_match
from vision.io.images import VideoInfo


def match_document(
    game: str, video: VideoJson, calibration: CalibrationJson, record: MatchRecord | None = None
) -> Match:
    """The whole document of `match.json`; without a record, of a match in which nothing was judged yet."""
    record = record or MatchRecord()
    return document_with(game, video, calibration, record, [stroke_json(s) for s in record.strokes])


def with_record(base: Match, record: MatchRecord, strokes: list[Stroke]) -> Match:
    """`base` (game, video, camera) with everything that the record says.

    `strokes`: the record's strokes as JSON, which the caller keeps so that they are not made again.
    """
    found = document_with(base["game"], base["video"], base["calibration"], record, strokes)
    return {**base, **found}


def document_with(
    game: str,
    video: VideoJson,
    calibration: CalibrationJson,
    record: MatchRecord,
    strokes: list[Stroke],
) -> Match:
    """The document with these strokes in place of the record's."""
    start = record.start
    decided = {d.entry: d for d in record.decisions}
    strokes = [_decided(s, decided.get(s.get("entry", 0))) for s in strokes] if decided else strokes
    document: dict[str, Any] = {
        "schema": 1,
        "game": game,
        "players": list(record.players),
        "start": {
            "striker": start.striker,
            "ball_on": start.ball_on,
            "score": list(start.score),
            "assumed": start.assumed,
        },
        "video": video,
        "calibration": calibration,
        "frames": [frame_json(f) for f in record.frames],
        "strokes": strokes,
        "hands": [hand_json(h) for h in record.hands],
        "spotting": [cast("SpottingJson", asdict(s)) for s in record.spotting],
        "warnings": [{"type": w.type, "t_s": w.t_s, "text": w.text} for w in record.warnings],
        "score": list(record.score),
        "unusable": [
            {"start_s": w.t_s, "end_s": w.end_s, "reason": w.type, "text": w.text}
            for w in record.warnings
            if w.t_s is not None and w.end_s is not None
        ],
    }
    return cast("Match", {k: strokes if k == "strokes" else meant(v, k) for k, v in document.items()})


def _decided(stroke: Stroke, decision: Decision | None) -> Stroke:
    """The stroke with who said the last word on it; unchanged where nobody did."""
    if decision is None:
        return stroke
    return {**stroke, "decided": {"by": decision.who, "at": decision.at, "unknown": decision.unknown}}


def video_json(info: VideoInfo) -> VideoJson:
    """The video as `match.json` names it: the file's name without its folder."""
    return {
        "file": info.path.name,
        "width": info.width_px,
        "height": info.height_px,
        "images": info.images,
        "duration_s": info.duration_s,
    }


def calibration_json(calibration: Calibration | None) -> CalibrationJson:
    """Residuals, camera, the table as measured and how sure its baulk end is, where it is not certain; nulls
    without a calibration.
    """
    if calibration is None:
        return {"residual_px": None, "residual_mm": None, "camera": None, "table": None}
    found: CalibrationJson = {
        "residual_px": calibration.residual_px,
        "residual_mm": calibration.residual_mm,
        "camera": _plain(asdict(calibration.camera)),
        "table": _plain(calibration.table.as_fields()),
    }
    if calibration.baulk_certainty < 1.0:
        found["baulk_certainty"] = calibration.baulk_certainty
    return found


def frame_json(f: FrameRecord) -> FrameJson:
    """One element of `frames`."""
    return {
        "n": f.n,
        "first_stroke": f.first_stroke,
        "score": list(f.score),
        "winner": f.winner,
        "ended": f.ended,
    }


def stroke_json(s: JudgedStroke) -> Stroke:
    """One element of `strokes`, with the digits of the file: a match in memory is the match in its file."""
    return stroke_with(s, _of_game(s) if isinstance(s, JudgedGameStroke) else {})


def stroke_with(s: JudgedStroke, of_game: Json) -> Stroke:
    """One element of `strokes`. `of_game`: its ruling in the game's own terms (`game_json`)."""
    seen = s.seen
    document: dict[str, Any] = {
        "n": s.n,
        "frame": s.frame,
        "striker": s.striker,
        "start_s": _in_video(seen.start_s),
        "end_s": _in_video(seen.end_s),
        "ball_on": s.ball_on,
        "nominated": s.nominated,
        "free_ball": s.free_ball,
        "before": layout_json(seen.before),
        "after": layout_json(seen.after),
        **_met_and_fell(seen),
        "cue_ball": seen.cue_ball,
        "cue_ball_pocket": seen.cue_ball_pocket,
        "off_table": list(seen.off_table),
        "touching": list(s.touching),
        "touching_gaps": [
            asdict(t) | {"verdict": touching_verdict(t.gap_mm, t.sigma_mm)} for t in seen.touching
        ],
    }
    if s.answered is not None:
        document["answered"] = s.answered
    if s.state_hangs_on is not None:
        document["state_hangs_on"] = s.state_hangs_on
    if s.asked:
        document["asked"] = [{"text": a.text, "values": dict(a.values)} for a in s.asked]
    doubtful = {b: names for b, _ in _in_doubt(seen) if len(names := may_be(seen, b)) > 1}
    if doubtful:
        document["may_be"] = doubtful
    if seen.possible:
        document["possible_balls"] = [asdict(b) for b in seen.possible]
    return cast("Stroke", meant(document | _ruled(s) | of_game, "strokes"))


def _met_and_fell(seen: SeenStroke) -> Json:
    """First contact, contacts, cushions and pots; what a ball is called counts in the confidence."""
    best = seen.first_contact[0] if seen.first_contact else None
    first = None if best is None or best.ball is None else best
    return {
        "first_contact": None if first is None else _first_contact(seen, first),
        "contacts": [
            {"balls": list(c.balls), "t_s": _in_video(c.t_s), "confidence": c.confidence} for c in seen.met
        ],
        "cushions": [
            {"ball": c.ball, "cushion": c.cushion, "t_s": _in_video(c.t_s), "confidence": None}
            for c in seen.cushions
        ],
        "potted": [_pot(seen, p) for p in seen.pots],
    }


def _pot(seen: SeenStroke, pot: SeenPot) -> Json:
    """A pot; its `confidence`: that this ball fell, and into this pocket."""
    sure = seen.with_pocket(pot) * probability(seen, pot.ball)
    return {"ball": pot.ball, "pocket": pot.pocket, "t_s": pot.t_s, "confidence": sure}


def _first_contact(seen: SeenStroke, first: SeenFirstContact) -> Json:
    """The ball that was hit first, and how sure its colour is where several of them may have been."""
    colour = colour_of(first.ball or "")
    alike = [(f.ball, f.confidence) for f in seen.first_contact if f.ball and colour_of(f.ball) == colour]
    sure = [confidence * probability(seen, ball) for ball, confidence in alike]
    found: Json = {"ball": first.ball, "t_s": _in_video(first.t_s), "confidence": sure[0]}
    return found | ({"colour_confidence": min(sum(sure), 1.0)} if len(sure) > 1 else {})


def _in_video(t_s: float | None) -> float | None:
    """A time that was solved may lie a moment before the first image: then it is that image's."""
    return None if t_s is None else max(t_s, 0.0)


def _in_doubt(seen: SeenStroke) -> list[tuple[str, str]]:
    """Balls that some naming calls otherwise than they were told, in the order of their names."""
    return sorted({pair for n in seen.namings for pair in n.names})


def _of_game(s: JudgedGameStroke) -> Json:
    ruled = ruled_fact(s)
    before, after = SCORERS[s.game].states([ruled])
    of_game = game_json(MatchSetup(s.game), ruled, told(ruled.fact, s.seen, s.game), before, after)
    return of_game | ({"struck": s.struck} if PIECES[s.game].also_struck else {})


def game_json(setup: MatchSetup, one: RuledFact, fact: Values, before: Json, after: Json) -> Json:
    """A ruling in the game's own terms and the state after it. `fact`: what is said of the stroke; `before`,
    `after`: the game's state as its scorer keeps it.
    """
    return {
        "ruling": {
            "line": one.line,
            "on": SCORERS[setup.game].ball_on(before, one.by if one.by in ("A", "B") else None),
            "seen": fact_words(setup.game, fact),
            "text": ruling_text(setup, one),
            "clause": one.values.get("clause"),
            "values": json_values(one.values),
        },
        "game_state": after,
        "state_words": [list(p) for p in state_words(setup.game, after, setup.players)],
    }


def ruled_fact(s: JudgedGameStroke) -> RuledFact:
    """A stroke judged from what was seen, as a ruled fact."""
    rack = replace(new_match(), racks=s.racks)
    return RuledFact(
        line=max(s.entry, 1),
        rack=s.frame,
        by=s.striker,
        fact=json.loads(s.fact),
        values=json.loads(s.values),
        match=rack,
        rack_over=s.rack_over,
        winner="A" if s.rack_winner == "A" else "B" if s.rack_winner == "B" else None,
        start=json.loads(s.rack_start),
        before=Position(s.state_before, None),
        after=Position(s.state_after, None),
    )


def _ruled(s: JudgedStroke) -> dict[str, Any]:
    """What the rules make of a stroke."""
    due = [
        {"ball": b, "spot": spot, "x_mm": x, "y_mm": y, "clause": clause} for b, spot, x, y, clause in s.due
    ]
    return {
        "foul": _foul(s.foul),
        "miss": s.miss,
        "points": s.points,
        "score": list(s.score),
        "break": s.break_points,
        "options": list(s.options),
        "verdict": s.verdict,
        "question": s.question,
        "candidates": [_candidate(c, game_of(s)) for c in s.candidates],
        "gap_before": s.seen.gap_before,
        "unseen": s.seen.unseen,
        "entry": s.entry,
        "vanished": list(s.seen.vanished),
        "next_striker": s.next_striker,
        "next_ball_on": s.next_ball_on,
        "next_free_ball": s.next_free_ball,
        "remaining": s.remaining,
        "words": list(s.words),
        "due": due,
    }


def layout_json(balls: Iterable[SeenBall]) -> LayoutByColour:
    """Balls at rest by colour, each `[x_mm, y_mm, sigma_mm]`."""
    out: LayoutByColour = {}
    for b in balls:
        out.setdefault(b.colour, []).append([b.x_mm, b.y_mm, b.sigma_mm])
    return out


def hand_json(h: SeenHand) -> dict[str, Any]:
    """One element of `hands`."""
    return {
        "type": h.type,
        "ball": h.ball,
        "from": list(h.from_mm) if h.from_mm else None,
        "to": list(h.to_mm) if h.to_mm else None,
        "t_s": h.t_s,
    }


def _foul(f: FoulRuled | None) -> dict[str, Any] | None:
    return None if f is None else asdict(f)


def _candidate(c: Candidate, game: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "facts": dict((*c.facts, *c.also)),
        "weight": c.weight,
        "means": means_json(c, game),
    }
    return found | ({"otherwise": [_candidate(o, game) for o in c.otherwise]} if c.otherwise else {})


def game_of(s: JudgedStroke) -> str:
    """Whose rules judged a stroke."""
    return s.game if isinstance(s, JudgedGameStroke) else "snooker"


def means_json(c: Candidate, game: str) -> dict[str, Any]:
    """What an answer would mean for the ruling and the next stroke; `text`: in the game's own terms."""
    means = {
        "foul": _foul(c.foul),
        "miss": c.miss,
        "free_ball": c.free_ball,
        "points": c.points,
        "score": list(c.score),
        "next_striker": c.next_striker,
        "next_ball_on": c.next_ball_on,
    }
    return means if c.values is None else means | {"text": outcome_text(game, json.loads(c.values))}


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in record.items()}


def json_values(value: Any) -> Any:
    """Plain values of JSON: tuples become lists, so that a document is as its file reads."""
    if isinstance(value, Enum):
        return json_values(value.value)
    if isinstance(value, Mapping):
        return {str(k): json_values(v) for k, v in value.items()}
    if isinstance(value, set | frozenset):
        return [json_values(v) for v in sorted(value, key=str)]
    if isinstance(value, list | tuple):
        return [json_values(v) for v in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
