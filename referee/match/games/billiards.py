"""English billiards as a camera sees it: which white is struck, cannons and hazards in their order.

Which white is whose is never guessed from its colour: the ball that is struck first in a match is the
striker's, the other one the opponent's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from calibration.table.specs import TableSpec
from referee.cases import play
from referee.cases.model import Position, Values
from referee.facts.judged import Asked, asks
from referee.facts.seen import SeenBall, SeenContact, SeenStroke
from referee.match.games import baulk, seen_facts
from referee.match.games.baulk import as_object
from referee.match.games.eyes import Beginning, Eyes, Shot
from referee.match.games.ruling import AT, FIRST, Reading, readings
from referee.match.games.seen_facts import kind_of, said
from referee.match.jumped import jumped
from referee.match.touching import touching_verdict
from referee.match.weighing import EVEN, Part, to_one, yes_no
from referee.rules.english_billiards.types import Option
from referee.rules.game import Side
from referee.rules.registry import GAMES

WHITES = ("white", "yellow")
SURE_SIGMAS = 3.0
ONE_CONTACT_S = 0.01
"""Contacts this near in time may be one: between two images a time is known no better. Assumed."""


class Billiards(Eyes):
    """English billiards."""

    order: Sequence[str] = (
        "striker",
        "potted",
        "first_contact",
        "cannon",
        "jumped",
        "spotted_in_hand",
        "in_hand",
        "in_d",
        "left_baulk",
        "red_in_baulk",
        "white_in_baulk",
        "rests_in_baulk",
        "baulk_crossed",
        "left_touching",
    )

    def __init__(self, game: str) -> None:
        self.game = game

    def opens(self, beginning: Beginning) -> bool:
        """At the opening no point is made, the red lies on the Spot and one white is yet to come (3.2); later
        one white may be in-hand.
        """
        red = seen_facts.lying(beginning.layout, "red")
        moved = red is not None and beginning.table.spots and not _on_spot(red, beginning.table)
        return len(beginning.layout) < 3 and not moved and not any(beginning.score)

    def a_plays(self, seen: SeenStroke, by: str) -> str | None:
        """A's white, from the stroke that shows it."""
        cue = played_with(seen)
        return cue if cue is None or by == "A" else WHITES[1 - WHITES.index(cue)]

    def inside(self, start: Values, beginning: Beginning) -> Position[Any, Any]:
        """Inside a game: the red in open play unless it lies on its spot, both whites where they lie."""
        there = {b.colour: b for b in beginning.layout}
        red = there.get("red")
        on_spot = red is not None and _on_spot(red, beginning.table)
        inside = {k: v for k, v in start.items() if k != "opening"}
        return play.begin(
            self.game,
            {
                **inside,
                "striker": beginning.striker,
                "red_at": "spot" if on_spot else [red.x_mm, red.y_mm] if red is not None else None,
                "object_white": "on_table" if len([c for c in there if c in WHITES]) == 2 else "off_table",
                "scores": dict(zip("AB", beginning.score, strict=True)),
            },
            beginning.agreed,
        )

    def measured(self, position: Position[Any, Any], table: TableSpec) -> Position[Any, Any]:
        """Spots and baulk-line where this table has them (1.1(d) to (f)); a pool table has no baulk."""
        state = position.state
        return replace(position, state=replace(state, rules=replace(state.rules, table=table)))

    def readings(self, shot: Shot) -> list[Reading]:
        """Every reading of a stroke worth pursuing."""
        found: list[Reading] = []
        for part, position in _states(shot, self.struck(shot)):
            played = replace(shot, position=position)
            found += (replace(r, weight=r.weight * part.weight) for r in self._from(played, part))
        return to_one(sorted(found, key=lambda r: -r.weight))

    def struck(self, shot: Shot) -> str:
        """The white that was struck."""
        return played_with(shot.seen) or self._own(shot, shot.position.state.striker)

    def _from(self, shot: Shot, state: Part) -> list[Reading]:
        """The readings of a stroke played from a state."""
        seen, fix, cue = shot.seen, shot.fix, self.struck(shot)
        fell = [kind_of(p.ball, shot.pieces) for p in seen.pots]
        base: dict[str, Any] = {
            "type": "stroke",
            **baulk.start_places(seen, cue),
            "potted": [as_object(b) for b in fell if b != cue],
            "cue_ball": (fix and fix.cue_ball) or _fate(seen, cue, fell),
            "off_table": [as_object(b) for b in seen.off_table if b != cue],
            "infringements": seen_facts.entered(fix),
            "referee_called": fix is None or fix.called is not False,
            "end_positions": {
                "cue" if b.colour == cue else as_object(b.colour): [b.x_mm, b.y_mm] for b in seen.after
            },
        }
        named = Part("potted", seen_facts.named_pots(seen.pots, shot.pieces), 1.0, {})
        things: list[Sequence[Part | tuple[Part, ...]]] = [[replace(state, weight=1.0)], [named]]
        things += [self._strikers(shot, cue), _touching(shot, cue, {*fell, *seen.off_table})]
        things.append(jumped(seen, fix, {"infringements": [GAMES[self.game].jump]}))
        things += [self._met(shot, cue, base["cue_ball"]), baulk.crossed(shot, cue, base["cue_ball"])]
        if _from_baulk(shot):
            things += [baulk.cue_in_d(shot, cue), *baulk.object_balls_in_baulk(shot, cue)]
            if base["cue_ball"] == "on_table":
                things.append(baulk.rests_in_baulk(shot, cue, base["end_positions"]))
        return readings(base, things)

    def _met(self, shot: Shot, cue: str, fate: str) -> list[tuple[Part, ...]]:
        """What the cue-ball met; from in-hand together with whether a cushion out of baulk came first."""
        found: list[tuple[Part, ...]] = []
        for first, other in _met_balls(shot, cue, fate):
            words = self._contacts(shot, cue, first.value, other.value)
            changes = {"contacts": words, "simultaneous_first": " and " in first.value}
            met = replace(first, changes=changes)
            if _from_baulk(shot):
                found += [(met, other, left) for left in baulk.left_baulk(shot, cue, words)]
            else:
                found.append((met, other))
        return found

    def _own(self, shot: Shot, side: str) -> str:
        """The white that a player plays with."""
        mine = shot.a_plays or WHITES[0]
        return mine if side == "A" else WHITES[1 - WHITES.index(mine)]

    def _strikers(self, shot: Shot, cue: str) -> list[Part]:
        """Who played: the owner of the ball that was struck, who should be the one at the table."""
        turn, fix = shot.position.state.striker, shot.fix
        if fix is not None and fix.striker is not None:
            return [Part("striker", fix.striker, 1.0, {"by": fix.striker})]
        if shot.a_plays is None or self._own(shot, turn) == cue:
            return [Part("striker", turn, 1.0, {"by": turn})]
        them = "B" if turn == "A" else "A"
        wrong = {
            "by": turn,
            "infringements": ["struck_ball_other_than_cue_ball"],
        }
        return [Part("striker", them, 0.5 + 1e-6, {"by": them}), Part("striker", turn, 0.5 - 1e-6, wrong)]

    def _contacts(self, shot: Shot, cue: str, first: str, cannon: str) -> list[str]:
        """What the cue-ball met, in order: balls and cushions; `first`: the first ball of them; `cannon`:
        whether it met the other one too.
        """
        other = _others(shot, cue, first)
        words = [w for w in _met_in_order(shot, cue) if w not in other or cannon == "yes"]
        cushions = [w for w in words if w.startswith("cushion")]
        if first == "none":
            return cushions
        leads = [as_object(kind) for kind in first.split(" and ")]
        if leads[0] not in words:
            return [*leads, *words]
        k = words.index(leads[0])
        ahead = [w for w in words[:k] if w.startswith("cushion")]
        return [*ahead, *leads, *words[k + 1 :]]

    def at_table(self, position: Position[Any, Any], side: Side) -> Position[Any, Any]:
        """The position with that player's turn."""
        state = position.state
        return replace(position, state=replace(state, turn=state.order.index(side)))

    def doubt(self, shot: Shot) -> str | None:
        """Whether the ball that was struck is not the one of the player whose turn it is."""
        cue = played_with(shot.seen)
        told = shot.fix is not None and shot.fix.striker is not None
        if told or cue is None or shot.a_plays is None:
            return None
        return None if self._own(shot, shot.position.state.striker) == cue else "striker"

    def question(self, name: str, by: str) -> Asked:
        """The question about an uncertain thing."""
        if name == "spotted_in_hand":
            return asks("billiards_spotted_in_hand", name=by)
        if name in ("in_d", "jumped"):
            return Asked(name)
        return Asked(f"billiards_{name}" if name in self.order else "what_happened")


