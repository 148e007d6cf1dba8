"""The match document of told facts: the same top level as a video's review, the game's own state beside
it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any, cast

from calibration.table.specs import TableSpec
from referee.match.game_terms import POINT_GAMES, Json, on_words, seen_words, state_words, states_of
from referee.match.judged_words import consequences, over_words, said_words
from referee.match.judging import Judged, Setup
from referee.match.told_facts import TimesS
from referee.outputs.convert import video_json
from referee.outputs.document import Match, VideoJson
from referee.rules.common.racks import rack as start_position
from referee.rules.snooker.facts import COLOURS
from vision.io.images import VideoInfo

STROKES = ("stroke", "shot", "break")
BALL = re.compile(
    r"(white|yellow|green|brown|blue|pink|black|red(_([1-9]|1[0-5]))?|[1-9]|1[0-5]|object_white|white_man|black_man|queen)$"
)
_MEN = {"white": "white_man", "black": "black_man", "queen": "queen"}
_CUE_BALL = ("on_table", "pocketed", "off_table")
_NEXT = ("next_striker", "next_shooter", "next_player", "next_turn")
_NO_VIDEO: VideoJson = {"file": None, "width": 0, "height": 0, "images": 0, "duration_s": 0.0}


def told_match(
    given: Setup, ruled: Sequence[Judged], times: Mapping[int, TimesS], source: Json, video: VideoInfo | None
) -> Match:
    """The whole document; `source`: file, sha256 and number of lines of the facts."""
    rulings: list[Json] = []
    strokes: list[Json] = []
    frames: list[Json] = []
    score = [0, 0]
    for number, lines in groupby(ruled, key=lambda r: r.rack):
        rack = list(lines)
        states = states_of(given, rack)
        first, score = len(strokes) + 1, _begun_at(given, rack[0], score)
        for before, after, one in zip(states, states[1:], rack, strict=False):
            is_stroke, earlier = one.fact["type"] in STROKES, score
            score = _score(given, one, earlier)
            rulings.append(
                _ruling(given, one, before, after, len(strokes) + is_stroke, times.get(one.line))
                | {"score": score}
            )
            if is_stroke:
                strokes.append(_stroke(given, one, before, rulings[-1], len(strokes) + 1, earlier))
            elif strokes and strokes[-1]["frame"] == number:
                _followed(strokes[-1], rulings[-1])
        frames.append(_frame(given, rack, first if len(strokes) >= first else None, score))
    last = ruled[-1] if ruled else None
    document: dict[str, Any] = {
        "schema": 1,
        "game": given.game,
        "players": [p[:200] for p in given.players],
        "start": _start(given, ruled),
        "video": _NO_VIDEO if video is None else video_json(video),
        "calibration": {
            "residual_px": None,
            "residual_mm": None,
            "camera": None,
            "table": _table(given.game),
        },
        "frames": frames,
        "strokes": strokes,
        "hands": [],
        "spotting": [],
        "warnings": _warnings(ruled, times, video),
        "score": score,
        "match": {
            "racks": list(last.match.racks if last else given.match.racks),
            "race_to": given.match.race_to or None,
            "winner": last.match.winner if last else None,
        },
        "facts": source,
        "rulings": rulings,
    }
    return cast("Match", document)


def _begun_at(given: Setup, first: Judged, before: list[int]) -> list[int]:
    """The score at the beginning of a rack: its start's points, else none; racks won go on."""
    if given.game not in POINT_GAMES:
        return before
    scores = first.start.get("game_scores" if given.game == "carrom" else "scores")
    return [int(scores.get(s, 0)) for s in "AB"] if isinstance(scores, Mapping) else [0, 0]


def _ruling(given: Setup, one: Judged, before: Json, after: Json, n: int, times: TimesS | None) -> Json:
    """One ruled line, in the engine's values and in words. `stroke`: the stroke it is, or that it follows."""
    fields = one.fields
    text = [_named(given, said_words(one)), *consequences(given, fields), *over_words(given, one)]
    if fields.get("accepted") is False:
        text.insert(1, "refused")
    return {
        "line": one.line,
        "stroke": n or None,
        "frame": one.rack,
        "by": one.by,
        "type": one.fact["type"],
        "t_s": None if times is None else times[0],
        "end_s": None if times is None else times[1],
        "on": on_words(given.game, before, one.by),
        "seen": _seen(given, one),
        "text": "; ".join(text).replace("_", " "),
        "clause": fields.get("clause"),
        "score": None,
        "racks": list(one.match.racks),
        "rack_over": one.rack_over,
        "winner": one.winner,
        "fact": dict(one.fact),
        "values": _plain(fields),
        "game_state": after,
        "state_words": [list(p) for p in state_words(given.game, after, given.players)],
    }


