"""What the entries of a record mean in any game but snooker (`referee.match.fold.Family`).

A rack (frame, game, board) begins with a layout; each stroke is judged by the game's rules through the
vocabulary of the rule cases, as declared facts are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from calibration.table.games import GAMES, PIECES, Family
from referee.cases import play
from referee.cases.model import CaseError, Values
from referee.cases.model import Position as CasePosition
from referee.cases.registry import ADAPTERS
from referee.facts.calls import ChoiceCall
from referee.facts.corrections import POCKET, Correction, as_corrected
from referee.facts.judged import (
    Asked,
    Candidate,
    FrameRecord,
    JudgedStroke,
    Output,
    StartRecord,
    Warned,
    asks,
)
from referee.facts.seen import SeenBall, SeenHand, SeenLayout, SeenStroke, SeenTouching
from referee.match.accounts import accounts
from referee.match.answers import happened
from referee.match.courses import positions_of
from referee.match.games import naming, seen_facts
from referee.match.games.billiards import Billiards
from referee.match.games.carrom import Carrom
from referee.match.games.eyes import Beginning, Eyes, Shot
from referee.match.games.pool import Pool
from referee.match.games.refused_calls import checked, during
from referee.match.games.ruling import (
    AT,
    FIRST,
    STATE,
    Reading,
    Ruled,
    as_json,
    as_needed,
    by_state,
    candidate,
    foul_of,
    is_odd,
    meaning,
    needed,
    next_of,
    points_of,
    rule_each,
    score_of,
    words_of,
)
from referee.match.games.spotting import check_spotting
from referee.match.pockets import may_be_answered, open_pocket, pocket_asked, with_pockets
from referee.match.position import Course, Folded, Position, Settings, StrokeRuling, Told
from referee.match.priors import BEHIND_THE_END, LEFT_LYING, NEW_RACK_INSIDE, NO_FOUL
from referee.match.questions import question_text, texts_of
from referee.match.renaming import probability, renamed
from referee.match.weighing import (
    Decided,
    Labels,
    decide,
    facts_asked_first,
    grouped,
    likeliest,
    likelihood,
    to_one,
)
from referee.rules.common.match import Match, new_match
from referee.rules.game import SIDES, Side, other
from referee.rules.registry import GAMES as RULES

_OF_FAMILY: dict[Family, Callable[[str], Eyes]] = {
    "pool": Pool,
    "british": Pool,
    "billiards": Billiards,
    "carrom": Carrom,
}
EYES: dict[str, Eyes] = {
    g.name: _OF_FAMILY[g.family](g.name) for g in GAMES.values() if g.family in _OF_FAMILY
}
"""Games that are refereed here from what a camera saw, by their names."""
GAP_WORDS: dict[str, str] = {}
HARDLY_A_PIECE = 0.5
"""What is followed as a piece and is less likely to be it than not is asked about, as in snooker."""


@dataclass(frozen=True, slots=True)
class JudgedGameStroke(JudgedStroke):
    """A judged stroke of these games, with what its rules were told and said.

    `fact`, `values`, `start`: canonical JSON of the step in the vocabulary of the rule cases, of the ruling's
    values and of the rack's start; `state_before`, `state_after`: the game's state; `racks`: won by A and B.
    `struck`: the kind of piece that was struck.
    """

    game: str = ""
    fact: str = "{}"
    values: str = "{}"
    rack_start: str = "{}"
    racks: tuple[int, int] = (0, 0)
    rack_over: bool = False
    rack_winner: str | None = None
    state_before: Any = None
    state_after: Any = None
    struck: str | None = None

    @property
    def stands(self) -> object:
        """What stands after the stroke, as it is shown."""
        return self.score, self.racks, self.state_after

    @property
    def of_ruling(self) -> str | None:
        """The ruling's values as canonical JSON."""
        return self.values


