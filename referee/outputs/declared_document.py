"""The match document of declared facts: a video review's top level, with the game's own state beside it.

Positions, contacts and times that nobody declared are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from calibration.table.games import counts_points, is_snooker
from calibration.table.specs import TableSpec
from referee.match.declared import STRIKER_FIELDS, MatchSetup, RuledFact
from referee.match.declared_facts import STROKE_TYPES, FactsFile, TimesS
from referee.outputs.convert import video_json
from referee.outputs.digits import meant
from referee.outputs.document import Match, VideoJson
from referee.outputs.games import SCORERS
from referee.outputs.games.scorer import Json, Values, potted_balls
from referee.outputs.games.words import fact_words, ruling_text, state_words
from referee.rules.common.racks import rack as start_position
from referee.rules.snooker.facts import COLOURS
from vision.io.images import VideoInfo

_BALL = re.compile(
    r"(white|yellow|green|brown|blue|pink|black|red(_([1-9]|1[0-5]))?|[1-9]|1[0-5]"
    r"|object_white|white_man|black_man|queen)$"
)
_MEN = {"white": "white_man", "black": "black_man", "queen": "queen"}
_CUE_BALL = ("on_table", "pocketed", "off_table")
_NEXT = ("next_striker", "next_shooter", "next_player", "next_turn")
_NO_VIDEO: VideoJson = {"file": None, "width": 0, "height": 0, "images": 0, "duration_s": 0.0}
_LONGEST_NAME = 200
"""Characters of a player's name, as the schema allows."""


def declared_document(
    setup: MatchSetup, ruled: Sequence[RuledFact], file: FactsFile, video: VideoInfo | None
) -> Match:
    """The whole document of a match judged from a facts file; `video`: the one beside it."""
    racks = _Racks(setup, file.times)
    for _, rack in groupby(ruled, key=lambda r: r.rack):
        racks.add_rack(list(rack))
    last = ruled[-1] if ruled else None
    document: dict[str, Any] = {
        "schema": 1,
        "game": setup.game,
        "players": [p[:_LONGEST_NAME] for p in setup.players],
        "start": _start(setup, ruled),
        "video": _NO_VIDEO if video is None else video_json(video),
        "calibration": {
            "residual_px": None,
            "residual_mm": None,
            "camera": None,
            "table": _table(setup.game),
        },
        "frames": racks.frames,
        "strokes": racks.strokes,
        "hands": [],
        "spotting": [],
        "warnings": _warnings(ruled, file.times, video),
        "score": racks.score,
        "match": {
            "racks": list(last.match.racks if last else setup.match.racks),
            "race_to": setup.match.race_to or None,
            "winner": last.match.winner if last else None,
        },
        "facts": {"file": file.path.name, "sha256": file.sha256, "lines": len(file.facts)},
        "rulings": racks.rulings,
    }
    return cast("Match", meant(document))


class _Racks:
    """Rulings, strokes, frames and score as the racks are added in order."""

    def __init__(self, setup: MatchSetup, times: Mapping[int, TimesS]) -> None:
        self._setup, self._times = setup, times
        self.rulings: list[Json] = []
        self.strokes: list[Json] = []
        self.frames: list[Json] = []
        self.score = [0, 0]

    def add_rack(self, rack: Sequence[RuledFact]) -> None:
        """The facts of one rack, in order."""
        game = self._setup.game
        states = SCORERS[game].states(rack)
        first = len(self.strokes) + 1
        self.score = _score_at_start(game, rack[0], self.score)
        for before, after, one in zip(states, states[1:], rack, strict=False):
            earlier, self.score = self.score, _score(game, one, self.score)
            self._add(one, before, after, earlier)
        played = first if len(self.strokes) >= first else None
        self.frames.append(_frame(game, rack[-1], played, self.score))

    def _add(self, one: RuledFact, before: Json, after: Json, earlier: Sequence[int]) -> None:
        is_stroke = one.fact["type"] in STROKE_TYPES
        n = len(self.strokes) + is_stroke
        ruling = _ruling(self._setup, one, before, after, n, self._times.get(one.line))
        self.rulings.append(ruling | {"score": self.score})
        if is_stroke:
            self.strokes.append(_stroke(self._setup.game, one, before, ruling, earlier))
        elif self.strokes and self.strokes[-1]["frame"] == one.rack:
            _add_act(self.strokes[-1], ruling)


def _score_at_start(game: str, first: RuledFact, before: list[int]) -> list[int]:
    """The score at the beginning of a rack: its start's points, else none; racks won go on."""
    if not counts_points(game):
        return before
    scores = _start_scores(game, first.start)
    return [int(scores.get(s, 0)) for s in "AB"]


