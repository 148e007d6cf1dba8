"""Pool of every kind as a camera sees it: WPA eight, nine, ten ball and 14.1, black ball, WEPF eightball.

A camera knows contacts, pots with pockets, cushions and places. It does not know what was called: a push out,
a safety, a ball and pocket. WPA 1.6 asks for a call only where the shot is not obvious: a ball that was met
first and rolled into a pocket directly is taken as called; a bank, combination or carom is a question.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from calibration.table.games import GAMES, PIECES, in_rules, rules_of
from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from referee.cases import play
from referee.cases.model import Position, Values
from referee.facts.calls import Frozen, ShotCall, Touching
from referee.facts.corrections import into_pocket
from referee.facts.judged import Asked, asks
from referee.facts.seen import SeenBall, SeenPot
from referee.match.games import foul_snooker, frozen, seen_facts
from referee.match.games.eyes import Beginning, Eyes, Shot
from referee.match.games.ruling import AT, FIRST, Reading, readings
from referee.match.games.seen_facts import kind_of, said
from referee.match.jumped import jumped
from referee.match.priors import CHOOSER_PLAYS, NO_PUSH, OBVIOUS, OPEN_TABLE, PUSHED, WARNED
from referee.match.touching import AT_ONCE_S, touch, touch_weight
from referee.match.weighing import EVEN, OPEN, Part, yes_no
from referee.rules.blackball import engine as blackball
from referee.rules.common.red_yellow import COLOURS
from referee.rules.game import AtTable, MayCall, Side, index
from referee.rules.registry import GAMES as RULES
from referee.rules.wepf import types as wepf
from referee.rules.wepf.fouls import Marks
from referee.rules.wpa import eight_ball, fourteen_one
from referee.rules.wpa.general import PoolMarks
from referee.rules.wpa.rotation import RotationState

JAWS_S = 0.2
"""Cushion hits so soon before a pot are the pocket's own jaws."""
_OF_A_PLAYER = frozenset({"called", "nominated", "foul_snooker", "push_out", "warned"})
_QUESTIONS = _OF_A_PLAYER | {
    "striker",
    "group",
    "potted",
    "cue_ball",
    "first_contact",
    "rail",
    "frozen_rail",
    "break_rails",
    "cue_rail",
    "crossed",
    "behind_string",
    "touching",
    "jumped",
    "met_fell",
    "placed",
    "lying",
}
"""Uncertain things that have a question of their own."""
CENTRE_CROSSED = 2  # black ball 5.5(b)
FOUR, TWO = 4, 2  # object balls at cushions: nine ball 2.3(b), 14.1 4.3(b); fouls before a warning, 6.14
PoolPosition = Position[Any, Any]