@dataclass(frozen=True, slots=True)
class GamePosition(Position):
    """Where the fold of a game stands. `rack`: the position of the rules, None before the first layout and
    between racks; `rack_start`: how it began, as JSON; `earlier`: the layout that the last stroke left,
    `beside`: balls beside the cue-ball in it. `points`: the score of a game that counts points. `a_plays`:
    A's white of billiards. `full`: the set is whole before the next stroke, which opens the rack. `run`:
    points of the visit that goes on. `order_known`: whether it is known who breaks the next rack, in turn.
    `end_asked`: the stroke that ended the last rack, where that is a question.
    """

    game: str = ""
    match: Match = field(default_factory=new_match)
    rack: CasePosition[Any, Any] | None = None
    rack_start: str = "{}"
    last_values: str = "{}"
    earlier: tuple[SeenBall, ...] = ()
    points: tuple[int, int] = (0, 0)
    counts_points: bool = False
    a_plays: str | None = None
    new_rack: bool = False
    beside: tuple[SeenTouching, ...] = ()
    groups_unknown: bool = False
    full: bool = False
    run: int = 0
    order_known: bool = True
    end_asked: int | None = None

    @property
    def score(self) -> tuple[int, int]:
        """Points where the game has them, else racks won."""
        return self.points if self.counts_points else self.match.racks


def beginning(settings: Settings) -> GamePosition:
    """Before anything was seen."""
    score = settings.start.score
    breaker: Side = "B" if settings.start.striker == "B" else "A"
    match = new_match(breaker=breaker)
    if not GAMES[settings.game].points:
        match = replace(match, racks=score)
    counts = GAMES[settings.game].points
    return GamePosition(
        game=settings.game, match=match, points=score if counts else (0, 0), counts_points=counts
    )


def finish(position: Position, settings: Settings) -> Folded:
    """The position at the end of the recording; a choice after the last stroke is applied by the next one."""
    del settings
    return position, ()


def hand(position: Position, seen: SeenHand, settings: Settings) -> Folded:
    """What a hand did between strokes: a piece put back on a spot is checked."""
    at = _of_game(position)
    ruled = [(ball, (x, y)) for ball, _, x, y, _ in _due(json.loads(at.last_values))]
    check = check_spotting(seen, ruled, settings.game, settings.table, at.earlier)
    return replace(at, hands=(*at.hands, seen)), (seen,) if check is None else (seen, check)


def likely(position: Position, seen: SeenHand, settings: Settings) -> float:
    """How likely a hand does that: it takes up a cue-ball that a ruling gives in hand, and seldom another."""
    at, pieces = _of_game(position), PIECES[settings.game]
    taken = seen.type == "moved" and seen.ball in pieces.struck
    far = taken and (seen.far_mm or 0.0) > seen_facts.CUE_MOVED_MM
    if not far or at.rack is None or EYES[settings.game].in_hand(at.rack) is not False:
        return 1.0
    return NO_FOUL


# -- racks ------------------------------------------------------------------------------------------


def racked(position: Position, seen: SeenLayout, settings: Settings) -> Folded:
    """The balls were set up anew: the next stroke begins a rack."""
    del settings
    return replace(_of_game(position), new_rack=True, earlier=seen.layout, beside=(), hands=()), ()


def moved(position: Position, seen: SeenLayout) -> Position:
    """Balls lie otherwise than strokes and hands explain."""
    return replace(_of_game(position), earlier=seen.layout, beside=())


def behind_no_stroke(position: Position, seen: SeenStroke, settings: Settings) -> Position | None:
    """The position behind what was under way at the first image: inside a rack. None where the state at the
    beginning was said: what it is by now has to be asked.
    """
    del seen
    return position if settings.start.assumed else None


def staying_down(position: Position, seen: SeenStroke, settings: Settings) -> Collection[str]:
    """Kinds of which nobody puts back what fell before the next stroke, which is `seen`: once a rack is over
    all balls are set up anew, and one alone that is back did not fall.
    """
    at, pieces, eyes = _of_game(position), PIECES[settings.game], EYES[settings.game]
    if _set_up(at, seen, settings):
        return ()
    if at.rack is not None or not at.frames:
        return eyes.staying_down(at.rack, pieces)
    back = {b.ball for b in seen.before if b.colour not in pieces.struck} - {b.ball for b in at.earlier}
    return [seen_facts.kind_of(b, pieces) for b in back] if len(back) == 1 else ()


def may_name(position: Position, seen: SeenStroke, settings: Settings, fix: Correction) -> Collection[str]:
    """As the game's rules have it for who is at the table, or is said to be."""
    if _behind_the_end(_of_game(position), seen, settings):
        return ()
    at = _at_its_rack(_of_game(position), seen, settings).position
    assert at.rack is not None  # a choice ends no rack
    if at.groups_unknown:
        return PIECES[settings.game].object_balls
    by: Side | None = "A" if fix.striker == "A" else "B" if fix.striker == "B" else None
    rack = at.rack if by is None else EYES[settings.game].at_table(at.rack, by)
    return RULES[settings.game].may_call(rack.state).balls