def _start_scores(game: str, start: Values) -> Values:
    scores = start.get("game_scores" if game == "carrom" else "scores")
    return scores if isinstance(scores, Mapping) else {}


def _ruling(
    setup: MatchSetup, one: RuledFact, before: Json, after: Json, n: int, times: TimesS | None
) -> Json:
    """One ruled fact, in the rules' values and in words. `n`: the stroke it is, or that it follows."""
    return {
        "line": one.line,
        "stroke": n or None,
        "frame": one.rack,
        "by": one.by,
        "type": one.fact["type"],
        "t_s": None if times is None else times[0],
        "end_s": None if times is None else times[1],
        "on": SCORERS[setup.game].ball_on(before, _side(one.by)),
        "seen": fact_words(setup.game, one.fact),
        "text": ruling_text(setup, one),
        "clause": one.values.get("clause"),
        "score": None,
        "racks": list(one.match.racks),
        "rack_over": one.rack_over,
        "winner": one.winner,
        "fact": dict(one.fact),
        "values": _json_values(one.values),
        "game_state": after,
        "state_words": [list(p) for p in state_words(setup.game, after, setup.players)],
    }


def _stroke(game: str, one: RuledFact, before: Json, ruling: Json, earlier: Sequence[int]) -> Json:
    """An element of `strokes`. `before`: the game's state, `earlier`: the score before it."""
    values, fact = one.values, one.fact
    snooker = is_snooker(game)
    following = next((str(values[k]) for k in _NEXT if values.get(k)), "").rpartition(":")[2]
    score = _score(game, one, earlier)
    return {
        "n": ruling["stroke"],
        "frame": one.rack,
        "striker": _side(one.by),
        "start_s": ruling["t_s"],
        "end_s": ruling["end_s"],
        "ball_on": _among(before.get("ball_on"), ("red", "any_colour", *COLOURS)) if snooker else None,
        "nominated": _among(fact.get("nominated"), ("red", *COLOURS)) if snooker else None,
        "free_ball": before.get("free_ball"),
        "before": {},
        "after": {},
        **(_carrom_contacts(one, before) if game == "carrom" else _contacts(game, fact)),
        "touching": [],
        "foul": _foul(game, values),
        "miss": _miss(values),
        "points": _points(game, one, score, earlier),
        "score": score,
        "break": values.get("break", values.get("break_")),
        "options": [str(o) for o in values.get("options") or []],
        "verdict": "certain",
        "question": None,
        "candidates": [],
        "gap_before": False,
        "next_striker": _side(following),
        "words": _call(values),
        "ruling": {k: ruling[k] for k in ("line", "on", "seen", "text", "clause", "values")},
        "game_state": ruling["game_state"],
        "state_words": ruling["state_words"],
    }


def _side(who: object) -> str | None:
    return _among(who, ("A", "B"))


def _among(value: Any, known: tuple[str, ...]) -> str | None:
    """The value where it is one of those that the schema knows."""
    return value if isinstance(value, str) and value in known else None


def _add_act(stroke: Json, act: Json) -> None:
    """Show a choice, event or referee's act with the stroke before it; its outcome counts."""
    who = f"{act['by']}, " if act["by"] else ""
    stroke["ruling"]["text"] += f" – then {who}{act['seen']}: {act['text']}"
    stroke["game_state"], stroke["state_words"] = act["game_state"], act["state_words"]


def _contacts(game: str, fact: Values) -> Json:
    """first_contact, contacts, cushions, potted and the cue-ball's fate, by the facts' names."""
    touched = fact.get(SCORERS[game].touched) or []
    first = next((ball for ball in (_ball(game, b) for b in touched) if ball), None)
    fell = [(_ball(game, ball), pocket) for ball, pocket in potted_balls(fact)]
    off = [_ball(game, b) for b in fact.get("off_table") or []]
    return _contact_values(first, fell, fact.get("cue_ball", "on_table"), off)


def _carrom_contacts(one: RuledFact, before: Json) -> Json:
    """The same of a carrom stroke; the striker is its cue-ball."""
    pocketed = one.fact.get("pocketed") or {}
    fate = "off_table" if one.fact.get("striker_overboard") else "on_table"
    fate = "pocketed" if pocketed.get("striker") else fate
    off = [_ball("carrom", _MEN.get(man, man)) for man in one.fact.get("overboard") or []]
    return _contact_values(None, _men_pocketed(pocketed, before, one.by), fate, off)