def _named(given: Setup, words: str) -> str:
    """The engines' sides as players: `Rack to A`, `A is on solids`."""
    names = dict(zip("AB", given.players, strict=True))
    return re.sub(r"(?<=\bto )[AB]\b|(?<=\bby )[AB]\b|\b[AB](?= is\b)", lambda side: names[side[0]], words)


def _seen(given: Setup, one: Judged) -> str:
    if one.fact["type"] in STROKES:
        return seen_words(given.game, one.fact)
    act = one.fact.get("choice") or one.fact.get("event") or one.fact.get("query") or one.fact["type"]
    return str(act).replace("_", " ")


def _stroke(given: Setup, one: Judged, before: Json, ruling: Json, n: int, earlier: Sequence[int]) -> Json:
    """An element of `strokes`: what the facts say; positions and times that nobody told are unknown."""
    fields, fact = one.fields, one.fact
    snooker = given.game in ("snooker", "six_red")
    on = before.get("ball_on") if snooker else None
    nominated = fact.get("nominated") if snooker else None
    following = next((str(fields[k]) for k in _NEXT if fields.get(k)), None)
    side = following.rpartition(":")[2] if following else None
    return {
        "n": n,
        "frame": one.rack,
        "striker": one.by if one.by in ("A", "B") else None,
        "start_s": ruling["t_s"],
        "end_s": ruling["end_s"],
        "ball_on": on if on in ("red", "any_colour", *COLOURS) else None,
        "nominated": nominated if nominated in ("red", *COLOURS) else None,
        "free_ball": before.get("free_ball"),
        "before": {},
        "after": {},
        **_contacts(given.game, one, before),
        "touching": [],
        "foul": _foul(given.game, one),
        "miss": _miss(fields),
        "points": _points(given, one, earlier),
        "score": _score(given, one, earlier),
        "break": fields.get("break", fields.get("break_")),
        "options": [str(o) for o in fields.get("options") or []],
        "verdict": "certain",
        "question": None,
        "candidates": [],
        "gap_before": False,
        "next_striker": side if side in ("A", "B") else None,
        "words": _words(fields),
        "ruling": {k: ruling[k] for k in ("line", "on", "seen", "text", "clause", "values")},
        "game_state": ruling["game_state"],
        "state_words": ruling["state_words"],
    }


def _followed(stroke: Json, act: Json) -> None:
    """A choice, event or referee's act after a stroke: it stands with the stroke, and its outcome counts."""
    who = f"{act['by']}, " if act["by"] else ""
    stroke["ruling"]["text"] += f" – then {who}{act['seen']}: {act['text']}"
    stroke["game_state"], stroke["state_words"] = act["game_state"], act["state_words"]


def _contacts(game: str, one: Judged, before: Json) -> Json:
    """first_contact, contacts, cushions, potted and the cue-ball's (striker's) fate, by the facts' names."""
    fact = one.fact
    touched: list[Any] = []
    if game == "carrom":
        pocketed = fact.get("pocketed") or {}
        fate = (
            "pocketed"
            if pocketed.get("striker")
            else "off_table"
            if fact.get("striker_overboard")
            else "on_table"
        )
        fell, off = (
            _men_pocketed(pocketed, before, one.by),
            [_MEN.get(m, m) for m in fact.get("overboard") or []],
        )
    else:
        fate = fact.get("cue_ball", "on_table")
        fell = [
            (p, None) if isinstance(p, str) else (p.get("ball"), p.get("pocket"))
            for p in fact.get("potted") or []
        ]
        touched = list(fact.get("contacts" if game == "english_billiards" else "first_contact") or [])
        off = list(fact.get("off_table") or [])
    first = next((ball for ball in (_ball(game, b) for b in touched) if ball), None)
    named = [(_ball(game, b), pocket) for b, pocket in fell]
    return {
        "first_contact": first and {"ball": first, "t_s": None, "confidence": 1.0},
        "contacts": [],
        "cushions": [],
        "potted": [{"ball": b, "pocket": pocket, "t_s": None, "confidence": 1.0} for b, pocket in named if b],
        "cue_ball": fate if fate in _CUE_BALL else None,
        "cue_ball_pocket": None,
        "off_table": [ball for ball in (_ball(game, b) for b in off) if ball],
    }