class Pool(Eyes):
    """One game of pool. `pushes`: the second shot may be a push out; `wepf`: its fields have other names."""

    THINGS: ClassVar[tuple[str, ...]] = (
        "striker",
        "group",
        "potted",
        "cue_ball",
        "first_contact",
        "nominated",
        "foul_snooker",
        "met_fell",
        "called",
        "push_out",
        "warned",
        "rail",
        "frozen_rail",
        "break_rails",
        "cue_rail",
        "crossed",
        "behind_string",
        "touching",
        "jumped",
        "placed",
        "lying",
    )

    def __init__(self, game: str) -> None:
        spec = GAMES[game]
        self.game, self.called, self.pushes = game, spec.called, spec.push_out
        self.rules = rules_of(game)
        self.wepf = self.rules == "wepf"
        self.reracks = game == "wpa_14_1"
        self.colours = spec.family == "british"
        self._things = tuple(thing for thing in self.THINGS if self._has(thing))

    @property
    def order(self) -> Sequence[str]:
        """What may be uncertain in this game."""
        return self._things

    def _has(self, thing: str) -> bool:
        """Whether that is uncertain in this game."""
        only = {
            "group": bool(GAMES[self.game].groups),
            "nominated": self.wepf,
            "foul_snooker": self.wepf,
            "met_fell": self.wepf,
            "called": self.called,
            "push_out": self.pushes,
            "warned": self.pushes or self.reracks,
            "break_rails": self.rules != "blackball",
            "cue_rail": self.game == "wpa_14_1",
            "crossed": self.rules == "blackball",
            "behind_string": not self.colours,
            "touching": self.colours,
            "jumped": RULES[self.game].jump is not None,
        }
        return only.get(thing, True)

    # -- the beginning ------------------------------------------------------------------------------

    def opens(self, beginning: Beginning) -> bool:
        """With its pieces as they are set up; in 14.1 fourteen are set up again beside the fifteenth."""
        apart = self.reracks and seen_facts.one_apart(beginning.layout, PIECES[self.game], beginning.table)
        return beginning.racked and not apart

    def inside(self, start: Values, beginning: Beginning) -> PoolPosition:
        """Inside a rack: the balls that lie there, nobody's cue-ball in hand; groups as they were said."""
        position = play.begin(self.game, start, {})
        layout = tuple(replace(b, colour=in_rules(self.game, b.colour)) for b in beginning.layout)
        group = self._in_rules(beginning.group)
        inside = _inside(position.state, replace(beginning, layout=layout, group=group))
        return Position(inside, position.notes)

    def _in_rules(self, group: str | None) -> str | None:
        """A group as the rules name it: of solids and stripes they know reds and yellows."""
        own, theirs = GAMES[self.game].groups, GAMES[self.rules].groups
        return theirs[own.index(group)] if group in own else group

    def measured(self, position: PoolPosition, table: TableSpec) -> PoolPosition:
        """Spots and strings at this table's quarters (WPA 8.1), baulk lines at its fifth (5.1, B(3)(b))."""
        state: Any = position.state
        if self.wepf:
            return replace(position, state=replace(state, marks=Marks.of(table)))
        string_mm = table.length_mm / 5 if self.colours else None
        return replace(position, state=replace(state, marks=PoolMarks.of(table, string_mm)))

    def in_hand(self, position: PoolPosition) -> bool | None:
        """By the rules' state; None where the next player may choose to have it."""
        state = position.state
        if self._at_table(state).options:
            return None
        return bool(state.from_baulk if self.wepf else state.in_hand)

    def _at_table(self, state: Any) -> AtTable:
        """Who is at the table, and who may choose, as the game's rules have it."""
        return RULES[self.game].at_table(state)

    # -- readings -----------------------------------------------------------------------------------

    def readings(self, shot: Shot) -> list[Reading]:
        """Every reading of a shot worth pursuing."""
        told = self._declared(shot)
        return self._readings(told)

    def _declared(self, shot: Shot) -> Shot:
        """The shot with the balls that were declared frozen in the rules' state (WPA 8.4)."""
        pairs = [(self._word(kind_of(b, shot.pieces)), rail) for b, rail in self._frozen(shot)]
        if self.wepf or not pairs:
            return shot
        state = replace(shot.position.state, frozen_declared=tuple(pairs))
        return replace(shot, position=replace(shot.position, state=state))

    def _frozen(self, shot: Shot) -> frozen.Against:
        """Balls that lay against a cushion, where that counts: as declared (WPA 8.4), in WEPF as measured."""
        if self.wepf:
            first, _ = seen_facts.likely_contact(shot.seen)
            return frozen.pressed(shot.seen, first, shot.pieces, shot.table)
        said = [c for c in shot.calls if isinstance(c, Frozen)]
        return frozen.declared(said, shot.seen, shot.table)

    def _readings(self, shot: Shot) -> list[Reading]:
        """Every reading of a shot in its position: what is certain, with every part of what is not."""
        seen, pots = shot.seen, shot.seen.pots
        off, contacts = self._off_table(shot), self._contacts(shot)
        things: list[Sequence[Part | tuple[Part, ...]]] = [
            [Part("potted", seen_facts.named_pots(pots, shot.pieces), 1.0, {})],
            [Part("cue_ball", seen.cue_ball, 1.0, {"cue_ball": seen.cue_ball})],
            self._strikers_with_calls(shot, pots),
            self._touching(shot, contacts) if self.colours else self._from_behind(shot, contacts),
            self._placed(shot),
        ]
        if (jump := RULES[self.game].jump) is not None:
            things.append(jumped(seen, shot.fix, {"infringements": [jump]}))
        if self._at_table(shot.position.state).opens:
            things.append(self._break_rails(shot, [*(p.ball for p in pots), *off]))
            things.append(self._cue_ball_rail(shot))
            things.append(self._crossings(shot, bool(pots)))
        things.append(self._rails(shot, bool(pots or off)))
        things.append(self._push_outs(shot, contacts))
        things.append(self._warned(shot))
        things.append(self._nominations(shot))
        things.append(self._out_of_foul_snooker(shot, contacts, [p.ball for p in pots]))
        things.append(self._groups(shot))
        return readings(self._certain(shot, off), things)

    def _certain(self, shot: Shot, off: Sequence[str]) -> dict[str, Any]:
        """What every reading of a shot says. `off`: kinds of the balls off the table."""
        potted = [
            {"ball": self._said(kind_of(p.ball, shot.pieces)), **({"pocket": p.pocket} if p.pocket else {})}
            for p in shot.seen.pots
        ]
        return {
            AT: shot.position,
            "type": "shot",
            "potted": potted,
            "off_table": [self._said(b) for b in off],
            "infringements": seen_facts.entered(shot.fix),
            "end_positions": {b.ball: [b.x_mm, b.y_mm] for b in shot.seen.after},
            "referee_called": shot.fix is None or shot.fix.called is not False,
        }

    def _off_table(self, shot: Shot) -> list[str]:
        """Kinds of the balls off the table, as a person said, else as seen."""
        if shot.fix is not None and shot.fix.off_table is not None:
            return list(shot.fix.off_table)
        return [kind_of(b, shot.pieces) for b in shot.seen.off_table]

    def _contacts(self, shot: Shot) -> list[Part]:
        """What may have been met first, in the rules' names of the balls."""
        fell = [kind_of(p.ball, shot.pieces) for p in shot.seen.pots]
        return [
            replace(p, changes={"first_contact": [self._said(b) for b in p.changes["first_contact"]]})
            for p in seen_facts.contacts(shot.seen, shot.fix, fell)
        ]

    def _word(self, kind: str) -> str:
        """The rules' name of a ball: WEPF calls the black the 8."""
        word = in_rules(self.game, kind)
        return "8" if self.wepf and word == "black" else word

    def _said(self, kind: str) -> str:
        """A ball's name in a fact, which the game's adapter reads."""
        return "8" if self.wepf and kind == "black" else kind

    def players(self, shot: Shot) -> Sequence[Side]:
        """Those of whom a reading has it that they play."""
        return [p.changes["by"] for p in self._strikers(shot)]

    def _strikers(self, shot: Shot) -> list[Part]:
        at, fix = self._at_table(shot.position.state), shot.fix
        if fix is not None and fix.striker is not None:
            return [Part("striker", fix.striker, 1.0, {"by": fix.striker})]
        chooser = at.chooser
        if chooser is None:
            return [Part("striker", str(at.by), 1.0, {"by": at.by})]
        if not any(self._passes(shot, chooser, option) for option in at.options):
            return [Part("striker", chooser, 1.0, {"by": chooser})]
        them = "B" if chooser == "A" else "A"
        return [
            Part("striker", chooser, CHOOSER_PLAYS, {"by": chooser}),
            Part("striker", them, 1.0 - CHOOSER_PLAYS, {"by": them}),
        ]

    def _passes(self, shot: Shot, chooser: Side, option: str) -> bool:
        """Whether an option has the other player play the balls as they lie (WPA 2.4, 9.4, 9.6, 9.7)."""
        choice = {"type": "choice", "by": chooser, "choice": option}
        after = self._at_table(play.advance(shot.game, shot.position, choice).position.state)
        return after.by != chooser and not after.opens

    def _placed(self, shot: Shot) -> list[Part]:
        """Where a cue-ball in hand was played from, where the rules bind it to a line."""
        state = shot.position.state
        cue = seen_facts.lying(shot.seen.before, shot.pieces.cue)
        options = self._at_table(state).options
        bound = state.from_baulk if self.wepf else state.in_hand in ("behind_head_string", "baulk")
        may = any("baulk" in o for o in options)
        by_hand = seen_facts.placed_by_hand(cue, shot.earlier, shot.pieces)
        if cue is None or not (bound or (may and by_hand)):
            return []
        line = self._line_mm(state)
        within = seen_facts.behind(cue, line)
        if within is None:
            return []
        good, bad = {"placed": [cue.x_mm, min(cue.y_mm, line - 0.1)]}, {"placed": [cue.x_mm, line + 0.1]}
        return yes_no("placed", within, good, bad, said(shot.fix, "placed"))

    def _from_behind(self, shot: Shot, contacts: Sequence[Part]) -> Sequence[Part | tuple[Part, ...]]:
        """First contacts, of a cue-ball in hand behind the head string with what the shot made of that string
        (WPA 6.11).
        """
        state, told = shot.position.state, said(shot.fix, "behind_string")
        if state.in_hand != "behind_head_string":
            return contacts
        line, found = self._line_mm(state), []
        for contact in contacts:
            hit = contact.changes["first_contact"]
            if hit:
                bad = seen_facts.played_behind(shot.seen, hit[0], line, shot.pieces)
                yes = {"first_contact_behind_head_string": True, "crossed_head_string": False}
                no: dict[str, Any] = {"crossed_head_string": True}
            else:
                stayed = seen_facts.stayed_behind(shot.seen, line, shot.pieces)
                bad, yes, no = EVEN if stayed is None else stayed, {"crossed_head_string": False}, {}
            found += [(contact, p) for p in yes_no("behind_string", bad, yes, no, told)]
        return found

    def _touching(self, shot: Shot, contacts: Sequence[Part]) -> Sequence[Part | tuple[Part, ...]]:
        """First contacts with whether the cue-ball touched the ball beside it before the shot: one plays away
        from it, and has hit it then (black ball 5.9, WEPF S). Pool plays on a frozen ball as on any (6.7).
        """
        cue = seen_facts.lying(shot.seen.before, shot.pieces.cue)
        placed = seen_facts.placed_by_hand(cue, shot.earlier, shot.pieces)
        if shot.groups_unknown or placed or not shot.beside:
            return contacts
        near = min(shot.beside, key=lambda t: t.gap_mm)
        touches = touch_weight(near.gap_mm, near.sigma_mm)
        said_to = {c.ball for c in shot.calls if isinstance(c, Touching)}
        declared = [t for t in shot.beside if kind_of(t.ball, shot.pieces) in said_to and touch(t)]
        if declared:
            near, touches = min(declared, key=lambda t: t.gap_mm), 1.0
        state = replace(shot.position.state, touching=self._beside(near.ball, shot.pieces))
        yes = {AT: replace(shot.position, state=state)}
        found: list[tuple[Part, ...]] = []
        for contact in contacts:
            into = yes | self._played_into(shot, near.ball, contact)
            parts = yes_no("touching", touches, into, {}, said(shot.fix, "touching"))
            found += [(contact, p) for p in parts]
        return found

    def _beside(self, ball: str, pieces: PieceSet) -> Any:
        balls = (self._word(kind_of(ball, pieces)),)
        return frozenset(balls) if self.wepf else balls

    def _played_into(self, shot: Shot, ball: str, contact: Part) -> dict[str, list[str]]:
        """The foul of a cue-ball that moves the ball which it touches at once: it was not played away."""
        met = next((f for f in shot.seen.first_contact if f.ball == ball), None)
        if met is None or self._said(kind_of(ball, shot.pieces)) not in contact.changes["first_contact"]:
            return {}
        if met.t_s is not None and met.t_s - shot.seen.start_s > AT_ONCE_S:
            return {}
        foul = "not_played_away_from_touching_ball" if self.wepf else "played_into_touching_ball"
        return {"infringements": [foul]}

    def _line_mm(self, state: Any) -> float:
        return float(state.marks.baulk_line_mm if self.wepf else state.marks.string_mm)

    def _rails(self, shot: Shot, fell: bool) -> list[Part]:
        """A ball driven to a cushion after the first contact (WPA 6.3, 8.4; WEPF G), where none fell."""
        key = "cushion_contacts_after_first_contact" if self.wepf else "balls_driven_to_rail_after_contact"
        yes: dict[str, Any] = {key: 1}
        no: dict[str, Any] = {key: 0}
        if fell or shot.seen.cue_ball != "on_table":
            return [Part("rail", "-", 1.0, yes)]
        against = self._frozen(shot)
        weight = seen_facts.rail_after_contact(shot.seen, shot.table, shot.pieces, against=against)
        if not against:
            return yes_no("rail", weight, yes, no, said(shot.fix, "rail"))
        word = "was_touching" if self.wepf else "was_frozen"
        no["rail_contacts"] = [
            {"ball": self._said(kind_of(c.ball, shot.pieces)), "rail": c.cushion, word: True}
            for c in shot.seen.cushions
            if (c.ball, c.cushion) in against
        ]
        return yes_no("frozen_rail", weight, yes, no, said(shot.fix, "frozen_rail"))

    def _break_rails(self, shot: Shot, down: Sequence[str]) -> list[Part]:
        """Four object balls at cushions, where the break pots none (WPA 2.3(b), 3.3(d); WEPF F(4)); of 14.1
        two, whatever fell uncalled (4.3(b)). `down`: object balls that left the table.
        """
        if self.rules == "blackball":
            return []
        key = "object_balls_driven_to_cushion" if self.wepf else "object_balls_driven_to_rail"
        need = TWO if self.game == "wpa_14_1" else FOUR
        n = seen_facts.object_balls_at_rails(shot.seen, shot.pieces)
        if down and self.game != "wpa_14_1":
            return [Part("break_rails", "-", 1.0, {key: n})]
        weight = seen_facts.object_balls_driven(shot.seen, shot.pieces, shot.table, need, down)
        yes, no = {key: max(n, need)}, {key: min(n, need - 1)}
        return yes_no("break_rails", weight, yes, no, said(shot.fix, "break_rails"))

    def _cue_ball_rail(self, shot: Shot) -> list[Part]:
        """The cue-ball at a cushion on the opening break of 14.1 (4.3(b))."""
        if self.game != "wpa_14_1":
            return []
        weight = seen_facts.rail_after_contact(shot.seen, shot.table, shot.pieces, shot.pieces.cue)
        yes, no = {"cue_ball_hit_rail": True}, {"cue_ball_hit_rail": False}
        return yes_no("cue_rail", weight, yes, no, said(shot.fix, "cue_rail"))

    def _crossings(self, shot: Shot, fell: bool) -> list[Part]:
        """Black ball 5.5(b): two object balls that wholly cross the centre string, or one potted."""
        if self.rules != "blackball":
            return []
        key = "balls_crossing_centre_string"
        sure, perhaps = seen_facts.crossed_centre(shot.seen, shot.table, shot.pieces)
        if fell or sure >= CENTRE_CROSSED:
            return [Part("crossed", "-", 1.0, {key: max(sure, CENTRE_CROSSED)})]
        if perhaps < CENTRE_CROSSED:
            return [Part("crossed", "-", 1.0, {key: sure})]
        return yes_no("crossed", 0.5, {key: CENTRE_CROSSED}, {key: sure}, said(shot.fix, "crossed"))

    def _groups(self, shot: Shot) -> list[Part]:
        """Whose the groups are in a rack that had begun before the recording."""
        if not shot.groups_unknown:
            return []
        names = GAMES[self.game].groups
        field = "colour_a" if self.colours else "group_a"
        told = said(shot.fix, "group")
        state, parts = shot.position.state, []
        for group in (*names, None):
            value = "open" if group is None else f"A {group}"
            weight = OPEN_TABLE if group is None else (1.0 - OPEN_TABLE) / len(names)
            at = replace(shot.position, state=replace(state, **{field: self._in_rules(group)}))
            parts.append(Part("group", value, weight, {AT: at}))
        return [replace(p, weight=1.0) for p in parts if p.value == told] or parts

    # -- what a camera cannot know -------------------------------------------------------------------

    def _strikers_with_calls(self, shot: Shot, pots: Sequence[SeenPot]) -> list[tuple[Part, ...]]:
        """Who plays, each with what he called."""
        found: list[tuple[Part, ...]] = []
        for striker in self._strikers(shot):
            calls = self._calls(shot, pots, striker.value)
            found += [(striker, call) for call in calls] or [(striker,)]
        return found

    def _calls(self, shot: Shot, pots: Sequence[SeenPot], by: str) -> list[Part]:
        """Ball and pocket called: by call, plain where it was obvious (1.6), else a question."""
        opens = self._at_table(shot.position.state).opens
        if not self.called or (opens and not self.reracks):
            return []
        told = said(shot.fix, "called") or (shot.fix.nominated if shot.fix is not None else None)
        if told is not None:
            return [Part("called", told, 1.0, _told_call(shot, pots, told))]
        call = shot.shot_call(by)
        if call is not None:
            return [Part("called", _call_words(call), 1.0, _called(call))]
        return self._likely_calls(shot, pots) if pots else []

    @staticmethod
    def _likely_calls(shot: Shot, pots: Sequence[SeenPot]) -> list[Part]:
        """What may have been called where nobody said it: the one ball that went straight into a pocket, else
        any that fell, or another.
        """
        options = [(kind_of(p.ball, shot.pieces), p.pocket) for p in pots]
        direct = [o for o, p in zip(options, pots, strict=True) if is_direct(shot, p)]
        plain = len(direct) == 1
        weights = dict.fromkeys(options, (1.0 - OBVIOUS if plain else 0.5) / len(options))
        if plain:
            weights[direct[0]] = OBVIOUS
        parts = [Part("called", into_pocket(*o), w, _calling(*o)) for o, w in weights.items()]
        return parts if plain else [*parts, Part("called", "another shot, or none", 0.5, {})]

    def _push_outs(self, shot: Shot, contacts: Sequence[Part]) -> list[Part]:
        """A push out announced (WPA 2.4, 9.4): plain where the shot is legal without one."""
        state = shot.position.state
        if not self.pushes or not state.second_shot:
            return []
        told = said(shot.fix, "push_out")
        call = shot.shot_call(state.shooter)
        if told is None and call is not None:
            told = "yes" if call.push_out else "no"
        met = max(contacts, key=lambda p: p.weight).value
        lacks = not shot.seen.pots and seen_facts.rail_after_contact(shot.seen, shot.table, shot.pieces) < 0.5
        foul = met != str(state.lowest) or lacks
        return yes_no("push_out", PUSHED if foul else 1.0 - NO_PUSH, {"push_out": True}, {}, told)

    def _warned(self, shot: Shot) -> list[Part]:
        """Whether a player on two fouls was told so, without which a third counts as the second (6.14)."""
        state = shot.position.state
        if not isinstance(state, RotationState | fourteen_one.State) or state.warned:
            return []
        if state.fouls[index(state.shooter)] < TWO:
            return []
        warning = {"type": "referee", "event": "warn_two_fouls"}
        return yes_no("warned", WARNED, {FIRST: [warning]}, {}, said(shot.fix, "warned"))

    def _nominations(self, shot: Shot) -> list[Part]:
        """WEPF H: a colour to be nominated after the break: what was met first says which, if nobody does.
        Of solids and stripes it is named by any ball of theirs.
        """
        state = shot.position.state
        if not self.wepf or not state.must_nominate:
            return []

        def nominated(ball: str, weight: float) -> Part:
            choice = {"type": "choice", "by": state.player, "choice": f"nominate:{self._word(ball)}"}
            return Part("nominated", ball, weight, {FIRST: [choice]})

        fix, call = shot.fix, shot.shot_call(state.player)
        told = fix.nominated if fix is not None else None
        if told is None and call is not None:
            told = call.ball
        if told is not None and self._word(told) in [*COLOURS]:
            return [nominated(told, 1.0)]
        met = kind_of(seen_facts.likely_contact(shot.seen)[0] or "", shot.pieces)
        each = {self._word(b): b for b in (*reversed(shot.pieces.object_balls), met)}
        return [nominated(each[c], 0.75 if each[c] == met else 0.25) for c in COLOURS]

    def may_call(self, state: Any, layout: Sequence[SeenBall], table: TableSpec) -> MayCall:
        """As the rules have it, by the balls that the game has, but for a nomination out of a foul snooker
        that cannot be one.
        """
        may = self._in_own_balls(super().may_call(state, layout, table))
        asks_for_one = self.wepf and may.balls and not (state.must_nominate or state.foul_snooker)
        if asks_for_one and self._foul_snookered(state, layout, table) < OPEN:
            return replace(may, balls=())
        return may

    def _in_own_balls(self, may: MayCall) -> MayCall:
        """With every solid for the reds, and every stripe for the yellows."""
        own = [b for b in PIECES[self.game].object_balls if in_rules(self.game, b) in may.balls]
        return may if self.rules == self.game else replace(may, balls=tuple(own))

    def _out_of_foul_snooker(
        self, shot: Shot, contacts: Sequence[Part], fell: Collection[str]
    ) -> Sequence[Part | tuple[Part, ...]]:
        """WEPF Q(4): a ball nominated after the opponent's foul. Nobody heard it where no call says it: asked
        where another ball than those on was met first, or fell. `fell`: the balls by their names.
        """
        state = shot.position.state
        if not self.wepf or state.must_nominate:
            return []
        call, fix = shot.shot_call(state.player), shot.fix
        told = said(fix, "foul_snooker") or (fix.nominated if fix is not None else None)
        may = self._in_own_balls(super().may_call(state, shot.seen.before, shot.table)).balls
        if told is None:  # a person who says what was nominated knows better than what was measured
            may = self.may_call(state, shot.seen.before, shot.table).balls
        if not may:
            return []
        weight = 1.0 if state.foul_snooker else self._foul_snookered(state, shot.seen.before, shot.table)
        kinds = [self._said(kind_of(b, shot.pieces)) for b in fell]
        named = foul_snooker.nominations(contacts, kinds, may, weight, call.ball if call else None, told)
        return foul_snooker.that_fell(named, shot.seen, fell, shot.pieces, said(fix, "met_fell"))

    def _foul_snookered(self, state: Any, layout: Sequence[SeenBall], table: TableSpec) -> float:
        in_words = [replace(b, colour=in_rules(self.game, b.colour)) for b in layout]
        return foul_snooker.possible(state, in_words, PIECES[self.game], table)

    # -- words -------------------------------------------------------------------------------------

    def at_table(self, position: PoolPosition, side: Side) -> PoolPosition:
        """The position with that player at the table."""
        if self.wepf:
            return replace(position, state=replace(position.state, player=side))
        return replace(position, state=replace(position.state, shooter=side, options=(), chooser=None))

    def doubt(self, shot: Shot) -> str | None:
        """Nothing by itself."""
        return None

    def question(self, name: str, by: str) -> Asked:
        """The question about an uncertain thing."""
        if name not in _QUESTIONS:
            return Asked("shot")
        if name == "group":
            return asks("shot_group", name="A")
        if name == "break_rails" and self.game == "wpa_14_1":
            return Asked("shot_two_at_rails")
        return asks(f"shot_{name}", name=by) if name in _OF_A_PLAYER else Asked(f"shot_{name}")