def _from_baulk(shot: Shot) -> bool:
    """Whether the stroke is played from in-hand on a table that has a baulk-line."""
    return shot.position.state.striker_in_hand and shot.table.baulk_line_mm is not None


def _fate(seen: SeenStroke, cue: str, fell: Collection[str]) -> str:
    """What became of the white that was struck."""
    if cue in fell:
        return "pocketed"
    return "off_table" if cue in seen.off_table else "on_table"


def _met_in_order(shot: Shot, cue: str) -> list[str]:
    """The balls and cushions that the cue-ball met, in the order of their times."""
    met = [(c.t_s or 0.0, as_object(kind)) for c, kind in _contacts_of(shot, cue)]
    for hit in shot.seen.cushions:
        if kind_of(hit.ball, shot.pieces) == cue:
            met.append((hit.t_s or 0.0, f"cushion:{_cushion(hit.cushion)}"))
    return [word for _, word in sorted(met)]


def played_with(seen: SeenStroke) -> str | None:
    """Which white was struck: the one that made the first contact, or the only one that moved."""
    first, _ = seen_facts.likely_contact(seen)
    if first in WHITES:
        return WHITES[1 - WHITES.index(first)]
    timed = sorted((c for c in seen.met if c.t_s is not None), key=lambda c: c.t_s or 0.0)
    for c in timed:
        other = [b for b in c.balls if b in WHITES]
        if len(other) == 1:
            return other[0]
    left = [b.colour for b in seen_facts.moved(seen) if b.colour in WHITES]
    left += [p.ball for p in seen.pots if p.ball in WHITES]
    return left[0] if len(set(left)) == 1 else None


