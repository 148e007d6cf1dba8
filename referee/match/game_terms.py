"""Each game in its own terms: the state after a ruled fact as JSON values, and as words for people.

The state is what a scorer of that game keeps: groups and balls of a pool rack, points and balls of 14.1,
C/m and Queen of carrom, runs of English billiards. Unknown is null, never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.cases.play import advance, begin
from referee.match.judging import Judged, Setup

Json = dict[str, Any]
POINT_GAMES = ("snooker", "six_red", "english_billiards", "wpa_14_1", "carrom")
"""Games whose score is points; of the others it is racks or frames won."""
POOL_GAMES = ("wpa_8ball", "wpa_9ball", "wpa_10ball", "wpa_14_1", "blackball", "wepf")
NAMES = {
    "snooker": "Snooker",
    "six_red": "Six-red snooker",
    "english_billiards": "English billiards",
    "wpa_8ball": "Eight ball (WPA)",
    "wpa_9ball": "Nine ball (WPA)",
    "wpa_10ball": "Ten ball (WPA)",
    "wpa_14_1": "14.1 continuous (WPA)",
    "blackball": "Black ball",
    "wepf": "Eightball pool (WEPF)",
    "carrom": "Carrom",
}
UNITS = {
    "snooker": "frame",
    "six_red": "frame",
    "english_billiards": "game",
    "wpa_14_1": "game",
    "wepf": "frame",
    "carrom": "board",
}


def unit_of(game: str) -> str:
    """What the game calls one of the things a match is made of: rack, frame, game or board."""
    return UNITS.get(game, "rack")


def states_of(given: Setup, rack: Sequence[Judged]) -> list[Json]:
    """The state before the first line of a rack and after each of its lines (one more than lines)."""
    if not rack:
        return []
    build = _BUILDERS[given.game]
    if given.game not in POOL_GAMES:
        before = build(rack[0].start, None, rack[0].start)
        out = [before]
        for ruled in rack:
            before = build(ruled.fields, before, ruled.start)
            out.append(before)
        return out
    return [build(fields, state, rack[0].start) for fields, state in _engine_states(given, rack)]


def _engine_states(given: Setup, rack: Sequence[Judged]) -> list[tuple[Mapping[str, Any], Any]]:
    """The pool engines' own states: the rack played once more, line by line."""
    position = begin(given.game, rack[0].start, given.options, [r.fact for r in rack])
    out: list[tuple[Mapping[str, Any], Any]] = [({}, position.state)]
    for ruled in rack:
        position = advance(given.game, position, ruled.fact).position
        out.append((ruled.fields, position.state))
    return out


def _eight(fields: Mapping[str, Any], state: Any, start: Mapping[str, Any]) -> Json:
    left = {side: _left(state, state.group(side)) for side in "AB"}
    return {
        "table_open": state.table_open,
        "groups": {s: state.group(s) for s in "AB"},
        "on_table": sorted(state.on_table),
        "remaining": left,
        "break_shot": state.break_shot,
        "cue_ball_in_hand": state.in_hand,
    }


def _left(state: Any, group: str | None) -> int | None:
    if group is None:
        return None
    return len([b for b in state.on_table if b != 8 and (b < 8) == (group == "solids")])


def _rotation(fields: Mapping[str, Any], state: Any, start: Mapping[str, Any]) -> Json:
    balls = sorted(state.on_table)
    return {
        "on_table": balls,
        "ball_on": balls[0] if balls else None,
        "consecutive_fouls": dict(zip("AB", state.fouls, strict=True)),
        "break_shot": state.break_shot,
        "push_out_available": state.second_shot,
        "cue_ball_in_hand": state.in_hand,
    }


def _straight(fields: Mapping[str, Any], state: Any, start: Mapping[str, Any]) -> Json:
    return {
        "scores": dict(zip("AB", state.scores, strict=True)),
        "target": state.target,
        "balls_on_table": state.balls_on_table,
        "consecutive_fouls": dict(zip("AB", state.fouls, strict=True)),
        "opening_break": state.opening_break,
        "rerack": fields.get("rerack"),
        "cue_ball_in_hand": state.in_hand,
    }


def _black(fields: Mapping[str, Any], state: Any, start: Mapping[str, Any]) -> Json:
    return {
        "table_open": state.table_open,
        "groups": {s: state.colour(s) for s in "AB"},
        "on_table": {"red": state.reds, "yellow": state.yellows},
        "break_shot": state.break_shot,
        "free_shot": state.free_shot,
        "cue_ball_in_hand": state.in_hand,
    }


def _wepf(fields: Mapping[str, Any], state: Any, start: Mapping[str, Any]) -> Json:
    return {
        "table_open": state.open,
        "groups": {s: state.colour(s) for s in "AB"},
        "on_table": {"red": state.reds, "yellow": state.yellows},
        "break_shot": state.break_shot,
        "visits": state.visits,
        "must_nominate": state.must_nominate,
        "foul_snooker": state.foul_snooker,
        "cue_ball_in_hand": "baulk" if state.from_baulk else None,
    }