def _contact_values(
    first: str | None, fell: Sequence[tuple[str | None, Any]], fate: Any, off: Sequence[str | None]
) -> Json:
    return {
        "first_contact": first and {"ball": first, "t_s": None, "confidence": 1.0},
        "contacts": [],
        "cushions": [],
        "potted": [{"ball": b, "pocket": pocket, "t_s": None, "confidence": 1.0} for b, pocket in fell if b],
        "cue_ball": fate if fate in _CUE_BALL else None,
        "cue_ball_pocket": None,
        "off_table": [ball for ball in off if ball],
    }


def _men_pocketed(pocketed: Values, before: Json, by: str | None) -> list[tuple[str | None, None]]:
    """Carrom's counts as one entry for each C/m: his own colour, the opponent's, the Queen."""
    own = before[by]["colour"] if by in ("A", "B") else "white"
    other = "black" if own == "white" else "white"
    fell: list[tuple[str | None, None]] = [(_MEN[own], None)] * int(pocketed.get("own") or 0)
    fell += [(_MEN[other], None)] * int(pocketed.get("opponent") or 0)
    return fell + ([("queen", None)] if pocketed.get("queen") else [])


def _ball(game: str, name: Any) -> str | None:
    """A ball's name of the schema; None for cushions and for what has no such name."""
    if not isinstance(name, str):
        return None
    if name == "white" and game == "english_billiards":
        return "object_white"  # `white` is the cue-ball in a match document
    return name if _BALL.match(name) else None


def _foul(game: str, values: Values) -> Json | None:
    if not values.get("foul"):
        return None
    lost = values.get("points", 0)  # 14.1 subtracts its penalty from the points of the stroke
    penalty = -lost if game == "wpa_14_1" and lost < 0 else values.get("penalty")
    return {
        "clause": values.get("clause"),
        "penalty": penalty if isinstance(penalty, int) else None,
        "penalty_to": _side(values.get("penalty_to")),
        "reason": None,
    }


def _miss(values: Values) -> bool | None:
    said = values.get("miss")
    return said if isinstance(said, bool) or said is None else said == "called"


def _points(game: str, one: RuledFact, score: Sequence[int], earlier: Sequence[int]) -> int | None:
    """Points of the stroke for its striker; None in games without points."""
    if not counts_points(game):
        return None
    if one.by not in ("A", "B"):
        return 0
    own = one.values.get("points_to_striker")
    if isinstance(own, int):
        return max(0, own)
    k = "AB".index(one.by)
    return max(0, score[k] - earlier[k])


def _score(game: str, one: RuledFact, otherwise: Sequence[int]) -> list[int]:
    """Points where the game has them, else racks won."""
    scores = one.values.get("scores")
    if counts_points(game):
        return [scores["A"], scores["B"]] if isinstance(scores, Mapping) else list(otherwise)
    return list(one.match.racks)


def _frame(game: str, last: RuledFact, first: int | None, score: Sequence[int]) -> Json:
    won = [int(last.rack_over and last.winner == side) for side in "AB"]
    return {
        "n": last.rack,
        "first_stroke": first,
        "score": list(score) if counts_points(game) else won,
        "winner": last.winner if last.rack_over else None,
    }


def _start(setup: MatchSetup, ruled: Sequence[RuledFact]) -> Json:
    start = ruled[0].start if ruled else {}
    points = _start_scores(setup.game, start) if counts_points(setup.game) else {}
    return {
        "striker": _side(next((start[k] for k in STRIKER_FIELDS if k in start), "A")),
        "ball_on": "red" if start.get("ball_on") == "red" else None,
        "score": [int(points.get(s, 0)) for s in "AB"],
        "assumed": False,
    }


def _table(game: str) -> Json | None:
    """The game's usual table; none for carrom, whose board is no cue table."""
    surface = start_position(game).surface
    return surface.as_fields() if isinstance(surface, TableSpec) else None


def _warnings(ruled: Sequence[RuledFact], times: Mapping[int, TimesS], video: VideoInfo | None) -> list[Json]:
    missing = [r.line for r in ruled if r.line not in times]
    if video is None or not missing:
        return []
    text = (
        f"{len(missing)} of {len(ruled)} facts have no t_s and cannot be found in the video (first: line"
        f" {missing[0]})"
    )
    return [{"type": "facts_without_times", "t_s": None, "text": text}]


def _call(values: Values) -> list[str]:
    call = values.get("call") or []
    return [str(w) for w in call] if isinstance(call, list) else [str(call)]


def _json_values(value: Any) -> Any:
    """Tuples become lists, so that the document is as its file reads."""
    if isinstance(value, Mapping):
        return {str(k): _json_values(v) for k, v in value.items()}
    if isinstance(value, set | frozenset):
        return [_json_values(v) for v in sorted(value, key=str)]
    if isinstance(value, list | tuple):
        return [_json_values(v) for v in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
