"""Sentences about declared facts and their rulings in any game, for `judge`, reports and the console."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from calibration.table.games import counts_points
from referee.match.declared import MatchSetup, RuledFact
from referee.match.declared_facts import STROKE_TYPES
from referee.match.games.ruling import score_at_start, score_of
from referee.outputs.games import SCORERS
from referee.outputs.games.scorer import Json, Labelled, Values

_NEXT = ("next_shooter", "next_striker", "next_player", "next_turn")
_OUT_OF_THE_POCKETS = (("own_pocketed_this_stroke", "just pocketed"), ("due", "due"), ("penalty", "penalty"))


def line_words(setup: MatchSetup, ruled: RuledFact) -> str:
    """The whole line that `cueref judge` prints: who, what is said, clause, consequences, score."""
    values = ruled.values
    clause = f" [{values['clause']}]" if values.get("clause") else ""
    refused = " refused" if values.get("accepted") is False else ""
    parts = [f"line {ruled.line}  {side_name(setup, ruled.by)}: {call_words(ruled)}{clause}{refused}"]
    parts += consequences(setup, values)
    scores = values.get("scores")
    if isinstance(scores, Mapping):
        parts.append(f"score {scores.get('A')}-{scores.get('B')}")
    parts += over_words(setup, ruled)
    parts.append(f"racks {ruled.match.racks[0]}-{ruled.match.racks[1]}")
    return "; ".join(parts)


def result_words(setup: MatchSetup, ruled: Sequence[RuledFact]) -> str:
    """The score after all facts, racks won besides where it is points, and who has won the match."""
    a, b = setup.players
    score, last = _score_after(setup, ruled), ruled[-1]
    parts = [f"{a} {score[0]}-{score[1]} {b}"]
    if counts_points(setup.game) and any(last.match.racks):
        parts.append(f"racks {last.match.racks[0]}-{last.match.racks[1]}")
    if last.match.over:
        parts.append(f"{side_name(setup, last.match.winner)} wins the match")
    return "; ".join(parts)


def _score_after(setup: MatchSetup, ruled: Sequence[RuledFact]) -> tuple[int, int]:
    """Points of the rack that is under way in a game that has points, else racks won."""
    score, rack = (0, 0), 0
    for one in ruled:
        if one.rack != rack:
            score, rack = score_at_start(setup.game, one.start, score), one.rack
        score = score_of(setup.game, one.values, score, one.match.racks)
    return score


def ruling_text(setup: MatchSetup, ruled: RuledFact) -> str:
    """A ruling in one line, with the players' names: `Foul; penalty 4; next Bo`."""
    text = [_named(setup, call_words(ruled)), *consequences(setup, ruled.values), *over_words(setup, ruled)]
    if ruled.values.get("accepted") is False:
        text.insert(1, "refused")
    return "; ".join(text).replace("_", " ")


def outcome_text(game: str, values: Values) -> str:
    """What a ruling with these values would be, in one line; sides as A and B."""
    return "; ".join([_called(values) or "No foul", *consequences(MatchSetup(game), values)]).replace(
        "_", " "
    )


def _called(values: Values) -> str:
    call = values.get("call") or []
    words = ", ".join(call) if isinstance(call, list) else str(call)
    return words or ("Foul" if values.get("foul") else "")


def _named(setup: MatchSetup, words: str) -> str:
    """The sides as players: `Rack to A`, `A is on solids`."""
    names = dict(zip("AB", setup.players, strict=True))
    return re.sub(r"(?<=\bto )[AB]\b|(?<=\bby )[AB]\b|\b[AB](?= is\b)", lambda side: names[side[0]], words)


def call_words(ruled: RuledFact) -> str:
    """What the referee says; where he says nothing, the act that was ruled on."""
    words = _called(ruled.values)
    if words:
        return words
    act = _act(ruled.fact)
    return act.replace("_", " ") if act else "No foul"


def _act(fact: Values) -> str:
    """The name of a choice, event or query; empty for a stroke and a referee's act."""
    return str(fact.get("choice") or fact.get("event") or fact.get("query") or "")


def over_words(setup: MatchSetup, ruled: RuledFact) -> list[str]:
    """Who has won the rack, frame, game or board that this fact ends."""
    if not ruled.rack_over:
        return []
    return [f"won by {side_name(setup, ruled.winner)}" if ruled.winner else "nobody's"]


def consequences(setup: MatchSetup, values: Values) -> list[str]:
    """What follows from a ruling: penalty, balls that come back, who is next and from where, options."""
    out = [f"penalty {values['penalty']}"] if values.get("penalty") else []
    out += _billiards_spotted(values) + _carrom_board(setup, values)
    out += [_respotted(ball) for ball in values.get("respot") or []]
    following = next((values[k] for k in _NEXT if values.get(k)), None)
    if following is not None:
        out.append(f"next {side_name(setup, str(following))}")
    where = values.get("cue_ball_in_hand") or values.get("cue_ball_from_baulk")
    if where:
        place = str(where).replace("_", " ") if isinstance(where, str) else ""
        out.append(f"cue-ball in hand {place}".rstrip())
    if values.get("options"):
        out.append("options: " + ", ".join(values["options"]))
    return out