def _men_pocketed(pocketed: Mapping[str, Any], before: Json, by: str | None) -> list[tuple[Any, Any]]:
    """Carrom's counts as one entry for each C/m: his own colour, the opponent's, the Queen."""
    own = before[by]["colour"] if by in ("A", "B") else "white"
    other = "black" if own == "white" else "white"
    fell: list[tuple[Any, Any]] = [(_MEN[own], None)] * int(pocketed.get("own") or 0)
    fell += [(_MEN[other], None)] * int(pocketed.get("opponent") or 0)
    return fell + ([("queen", None)] if pocketed.get("queen") else [])


def _ball(game: str, name: Any) -> str | None:
    """A ball's name of the schema; None for cushions and for what has no such name."""
    if not isinstance(name, str):
        return None
    if name == "white" and game == "english_billiards":
        return "object_white"  # `white` is the cue-ball in a match document
    return name if BALL.match(name) else None


def _foul(game: str, one: Judged) -> Json | None:
    fields = one.fields
    if not fields.get("foul"):
        return None
    penalty = (
        -fields["points"] if game == "wpa_14_1" and fields.get("points", 0) < 0 else fields.get("penalty")
    )
    to = fields.get("penalty_to")
    return {
        "clause": fields.get("clause"),
        "penalty": penalty if isinstance(penalty, int) else None,
        "penalty_to": to if to in ("A", "B") else None,
        "reason": None,
    }


def _miss(fields: Mapping[str, Any]) -> bool | None:
    said = fields.get("miss")
    return said if isinstance(said, bool) or said is None else said == "called"


def _points(given: Setup, one: Judged, earlier: Sequence[int]) -> int | None:
    if given.game not in POINT_GAMES:
        return None
    if one.by not in ("A", "B"):
        return 0
    own = one.fields.get("points_to_striker")
    if isinstance(own, int):
        return max(0, own)
    k = "AB".index(one.by)
    return max(0, _score(given, one, earlier)[k] - earlier[k])


def _score(given: Setup, one: Judged, otherwise: Sequence[int]) -> list[int]:
    """Points where the game has them, else racks won."""
    scores = one.fields.get("scores")
    if given.game in POINT_GAMES:
        return [scores["A"], scores["B"]] if isinstance(scores, Mapping) else list(otherwise)
    return list(one.match.racks)


def _frame(given: Setup, rack: Sequence[Judged], first: int | None, score: Sequence[int]) -> Json:
    last = rack[-1]
    won = [int(last.rack_over and last.winner == side) for side in "AB"]
    return {
        "n": last.rack,
        "first_stroke": first,
        "score": list(score) if given.game in POINT_GAMES else won,
        "winner": last.winner if last.rack_over else None,
    }


def _start(given: Setup, ruled: Sequence[Judged]) -> Json:
    start = ruled[0].start if ruled else {}
    side = next((start[k] for k in ("striker", "shooter", "player", "striker_player") if k in start), "A")
    scores = start.get("game_scores" if given.game == "carrom" else "scores")
    points = scores if given.game in POINT_GAMES and isinstance(scores, Mapping) else {}
    return {
        "striker": side if side in ("A", "B") else None,
        "ball_on": "red" if start.get("ball_on") == "red" else None,
        "score": [int(points.get(s, 0)) for s in "AB"],
        "assumed": False,
    }


def _table(game: str) -> Json | None:
    """The game's usual table; none for carrom, whose board is no cue table."""
    surface = start_position(game).surface
    return asdict(surface) if isinstance(surface, TableSpec) else None


def _warnings(ruled: Sequence[Judged], times: Mapping[int, TimesS], video: VideoInfo | None) -> list[Json]:
    missing = [r.line for r in ruled if r.line not in times]
    if video is None or not missing:
        return []
    text = (
        f"{len(missing)} of {len(ruled)} facts have no t_s and cannot be found in the video (first: line"
        f" {missing[0]})"
    )
    return [{"type": "facts_without_times", "t_s": None, "text": text}]


def _words(fields: Mapping[str, Any]) -> list[str]:
    call = fields.get("call") or []
    return [str(w) for w in call] if isinstance(call, list) else [str(call)]


def _plain(value: Any) -> Any:
    """Tuples become lists, so that the document is as its file reads."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(v) for v in (sorted(value, key=str) if isinstance(value, set | frozenset) else value)]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
