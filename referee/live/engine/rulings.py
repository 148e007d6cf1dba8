"""The rulings, questions and frames that a live table publishes.

`PublishedRulings` takes the record's new outputs and gives the bodies that changed. It folds incrementally:
work for a stroke does not grow with the number of strokes. After a person's change the whole record is taken
again (`rebuilt`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import cast

from calibration.texts import ENGLISH, languages, load_texts
from referee.facts.judged import Asked, Candidate, JudgedStroke, Output, Warned, asks
from referee.live.engine.game_board import game_choice
from referee.live.engine.scoreboard import frames_of, open_options, side_of
from referee.live.engine.state import (
    LiveAnswer,
    LiveFoul,
    LiveFrame,
    LiveQuestion,
    LiveRuling,
    LiveWords,
    RulingKind,
    Side,
)
from referee.match.games.fold import JudgedGameStroke
from referee.match.hanging import hanging, hangs_on, roots
from referee.match.position import Position
from referee.match.questions import SIDES, question_text, texts_of
from referee.match.snooker.calls import STATE_SET
from referee.outputs.clips import Clip
from referee.outputs.convert import game_of, means_json, stroke_json
from referee.outputs.document import Match, Stroke, name_of
from referee.outputs.words import (
    Say,
    choice_words,
    facts_words,
    means_words,
    question_words,
    ruling_words,
)

_SHOWN = 8  # rulings in a state
_ASKED = 12  # open questions in a state
_KEPT = 60  # older questions can no longer be answered by id

Change = LiveRuling | LiveQuestion | LiveFrame


class PublishedRulings:
    """The rulings, questions and frames of one match as published. `ready_s`: the image clock at
    publication.
    """

    def __init__(self, utc_of: Callable[[float], str]) -> None:
        """`utc_of`: the time of day of a moment of the match clock."""
        self._utc_of = utc_of
        self._rulings: deque[LiveRuling] = deque(maxlen=_SHOWN)
        self._questions: dict[str, LiveQuestion] = {}
        self._waiting: dict[int, int | None] = {}  # all strokes with an open question: on which it hangs
        self._roots: dict[int, int] = {}
        self._breaks: dict[
            tuple[int, Side], int
        ] = {}  # best of each frame, so that a correction can lower it
        self._frames: tuple[LiveFrame, ...] = ()
        self._last: JudgedStroke | None = None
        self._provisional: int | None = None
        self._set_aside: frozenset[int] = frozenset()
        self._state_set_s = -math.inf  # what a person last said of the state counts from here on

    @property
    def rulings(self) -> tuple[LiveRuling, ...]:
        """The last rulings, newest last."""
        return tuple(self._rulings)

    @property
    def questions(self) -> tuple[LiveQuestion, ...]:
        """The newest open questions that hang on no other, oldest first; older ones stay with their strokes,
        in the console.
        """
        below = hanging(self._roots)
        shown = [q for q in self._questions.values() if self._root_of(q) is None][-_ASKED:]
        return tuple(
            replace(q, hangs_on=None, hanging=below.get(q.stroke, ())) if q.kind == "facts" else q
            for q in shown
        )

    @property
    def questions_more(self) -> int:
        """How many more wait that hang on no other: all of the match's are in the console."""
        choices = sum(q.kind == "choice" for q in self._questions.values())
        return max(0, len(set(self._roots.values())) + choices - len(self.questions))

    @property
    def best_breaks(self) -> tuple[int, int]:
        """The highest break of A and of B."""
        best = {"A": 0, "B": 0}
        for (_, side), points in self._breaks.items():
            best[side] = max(best[side], points)
        return best["A"], best["B"]

    def _root_of(self, q: LiveQuestion) -> int | None:
        """The stroke on whose question an open one hangs; None where on none."""
        root = self._roots.get(q.stroke, q.stroke) if q.kind == "facts" else q.stroke
        return None if root == q.stroke else root

    def question(self, ident: str) -> LiveQuestion | None:
        """An open question by its id."""
        return self._questions.get(ident)

    def clips_known(self, clip_over: Callable[[float, float], Clip | None]) -> None:
        """Note the clip of each question's stroke. `clip_over`: finds it by the stroke's times."""
        for ident, q in self._questions.items():
            found = clip_over(q.start_s, q.end_s)
            name = found.path.name if found is not None else None
            if name != q.clip:
                self._questions[ident] = replace(q, clip=name)

    def take(self, outputs: Iterable[Output], names: tuple[str, str], ready_s: float) -> list[Change]:
        """Take new outputs of the record; the bodies that change."""
        changes: list[Change] = []
        for s in outputs:
            if isinstance(s, JudgedStroke):
                changes += self._stroke(s, names, ready_s)
        return changes

    def look_ahead(self, outputs: Sequence[Output], names: tuple[str, str], ready_s: float) -> list[Change]:
        """Publish a stroke that is not closed, or held back for a doubt, once as provisional."""
        changes: list[Change] = []
        if self._provisional is not None and not outputs:  # it was no stroke
            self._rulings = deque((r for r in self._rulings if not r.provisional), maxlen=_SHOWN)
            self._provisional = None
        for s in outputs:
            if isinstance(s, JudgedStroke) and s.entry == 0 and s.n != self._provisional:
                self._provisional = s.n
                ruling = self._ruled(s, names, True, ready_s)
                self._put(ruling)
                changes.append(ruling)
        return changes

    def settle(self, position: Position, names: tuple[str, str]) -> list[Change]:
        """Take the fold's position: the choice that is open, frames that have begun or ended."""
        changes: list[Change] = list(self._choice(position, names))
        frames = frames_of(position)
        known = {f.n: f for f in self._frames}
        changes += [
            f
            for f in frames
            if f.n not in known
            or replace(known[f.n], score=f.score) != replace(f, first_stroke=known[f.n].first_stroke)
        ]
        self._frames = frames
        return changes

    def rebuilt(
        self,
        outputs: Iterable[Output],
        names: tuple[str, str],
        ready_s: float,
        set_aside: frozenset[int] = frozenset(),
    ) -> list[Change]:
        """Take all outputs, the standing's included, again after a person's change: the rulings that differ,
        the questions answered.

        `set_aside`: entries of strokes of which a person said that he does not know what happened.
        """
        self._set_aside = set_aside
        found = tuple(outputs)
        set_s = (w.t_s for w in found if isinstance(w, Warned) and w.type == STATE_SET)
        self._state_set_s = max((t_s for t_s in set_s if t_s is not None), default=-math.inf)
        strokes = {s.n: s for s in found if isinstance(s, JudgedStroke)}
        before, asked = {r.stroke: r for r in self._rulings}, self._questions
        self._rulings.clear()
        self._questions, self._breaks, self._last = {}, {}, None
        self._waiting, self._roots = {}, {}
        for s in strokes.values():
            self._stroke(s, names, ready_s)
        changes: list[Change] = [r for r in self._rulings if _content(before.get(r.stroke)) != _content(r)]
        changes += self._questions_changed(asked)
        self._questions |= {i: q for i, q in asked.items() if q.kind == "choice"}
        return changes

    def _questions_changed(self, before: Mapping[str, LiveQuestion]) -> Iterator[LiveQuestion]:
        """Questions that a person's change has answered, and those that are new or stand elsewhere now."""
        for i, q in before.items():
            if i not in self._questions and q.kind == "facts":
                yield replace(q, open=False, closed_by="person")
        for i, q in self._questions.items():
            if i not in before or _place(q) != _place(before[i]):
                yield q

    def _stroke(self, s: JudgedStroke, names: tuple[str, str], ready_s: float) -> list[Change]:
        asked = self._asked(s, names)
        ruling = self._ruled(s, names, False, ready_s)
        self._put(ruling)
        self._provisional = None
        if self._last is None or s.n >= self._last.n:  # else what followed answered an earlier one
            self._last = s
        if ruling.striker is not None:
            key = (s.frame, ruling.striker)
            self._breaks[key] = max(self._breaks.get(key, 0), s.break_points)
        return [ruling, *asked]

    def _asked(self, s: JudgedStroke, names: tuple[str, str]) -> list[Change]:
        """Open the question of a stroke, or close it where the stroke was judged again without one."""
        counts = s.seen.end_s > self._state_set_s
        asked = replace(question_of(s, names, self._utc_of(s.seen.end_s)), counts=counts)
        open_now = self._questions.get(asked.id)
        if s.verdict == "call" and s.entry not in self._set_aside:
            self._waiting[s.n] = hangs_on(s.asked)
            self._roots = roots(self._waiting)
            asked = replace(asked, hangs_on=self._root_of(asked))
            self._questions[asked.id] = asked
            self._forget()
            return [asked] if open_now is None or open_now.answers != asked.answers else []
        if s.n in self._waiting:
            del self._waiting[s.n]
            self._roots = roots(self._waiting)
        if open_now is None:
            return []
        del self._questions[asked.id]
        return [replace(open_now, open=False, closed_by="later_events")]

    def _forget(self) -> None:
        """Leave out the oldest questions of too many, first those that hang on another."""
        over = len(self._questions) - _KEPT
        if over > 0:
            oldest = sorted(self._questions, key=lambda i: self._root_of(self._questions[i]) is None)
            for ident in oldest[:over]:
                del self._questions[ident]

    def _choice(self, position: Position, names: tuple[str, str]) -> list[Change]:
        """Open the choice after a foul; close one that the next stroke or a person settled."""
        state, last = position.state, self._last
        wanted: LiveQuestion | None = None
        options = open_options(state) if state is not None else ()
        choice = game_choice(position)
        if state is not None and len(options) > 1:
            choice = side_of(state.striker), options
        if choice is not None and last is not None:
            utc = self._utc_of(last.seen.end_s)
            wanted = choice_question(last, *choice, names, utc)
        changes: list[Change] = []
        for ident, q in list(self._questions.items()):
            if q.kind == "choice" and (wanted is None or ident != wanted.id):
                del self._questions[ident]
                changes.append(replace(q, open=False, closed_by="later_events"))
        if wanted is not None and wanted.id not in self._questions:
            self._questions[wanted.id] = wanted
            changes.append(wanted)
        return changes

    def _put(self, ruling: LiveRuling) -> None:
        for k, known in enumerate(self._rulings):
            if known.stroke == ruling.stroke:
                self._rulings[k] = ruling
                return
        self._rulings.append(ruling)

    def _ruled(
        self, s: JudgedStroke, names: tuple[str, str], provisional: bool, ready_s: float
    ) -> LiveRuling:
        ruling = ruling_of(s, names, provisional, ready_s, self._utc_of(s.seen.end_s))
        if s.verdict != "call" or s.entry in self._set_aside:
            return ruling
        root = roots(self._waiting | {s.n: hangs_on(s.asked)})[s.n]
        # the answer to the root answers this stroke too: that is what would change it
        return ruling if root == s.n else replace(ruling, hangs_on=root, alternatives=())