def _contacts_of(shot: Shot, cue: str) -> Iterator[tuple[SeenContact, str]]:
    """The cue-ball's contacts, each with the kind of the ball that it met: those that are likelier than not;
    with a ball that has none of these, the likeliest one.
    """
    found: dict[str, list[SeenContact]] = {}
    for c in shot.seen.contacts:
        kinds = [kind_of(b, shot.pieces) for b in c.balls]
        if cue in kinds:
            found.setdefault(kinds[1 - kinds.index(cue)], []).append(c)
    for kind, contacts in found.items():
        likeliest = max(contacts, key=lambda c: c.confidence)
        yield from ((c, kind) for c in contacts if c is likeliest or c in shot.seen.met)


def _others(shot: Shot, cue: str, first: str) -> dict[str, float]:
    """The object balls beside the `first` ones that the cue-ball may have met, with how likely."""
    found: dict[str, float] = {}
    for c, kind in _contacts_of(shot, cue):
        if kind not in first.split(" and "):
            found[as_object(kind)] = max(found.get(as_object(kind), 0.0), c.confidence)
    return found


def _met_balls(shot: Shot, cue: str, fate: str) -> Iterator[tuple[Part, Part]]:
    """What the cue-ball met first, and whether it made a cannon off the other ball."""
    for first in _first_contacts(shot, cue, fate):
        likely = max(_others(shot, cue, first.value).values(), default=0.0)
        for other in yes_no("cannon", likely, {}, {}, said(shot.fix, "cannon")):
            yield first, other


def _first_contacts(shot: Shot, cue: str, fate: str) -> list[Part]:
    """What the cue-ball met first; both object balls at once where that cannot be told and counts: an in-off
    is worth more off the red (3.4(d)).
    """
    found = seen_facts.contacts(shot.seen, shot.fix)
    told = shot.fix is not None and shot.fix.first_contact is not None
    if told or fate != "pocketed" or not _may_meet_both(shot, cue):
        return found
    both = Part("first_contact", f"red and {WHITES[1 - WHITES.index(cue)]}", EVEN, {})
    return [*(replace(p, weight=(1.0 - EVEN) * p.weight) for p in found), both]


def _may_meet_both(shot: Shot, cue: str) -> bool:
    """Whether the object balls lay so near that the cue-ball can touch both, and it met both at about a
    time.
    """
    seen, diameter_mm = shot.seen, shot.table.ball_diameter_mm
    lay = [b for b in seen.before if b.colour != cue]
    met = [c for c in seen.met if cue in (kind_of(b, shot.pieces) for b in c.balls)]
    if len(lay) != 2 or len({frozenset(c.balls) for c in met}) < 2:
        return False
    reach_mm = 2 * diameter_mm + SURE_SIGMAS * math.hypot(lay[0].sigma_mm, lay[1].sigma_mm)
    if math.dist((lay[0].x_mm, lay[0].y_mm), (lay[1].x_mm, lay[1].y_mm)) > reach_mm:
        return False
    return _may_be_one([c.t_s for c in met])


def _may_be_one(times_s: Sequence[float | None]) -> bool:
    """Whether the first of these contacts and another may have been at the same time."""
    first_s = min((t for t in times_s if t is not None), default=None)
    return first_s is None or sum(t is None or t - first_s < ONE_CONTACT_S for t in times_s) > 1