def _of_game(position: Position) -> GamePosition:
    assert isinstance(position, GamePosition)
    return position


def _set_up(at: GamePosition, seen: SeenStroke, settings: Settings) -> bool:
    """Whether the balls were set up anew while a rack went on; a rack that a break has missed was not."""
    if at.rack is None or not at.frames or at.frames[-1].first_stroke is None:
        return False
    pieces, table = PIECES[settings.game], settings.table
    anew = at.new_rack or not seen_facts.racked(at.earlier, pieces, table)
    return anew and seen_facts.racked(seen.before, pieces, table)


def _broken_again(
    at: GamePosition, seen: SeenStroke, settings: Settings
) -> tuple[CasePosition[Any, Any], ...]:
    """The rack under way with its balls set up anew, to be broken once more: as the rules have it (WPA
    5.5(c), WEPF F(4)(b), L), else after each option for that which nobody said (3.3(d) to (f), 4.3(b)).
    """
    if at.rack is None or not _set_up(at, seen, settings):
        return ()
    rules, game = RULES[settings.game], settings.game
    now = rules.at_table(at.rack.state)
    if now.opens:
        return (at.rack,)
    said = ({"type": "choice", "by": now.chooser, "choice": option} for option in now.options)
    after = (play.advance(game, at.rack, choice).position for choice in said)
    return tuple(p for p in after if rules.at_table(p.state).opens)


def _behind_the_end(at: GamePosition, seen: SeenStroke, settings: Settings) -> bool:
    """Whether a stroke is played behind a rack's end, with balls that nobody has set up anew."""
    if at.rack is not None or not at.frames or at.new_rack:
        return False
    return not seen_facts.may_be_racked(seen.before, PIECES[settings.game], settings.table)


@dataclass(frozen=True, slots=True)
class _AtItsRack:
    """Where a stroke is ruled from. `again`: positions that may be it, where nobody knows who breaks (a
    choice was not said, the order is not known); `likely`: that its rack is the one under way, compared with
    other courses.
    """

    position: GamePosition
    said: tuple[Output, ...] = ()
    again: tuple[CasePosition[Any, Any], ...] = ()
    likely: float = 1.0


def _at_its_rack(at: GamePosition, seen: SeenStroke, settings: Settings) -> _AtItsRack:
    """The position with the rack that a stroke belongs to, begun by it if need be, and the choices made."""
    at = _renamed(at, seen)
    if at.rack is None:
        begun, said = _choices(_with_rack(at, seen, settings), seen, settings)
        return _AtItsRack(begun, said, _broken_by_either(begun))
    at, said = _choices(at, seen, settings)
    again = _broken_again(at, seen, settings)
    if again:
        return _AtItsRack(replace(at, rack=again[0], new_rack=False, full=True), said, again)
    if not _set_up(at, seen, settings) or EYES[settings.game].reracks:
        return _AtItsRack(replace(at, new_rack=False), said)
    text = "a new rack was set before the last one was over"
    warned = Warned("rack_unfinished", seen.start_s, text)
    begun = _with_rack(replace(at, order_known=False), seen, settings)
    return _AtItsRack(begun, (*said, warned), _broken_by_either(begun), NEW_RACK_INSIDE)


def _broken_by_either(at: GamePosition) -> tuple[CasePosition[Any, Any], ...]:
    """A fresh rack as each player may open it, where the order is not known: the recording began inside a
    rack, or one was not played to its end.
    """
    if at.order_known or not at.full or at.rack is None:
        return ()
    eyes, at_table = EYES[at.game], RULES[at.game].at_table
    return (at.rack, *(eyes.at_table(at.rack, s) for s in SIDES if s != at_table(at.rack.state).by))


