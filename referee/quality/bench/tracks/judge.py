"""A piece of the tracks tier judged: what tracker, intake and rules said against what was played."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace

from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from referee.facts.judged import JudgedStroke, SpottingCheck, Warned
from referee.facts.seen import SeenBall, SeenHand
from referee.match.touching import touching_verdict
from referee.match.weighing import CERTAIN
from referee.quality.bench.tracks.play import TOUCHES_MM, PlayedSpan, TrueStroke, kind

ONE_BALL_MM = 50.0
"""What is said and what is true are one ball if they lie nearer together: a diameter or so."""
MATCH_S = 0.6
"""A stroke said this far from a true one's start is another."""
FAR_MM = 10.0
"""A ball said this far (and four of its sigmas) from its place is said wrongly."""
SURELY_APART_MM = 0.2


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing said that is not so. `certain`: it was said without a question."""

    fact: str
    said: str
    true: str
    certain: bool


@dataclass(frozen=True, slots=True)
class TrackStroke:
    """One stroke of the tracks tier. `piece` and `stroke` (from 0) with the run's seed repeat it.

    `seen` False: no stroke was said near it; then the rest is empty. `question`: it became a referee's call
    although the rules have none on the exact facts. `facts`: how many things were said without a question.
    `first_right` None: no single ball was said for certain. Pots of object balls and cue-ball with pockets.
    `rests`: (error mm, sigma mm, dx, dy) of each ball that moved, at its new rest. `touching`: (true gap,
    said gap, sigma, said touching) of each ball near the cue-ball. `respots`: (true offset mm, dx error, dy
    error, sigma, ok) of the hands before the next stroke. `question_said`: the question
    that was asked (of other games). `forms`: solids and stripes before it by their likeliest
    names; `forms_wrong` of them are the other.
    """

    piece: int
    stroke: int
    camera: int
    image_hz: float
    t_s: float
    seen: bool
    question: bool = False
    facts: int = 0
    wrong: tuple[Wrong, ...] = ()
    layout_right: bool = False
    balls: int = 0
    first_right: bool | None = None
    first_certain: bool = False
    first_question: bool = False
    first_dt_s: float | None = None
    first_allowed_s: float = 0.005
    contacts: int = 0
    swaps: int = 0
    pots: int = 0
    pots_right: int = 0
    pots_false: int = 0
    rests: tuple[tuple[float, float, float, float], ...] = ()
    touching: tuple[tuple[float, float, float, bool], ...] = ()
    respots: tuple[tuple[float, float | None, float | None, float | None, bool | None], ...] = ()
    question_said: str = ""
    forms: int = 0
    forms_wrong: int = 0


@dataclass(frozen=True, slots=True)
class InventedStroke:
    """A stroke said where none was played."""

    piece: int
    camera: int
    image_hz: float
    t_s: float
    certain: bool


@dataclass(slots=True)
class Said:
    """Facts of one stroke being collected."""

    facts: int = 0
    wrong: list[Wrong] = field(default_factory=list)

    def add(self, fact: str, said: object, true: object, certain: bool) -> bool:
        right = said == true
        self.facts += certain
        if not right:
            self.wrong.append(Wrong(fact, str(said), str(true), certain))
        return right


@dataclass(frozen=True, slots=True)
class Piece:
    """Which piece of the tier it is, from which camera, at how many images a second."""

    number: int
    camera: int
    image_hz: float


def judge_strokes(
    piece: Piece,
    played: PlayedSpan,
    strokes: Sequence[JudgedStroke],
    judged: Callable[[int, TrueStroke, JudgedStroke], TrackStroke],
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """Each true stroke `judged` against the said one nearest to its start, and said ones that no true one
    explains.
    """
    left = list(strokes)
    out = []
    for k, true in enumerate(played.strokes):
        said = min(left, key=lambda s: abs(s.seen.start_s - true.t_strike_s), default=None)
        if said is None or abs(said.seen.start_s - true.t_strike_s) > MATCH_S:
            where = (piece.number, k, piece.camera, piece.image_hz, true.t_strike_s)
            out.append(TrackStroke(*where, False, balls=len(true.flown.start)))
            continue
        left.remove(said)
        out.append(judged(k, true, said))
    invented = [
        InventedStroke(piece.number, piece.camera, piece.image_hz, s.seen.start_s, s.verdict == "certain")
        for s in left
    ]
    return out, invented


@dataclass(frozen=True, slots=True)
class Paired:
    """The said ball of each true one, before a stroke and after it."""

    before: Mapping[str, SeenBall]
    after: Mapping[str, SeenBall]


First = tuple[bool | None, bool, bool, float | None, float]
"""Of a first contact: right, certain, question about it, time error s, time allowed s."""
Pots = tuple[int, int, int]
"""True pots, found with their pocket, false ones."""


def seen_stroke(
    piece: Piece,
    k: int,
    true: TrueStroke,
    said: JudgedStroke,
    facts: Said,
    balls: Paired,
    first: First,
    pots: Pots,
) -> TrackStroke:
    """The record of a stroke that was said, as every game has it; all its facts are in `facts` already."""
    start, end = true.flown.start, true.flown.end
    before, after = balls.before, balls.after
    rests = []
    for b in true.flown.paths:
        if b in after:
            s = after[b]
            dx, dy = s.x_mm - end[b][0], s.y_mm - end[b][1]
            rests.append((math.hypot(dx, dy), s.sigma_mm, dx, dy))
    return TrackStroke(
        piece.number,
        k,
        piece.camera,
        piece.image_hz,
        true.t_strike_s,
        True,
        said.verdict != "certain" and true.judged.verdict == "certain",
        facts.facts,
        tuple(facts.wrong),
        len(before) == len(start) == len(said.seen.before),
        len(start),
        *first,
        len(true.flown.contacts),
        sum(b in before and b in after and before[b].ball != after[b].ball for b in end),
        *pots,
        tuple(rests),
    )


def rest_facts(
    facts: Said,
    end: Mapping[str, tuple[float, float]],
    said: Sequence[tuple[SeenBall, str]],
    rested: Mapping[str, SeenBall],
    hidden: Set[str],
    certain: bool,
    possible: Sequence[tuple[float, float]] = (),
) -> None:
    """Every ball said at rest afterwards, with what it is called, and every true one not said; `hidden`: said
    not to be seen; `possible`: places (mm) of what is said to be a ball perhaps.
    """
    owner = {id(s): b for b, s in rested.items()}
    for s, name in said:
        b = owner.get(id(s))
        if b is None:
            facts.add("ball_at_rest", f"{name} at {s.x_mm:.0f} {s.y_mm:.0f}", "none", certain)
            continue
        far = math.hypot(s.x_mm - end[b][0], s.y_mm - end[b][1])
        wrong = far > max(FAR_MM, 4 * s.sigma_mm)
        facts.add("ball_at_rest", f"{far:.0f} mm off" if wrong else "there", "there", certain)
    for b in sorted(end.keys() - rested.keys() - hidden):  # the same record in every process
        perhaps = any(math.dist(end[b], place) < ONE_BALL_MM for place in possible)
        told = "perhaps there" if perhaps else "gone"
        facts.add("ball_at_rest", told, f"{b} at {end[b][0]:.0f} {end[b][1]:.0f}", certain and not perhaps)


def judge_piece(
    number: int,
    camera: int,
    image_hz: float,
    played: PlayedSpan,
    strokes: Sequence[JudgedStroke],
    hands: Sequence[SeenHand],
    checks: Sequence[SpottingCheck],
    warnings: Sequence[Warned],
    table: TableSpec,
) -> tuple[list[TrackStroke], list[InventedStroke]]:
    """Every stroke of a piece of snooker: see `judge_strokes`.

    A ball of which `warnings` say that it should be there and is not seen is not said to be gone.
    """
    piece = Piece(number, camera, image_hz)
    unseen = [(w.t_s, w.text) for w in warnings if w.type == "colour_not_spotted" and w.t_s is not None]

    def judged(k: int, true: TrueStroke, said: JudgedStroke) -> TrackStroke:
        until = played.strokes[k + 1].t_strike_s if k + 1 < len(played.strokes) else played.end_s
        told = " ".join(text for t_s, text in unseen if abs(t_s - said.seen.start_s) < 1e-6)
        found = _stroke(piece, k, true, said, table, told)
        return replace(found, respots=_respots(played, checks, true.t_rest_s, until))

    return judge_strokes(piece, played, strokes, judged)


def _stroke(
    piece: Piece, k: int, true: TrueStroke, said: JudgedStroke, table: TableSpec, told: str
) -> TrackStroke:
    facts = Said()
    certain = said.verdict == "certain"
    end = true.flown.end
    before = paired(true.flown.start, said.seen.before)
    first = _first(facts, true, said)
    pots = _pots(facts, true, said)
    facts.add("cue_ball", said.seen.cue_ball, true.judged.seen.cue_ball, certain)
    after = paired(end, said.seen.after)
    hidden = {b for b in end if b in said.seen.vanished or b in told}
    possible = [(b.x_mm, b.y_mm) for b in said.seen.possible]
    rest_facts(facts, end, [(s, s.colour) for s in said.seen.after], after, hidden, certain, possible)
    _ruling(facts, true, said, certain)
    touching = _touching(facts, end, said, after, table)
    found = seen_stroke(piece, k, true, said, facts, Paired(before, after), first, pots)
    return replace(found, touching=touching)


def paired(
    true: dict[str, tuple[float, float]],
    said: Sequence[SeenBall],
    kind_of: Callable[[str], str] = kind,
) -> dict[str, SeenBall]:
    """The said ball of each true one: of its colour, nearest first, none further than a ball's diameter."""
    options = sorted(
        (math.hypot(s.x_mm - p[0], s.y_mm - p[1]), b, i)
        for b, p in true.items()
        for i, s in enumerate(said)
        if s.colour == kind_of(b)
    )
    out: dict[str, SeenBall] = {}
    used: set[int] = set()
    for far, b, i in options:
        if far < ONE_BALL_MM and b not in out and i not in used:
            out[b] = said[i]
            used.add(i)
    return out