def _place(q: LiveQuestion) -> tuple[bool, int | None]:
    """What else than its stroke says how a question is shown."""
    return q.counts, q.hangs_on


def _content(ruling: LiveRuling | None) -> LiveRuling | None:
    """A ruling without its time of publication."""
    return None if ruling is None else replace(ruling, ready_s=0.0, end_utc="")


def ruling_of(
    s: JudgedStroke, names: tuple[str, str], provisional: bool, ready_s: float, end_utc: str
) -> LiveRuling:
    """A judged stroke as published."""
    first = s.seen.first_contact[0].ball if s.seen.first_contact else None
    match, stroke = _named(names), stroke_json(s)
    return LiveRuling(
        stroke=s.n,
        frame=s.frame,
        entry=None if provisional else s.entry,
        provisional=provisional,
        start_s=s.seen.start_s,
        end_s=s.seen.end_s,
        ready_s=ready_s,
        end_utc=end_utc,
        kind=_kind(s),
        striker=side_of(s.striker) if s.striker else None,
        ball_on=s.ball_on,
        nominated=s.nominated,
        first_contact=first,
        potted=tuple(p.ball for p in s.seen.pots),
        foul=_foul(s),
        miss=s.miss,
        points=s.points,
        score=s.score,
        break_points=s.break_points,
        free_ball=s.next_free_ball,
        touching=s.touching,
        next_striker=side_of(s.next_striker) if s.next_striker else None,
        next_ball_on=s.next_ball_on,
        options=s.options,
        verdict=s.verdict,
        text=_ruling_text(s, match, stroke, _say_of(s)),
        said=tuple(LiveWords(code, _ruling_text(s, match, stroke, _say_of(s, code))) for code in languages()),
        alternatives=_alternatives(s, match),
    )


