"""The courses that a frame may have taken since a question that nobody has answered.

A question leaves several rulings. Each begins a course: a position from which the next strokes are judged
too. Later strokes weigh the courses, because players foul rarely and each ruling implies which balls are
left. The heaviest course is shown. When another one becomes the heaviest, the strokes since the question are
reported again as that course rules them.

While courses rule a stroke differently it is a question, even if its own images are certain. Where they rule
it alike, and only the score or the pieces after it differ, it stays certain and names the question on which
those depend. Once the courses that rule a stroke otherwise weigh less than one in a thousand together, later
strokes have answered its question, and it is reported again without one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from calibration.table.pieces import colour_of
from referee.facts.judged import Asked, Candidate, JudgedStroke, Output, asks
from referee.match.position import Course, Folded, Position, StrokeRuling, Told
from referee.match.questions import question_text
from referee.match.weighing import CERTAIN, MOST_CANDIDATES, Labels, grouped, summed
from referee.rules.snooker import State

LEAST = 1e-5
"""Least weight of a course that is pursued: below it, no later foul raises it to one in a thousand again."""
FIRST_ASKED = frozenset({"first_contact", "potted", "cue_ball", "striker"})
"""Things about which a stroke's own question is asked before the question about the state before it."""
SEEN = 0.1
"""Least weight by the pictures of an answer that later strokes can make certain. One time in 10,000 no course
is true (the players' balls were confused), and later strokes then look fair too.
"""
MOST_COURSES = 12
MOST_STROKES = 12
"""Number of strokes since the question that are judged again; older ones stay as they were last reported."""


@dataclass(frozen=True, slots=True)
class _Path:
    """A course after the stroke that was just judged, with the score before it and the stroke's other
    outputs.
    """

    course: Course
    score: tuple[int, int]
    said: tuple[Output, ...]
    alike: float = 1.0
    """Share of its weight that played the stroke in the same state: with a free ball, or without."""

    @property
    def stroke(self) -> JudgedStroke:
        return self.course.strokes[-1].stroke


def judged(position: Position, judge: Callable[[Position], StrokeRuling]) -> Folded:
    """Judge a stroke from every course: the heaviest course becomes the position, the others its rivals."""
    courses = [(c, judge(c.position)) for c in _all(position)]
    courses.sort(key=lambda cr: -cr[0].weight * cr[1].likelihood)
    weighed = _weighed([p for course, ruling in courses for p in _paths(course, ruling)])
    best, *others = _with_open_state(_asked(weighed))
    *earlier, last = best.course.strokes
    earlier = _answered(replace(best.course, strokes=tuple(earlier)), [p.course for p in others])
    again = _said_again(position.own_course, earlier)
    after = replace(
        best.course.position,
        courses=tuple(p.course for p in others),
        own_course=(*earlier, last) if others or best.course.seen < SEEN else (),
        own_seen=best.course.seen,
    )
    return after, (*again, *best.said, best.stroke)


def in_each(
    position: Position, done: Callable[[Position], Folded], likely: Callable[[Position], float]
) -> Folded:
    """Take an entry that is no stroke in every course; the outputs are those of the position's own course.

    `likely`: likelihood of the entry in a position.
    """
    own, *rivals = _all(position)
    after, said = done(own.position)
    if len(after.frames) > len(position.frames):
        return after, said
    weights = [c.weight * likely(c.position) for c in (own, *rivals)]
    whole = sum(weights)
    weighed = zip(rivals, weights[1:], strict=True)
    there = tuple(replace(c, position=done(c.position)[0], weight=w / whole) for c, w in weighed)
    told = _answered(replace(own, weight=weights[0] / whole), there)
    after = replace(after, courses=there, own_course=tuple(told), own_seen=own.seen)
    return after, (*said, *_said_again(own.strokes, told))


def _all(position: Position) -> list[Course]:
    """Every course, the position's own first."""
    own = replace(position, courses=(), own_course=(), own_seen=1.0)
    left = 1.0 - sum(c.weight for c in position.courses)
    return [Course(own, position.own_course, left, position.own_seen), *position.courses]


def positions_of(position: Position) -> list[Position]:
    """The position of every course, its own first."""
    return [c.position for c in _all(position)]


def ruled_from(position: Position, stroke: JudgedStroke) -> Position:
    """The position from which a stroke was ruled: that of the course with the same player and ball on."""
    found = (c.position for c in _all(position))
    own = stroke.striker, stroke.ball_on
    return next((p for p in found if p.state and (p.state.striker, p.state.ball_on) == own), position)


def states_of(position: Position) -> tuple[tuple[str, str, float], ...]:
    """Who may be at the table and what on, with weights, heaviest first; empty where all agree in it."""
    found = ((c.position.state, c.weight) for c in _all(position))
    return heaviest_first((state, weight) for state, weight in found if state is not None)


