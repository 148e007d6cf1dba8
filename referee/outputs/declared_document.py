"""The match document of declared facts: their rulings as a record, and the game's own state beside it.

Positions, contacts and times that nobody declared are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any, cast

from calibration.table.games import counts_points, is_snooker
from calibration.table.specs import TableSpec
from referee.facts.judged import FoulRuled, FrameRecord, JudgedStroke, MatchRecord, StartRecord, Warned
from referee.facts.seen import CueBallState, SeenStroke, told_stroke
from referee.match.declared import STRIKER_FIELDS, MatchSetup, RuledFact
from referee.match.declared_facts import STROKE_TYPES, FactsFile, TimesS
from referee.match.games.ruling import foul_of, next_of, points_of, score_at_start, score_of, words_of
from referee.outputs.convert import calibration_json, document_with, game_json, stroke_with, video_json
from referee.outputs.digits import meant
from referee.outputs.document import CalibrationJson, Match, Stroke, VideoJson
from referee.outputs.games import SCORERS
from referee.outputs.games.scorer import Json, Values, potted_balls
from referee.rules.common.racks import rack as start_position
from referee.rules.snooker.facts import COLOURS
from vision.io.images import VideoInfo

_BALL = re.compile(
    r"(white|yellow|green|brown|blue|pink|black|red(_([1-9]|1[0-5]))?|[1-9]|1[0-5]"
    r"|object_white|white_man|black_man|queen)$"
)
_MEN = {"white": "white_man", "black": "black_man", "queen": "queen"}
_CUE_BALL = ("on_table", "pocketed", "off_table")
_NO_VIDEO: VideoJson = {"file": None, "width": 0, "height": 0, "images": 0, "duration_s": 0.0}
_LONGEST_NAME = 200
"""Characters of a player's name, as the schema allows."""
_SEEN = ("touching_gaps", "unseen", "entry", "vanished", "next_ball_on", "next_free_ball", "remaining", "due")
"""Keys of a stroke that a document of declared facts does not have."""


def declared_document(
    setup: MatchSetup, ruled: Sequence[RuledFact], file: FactsFile, video: VideoInfo | None
) -> Match:
    """The whole document of a match judged from a facts file; `video`: the one beside it."""
    racks = _Racks(setup, file.times)
    for _, rack in groupby(ruled, key=lambda r: r.rack):
        racks.add_rack(list(rack))
    last = ruled[-1] if ruled else None
    a, b = setup.players
    record = MatchRecord(
        (a[:_LONGEST_NAME], b[:_LONGEST_NAME]),
        _start(setup, ruled),
        tuple(racks.frames),
        warnings=_warnings(ruled, file.times, video),
        score=racks.score,
    )
    shown = _NO_VIDEO if video is None else video_json(video)
    camera: CalibrationJson = {**calibration_json(None), "table": _table(setup.game)}
    document = cast("Json", document_with(setup.game, shown, camera, record, racks.strokes))
    del document["unusable"]
    document["frames"] = [{k: v for k, v in f.items() if k != "ended"} for f in document["frames"]]
    own = {
        "match": {
            "racks": list(last.match.racks if last else setup.match.racks),
            "race_to": setup.match.race_to or None,
            "winner": last.match.winner if last else None,
        },
        "facts": {"file": file.path.name, "sha256": file.sha256, "lines": len(file.facts)},
        "rulings": racks.rulings,
    }
    return cast("Match", document | cast("Json", meant(own)))