def _inside(state: Any, beginning: Beginning) -> Any:
    """A fresh rack's state as it is inside a rack: the balls that lie there, no cue-ball in hand."""
    there = [b.colour for b in beginning.layout]
    numbers = frozenset(int(k) for k in there if k.isdigit())
    reds, yellows, group = there.count("red"), there.count("yellow"), beginning.group
    colour: Any = group if group in ("red", "yellow") else None
    match state:
        case RotationState():
            return replace(state, break_shot=False, in_hand=None, on_table=numbers | {state.LAST})
        case eight_ball.State():
            known: Any = group if group in ("solids", "stripes") else state.group_a
            return replace(state, break_shot=False, in_hand=None, on_table=numbers, group_a=known)
        case fourteen_one.State():
            balls = max(len(there) - there.count("cue"), 1)  # one is always left (4.4), hidden or not
            after = replace(state, opening_break=False, in_hand=None, balls_on_table=balls)
            return replace(after, scores=beginning.score)
        case blackball.State():
            return replace(state, reds=reds, yellows=yellows, colour_a=colour, break_shot=False, in_hand=None)
        case wepf.State():
            return replace(
                state, reds=reds, yellows=yellows, colour_a=colour, break_shot=False, from_baulk=False
            )
    raise TypeError(f"expected a state of a game of pool, got {state!r}")


