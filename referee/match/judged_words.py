"""Sentences about a ruled fact of any game, the same for `cueref judge`, reports and the console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.match.judging import Judged, Setup

_OUT_OF_THE_POCKETS = (("own_pocketed_this_stroke", "just pocketed"), ("due", "due"), ("penalty", "penalty"))


def line_words(given: Setup, ruled: Judged) -> str:
    """The whole line that `cueref judge` prints: who, what is said, clause, consequences, score."""
    fields = ruled.fields
    clause = f" [{fields['clause']}]" if fields.get("clause") else ""
    refused = " refused" if fields.get("accepted") is False else ""
    parts = [f"line {ruled.line}  {side_name(given, ruled.by)}: {said_words(ruled)}{clause}{refused}"]
    parts += consequences(given, fields)
    scores = fields.get("scores")
    if isinstance(scores, Mapping):
        parts.append(f"score {scores.get('A')}-{scores.get('B')}")
    parts += over_words(given, ruled)
    parts.append(f"racks {ruled.match.racks[0]}-{ruled.match.racks[1]}")
    return "; ".join(parts)


def said_words(ruled: Judged) -> str:
    """What the referee says; where he says nothing, the act that was ruled on."""
    call = ruled.fields.get("call") or []
    words = ", ".join(call) if isinstance(call, list) else str(call)
    act = ruled.fact.get("choice") or ruled.fact.get("event") or ruled.fact.get("query")
    return words or ("Foul" if ruled.fields.get("foul") else str(act).replace("_", " ") if act else "No foul")


def over_words(given: Setup, ruled: Judged) -> list[str]:
    """Who has won the rack, frame, game or board that this line ends."""
    if not ruled.rack_over:
        return []
    return [f"won by {side_name(given, ruled.winner)}" if ruled.winner else "nobody's"]


def consequences(given: Setup, fields: Mapping[str, Any]) -> list[str]:
    """What follows from a ruling: penalty, balls that come back, who is next and from where, options."""
    out = []
    if fields.get("penalty"):
        out.append(f"penalty {fields['penalty']}")
    out += _billiards(fields) + _carrom(given, fields)
    for ball in fields.get("respot") or []:
        x, y = ball.get("xy") or (None, None)
        out.append(
            f"{ball.get('ball')} to {ball.get('spot') or 'its place'} ({x:.1f}, {y:.1f}) mm"
            if x is not None
            else f"{ball.get('ball')} respotted"
        )
    following = next(
        (fields[k] for k in ("next_shooter", "next_striker", "next_player", "next_turn") if fields.get(k)),
        None,
    )
    if following is not None:
        out.append(f"next {side_name(given, str(following))}")
    where = fields.get("cue_ball_in_hand") or fields.get("cue_ball_from_baulk")
    if where:
        out.append(
            f"cue-ball in hand {str(where).replace('_', ' ') if isinstance(where, str) else ''}".rstrip()
        )
    if fields.get("options"):
        out.append("options: " + ", ".join(fields["options"]))
    return out


def _billiards(fields: Mapping[str, Any]) -> list[str]:
    """Balls that the referee spots in English billiards."""
    out = []
    for key, ball in (("red_placed", "red"), ("object_white_placed", "object white")):
        if fields.get(key):
            x, y = fields[key]["xy"]
            out.append(f"{ball} to the {fields[key]['spot']} ({x:.1f}, {y:.1f}) mm")
    return out


def _carrom(given: Setup, fields: Mapping[str, Any]) -> list[str]:
    """C/m on the board, what comes out, the Queen, a board's points; who breaks."""
    out = []
    if "returned" in fields:
        back = fields["returned"]
        taken = [f"{back[k]} {word}" for k, word in _OUT_OF_THE_POCKETS if back[k]]
        taken += ["Queen"] if back["queen"] else []
        out += [f"out of the pockets: {', '.join(taken)}"] if taken else []
        queen, _, side = fields["queen"].replace("_", " ").partition(" by ")
        queen += f" by {side_name(given, side)}" if side else ""
        out.append(f"C/m {fields['A_on_board']}-{fields['B_on_board']}, Queen {queen}")
    if fields.get("board_winner"):
        out.append(f"board to {side_name(given, fields['board_winner'])}")
    if fields.get("extra_points_if_demanded"):
        out.append(f"{fields['extra_points_if_demanded']} more if demanded")
    if fields.get("breaker"):
        out.append(f"{side_name(given, fields['breaker'])} breaks")
    return out


def side_name(given: Setup, who: str | None) -> str:
    """The player's name of `A`, `B` or `choice:B`; the referee where nobody acted."""
    chooses, _, side = (who or "").rpartition(":")
    name = dict(zip(("A", "B"), given.players, strict=True)).get(side, who or "referee")
    return f"{name} to choose" if chooses else name


def standing_words(given: Setup, last: Judged) -> str:
    """Racks won, and who has won the match."""
    a, b = given.players
    score = f"{a} {last.match.racks[0]}-{last.match.racks[1]} {b}"
    return f"{score}; {side_name(given, last.match.winner)} wins the match" if last.match.over else score