def heaviest_first(states: Iterable[tuple[State, float]]) -> tuple[tuple[str, str, float], ...]:
    """Players and balls on of weighed states, heaviest first; empty where all agree in it."""
    weights = summed(((state.striker, str(state.ball_on)), weight) for state, weight in states)
    found = sorted(((who, on, w) for (who, on), w in weights.items()), key=lambda s: -s[2])
    return tuple(found) if len(found) > 1 else ()


def _paths(course: Course, ruling: StrokeRuling) -> list[_Path]:
    """The courses into which a stroke's rulings divide a course, the heaviest first."""
    weight = course.weight * ruling.likelihood
    left = 1.0 - sum(o.weight for o in ruling.others)
    own = Course(ruling.position, (ruling.told,), left)
    ends = sorted((own, *ruling.others), key=lambda o: -o.weight)
    return [
        _Path(
            Course(
                o.position,
                (*course.strokes, *o.strokes)[-MOST_STROKES:],
                weight * o.weight,
                min(course.seen, o.weight),
            ),
            course.position.score,
            ruling.said,
        )
        for o in ends
    ]


def _weighed(paths: Sequence[_Path]) -> list[_Path]:
    """The paths with equal positions merged, and weights that sum to one.

    The first stays first; the others follow by weight, without those that weigh less than `LEAST`.
    """
    stands = [_stands(p.course.position) for p in paths]
    one = list(grouped(range(len(paths)), lambda k: stands.index(stands[k])).values())
    weights = [sum(paths[k].course.weight for k in same) for same in one]
    heavy = (k for k in range(1, len(one)) if weights[k] > LEAST * sum(weights))
    kept = [0, *sorted(heavy, key=lambda k: -weights[k])[: MOST_COURSES - 1]]
    whole = sum(weights[k] for k in kept) or 1.0
    found = []
    for k in kept:
        first, *alike = (paths[j] for j in one[k])
        strokes = _as_one(first.course, [p.course for p in alike])
        seen = max(p.course.seen for p in (first, *alike))
        course = replace(first.course, strokes=strokes, weight=weights[k] / whole, seen=seen)
        own = sum(
            paths[j].course.weight for j in one[k] if paths[j].stroke.free_ball == first.stroke.free_ball
        )
        found.append(replace(first, course=course, alike=own / weights[k] if weights[k] else 1.0))
    return found


def _as_one(first: Course, alike: Sequence[Course]) -> tuple[Told, ...]:
    """The strokes of a course that stands for itself and others with an equal position.

    Each stroke gets the share of their weight that rules it otherwise.
    """
    whole = first.weight + sum(c.weight for c in alike)
    if not alike or whole <= 0.0:
        return first.strokes
    return tuple(
        replace(t, otherwise=1.0 - sum(c.weight * _as_told(c, k, t) for c in (first, *alike)) / whole)
        for k, t in enumerate(first.strokes)
    )


def _as_told(course: Course, k: int, told: Told) -> float:
    """Share of a course's weight that rules stroke `k` since the question in the same way as `told`."""
    own = course.strokes[k]
    if own.sure is None or told.sure is None or _says(own.sure) != _says(told.sure):
        return 0.0
    return 1.0 - own.otherwise


def _answered(own: Course, rivals: Sequence[Course]) -> list[Told]:
    """A course's strokes since the question, with those answered that are certain now.

    A stroke is certain once the courses that rule it alike weigh `CERTAIN` together.
    """
    found = list(own.strokes)
    for k, told in enumerate(own.strokes if own.seen >= SEEN else ()):
        agreeing = sum(c.weight * _as_told(c, k, told) for c in (own, *rivals))
        if told.sure is not None and told.stroke.verdict == "call" and agreeing >= CERTAIN:
            found[k] = replace(told, stroke=replace(told.sure, answered=min(agreeing, 1.0)))
        elif told.stroke.state_hangs_on is not None:
            alike = (c for c in (own, *rivals) if c.strokes[k].stroke.stands == told.stroke.stands)
            if sum(c.weight for c in alike) >= CERTAIN:
                found[k] = replace(told, stroke=_as_ruled(told.stroke))
    return found


def _says(stroke: JudgedStroke) -> object:
    """What a stroke's ruling says, apart from the score that it found."""
    met = stroke.seen.first_contact[:1]
    return (
        *(colour_of(f.ball) for f in met if f.ball is not None),
        sorted(colour_of(p.ball) for p in stroke.seen.pots if p.confidence > 0.5),
        stroke.striker,
        stroke.ball_on,
        stroke.free_ball,
        stroke.foul,
        stroke.miss,
        stroke.points,
        stroke.next_striker,
        stroke.next_ball_on,
        stroke.next_free_ball,
    )


def _stands(position: Position) -> Position:
    """The part of a position on which its future depends: courses that are equal in it are merged.

    The winners of earlier frames count only where the game carries them on (racks won, points).
    """
    frames = position.frames[-1:]
    return replace(position, last=None, courses=(), own_course=(), own_seen=1.0, fouls=(0, 0), frames=frames)


