"""Strokes whose balls' names are in doubt: what they say under each naming, and what the rules need of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from calibration.table.games import BY_NUMBER, GAMES, PIECES
from referee.facts.corrections import Correction
from referee.facts.seen import SeenStroke
from referee.match.position import Settings
from referee.match.renaming import Names, may_be
from referee.match.weighing import OPEN, Labels
from referee.rules.game import FactsError
from referee.rules.wpa import eight_ball
from referee.rules.wpa.rotation import RotationState


def needed(game: str, kind: str) -> str:
    """What the rules of a game need of an object ball's name: its group, or the name itself."""
    if game == "wpa_14_1" and kind.isdigit():
        return "a ball"
    if GAMES[game].groups == BY_NUMBER and kind.isdigit() and kind != "8":
        return "a solid" if int(kind) < 8 else "a stripe"
    return kind


def hypotheses(seen: SeenStroke, game: str) -> list[tuple[float, Names]]:
    """The namings that differ in a ball that this stroke concerns, or in which balls lie on the table.

    Weights sum to 1. The struck ball is told by its motion: no naming gives it another name.
    """
    pieces = PIECES[game]
    single = frozenset(pieces.struck) if len(pieces.struck) == 1 else frozenset[str]()
    concerned = _concerned(seen)
    found: dict[tuple[Any, ...], tuple[float, Names]] = {}
    for n in seen.namings:
        names: Names = dict(n.names)
        if single & {*names, *names.values()}:
            continue
        there = frozenset(names.get(b.ball, b.ball) for b in seen.before)
        key = (tuple((b, names.get(b, b)) for b in concerned), there)
        weight, first = found.get(key, (0.0, names))
        found[key] = (weight + n.weight, first)
    total = sum(w for w, _ in found.values())
    kept = [(w / total, names) for w, names in found.values() if w / total > OPEN**2]
    return sorted(kept, key=lambda h: -h[0]) or [(1.0, {})]


def answered(
    found: list[tuple[float, Names]], seen: SeenStroke, fix: Correction | None
) -> list[tuple[float, Names]]:
    """The namings that agree with what a person said was met first, fell or lies there; all if none does."""
    if fix is None:
        return found
    met, there = {*(fix.first_contact or ()), *(fix.potted or ())}, dict(fix.answers).get("lying")
    balls, lying = _concerned(seen), lying_there(found, seen)
    return [
        h
        for h, lies in zip(found, lying, strict=True)
        if met <= {h[1].get(b, b) for b in balls} and there in (None, lies)
    ] or found


def lying_there(found: Sequence[tuple[float, Names]], seen: SeenStroke) -> list[str]:
    """For each naming, which balls lie on the table before the stroke that do not under all of them."""
    there = [{names.get(b.ball, b.ball) for b in seen.before} for _, names in found]
    always = set.intersection(*there) if there else set()
    return [", ".join(sorted(t - always, key=_number)) for t in there]


def _concerned(seen: SeenStroke) -> list[str]:
    """The balls that were met or moved, or fell."""
    names = {f.ball for f in seen.first_contact if f.ball is not None}
    names |= {p.ball for p in seen.pots} | set(seen.off_table) | set(seen.vanished)
    return sorted(names | {c.ball for c in seen.cushions})


def state_renamed(state: Any, names: Names) -> Any | None:
    """A game's state with its numbered balls on the table renamed; None where the rules know no such
    table.
    """
    if not names or not isinstance(state, RotationState | eight_ball.State):
        return state
    new = [names.get(str(n), str(n)) for n in state.on_table]
    if not all(n.isdigit() for n in new):
        return None
    try:
        return replace(state, on_table=frozenset(map(int, new)))
    except FactsError:
        return None


def as_needed(labels: Labels, seen: SeenStroke, names: Names, settings: Settings) -> Labels:
    """What a reading says of a stroke as far as the rules need it: balls in doubt by their group."""
    open_ = {names.get(b, b) for n in seen.namings for b, _ in n.names}

    def said(value: str) -> str:
        return ", ".join(needed(settings.game, v) if v in open_ else v for v in value.split(", "))

    return tuple((thing, said(value)) for thing, value in labels)


def told(fact: Mapping[str, Any], seen: SeenStroke, game: str) -> dict[str, Any]:
    """A stroke's fact in the words of the rule cases, balls whose name is in doubt as all that they may
    be.
    """

    def ball(name: str) -> str:
        names = sorted((n for n, p in may_be(seen, name).items() if p >= OPEN), key=_number)
        if len(names) < 2:
            return name
        groups = {needed(game, n) for n in names}
        either = " or ".join(names)
        return f"{groups.pop()} ({either})" if len(groups) == 1 else either

    def pot(fell: Any) -> Any:
        return {**fell, "ball": ball(str(fell["ball"]))} if isinstance(fell, Mapping) else ball(str(fell))

    out = dict(fact)
    if isinstance(out.get("first_contact"), list):
        out["first_contact"] = [ball(str(b)) for b in out["first_contact"]]
    if isinstance(out.get("potted"), list):
        out["potted"] = [pot(b) for b in out["potted"]]
    return out


def _number(name: str) -> tuple[int, str]:
    return (int(name) if name.isdigit() else 0, name)