def _respotted(ball: Values) -> str:
    """A ball that comes back to the table, with its place in mm where it is known."""
    x, y = ball.get("xy") or (None, None)
    if x is None:
        return f"{ball.get('ball')} respotted"
    return f"{ball.get('ball')} to {ball.get('spot') or 'its place'} ({x:.1f}, {y:.1f}) mm"


def _billiards_spotted(values: Values) -> list[str]:
    """Balls that the referee spots in English billiards."""
    out = []
    for key, ball in (("red_placed", "red"), ("object_white_placed", "object white")):
        if values.get(key):
            x, y = values[key]["xy"]
            out.append(f"{ball} to the {values[key]['spot']} ({x:.1f}, {y:.1f}) mm")
    return out


def _carrom_board(setup: MatchSetup, values: Values) -> list[str]:
    """C/m on the board, what comes out, the Queen, a board's points; who breaks."""
    out = []
    if "returned" in values:
        back = values["returned"]
        taken = [f"{back[k]} {word}" for k, word in _OUT_OF_THE_POCKETS if back[k]]
        taken += ["Queen"] if back["queen"] else []
        out += [f"out of the pockets: {', '.join(taken)}"] if taken else []
        queen, _, side = values["queen"].replace("_", " ").partition(" by ")
        queen += f" by {side_name(setup, side)}" if side else ""
        out.append(f"C/m {values['A_on_board']}-{values['B_on_board']}, Queen {queen}")
    if values.get("board_winner"):
        out.append(f"board to {side_name(setup, values['board_winner'])}")
    if values.get("extra_points_if_demanded"):
        out.append(f"{values['extra_points_if_demanded']} more if demanded")
    if values.get("breaker"):
        out.append(f"{side_name(setup, values['breaker'])} breaks")
    return out


def side_name(setup: MatchSetup, who: str | None) -> str:
    """The player's name of `A`, `B` or `choice:B`; the referee where nobody acted."""
    chooses, _, side = (who or "").rpartition(":")
    name = dict(zip(("A", "B"), setup.players, strict=True)).get(side, who or "referee")
    return f"{name} to choose" if chooses else name


def state_words(game: str, state: Json, players: Sequence[str]) -> Labelled:
    """The state as label and words."""
    out: Labelled = _group_words(state, players) if "groups" in state else []
    if isinstance(state.get("on_table"), list):
        out.append(("Balls on the table", " ".join(str(n) for n in state["on_table"]) or "none"))
    out += SCORERS[game].state_words(state, players)
    fouls = state.get("consecutive_fouls")
    if fouls and any(fouls.values()):
        each = ", ".join(f"{n} {fouls[s]}" for s, n in zip("AB", players, strict=True))
        out.append(("Fouls in a row", each))
    out += [(label, str(state[key])) for key, label in _COUNTS if state.get(key)]
    out += [(label, "yes") for key, label in _FLAGS if state.get(key)]
    where = state.get("cue_ball_in_hand")
    if where:
        out.append(("Cue-ball in hand", where.replace("_", " ") if isinstance(where, str) else "yes"))
    return out


_COUNTS = (("break", "Break"), ("visits", "Visits"))
_FLAGS = (("free_shot", "Free shot"), ("must_nominate", "Must nominate"), ("free_ball", "Free ball"))


def _group_words(state: Json, players: Sequence[str]) -> Labelled:
    groups, on_table = state["groups"], state["on_table"]
    if not any(groups.values()):
        out = [("Groups", "table open")]
    else:
        left = {s: state["remaining"][s] if "remaining" in state else on_table[groups[s]] for s in "AB"}
        out = [(name, f"{groups[s]}, {left[s]} left") for s, name in zip("AB", players, strict=True)]
    if isinstance(on_table, Mapping):
        out.append(("Balls on the table", ", ".join(f"{n} {group}" for group, n in on_table.items())))
    return out


def fact_words(game: str, fact: Values) -> str:
    """What happened, as the game says it: hazards and cannons, C/m, balls and pockets, or an act's name."""
    if fact["type"] not in STROKE_TYPES:
        return (_act(fact) or str(fact["type"])).replace("_", " ")
    if fact["type"] == "break":
        return "a break that is not told stroke by stroke"
    return SCORERS[game].stroke_words(fact)


_MOVING = re.compile(r"\{'kind': '([^']+)'(?:, 'moving': \[([^]]*)\])?\}")


def readable(seen: str) -> str:
    """What happened, with an infringement in words that its fact spells out (`{'kind': ...}`).

    Documents keep it as the fact has it, so that an old match is written again as it was.
    """
    return _MOVING.sub(lambda m: m[1] + (": " + m[2].replace("'", "") if m[2] else ""), seen)