def _billiards(fields: Mapping[str, Any], before: Json | None, start: Mapping[str, Any]) -> Json:
    placed, known = fields.get("red_placed"), before or {}
    return {
        "scores": fields.get("scores") or known.get("scores"),
        "break": fields.get("break", 0),
        "red": placed["spot"] if isinstance(placed, Mapping) else "in play" if before else _red_at(start),
        "object_white": fields.get("object_white", "on_table"),
        "consecutive_red_pots": fields.get("consecutive_red_pots_same_spot", 0),
        "consecutive_hazards": fields.get("consecutive_hazard_strokes", 0),
        "consecutive_cannons": fields.get("consecutive_cannons", 0),
        "cue_ball_in_hand": bool(fields.get("cue_ball_in_hand", start.get("opening", False))),
        "target": start.get("target"),
    }


def _red_at(start: Mapping[str, Any]) -> str:
    at = start.get("red_at", "spot")
    return {"spot": "Spot", "centre": "Centre Spot", "pyramid": "Pyramid Spot"}.get(str(at), "in play")


def _carrom(fields: Mapping[str, Any], before: Json | None, start: Mapping[str, Any]) -> Json:
    def men(side: str) -> Json:
        given = before[side] if before else _men(start.get(side), side)
        on = fields.get(f"{side}_on_board")
        return {
            "colour": fields.get(f"{side}_colour") or given["colour"],
            "on_board": given["on_board"] if on is None else on,
        }

    scores = fields.get("scores") or start.get("game_scores")
    return {
        "board_no": start.get("board_no", 1),
        "scores": {s: scores.get(s, 0) for s in "AB"} if isinstance(scores, Mapping) else {"A": 0, "B": 0},
        "A": men("A"),
        "B": men("B"),
        "queen": fields.get("queen") or (before or {}).get("queen") or "on_board",
        "points": fields.get("points"),
        "game_over": bool(fields.get("game_over")),
    }


def _men(given: Any, side: str) -> Json:
    said = given if isinstance(given, Mapping) else {}
    return {
        "colour": said.get("colour", "white" if side == "A" else "black"),
        "on_board": said.get("on_board", 9),
    }


def _snooker(fields: Mapping[str, Any], before: Json | None, start: Mapping[str, Any]) -> Json:
    known = before or {}
    on = fields.get("next_ball_on") or fields.get("ball_on") or known.get("ball_on")
    reds = fields.get("reds_remaining", fields.get("reds_on_table"))
    return {
        "scores": fields.get("scores") or known.get("scores"),
        "ball_on": on.replace(" ", "_") if isinstance(on, str) else None,
        "reds": known.get("reds") if reds is None else reds,
        "break": fields.get("break_") or 0,
        "free_ball": bool(fields.get("free_ball")),
        "consecutive_misses": fields.get("consecutive_miss_calls", 0),
        "cue_ball_in_hand": bool(fields.get("cue_ball_in_hand", fields.get("cue_in_hand", False))),
    }


_BUILDERS: dict[str, Callable[[Mapping[str, Any], Any, Mapping[str, Any]], Json]] = {
    "snooker": _snooker,
    "six_red": _snooker,
    "english_billiards": _billiards,
    "wpa_8ball": _eight,
    "wpa_9ball": _rotation,
    "wpa_10ball": _rotation,
    "wpa_14_1": _straight,
    "blackball": _black,
    "wepf": _wepf,
    "carrom": _carrom,
}


def on_words(game: str, state: Json, side: str | None) -> str:
    """What the player may play at: his group, the lowest ball, his C/m; a dash where the game has no such
    thing.
    """
    if "groups" in state:
        group = state["groups"].get(side) if side in ("A", "B") else None
        if state["break_shot"]:
            return "break"
        return str(group) if group else "open table"
    if game in ("wpa_9ball", "wpa_10ball"):
        return (
            f"ball {state['ball_on']}, push out allowed"
            if state["push_out_available"]
            else f"ball {state['ball_on']}"
        )
    if game == "carrom":
        return f"{state[side]['colour']} C/m" if side in ("A", "B") else "–"
    if game == "wpa_14_1":
        return "opening break" if state["opening_break"] else "any ball, called"
    if game in ("snooker", "six_red") and state["ball_on"]:
        return str(state["ball_on"]).replace("_", " ")
    return "–"