def _alternatives(s: JudgedStroke, match: Match) -> tuple[LiveAnswer, ...]:
    """What may be so where a ruling is a call, the likeliest first: the answers of its question."""
    if s.verdict != "call":
        return ()
    return tuple(sorted(_answers(s, match), key=lambda a: -a.weight))


def _kind(s: JudgedStroke) -> RulingKind:
    if s.striker is None:
        return "unruled"
    if s.foul:
        return "foul"
    return "points" if s.points else "no_score"


def _foul(s: JudgedStroke) -> LiveFoul | None:
    if s.foul is None:
        return None
    to = side_of(s.foul.penalty_to) if s.foul.penalty_to else None
    return LiveFoul(s.foul.clause, s.foul.reason, s.foul.penalty or 0, to)


def ruling_text(s: JudgedStroke, names: tuple[str, str]) -> str:
    """The ruling in a referee's words: what scored or was fouled, and what it means for the next stroke."""
    return _ruling_text(s, _named(names), stroke_json(s), _say_of(s))


def _ruling_text(s: JudgedStroke, match: Match, stroke: Stroke, say: Say) -> str:
    parts = [ruling_words(match, stroke, say)]
    parts += [say.t("ruling.free_ball")] if s.next_free_ball else []
    touched = ", ".join(say.ball(b) for b in s.touching)
    parts += [say.t("ruling.touching", balls=touched)] if s.touching else []
    # other games' rulings say themselves what is put back, on spots that have names of their own
    for ball, spot, _, _, _ in () if isinstance(s, JudgedGameStroke) else s.due:
        key = "beside_spot" if spot is None else "to_own_spot" if spot == ball else "to_spot"
        parts.append(say.t(f"ruling.{key}", ball=ball, spot=spot))
    return "; ".join(parts)