class _Racks:
    """Rulings, strokes, frames and score as the racks are added in order."""

    def __init__(self, setup: MatchSetup, times: Mapping[int, TimesS]) -> None:
        self._setup, self._times = setup, times
        self.rulings: list[Json] = []
        self.strokes: list[Stroke] = []
        self.frames: list[FrameRecord] = []
        self.score = (0, 0)

    def add_rack(self, rack: Sequence[RuledFact]) -> None:
        """The facts of one rack, in order."""
        game = self._setup.game
        states = SCORERS[game].states(rack)
        first = len(self.strokes) + 1
        self.score = score_at_start(game, rack[0].start, self.score)
        for before, after, one in zip(states, states[1:], rack, strict=False):
            earlier, self.score = self.score, score_of(game, one.values, self.score, one.match.racks)
            self._add(one, before, after, earlier)
        played = first if len(self.strokes) >= first else None
        self.frames.append(_frame(game, rack[-1], played, self.score))

    def _add(self, one: RuledFact, before: Json, after: Json, earlier: tuple[int, int]) -> None:
        is_stroke = one.fact["type"] in STROKE_TYPES
        n, times = len(self.strokes) + is_stroke, self._times.get(one.line)
        own = game_json(self._setup, one, one.fact, before, after)
        self.rulings.append(_ruling(one, own, n, times, self.score))
        if is_stroke:
            self.strokes.append(_stroke(self._setup.game, one, before, own, n, times, earlier, self.score))
        elif self.strokes and self.strokes[-1]["frame"] == one.rack:
            _add_act(self.strokes[-1], self.rulings[-1])


def _ruling(one: RuledFact, own: Json, n: int, times: TimesS | None, score: tuple[int, int]) -> Json:
    """One ruled fact, in the rules' values and in words. `n`: the stroke it is, or that it follows."""
    ruling = own["ruling"]
    return {
        "line": one.line,
        "stroke": n or None,
        "frame": one.rack,
        "by": one.by,
        "type": one.fact["type"],
        "t_s": None if times is None else times[0],
        "end_s": None if times is None else times[1],
        **{k: ruling[k] for k in ("on", "seen", "text", "clause")},
        "score": list(score),
        "racks": list(one.match.racks),
        "rack_over": one.rack_over,
        "winner": one.winner,
        "fact": dict(one.fact),
        "values": ruling["values"],
        "game_state": own["game_state"],
        "state_words": own["state_words"],
    }


def _stroke(
    game: str,
    one: RuledFact,
    before: Json,
    own: Json,
    n: int,
    times: TimesS | None,
    earlier: tuple[int, int],
    score: tuple[int, int],
) -> Stroke:
    """An element of `strokes`. `before`: the game's state; `earlier`, `score`: before and after it."""
    values, fact, snooker = one.values, one.fact, is_snooker(game)
    seen = _carrom_stroke(one, before, times) if game == "carrom" else _told_stroke(game, fact, times)
    points = points_of(values, one.by, earlier, score) if counts_points(game) else None
    in_a_row = values.get("break", values.get("break_"))
    judged = JudgedStroke(
        n=n,
        frame=one.rack,
        entry=one.line,
        seen=seen,
        striker=_side(one.by),
        ball_on=_among(before.get("ball_on"), ("red", "any_colour", *COLOURS)) if snooker else None,
        nominated=_among(fact.get("nominated"), ("red", *COLOURS)) if snooker else None,
        free_ball=before.get("free_ball", False),
        foul=_foul(values),
        miss=_miss(values),
        points=points or 0,
        score=score,
        break_points=in_a_row or 0,
        options=tuple(str(o) for o in values.get("options") or []),
        next_striker=next_of(values),
        words=words_of(values),
    )
    known = {"start_s": times, "end_s": times, "free_ball": before.get("free_ball"), "points": points}
    known |= {"break": in_a_row, "cue_ball": _among(seen.cue_ball, _CUE_BALL)}
    stroke = cast("Json", stroke_with(judged, own))
    shown = {k: v if known.get(k, v) is not None else None for k, v in stroke.items() if k not in _SEEN}
    return cast("Stroke", shown)


def _side(who: object) -> str | None:
    return _among(who, ("A", "B"))


def _among(value: Any, known: tuple[str, ...]) -> str | None:
    """The value where it is one of those that the schema knows."""
    return value if isinstance(value, str) and value in known else None


def _add_act(stroke: Stroke, act: Json) -> None:
    """Show a choice, event or referee's act with the stroke before it; its outcome counts."""
    who = f"{act['by']}, " if act["by"] else ""
    stroke["ruling"]["text"] += f" – then {who}{act['seen']}: {act['text']}"
    stroke["game_state"], stroke["state_words"] = act["game_state"], act["state_words"]