def _with_rack(at: GamePosition, seen: SeenStroke, settings: Settings) -> GamePosition:
    """The position with a rack that a stroke begins."""
    eyes, first = EYES[settings.game], not at.frames
    in_rack = seen_facts.racked(seen.before, PIECES[settings.game], settings.table)
    told = _beginning(seen, settings, in_rack or at.new_rack)
    if first:
        match = replace(new_match(breaker=told.striker), racks=at.match.racks)
        start = _with_told_score(_fresh(settings, match, _said_last(at)), settings)
        opening = order_known = eyes.opens(told)
    else:
        match, start, order_known = _next_start(at, seen, settings)
        opening = True
    rack = play.begin(settings.game, start, settings.agreed) if opening else eyes.inside(start, told)
    rack = eyes.measured(rack, settings.table)
    frames = (*at.frames, FrameRecord(len(at.frames) + 1, None, at.score, None))
    shown = StartRecord(settings.start.striker, None, settings.start.score, settings.start.assumed)
    return replace(
        at,
        rack=rack,
        match=match,
        rack_start=as_json(start),
        frames=frames,
        start=at.start or shown,
        new_rack=False,
        full=opening,
        order_known=order_known,
        groups_unknown=not opening and eyes.unknown_inside(seen.before, told.group is not None),
        earlier=() if first else at.earlier,
    )


def _next_start(at: GamePosition, seen: SeenStroke, settings: Settings) -> tuple[Match, Values, bool]:
    """The match and the start of a rack behind another, and whether it is known who breaks it: in turn, or
    where that is not known the player whom the layout shows.
    """
    match, before = at.match, _said_last(at)
    start = _fresh(settings, match, before)
    seat = None if at.order_known else EYES[settings.game].first_striker(seen.before)
    if seat is None:
        return match, start, at.order_known
    if seat != RULES[settings.game].at_table(play.begin(settings.game, start, {}).state).by:
        match = _other_order(match)
        start = _fresh(settings, match, before)
    return match, start, True


def _said_last(at: GamePosition) -> Values:
    """What the rules said last, with the number of the board that it was said of; empty before any ruling."""
    said = json.loads(at.last_values)
    return {**said, "board_no": json.loads(at.rack_start).get("board_no", 1)} if said else {}


def _fresh(settings: Settings, match: Match, before: Values) -> Values:
    """The start of a match's next rack; `before`: what the rules said last."""
    try:
        return ADAPTERS[settings.game].fresh_start(match, {}, before)
    except ValueError:
        return ADAPTERS[settings.game].fresh_start(match, {}, {})


def _with_told_score(start: Values, settings: Settings) -> Values:
    """The start of the first rack with the points that a person told."""
    score = dict(zip("AB", settings.start.score, strict=True))
    return {k: score if k in ("scores", "game_scores") else v for k, v in start.items()}


def _beginning(seen: SeenStroke, settings: Settings, racked: bool) -> Beginning:
    start = settings.start
    striker: Side = "B" if start.striker == "B" else "A"
    if start.assumed:
        striker = EYES[settings.game].first_striker(seen.before) or striker
    return Beginning(
        seen.before, settings.table, striker, racked, start.ball_on, start.score, settings.agreed
    )


# -- strokes ----------------------------------------------------------------------------------------


def stroke(
    position: Position, seen: SeenStroke, entry: int, settings: Settings, fix: Correction | None
) -> StrokeRuling:
    """Judge a stroke. `fix`: a person's correction of it."""
    at = _of_game(position)
    if _behind_the_end(at, seen, settings):
        return _unruled(at, seen, entry, fix)
    return _in_a_rack(_at_its_rack(at, seen, settings), seen, entry, settings, fix)


