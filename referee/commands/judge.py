"""`cueref judge`: score a match from typed or exported facts, with no camera."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from referee.judging import Judged, Setup

Facts = Annotated[
    Path, typer.Argument(metavar="FACTS.jsonl", help="One JSON object a line, as in the rule cases.")
]
Game = Annotated[str, typer.Option("--game", metavar="GAME", help="snooker, six_red, wpa_9ball, carrom, ...")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line to standard output.")]


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("judge")(judge)


def judge(facts: Facts, game: Game, as_json: Json = False) -> None:
    """Rule on facts typed by hand or exported, and keep the score; exit 2 names the line that cannot be.

    The first line may be {"type": "start", "players": ["Ann", "Bo"], "match": {"race_to": 5}}.

    Example: cueref judge facts.jsonl --game wpa_9ball
    """
    from referee import judging

    lines = judging.read_lines(facts)
    given = judging.setup(facts, game, lines)
    last: Judged | None = None
    for ruled in judging.judge(facts, given, lines):
        last = ruled
        typer.echo(json.dumps(_record(ruled), ensure_ascii=False) if as_json else _text(given, ruled))
    if not as_json and last is not None:
        typer.echo(_standing(given, last))


_OUT_OF_THE_POCKETS = (("own_pocketed_this_stroke", "just pocketed"), ("due", "due"), ("penalty", "penalty"))


def _record(ruled: Judged) -> dict[str, Any]:
    return {
        "line": ruled.line,
        "rack": ruled.rack,
        "by": ruled.by,
        **ruled.fields,
        "racks": list(ruled.match.racks),
        "match_winner": ruled.match.winner,
    }


def _text(given: Setup, ruled: Judged) -> str:
    fields = ruled.fields
    call = fields.get("call") or []
    words = ", ".join(call) if isinstance(call, list) else str(call)
    clause = f" [{fields['clause']}]" if fields.get("clause") else ""
    act = ruled.fact.get("choice") or ruled.fact.get("event") or ruled.fact.get("query")
    said = words or ("Foul" if fields.get("foul") else str(act).replace("_", " ") if act else "No foul")
    refused = " refused" if fields.get("accepted") is False else ""
    parts = [f"line {ruled.line}  {_name(given, ruled.by)}: {said}{clause}{refused}"]
    parts += _consequences(given, fields)
    scores = fields.get("scores")
    if isinstance(scores, Mapping):
        parts.append(f"score {scores.get('A')}-{scores.get('B')}")
    if ruled.rack_over:
        parts.append(f"won by {_name(given, ruled.winner)}" if ruled.winner else "nobody's")
    parts.append(f"racks {ruled.match.racks[0]}-{ruled.match.racks[1]}")
    return "; ".join(parts)


def _consequences(given: Setup, fields: Mapping[str, Any]) -> list[str]:
    out = []
    if fields.get("penalty"):
        out.append(f"penalty {fields['penalty']}")
    out += _billiards(fields) + _carrom(given, fields)
    for ball in fields.get("respot") or []:
        x, y = ball.get("xy") or (None, None)
        out.append(f"{ball.get('ball')} to {ball.get('spot') or 'its place'} ({x:.1f}, {y:.1f}) mm" if x is not None
                   else f"{ball.get('ball')} respotted")  # fmt: skip
    following = next(
        (fields[k] for k in ("next_shooter", "next_striker", "next_player", "next_turn") if fields.get(k)),
        None,
    )
    if following is not None:
        out.append(f"next {_name(given, str(following))}")
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
        out.append(f"C/m {fields['A_on_board']}-{fields['B_on_board']}, Queen {fields['queen'].replace('_', ' ')}")
    if fields.get("board_winner"):
        out.append(f"board to {_name(given, fields['board_winner'])}")
    if fields.get("extra_points_if_demanded"):
        out.append(f"{fields['extra_points_if_demanded']} more if demanded")
    if fields.get("breaker"):
        out.append(f"{_name(given, fields['breaker'])} breaks")
    return out


def _name(given: Setup, who: str | None) -> str:
    chooses, _, side = (who or "").rpartition(":")
    name = dict(zip(("A", "B"), given.players, strict=True)).get(side, who or "referee")
    return f"{name} to choose" if chooses else name


def _standing(given: Setup, last: Judged) -> str:
    a, b = given.players
    score = f"{a} {last.match.racks[0]}-{last.match.racks[1]} {b}"
    return f"{score}; {_name(given, last.match.winner)} wins the match" if last.match.over else score