def _told_stroke(game: str, fact: Values, times: TimesS | None) -> SeenStroke:
    """What a fact says of the balls, by the facts' names."""
    touched = fact.get(SCORERS[game].touched) or []
    first = next((ball for ball in (_ball(game, b) for b in touched) if ball), None)
    fell = [(ball, pocket) for b, pocket in potted_balls(fact) if (ball := _ball(game, b))]
    off = [ball for b in fact.get("off_table") or [] if (ball := _ball(game, b))]
    return told_stroke(times or (0.0, 0.0), first, fell, fact.get("cue_ball", "on_table"), off)


def _carrom_stroke(one: RuledFact, before: Json, times: TimesS | None) -> SeenStroke:
    """The same of a carrom stroke; the striker is its cue-ball."""
    pocketed = one.fact.get("pocketed") or {}
    fate: CueBallState = "off_table" if one.fact.get("striker_overboard") else "on_table"
    fate = "pocketed" if pocketed.get("striker") else fate
    men = (_MEN.get(man, man) for man in one.fact.get("overboard") or [])
    off = [ball for man in men if (ball := _ball("carrom", man))]
    return told_stroke(times or (0.0, 0.0), None, _men_pocketed(pocketed, before, one.by), fate, off)


def _men_pocketed(pocketed: Values, before: Json, by: str | None) -> list[tuple[str, None]]:
    """Carrom's counts as one entry for each C/m: his own colour, the opponent's, the Queen."""
    own = before[by]["colour"] if by in ("A", "B") else "white"
    other = "black" if own == "white" else "white"
    fell: list[tuple[str, None]] = [(_MEN[own], None)] * int(pocketed.get("own") or 0)
    fell += [(_MEN[other], None)] * int(pocketed.get("opponent") or 0)
    return fell + ([("queen", None)] if pocketed.get("queen") else [])


def _ball(game: str, name: Any) -> str | None:
    """A ball's name of the schema; None for cushions and for what has no such name."""
    if not isinstance(name, str):
        return None
    if name == "white" and game == "english_billiards":
        return "object_white"  # `white` is the cue-ball in a match document
    return name if _BALL.match(name) else None


def _foul(values: Values) -> FoulRuled | None:
    foul = foul_of(values)
    if foul is None or foul.penalty or isinstance(values.get("penalty"), int):
        return foul
    return replace(foul, penalty=None)


def _miss(values: Values) -> bool | None:
    said = values.get("miss")
    return said if isinstance(said, bool) or said is None else said == "called"


def _frame(game: str, last: RuledFact, first: int | None, score: tuple[int, int]) -> FrameRecord:
    won = int(last.rack_over and last.winner == "A"), int(last.rack_over and last.winner == "B")
    shown = score if counts_points(game) else won
    return FrameRecord(last.rack, first, shown, last.winner if last.rack_over else None)


def _start(setup: MatchSetup, ruled: Sequence[RuledFact]) -> StartRecord:
    start = ruled[0].start if ruled else {}
    score = score_at_start(setup.game, ruled[0].start, (0, 0)) if ruled else (0, 0)
    striker = _side(next((start[k] for k in STRIKER_FIELDS if k in start), "A"))
    return StartRecord(striker, "red" if start.get("ball_on") == "red" else None, score, assumed=False)


def _table(game: str) -> Json | None:
    """The game's usual table; none for carrom, whose board is no cue table."""
    surface = start_position(game).surface
    return surface.as_fields() if isinstance(surface, TableSpec) else None


def _warnings(
    ruled: Sequence[RuledFact], times: Mapping[int, TimesS], video: VideoInfo | None
) -> tuple[Warned, ...]:
    missing = [r.line for r in ruled if r.line not in times]
    if video is None or not missing:
        return ()
    text = (
        f"{len(missing)} of {len(ruled)} facts have no t_s and cannot be found in the video (first: line"
        f" {missing[0]})"
    )
    return (Warned("facts_without_times", None, text),)