def _in_a_rack(
    stands: _AtItsRack, seen: SeenStroke, entry: int, settings: Settings, fix: Correction | None
) -> StrokeRuling:
    """The ruling of a stroke of the rack under way, or of the one that it begins."""
    at, eyes = stands.position, EYES[settings.game]
    assert at.rack is not None  # a choice ends no rack
    shot, refused, found, ruled = _ruled(stands, seen, settings, fix)
    outputs = (*stands.said, *refused, *during(settings.called(seen.start_s, seen.end_s)))
    doubt = (None if fix is not None else _seen_doubt(shot)) or eyes.doubt(shot)
    weighed = by_state(ruled, at.fouled)
    judged = _decided(at, shot, weighed, doubt, settings)
    if judged is None:
        text = "what was seen cannot be true of the balls on the table"
        outputs += (Warned("contradiction", seen.start_s, text),)
        judged = Decided(Ruled(found[0], at.rack, {}), "")
    groups_said = fix is not None and "group" in dict(fix.answers)
    covered = fix is None and doubt is None and judged.asked not in (POCKET, "")

    def told(best: Ruled) -> tuple[GamePosition, Told]:
        """The position and the stroke as a ruling has them."""
        shown = replace(shot, seen=as_corrected(seen, fix))
        after, stroke = _recorded(at, shown, entry, settings, replace(judged, best=best))
        a_plays = at.a_plays or eyes.a_plays(seen, str(best.reading.step.get("by")))
        known = groups_said or stroke.rack_over or (eyes.groups_stay and _tells_the_state(best, weighed))
        after = replace(after, a_plays=a_plays, groups_unknown=at.groups_unknown and not known)
        if stroke.verdict == "certain":
            return after, Told(stroke, stroke)
        return after, Told(stroke, _once_answered(at, shot, entry, settings, best) if covered else None)

    def course(best: Ruled, weight: float) -> Course:
        after, stroke = told(best)
        return Course(after, (stroke,), weight)

    before = stands.likely * eyes.likely(shot) * _left_lying(at.rack, shot, eyes)
    return StrokeRuling(
        *told(judged.best),
        outputs,
        tuple(course(r, weight) for r, weight in judged.others),
        before * likelihood(((r.weight, is_odd(r)) for r in ruled), at.fouled),
    )


def _ruled(
    stands: _AtItsRack, seen: SeenStroke, settings: Settings, fix: Correction | None
) -> tuple[Shot, tuple[Output, ...], list[Reading], list[Ruled]]:
    """A stroke as it was checked, with what was refused of its calls; its readings; what the rules make of
    each that can be true.
    """
    shot, again = _shot(stands, seen, settings, fix)
    shot, refused = checked(shot, EYES[settings.game])
    found = _readings(shot, EYES[settings.game], settings, stands.position.full, again)
    return shot, refused, found, rule_each(settings.game, shot.position, found)


def weighed_before(
    position: Position, seen: SeenStroke, stroke: JudgedGameStroke, settings: Settings
) -> tuple[GamePosition, list[Ruled]]:
    """The position that a judged stroke was ruled from, and the readings that it was ruled on; none behind a
    rack's end. `position`: where the fold stood before it, one of whose courses has that position.
    """
    courses = [_of_game(p) for p in positions_of(position)]
    found = [_at_its_rack(at, seen, settings) for at in courses if not _behind_the_end(at, seen, settings)]
    if not found:
        return courses[0], []
    own = (s for s in found if s.position.rack and s.position.rack.state == stroke.state_before)
    stands = next(own, found[0])
    ruled = _ruled(stands, seen, settings, settings.correction(stroke.entry))[-1]
    return stands.position, by_state(ruled, stands.position.fouled)


def _once_answered(
    at: GamePosition, shot: Shot, entry: int, settings: Settings, best: Ruled
) -> JudgedGameStroke | None:
    """The stroke as it is said once nothing but this ruling can be; None where what follows cannot answer."""
    which = RULES[settings.game].first_contact == "which"
    read = {k: v for k, v in best.labels if k != "first_contact" or which}
    so = as_corrected(shot.seen, happened(entry, read))
    if not may_be_answered(shot.seen, so):
        return None
    return _recorded(at, replace(shot, seen=so), entry, settings, Decided(best))[1]


def _left_lying(rack: CasePosition[Any, Any], shot: Shot, eyes: Eyes) -> float:
    """How likely it is, 0 to 1, that a hand left the cue-ball where it lay, if none has placed it."""
    cue = seen_facts.lying(shot.seen.before, shot.pieces.cue)
    if seen_facts.placed_by_hand(cue, shot.earlier, shot.pieces):
        return 1.0
    return LEFT_LYING if eyes.in_hand(rack) is True else 1.0