def is_direct(shot: Shot, pot: SeenPot) -> bool:
    """Whether a ball was met first by the cue-ball and rolled into its pocket without another ball or a
    cushion: an obvious shot (WPA 1.6).
    """
    first, _ = seen_facts.likely_contact(shot.seen)
    if first != pot.ball or pot.pocket is None or pot.t_s is None:
        return False
    others = [
        c
        for c in shot.seen.met
        if pot.ball in c.balls and shot.pieces.cue not in c.balls and (c.t_s is None or c.t_s < pot.t_s)
    ]
    bounced = [
        c for c in shot.seen.cushions if c.ball == pot.ball and (c.t_s is None or c.t_s < pot.t_s - JAWS_S)
    ]
    return not others and not bounced


def _told_call(shot: Shot, pots: Sequence[SeenPot], told: str) -> dict[str, Any]:
    """The call that a person said, `BALL` or `BALL to POCKET`, if that ball fell there; else none."""
    ball, _, pocket = told.partition(" to ")
    options = [(kind_of(p.ball, shot.pieces), p.pocket) for p in pots]
    known = next((o for o in options if o[0] == ball and pocket in ("", o[1] or "")), None)
    return _calling(*known) if known else {}


def _calling(ball: str, pocket: str | None) -> dict[str, Any]:
    return {"called": {"ball": ball, **({"pocket": pocket} if pocket else {})}}


def _call_words(call: ShotCall) -> str:
    if call.safety:
        return "safety"
    return "push out" if call.ball is None else into_pocket(call.ball, call.pocket)


def _called(call: ShotCall) -> dict[str, Any]:
    if call.safety:
        return {"called": "safety"}
    return {} if call.ball is None else _calling(call.ball, call.pocket)