def _ruled(path: _Path) -> object:
    """What a stroke's ruling says, apart from the score that it found."""
    s, frames = path.stroke, path.course.position.frames
    over = (frames[-1].winner, frames[-1].ended) if frames else None
    return s.striker, s.free_ball, s.foul, s.points, s.next_striker, s.next_ball_on, over


def _asked(paths: Sequence[_Path]) -> list[_Path]:
    """The paths, with a question about the stroke where courses disagree in its ruling or its player.

    The stroke's own question about what happened, if it has one, is asked first.
    """
    best = paths[0]
    same = _ruled if best.stroke.verdict == "certain" else _state
    agreeing = sum(p.course.weight * p.alike for p in paths if same(p) == same(best))
    if agreeing >= CERTAIN and best.course.seen >= SEEN:
        return list(paths)
    asked = Asked("what_was_on"), asks("hangs_on", n=str(_first_open(paths)))
    answers = _answers(paths)
    return [p if _about_facts(p.stroke) else _with_question(p, asked, answers) for p in paths]


def _with_open_state(paths: Sequence[_Path]) -> list[_Path]:
    """The paths, where each certain stroke names the question on which the state after it depends."""
    out = []
    for p in paths:
        agreeing = sum(q.course.weight for q in paths if q.stroke.stands == p.stroke.stands)
        if p.stroke.verdict == "certain" and agreeing < CERTAIN:
            p = _with_stroke(p, replace(p.stroke, state_hangs_on=_first_open(paths)))
        out.append(p)
    return out


def _with_stroke(path: _Path, stroke: JudgedStroke) -> _Path:
    """The path with its last stroke replaced."""
    *earlier, told = path.course.strokes
    course = replace(path.course, strokes=(*earlier, replace(told, stroke=stroke)))
    last = course.position.last
    if last is not None:
        course = replace(course, position=replace(course.position, last=replace(last, output=stroke)))
    return replace(path, course=course)


def _about_facts(stroke: JudgedStroke) -> bool:
    """Whether a stroke is a question about what happened in it or before it."""
    labels = {name for c in stroke.candidates for name, _ in c.facts}
    return stroke.verdict == "call" and (not labels or bool(labels & FIRST_ASKED))


def _first_open(paths: Sequence[_Path]) -> int:
    """The number of the first stroke that courses rule differently, of those that are still asked about."""
    here = {t.stroke.n: _as_ruled(t.stroke) for t in paths[0].course.strokes}
    told = (_as_ruled(t.stroke) for p in paths[1:] for t in p.course.strokes)
    differ = {s.n for s in told if here.get(s.n) != s}
    differ |= {t.stroke.n for t in paths[0].course.strokes if t.otherwise > 0.0}
    asked = {n for n in differ if n in here and here[n].verdict == "call"}
    return min(asked or differ, default=paths[0].stroke.n)


def _as_ruled(stroke: JudgedStroke) -> JudgedStroke:
    return stroke if stroke.state_hangs_on is None else replace(stroke, state_hangs_on=None)


def _with_question(path: _Path, asked: tuple[Asked, ...], answers: tuple[Candidate, ...]) -> _Path:
    question = question_text(asked)
    stroke = replace(path.stroke, verdict="call", asked=asked, question=question, candidates=answers)
    return _with_stroke(path, stroke)


def _answers(paths: Sequence[_Path]) -> tuple[Candidate, ...]:
    """Who may have been at the table, and on what, with what it means; none where all courses agree in it."""
    groups = grouped(paths, _state)
    if len(groups) < 2:
        return ()
    found = []
    for facts, ps in groups.items():
        s, (a, b) = ps[0].stroke, ps[0].score
        also: Labels = (("score", f"{a}-{b}"),) if s.ball_on is not None else ()
        found.append(
            Candidate(
                facts,
                sum(p.course.weight for p in ps),
                s.foul,
                s.miss,
                s.next_free_ball,
                s.points,
                s.score,
                s.next_striker,
                s.next_ball_on,
                also,
                values=s.of_ruling,
            )
        )
    return tuple(sorted(found, key=lambda c: -c.weight)[:MOST_CANDIDATES])


def _state(path: _Path) -> Labels:
    """Who plays, and what is on where the game has that, as an answer says it."""
    player, on = ("striker", (path.stroke.striker or "A")[0]), path.stroke.ball_on
    return (player,) if on is None else (player, ("ball_on", on))


def _said_again(before: Sequence[Told], now: Sequence[Told]) -> tuple[JudgedStroke, ...]:
    """The strokes that differ from how they were last reported."""
    known = {t.stroke.n: t.stroke for t in before}
    return tuple(t.stroke for t in now if t.stroke.n in known and known[t.stroke.n] != t.stroke)