def _shot(
    stands: _AtItsRack, seen: SeenStroke, settings: Settings, fix: Correction | None
) -> tuple[Shot, tuple[CasePosition[Any, Any], ...]]:
    """A stroke as the games' eyes take it, and the positions that may be the one before it: none beside its
    own where a person said who played.
    """
    at, eyes = stands.position, EYES[settings.game]
    rack = at.rack
    assert rack is not None  # of the rack under way
    shot = Shot(
        settings.game,
        rack,
        seen,
        at.earlier,
        at.hands,
        settings.table,
        settings.called(at.since_s, seen.start_s),
        fix,
        at.a_plays,
        at.groups_unknown,
        at.beside,
        json.loads(at.last_values),
        settings.start.ball_on,
    )
    if fix is None or fix.striker not in ("A", "B"):
        return shot, stands.again
    side: Side = "A" if fix.striker == "A" else "B"
    own = [p for p in stands.again if RULES[settings.game].at_table(p.state).by == side]
    return replace(shot, position=own[0] if own else eyes.at_table(rack, side)), ()


def _decided(
    at: GamePosition, shot: Shot, weighed: Sequence[Ruled], doubt: str | None, settings: Settings
) -> Decided[Ruled] | None:
    """One ruling or one question of all readings, what was seen before what nobody told; None of none.
    `doubt`: a thing to ask about in any case.
    """
    eyes, told = EYES[settings.game], shot.fix is not None

    def made(said: Labels, r: Ruled, _: Sequence[Ruled], weight: float) -> Candidate:
        return candidate(said, r, weight, *points_and_score(at, settings.game, r))

    judged = decide(weighed, meaning, eyes.order, made, doubt)
    if judged is None:
        return None
    if not told and judged.asked is None and eyes.left_over(shot, judged.best):
        judged = decide(weighed, meaning, eyes.order, made, "potted") or judged
    not_whole = shot.seen.unseen and not told
    facts = _facts_read(settings.game)
    judged = facts_asked_first(judged, weighed, made, not_whole, facts, as_needed)
    return judged if told or judged.asked is not None else _pocket_asked(judged, shot, eyes, settings, at)


def _unruled(at: GamePosition, seen: SeenStroke, entry: int, fix: Correction | None) -> StrokeRuling:
    """A stroke behind a rack's end: what is played with the balls that are left serves nobody. Where that end
    is a question, so is this.
    """
    seen, n = as_corrected(seen, fix), at.strokes + 1
    sure = JudgedStroke(n=n, frame=len(at.frames), entry=entry, seen=seen, score=at.score)
    stroke = sure
    if at.end_asked is not None:
        asked = Asked("what_was_on"), asks("hangs_on", n=str(at.end_asked))
        stroke = replace(sure, verdict="call", asked=asked, question=question_text(asked))
    after = replace(at, strokes=n, since_s=seen.end_s, hands=(), earlier=seen.after, beside=())
    return StrokeRuling(after, Told(stroke, sure), (), likelihood=BEHIND_THE_END)


def _tells_the_state(best: Ruled, ruled: Sequence[Ruled]) -> bool:
    """Whether one state before the stroke alone gives a ruling that others do not."""
    rulings = grouped(ruled, meaning)
    of_this = {tuple(v for v in r.labels if v[0] in STATE) for r in rulings.get(meaning(best), ())}
    return len(rulings) > 1 and len(of_this) == 1


def _renamed(at: GamePosition, seen: SeenStroke) -> GamePosition:
    """The position with the names that the balls on the table have from this stroke on."""
    if at.rack is None or not seen.renamed:
        return at
    state = naming.state_renamed(at.rack.state, dict(seen.renamed))
    return at if state is None else replace(at, rack=replace(at.rack, state=state))


def _facts_read(game: str) -> tuple[str, ...]:
    """Of what happened in a stroke that which the game's rules read."""
    return ("potted",) if RULES[game].first_contact == "nothing" else ("first_contact", "potted")


def _readings(
    shot: Shot, eyes: Eyes, settings: Settings, full: bool, again: Sequence[CasePosition[Any, Any]] = ()
) -> list[Reading]:
    """The readings of a stroke, each with what the game's rules read of it; weights sum to 1. `full`: the set
    was whole before it; `again`: positions that may be the one before it, where there are several.
    """
    game = settings.game
    shots = [replace(shot, position=p) for p in again] if len(again) > 1 else [shot]
    return [
        replace(
            r, weight=r.weight / len(shots), needed=needed(game, r.labels if r.needed is None else r.needed)
        )
        for one in shots
        for r in _of_every_naming(one, eyes, settings, full)
    ]