def question_of(s: JudgedStroke, names: tuple[str, str], utc: str) -> LiveQuestion:
    """The open question of a referee's call."""
    match, say = _named(names), _say_of(s)
    return LiveQuestion(
        f"stroke-{s.entry}",
        "facts",
        s.n,
        s.entry,
        question_words(match, stroke_json(s), say),
        _answers(s, match),
        s.seen.start_s,
        s.seen.end_s,
        None,
        utc,
        asked=tuple(_by_name(a, match) for a in s.asked),
        striker=side_of(s.striker) if s.striker else None,
    )


def _by_name(asked: Asked, match: Match) -> Asked:
    """The sentence with players by name."""
    return Asked(
        asked.text,
        tuple((k, name_of(match, v) if k in SIDES else v) for k, v in asked.values),
    )


def choice_question(
    s: JudgedStroke, chooser: Side, options: Sequence[str], names: tuple[str, str], utc: str
) -> LiveQuestion:
    """The question for a player's choice after a foul; the next stroke may answer it too."""
    match = _named(names)
    answers = tuple(
        LiveAnswer(
            k,
            o.replace("_", " "),
            "",
            1 / len(options),
            None,
            tuple(LiveWords(code, choice_words(match, o, _say_of(s, code))) for code in languages()),
        )
        for k, o in enumerate(options)
    )
    asked = (asks("choose", name=names["AB".index(chooser)]),)
    return LiveQuestion(
        f"choice-{s.entry}",
        "choice",
        s.n,
        s.entry,
        question_text(asked),
        answers,
        s.seen.start_s,
        s.seen.end_s,
        None,
        utc,
        asked=asked,
        striker=side_of(s.striker) if s.striker else None,
    )


def _answers(s: JudgedStroke, match: Match) -> tuple[LiveAnswer, ...]:
    """What the candidates of a stroke say and mean, in their order: an answer is given by its number."""
    return tuple(_answer(k, c, match, s) for k, c in enumerate(s.candidates))


def _answer(index: int, c: Candidate, match: Match, s: JudgedStroke) -> LiveAnswer:
    facts = {**dict(c.facts), **dict(c.also)}
    means = means_json(c, game_of(s))
    practice = s.striker is None
    says = [(code, _say_of(s, code)) for code in languages()]
    english = _say_of(s)
    return LiveAnswer(
        index,
        facts_words(match, facts, english),
        means_words(match, means, english, practice),
        c.weight,
        None if practice else c.score,
        tuple(LiveWords(code, facts_words(match, facts, say)) for code, say in says),
        tuple(LiveWords(code, means_words(match, means, say, practice)) for code, say in says),
    )


def _say_of(s: JudgedStroke, language: str = ENGLISH) -> Say:
    """A language with the balls' names of the stroke's game."""
    return _say(game_of(s), language)


@cache
def _say(game: str, language: str) -> Say:
    return Say(texts_of(game, load_texts(language)))


def _named(names: tuple[str, str]) -> Match:
    """A match with the players' names only, which is all that the words about a stroke need."""
    return cast("Match", {"players": list(names)})