def _first(facts: Said, true: TrueStroke, said: JudgedStroke) -> First:
    want = next(((b if a == "white" else a, t) for a, b, t in true.flown.contacts if "white" in (a, b)), None)
    got = said.seen.first_contact[0] if said.seen.first_contact else None
    asked = said.verdict != "certain" and "first_contact" in {f for c in said.candidates for f, _ in c.facts}
    if got is None:
        return None, False, asked, None, 0.005
    # of a stroke a part of which nobody saw everything is asked
    certain = got.confidence >= CERTAIN and not (asked or said.seen.unseen)
    said_ball = kind(got.ball) if got.ball else None
    right = facts.add("first_contact", said_ball, kind(want[0]) if want else None, certain)
    if not right or want is None or got.t_s is None:
        return right, certain, asked, None, 0.005
    allowed_s = max(0.005, 2.0 / max(_speed(true, want[1]), 1.0))
    return right, certain, asked, got.t_s - true.t_strike_s - want[1], allowed_s


def _speed(true: TrueStroke, t_s: float) -> float:
    """Of the cue-ball just before a time, mm/s."""
    for piece in true.flown.paths["white"]:
        if piece.t0_s < t_s <= piece.t1_s + 1e-9:
            return math.hypot(*piece.velocity(t_s))
    return 0.0