def _of_every_account(shot: Shot, eyes: Eyes, full: bool) -> list[Reading]:
    """The readings of a stroke under every account of it; weights sum to 1."""
    due = seen_facts.due(shot.seen, shot.pieces) if full else {}
    found = [
        replace(r, weight=weight * r.weight)
        for weight, told in accounts(shot.seen, shot.pieces, shot.fix, due)
        for r in eyes.readings(replace(shot, seen=told))
    ]
    return sorted(to_one(found), key=lambda r: -r.weight)


def _of_every_naming(shot: Shot, eyes: Eyes, settings: Settings, full: bool) -> list[Reading]:
    """The readings of a stroke under every naming of its balls; weights sum to 1."""
    seen = shot.seen
    if not seen.namings:
        return _of_every_account(shot, eyes, full)
    found: list[Reading] = []
    kept = naming.answered(naming.hypotheses(seen, settings.game), seen, shot.fix)
    for (weight, names), lying in zip(kept, naming.lying_there(kept, seen), strict=True):
        state = naming.state_renamed(shot.position.state, names)
        if state is None:
            continue
        named = replace(
            shot,
            seen=renamed(seen, names, shot.pieces),
            position=replace(shot.position, state=state),
        )
        for r in _of_every_account(named, eyes, full):
            step = {AT: named.position, **r.step}
            by_group = naming.as_needed(r.labels, seen, names, settings)
            labels = (*r.labels, ("lying", lying)) if lying else r.labels
            found.append(Reading(step, labels, weight * r.weight, by_group))
    if not found:
        return _of_every_account(shot, eyes, full)
    return sorted(to_one(found), key=lambda r: -r.weight)


def _pocket_asked(
    judged: Decided[Ruled], shot: Shot, eyes: Eyes, settings: Settings, at: GamePosition
) -> Decided[Ruled]:
    """The same; where it is open into which pocket a ball fell, a question about that, with what each pocket
    would mean.
    """
    if (pot := open_pocket(shot.seen)) is None:
        return judged
    found, others = [], []
    for said, seen, weight in with_pockets(shot.seen, pot):
        so = _readings(replace(shot, seen=seen), eyes, settings, at.full)
        ruled = rule_each(settings.game, shot.position, so)
        if not ruled:
            continue
        best = likeliest(by_state(ruled, at.fouled), meaning)[0]
        found.append(candidate(said, best, weight, *points_and_score(at, settings.game, best)))
        if meaning(best) != meaning(judged.best):
            others.append((best, weight))
    return replace(judged, asked=POCKET, candidates=tuple(found), others=tuple(others))


def _seen_doubt(shot: Shot) -> str | None:
    """What is to be asked whatever the rules make of it: not all was seen, or a piece that moved is hardly
    one where it was last seen, so that it may have fallen.
    """
    seen = shot.seen
    if seen.unseen or seen.cue_doubtful:
        return _facts_read(shot.game)[0]
    hardly = any(b.confidence < HARDLY_A_PIECE * probability(seen, b.ball) for b in seen_facts.moved(seen))
    return "potted" if hardly else None


def _choices(
    at: GamePosition, seen: SeenStroke, settings: Settings
) -> tuple[GamePosition, tuple[Output, ...]]:
    """Choices that were said since the last stroke."""
    outputs: tuple[Output, ...] = ()
    for call in settings.called(at.since_s, seen.start_s):
        if not isinstance(call, ChoiceCall) or at.rack is None:
            continue
        try:
            ruled = play.advance(
                settings.game, at.rack, {"type": "choice", "by": call.by, "choice": call.choice}
            )
            at = replace(at, rack=ruled.position, last_values=as_json(ruled.values))
        except CaseError as error:
            outputs += (Warned("choice_refused", call.t_s, str(error)),)
    return at, outputs


def points_and_score(at: GamePosition, game: str, r: Ruled) -> tuple[int, tuple[int, int]]:
    """Points of a ruling for its striker, and the score after it."""
    score = score_of(game, r.values, at.points, play.after_ruling(at.match, game, r.values)[0].racks)
    return points_of(r.values, r.reading.step.get("by"), at.points, score) if at.counts_points else 0, score