def _touching(shot: Shot, cue: str, gone: Collection[str]) -> list[Part]:
    """Which balls touch at the end (3.13): as measured on both at once where it was, else by their places.
    `gone`: balls that fell or left the table.
    """
    lie = [b for b in shot.seen.after if b.colour not in gone]
    pairs = [(a, b) for k, a in enumerate(lie) for b in lie[k + 1 :] if {a.colour, b.colour} & set(WHITES)]
    named = {b.ball: "cue" if b.colour == cue else as_object(b.colour) for b in lie}
    verdicts = [
        (f"{named[a.ball]}-{named[b.ball]}", touching_verdict(*_gap_mm(shot, a, b))) for a, b in pairs
    ]
    sure = [p for p, verdict in verdicts if verdict == "yes"]
    perhaps = [p for p, verdict in verdicts if verdict != "no"]
    yes, no = {"touching_at_end": perhaps}, {"touching_at_end": sure}
    if perhaps == sure:
        return [Part("left_touching", "-", 1.0, no)]
    return yes_no("left_touching", EVEN, yes, no, said(shot.fix, "left_touching"))


def _gap_mm(shot: Shot, a: SeenBall, b: SeenBall) -> tuple[float, float]:
    """The gap between two balls' surfaces, and one sigma of it."""
    measured = {t.ball: (t.gap_mm, t.sigma_mm) for t in shot.seen.touching}
    if shot.pieces.cue in (a.colour, b.colour):
        other = b.ball if a.colour == shot.pieces.cue else a.ball
        if other in measured:
            return measured[other]
    gap_mm = math.dist((a.x_mm, a.y_mm), (b.x_mm, b.y_mm)) - shot.table.ball_diameter_mm
    return gap_mm, math.hypot(a.sigma_mm, b.sigma_mm)


def _states(shot: Shot, cue: str) -> list[tuple[Part, Position[Any, Any]]]:
    """The states from which the stroke may have been played: after a foul a choice nobody said (3.15(c)),
    and where a recording begins a striker who is in-hand or not.
    """
    state = shot.position.state
    if state.options:
        return _chosen(shot, cue)
    ball = seen_facts.lying(shot.seen.before, cue)
    begins = state.started and not shot.earlier and not state.striker_in_hand
    in_d = begins and ball is not None and shot.table.baulk_line_mm is not None
    if not in_d or ball is None or not baulk.may_lie_in_d(ball, shot.table):
        return [(Part("in_hand", "-", 1.0, {}), shot.position)]
    at = replace(shot.position, state=replace(state, must_play_in_hand=True))
    parts = yes_no("in_hand", EVEN, {AT: at}, {}, said(shot.fix, "in_hand"))
    return [(p, at if p.value == "yes" else shot.position) for p in parts]


def _chosen(shot: Shot, cue: str) -> list[tuple[Part, Position[Any, Any]]]:
    """Both options after a foul, weighed by what lies where: untouched balls are played as they lie, and both
    object balls on their spots were put there for a stroke from in-hand.
    """
    state = shot.position.state
    choice = {"type": "choice", "by": state.side, "choice": Option.IN_HAND.value}
    after = play.advance(shot.game, shot.position, choice).position
    parts = yes_no(
        "spotted_in_hand", _spotted(shot, cue), {FIRST: [choice]}, {}, said(shot.fix, "spotted_in_hand")
    )
    return [(p, after if p.value == "yes" else shot.position) for p in parts]


def _spotted(shot: Shot, cue: str) -> float:
    """Weight that the object balls were spotted for a stroke from in-hand (3.15(c)(ii))."""
    before, was = {b.colour: b for b in shot.seen.before}, {b.colour: b for b in shot.earlier}
    spots, white = shot.table.spots, WHITES[1 - WHITES.index(cue)]
    if not was:
        return 0.0
    if not spots or shot.seen.gap_before:
        return EVEN
    due = {"red": spots["black"], white: spots["blue"]}
    if not all(_near(before[k].x_mm, before[k].y_mm, spot) for k, spot in due.items() if k in before):
        return 0.0
    moved = {k for k, b in before.items() if k not in was or _apart_mm(b, was[k]) > seen_facts.CUE_MOVED_MM}
    if not moved and len(before) == len(due) + 1:
        return 0.0  # played as they lie, on the spots
    by_hand = white in moved or (cue in moved and not shot.position.state.striker_in_hand)
    # a red may be spotted after a foul in any case
    return 1.0 if by_hand and set(due) <= set(before) else EVEN


def _apart_mm(a: SeenBall, b: SeenBall) -> float:
    return math.dist((a.x_mm, a.y_mm), (b.x_mm, b.y_mm))


def _cushion(name: str) -> str:
    return name if name in ("bottom", "top") else "side"


def _on_spot(red: SeenBall, table: TableSpec) -> bool:
    spot = table.spots.get("black")
    return spot is not None and _near(red.x_mm, red.y_mm, spot)


def _near(x_mm: float, y_mm: float, spot: tuple[float, float]) -> bool:
    return abs(x_mm - spot[0]) < 8.0 and abs(y_mm - spot[1]) < 8.0