def _pots(facts: Said, true: TrueStroke, said: JudgedStroke) -> Pots:
    """The cue-ball's are among them."""
    want = [(kind(b), p) for b, p, _ in true.flown.pots]
    got = [
        ((kind(p.ball), p.pocket), said.seen.with_pocket(p)) for p in said.seen.pots if p.confidence >= 0.5
    ]
    if said.seen.cue_ball == "pocketed":
        got.append((("white", said.seen.cue_ball_pocket), 1.0))
    left, right, false = list(want), 0, 0
    certain = said.verdict == "certain"
    for what, confidence in got:
        sure = certain and confidence >= CERTAIN
        if what in left:
            left.remove(what)
            right += 1
            facts.add("pot", what, what, sure)
        else:
            false += 1
            facts.add("pot", what, tuple(left) or "none", sure)
    if not got:
        facts.add("no_pot", "none", "none" if not left else tuple(left), certain)
    elif left:
        facts.add("pot", "none further", tuple(left), certain)
    return len(want), right, false


def _ruling(facts: Said, true: TrueStroke, said: JudgedStroke, certain: bool) -> None:
    """Who played on what, and where that is right its foul and points: these are not counted again."""
    want = true.judged
    certain = certain and want.verdict == "certain"
    state = want.striker, want.ball_on, want.free_ball
    if not facts.add("state", (said.striker, said.ball_on, said.free_ball), state, certain):
        return
    facts.add("foul", said.foul.penalty if said.foul else 0, want.foul.penalty if want.foul else 0, certain)
    facts.add("points", said.points, want.points, certain)
    facts.add("next", (said.next_striker, said.next_ball_on), (want.next_striker, want.next_ball_on), certain)