def _recorded(
    at: GamePosition, shot: Shot, entry: int, settings: Settings, judged: Decided[Ruled]
) -> tuple[GamePosition, JudgedGameStroke]:
    """The position behind a stroke as it was decided, and the stroke's record."""
    game, best = settings.game, judged.best
    values, step = best.values, best.reading.step
    at = _in_order(at, step.get("by"))
    match, over, winner = play.after_ruling(at.match, game, values)
    points, score = points_and_score(at, game, best)
    by = str(step.get("by", ""))
    asked = _asked(judged, shot, by)
    stroke = JudgedGameStroke(
        n=at.strokes + 1,
        frame=at.frames[-1].n,
        entry=entry,
        seen=shot.seen,
        striker=by if by in ("A", "B") else None,
        foul=foul_of(values),
        points=points,
        score=score,
        break_points=_run(at, game, values, points),
        options=tuple(str(o) for o in values.get("options") or ()),
        next_striker=next_of(values),
        words=words_of(values),
        due=_due(values),
        verdict="call" if asked else "certain",
        question=question_text(asked, texts_of(game)) or None,
        candidates=judged.candidates,
        asked=asked,
        game=game,
        fact=as_json({k: v for k, v in step.items() if k not in (AT, FIRST)}),
        values=as_json(values),
        rack_start=at.rack_start,
        racks=match.racks,
        rack_over=over,
        rack_winner=winner,
        state_before=at.rack.state if at.rack is not None else None,
        state_after=best.after.state,
        struck=EYES[game].struck(shot),
    )
    return _behind(at, stroke, best, match), stroke


def _asked(judged: Decided[Ruled], shot: Shot, by: str) -> tuple[Asked, ...]:
    """The sentence of a stroke's question, if it has one; `by`: who played it."""
    if judged.asked is None:
        return ()
    pot = open_pocket(shot.seen) if judged.asked == POCKET else None
    return pocket_asked(shot.seen, pot) if pot else (EYES[shot.game].question(judged.asked, by),)


def _behind(at: GamePosition, stroke: JudgedGameStroke, best: Ruled, match: Match) -> GamePosition:
    """The position behind a stroke that was ruled so. `match`: as its ruling leaves it."""
    over, winner = stroke.rack_over, stroke.rack_winner
    won: tuple[int, int] = (int(winner == "A"), int(winner == "B"))
    shown = stroke.score if at.counts_points else won
    plays_on = not over and stroke.striker is not None and stroke.next_striker == stroke.striker
    return replace(
        at.after_stroke(stroke, shown, winner if over else None, over),
        rack=None if over else best.after,
        last_values=stroke.values,
        match=match,
        points=stroke.score if at.counts_points else (0, 0),
        earlier=stroke.seen.after,
        beside=stroke.seen.touching,
        full=False,
        end_asked=stroke.n if over and stroke.asked else None,
        run=stroke.break_points if plays_on else 0,
    )


def _in_order(at: GamePosition, by: object) -> GamePosition:
    """The position behind the shot that opens a rack: racks are broken in turn from who broke this one."""
    if not at.full or at.rack is None or at.frames[-1].first_stroke is not None or by not in SIDES:
        return at
    due, match = RULES[at.game].at_table(at.rack.state).by, at.match
    return replace(at, match=match if by == due else _other_order(match), order_known=True)


def _other_order(match: Match) -> Match:
    """The match with racks broken by the other player each."""
    return replace(match, breaker=other(match.breaker), first_breaker=other(match.first_breaker))


def _run(at: GamePosition, game: str, values: Values, points: int) -> int:
    """Points of the visit with this stroke's, also of one that ends it: as the rules count them (billiards),
    else added up (14.1).
    """
    said = values.get("break")
    if isinstance(said, int):
        return said
    return at.run + points if GAMES[game].runs else 0


def _due(values: Mapping[str, Any]) -> tuple[tuple[str, str | None, float, float, str], ...]:
    """Balls that the referee has to put back, with their places."""
    found: list[tuple[str, str | None, float, float, str]] = []
    for ball in values.get("respot") or []:
        x, y = ball.get("xy") or (math.nan, math.nan)
        if math.isfinite(x):
            found.append(
                (str(ball["ball"]), ball.get("spot"), float(x), float(y), str(ball.get("clause") or ""))
            )
    for key, name in (("red_placed", "red"), ("object_white_placed", "white")):
        placed = values.get(key)
        if placed:
            x, y = placed["xy"]
            found.append((name, placed["spot"], float(x), float(y), ""))
    return tuple(found)