def state_words(game: str, state: Json, players: Sequence[str]) -> list[tuple[str, str]]:
    """The state as label and words, in the order in which a scorer reads it."""
    out: list[tuple[str, str]] = []
    if "groups" in state:
        out += _group_words(state, players)
    if game == "carrom":
        out += _carrom_words(state, players)
    elif isinstance(state.get("on_table"), list):
        out.append(("Balls on the table", _balls(state["on_table"])))
    if game == "wpa_14_1":
        out += [("Balls on the table", str(state["balls_on_table"])), ("To", f"{state['target']} points")]
    if game == "english_billiards":
        out += _billiards_words(state)
    if game in ("snooker", "six_red"):
        out.append(("Reds", str(state["reds"])))
    fouls = state.get("consecutive_fouls")
    if fouls and any(fouls.values()):
        out.append(
            ("Fouls in a row", ", ".join(f"{n} {fouls[s]}" for s, n in zip("AB", players, strict=True)))
        )
    for key, label in (("break", "Break"), ("visits", "Visits")):
        if state.get(key):
            out.append((label, str(state[key])))
    for key, label in (
        ("free_shot", "Free shot"),
        ("must_nominate", "Must nominate"),
        ("free_ball", "Free ball"),
    ):
        if state.get(key):
            out.append((label, "yes"))
    if state.get("cue_ball_in_hand"):
        where = state["cue_ball_in_hand"]
        out.append(("Cue-ball in hand", where.replace("_", " ") if isinstance(where, str) else "yes"))
    return out


def _balls(numbers: Sequence[int]) -> str:
    return " ".join(str(n) for n in numbers) or "none"


def _group_words(state: Json, players: Sequence[str]) -> list[tuple[str, str]]:
    groups, table = state["groups"], state["on_table"]
    if not any(groups.values()):
        said = [("Groups", "table open")]
    else:
        left = {s: state["remaining"][s] if "remaining" in state else table[groups[s]] for s in "AB"}
        said = [(name, f"{groups[s]}, {left[s]} left") for s, name in zip("AB", players, strict=True)]
    if isinstance(table, Mapping):
        said.append(("Balls on the table", f"{table['red']} red, {table['yellow']} yellow"))
    return said


def _carrom_words(state: Json, players: Sequence[str]) -> list[tuple[str, str]]:
    men = [
        (name, f"{state[s]['colour']}, {state[s]['on_board']} C/m on the board")
        for s, name in zip("AB", players, strict=True)
    ]
    queen = str(state["queen"]).replace("_", " ")
    for side, name in zip("AB", players, strict=True):
        queen = queen.replace(f"covered by {side}", f"covered by {name}")
    return [("Board", str(state["board_no"])), *men, ("Queen", queen)]


def _billiards_words(state: Json) -> list[tuple[str, str]]:
    out = [("Red", str(state["red"])), ("Object white", state["object_white"].replace("_", " "))]
    for key, label in (
        ("consecutive_red_pots", "Pots of the red from its spot"),
        ("consecutive_hazards", "Hazards in a row"),
        ("consecutive_cannons", "Cannons in a row"),
    ):
        if state[key]:
            out.append((label, str(state[key])))
    return out


def seen_words(game: str, fact: Mapping[str, Any]) -> str:
    """What happened in a stroke, as the game says it: hazards and cannons, C/m, balls and pockets."""
    if fact["type"] == "break":
        return "a break that is not told stroke by stroke"
    if game == "carrom":
        return _carrom_seen(fact)
    touched = [str(b) for b in fact.get("contacts" if game == "english_billiards" else "first_contact") or []]
    balls = [b for b in touched if not b.startswith("cushion")]
    fell = [
        (p, None) if isinstance(p, str) else (str(p.get("ball")), p.get("pocket"))
        for p in fact.get("potted") or []
    ]
    parts = []
    if game == "english_billiards":
        parts += (
            ["cannon"]
            if {"red", "white"} <= set(balls)
            else [f"hit {balls[0]}"]
            if balls
            else ["no ball hit"]
        )
        parts += [f"{'winning hazard, ' if ball != 'cue' else ''}{ball} pocketed" for ball, _ in fell]
        parts += ["losing hazard"] if fact.get("cue_ball") == "pocketed" and balls else []
    else:
        parts.append(f"first {' and '.join(balls)}" if balls else "no ball hit")
        parts += [f"{ball} pocketed{f' {pocket}' if pocket else ''}" for ball, pocket in fell]
    if fact.get("cue_ball") == "pocketed" and not (game == "english_billiards" and balls):
        parts.append("cue-ball pocketed")
    if fact.get("cue_ball") == "off_table":
        parts.append("cue-ball off the table")
    parts += [f"{b} off the table" for b in fact.get("off_table") or []]
    parts += [str(i).replace("_", " ") for i in fact.get("infringements") or []]
    if fact.get("push_out"):
        parts.append("push out")
    return "; ".join(parts)


def _carrom_seen(fact: Mapping[str, Any]) -> str:
    pocketed = fact.get("pocketed") or {}
    parts = [
        f"{pocketed[k]} {w}"
        for k, w in (("own", "own C/m"), ("opponent", "opponent's C/m"))
        if pocketed.get(k)
    ]
    parts += [w for k, w in (("queen", "Queen"), ("striker", "striker")) if pocketed.get(k)]
    said = ["pocketed " + ", ".join(parts)] if parts else ["nothing pocketed"]
    said += [f"{m} overboard" for m in fact.get("overboard") or []]
    said += ["striker overboard"] if fact.get("striker_overboard") else []
    said += ["improper stroke"] if fact.get("proper") is False else []
    return "; ".join(said)
