"""The facts of a simulated clip in the form of `cueref judge`: OUT.facts.jsonl, for `cueref review --facts`.

What happened comes from the simulation, who plays next from the rules; a ball that fell counts as called. The
file ends where the rules end the rack, or where they ask for what the simulation did not do.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from calibration.files import write_text
from calibration.table.games import GAMES, rules_of
from referee.match.declared import MatchSetup, RuledFact, judge
from referee.match.declared_facts import DeclaredFact, FactsFile
from vision.render.play.director import Script, StrokeEvent
from vision.render.play.match import PlayedStroke, kind

_NEXT = ("next_shooter", "next_striker", "next_player", "next_turn")
_NOT_PLAYED = ("respot", "rerack", "replaced", "balls_replaced", "placing_order")
"""What the rules may ask for and the simulation does not do."""
CUE = "white"


def write_facts(clip: Path, game: str, script: Script) -> Path:
    """Write the facts beside the clip, whole or not at all; the file's path."""
    path = clip.with_name(f"{clip.stem}.facts.jsonl")
    write_text(path, "".join(json.dumps(f) + "\n" for f in facts_of(game, script)))
    return path


def facts_of(game: str, script: Script) -> list[dict[str, Any]]:
    """One fact a stroke with its times, and the choices that the rules ask for in between (the first
    offered).
    """
    strokes = [e for e in script.events if isinstance(e, StrokeEvent)]
    facts: list[dict[str, Any]] = []
    by = "A"
    for event in strokes:
        times = {"start_s": round(event.t_strike, 3), "end_s": round(event.t_rest, 3)}
        told = {"by": by, **_fact(game, event.played, by)}
        ruled = _ruled(game, [*facts, told])
        if ruled is None:
            break
        facts.append({**told, **times})
        chosen = _choice(game, facts, ruled)
        if chosen is not None:
            facts.append({**chosen, "t_s": times["end_s"]})
            ruled = _ruled(game, facts) or ruled
        if ruled.rack_over or any(ruled.values.get(k) for k in _NOT_PLAYED):
            break
        following = next((str(ruled.values[k]) for k in _NEXT if ruled.values.get(k)), by)
        by = following.rpartition(":")[2]
        if rules_of(game) == "english_billiards" and by != "A":
            break  # each player has a white of his own: a clip is one visit
    return facts


def _ruled(game: str, facts: list[dict[str, Any]]) -> RuledFact | None:
    """The ruling on the last of the facts; None when the rules refuse it."""
    plain = [{k: v for k, v in f.items() if k not in ("t_s", "start_s", "end_s")} for f in facts]
    file = FactsFile(Path("synth"), tuple(DeclaredFact(n, f) for n, f in enumerate(plain, 1)), {}, "")
    try:
        return list(judge(file, MatchSetup(game)))[-1]
    except UnusableInput:
        return None


def _choice(game: str, facts: list[dict[str, Any]], ruled: RuledFact) -> dict[str, Any] | None:
    """The first choice on offer that one of the players may make."""
    for option in ruled.values.get("options") or ():
        for side in ("B", "A") if ruled.by == "A" else ("A", "B"):
            chosen = {"type": "choice", "by": side, "choice": str(option)}
            if _ruled(game, [*facts, chosen]) is not None:
                return chosen
    return None


def _fact(game: str, played: PlayedStroke, by: str) -> dict[str, Any]:
    """What happened in a stroke, in the vocabulary of the game's rule cases."""
    if game == "carrom":
        return _carrom(played, by)
    return _billiards(played) if rules_of(game) == "english_billiards" else _pool(game, played)


def _fell(played: PlayedStroke) -> list[tuple[str, str]]:
    """Kind and pocket of every object ball that fell, in order."""
    return [(kind(b), p) for b, p, _ in played.flight.pots if b != CUE]


def _cue_ball(played: PlayedStroke) -> str:
    """What became of the cue-ball."""
    return "pocketed" if any(b == CUE for b, _, _ in played.flight.pots) else "on_table"


def _billiards(played: PlayedStroke) -> dict[str, Any]:
    """The first ball that the cue-ball touched, and what fell."""
    touched = [kind(b if a == CUE else a) for a, b, _ in played.flight.contacts if CUE in (a, b)]
    return {
        "type": "stroke",
        "contacts": touched[:1],
        "potted": [b for b, _ in _fell(played)],
        "cue_ball": _cue_ball(played),
    }


def _pool(game: str, played: PlayedStroke) -> dict[str, Any]:
    """The first contact, what fell, and what came to a cushion after the contact (a pocket counts as one)."""
    first, fell = played.first_contact, _fell(played)
    met_s = math.inf if first is None else first[1]
    after = [b for b, t in played.flight.cushions if t > met_s]
    rails = {*after, *(b for b, _, t in played.flight.pots if t > met_s)}
    objects = len(rails - {CUE})
    told: dict[str, Any] = {
        "type": "shot",
        "first_contact": [] if first is None else [kind(first[0])],
        "potted": [{"ball": b, "pocket": p} for b, p in fell],
        "cue_ball": _cue_ball(played),
    }
    if rules_of(game) == "wepf":
        return {
            **told,
            "cushion_contacts_after_first_contact": len(after),
            "object_balls_driven_to_cushion": objects,
        }
    told |= {"balls_driven_to_rail_after_contact": len(rails), "object_balls_driven_to_rail": objects}
    if GAMES[game].called and fell:
        told["called"] = {"ball": fell[0][0], "pocket": fell[0][1]}
    return told


def _carrom(played: PlayedStroke, by: str) -> dict[str, Any]:
    """Counts of own and opponent's C/m: A has white, the clip's strokes are one board."""
    fell = [b for b, _, _ in played.flight.pots]
    own, other = ("white-", "black-") if by == "A" else ("black-", "white-")
    return {
        "type": "stroke",
        "proper": True,
        "pocketed": {
            "own": sum(b.startswith(own) for b in fell),
            "opponent": sum(b.startswith(other) for b in fell),
            "queen": "queen" in fell,
            "striker": CUE in fell,
        },
    }