def _touching(
    facts: Said,
    end: dict[str, tuple[float, float]],
    said: JudgedStroke,
    after: dict[str, SeenBall],
    table: TableSpec,
) -> tuple[tuple[float, float, float, bool], ...]:
    if "white" not in end:
        return ()
    out = []
    pairs = {t.ball: t for t in said.seen.touching}
    for b, s in after.items():
        if b == "white":
            continue
        gap = max(math.dist(end[b], end["white"]) - table.ball_diameter_mm, 0.0)
        verdict, pair = "no", pairs.get(s.ball)
        if pair is not None:
            verdict = touching_verdict(pair.gap_mm, pair.sigma_mm)
            out.append((gap, pair.gap_mm, pair.sigma_mm, verdict == "yes"))
        elif gap > 3.0:
            continue
        true = verdict
        if verdict == "yes" and gap > SURELY_APART_MM:
            true = "no"
        elif verdict == "no" and gap < TOUCHES_MM:
            true = "yes"
        facts.add("touching", verdict, true, verdict != "unknown")
    return tuple(out)


def _respots(
    played: PlayedSpan, checks: Sequence[SpottingCheck], since_s: float, until_s: float
) -> tuple[tuple[float, float | None, float | None, float | None, bool | None], ...]:
    out: list[tuple[float, float | None, float | None, float | None, bool | None]] = []
    for h in played.hands:
        if h.due is None or h.to is None or not since_s <= h.t_s < until_s:
            continue
        dx, dy = h.to[0] - h.due[0], h.to[1] - h.due[1]
        check = next((c for c in checks if c.ball == h.ball and abs(c.t_s - h.t_s) < 2.5), None)
        if check is None:
            out.append((math.hypot(dx, dy), None, None, None, None))
        else:
            out.append((math.hypot(dx, dy), check.dx_mm - dx, check.dy_mm - dy, check.sigma_mm, check.ok))
    return tuple(out)


# -- lines ----------------------------------------------------------------------------------------------


def to_line(record: TrackStroke | InventedStroke) -> str:
    """One line of JSON; numbers to a micrometre or microsecond."""
    return json.dumps(
        {"record": type(record).__name__, **{k: _short(v) for k, v in asdict(record).items()}},
        separators=(",", ":"),
        allow_nan=False,
    )


def _short(value: object) -> object:
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {k: _short(v) for k, v in value.items()}
    return [_short(v) for v in value] if isinstance(value, list | tuple) else value


def from_line(line: str, source: str) -> TrackStroke | InventedStroke:
    """The record that `to_line` wrote. Raises UnusableInput when it is none."""
    try:
        values = json.loads(line)
        if values.pop("record") == "InventedStroke":
            return InventedStroke(**values)
        values["wrong"] = tuple(Wrong(**w) for w in values["wrong"])
        for name in ("rests", "touching", "respots"):
            values[name] = tuple(tuple(v) for v in values[name])
        return TrackStroke(**values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise unusable_input(
            "errors.line_of_the_benchs_tracks", source=source, line=repr(line[:80]), error=error
        ) from error
