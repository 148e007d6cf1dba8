"""Requests of people to a running table, each applied as one more entry of the match's journal.

Requests are frozen values that `LiveEngine.submit` queues; the engine's thread applies them between two
images. Corrections of strokes and added strokes come from the console (`referee.console.match_view`) and
reach the same thread by `LiveEngine.on_thread`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from calibration.errors import UnusableInput
from calibration.table.games import PIECES, is_snooker
from calibration.table.specs import POCKETS, CushionName
from calibration.texts import game_title, sentence, unusable_input
from referee.facts.calls import (
    ChoiceCall,
    FrameAct,
    FrameCall,
    Frozen,
    Nomination,
    Players,
    ShotCall,
    Touching,
    fields_of_calls,
    frozen_ball,
    touching_ball,
)
from referee.facts.corrections import OBJECT_BALLS, Correction, in_force
from referee.facts.judged import JudgedStroke
from referee.journal import decode
from referee.live.engine.game_board import game_choice
from referee.live.engine.live_match import LiveMatch
from referee.live.engine.rulings import PublishedRulings
from referee.live.engine.scoreboard import side_of
from referee.live.engine.settings import NewMatch, check_best_of, check_players
from referee.live.engine.state import Side
from referee.match.answers import facts_of_labels
from referee.match.changes import state_of_labels, undo
from referee.match.games.fold import GamePosition
from referee.match.open_calls import (
    CallKind,
    OpenCalls,
    ball_said,
    calls_now,
    check_open,
    choices_said,
    kinds_said,
)
from referee.match.position import Position
from referee.match.referee import Referee
from referee.rules.snooker import Pending
from referee.rules.snooker.facts import Choice

_BEFORE_S = 1e-3  # a call about the frame before a triangle counts from just before that triangle


@dataclass(frozen=True, slots=True)
class SetPlayers:
    """Names of A and B, from the beginning of the match."""

    names: tuple[str, str]

    def __post_init__(self) -> None:
        check_players(self.names)


@dataclass(frozen=True, slots=True)
class SetBestOf:
    """How many frames the match has at most; None: open-ended."""

    frames: int | None

    def __post_init__(self) -> None:
        check_best_of(self.frames)


@dataclass(frozen=True, slots=True)
class Nominate:
    """The striker (`by` None: whoever is at the table) declares a ball, now; in pool with its `pocket`, or a
    safety or push out (`ball` None).
    """

    ball: str | None
    by: Side | None = None
    pocket: str | None = None
    safety: bool = False
    push_out: bool = False

    def __post_init__(self) -> None:
        said = [self.ball is not None, self.safety, self.push_out]
        named = self.ball is None or self.ball in OBJECT_BALLS
        if sum(said) != 1 or not named or (self.pocket is not None and self.pocket not in POCKETS):
            raise unusable_input("errors.one_ball_or_call", ball=repr(self.ball))


@dataclass(frozen=True, slots=True)
class DeclareFrozen:
    """A ball is declared frozen to a rail for the next shot (WPA 8.4); `rail` None: to the one at which it
    lies.
    """

    ball: str
    rail: CushionName | None = None


@dataclass(frozen=True, slots=True)
class DeclareTouching:
    """The cue-ball is declared touching a ball before the next shot (WPA 6.7; WEPF Y(6))."""

    ball: str


@dataclass(frozen=True, slots=True)
class Choose:
    """A player's choice after a foul, or at a re-spotted black; `by` None: whose choice it is."""

    choice: str
    by: Side | None = None

    def __post_init__(self) -> None:
        if not self.choice:
            raise UnusableInput(_not_offered([c.value for c in Choice], self.choice))


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer with this index to an open question, by the question's id."""

    question: str
    index: int


@dataclass(frozen=True, slots=True)
class AskFrame:
    """The frame is conceded (by `by`), abandoned, re-racked, or play is practice or a frame from now on."""

    act: FrameAct
    by: Side | None = None

    def __post_init__(self) -> None:
        if self.act == "concede" and self.by is None:
            raise unusable_input("errors.who_concedes_a_or_b")


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the latest change of a person that still counts, or the change of that entry."""

    entry: int | None = None


Request = (
    SetPlayers
    | SetBestOf
    | Nominate
    | DeclareFrozen
    | DeclareTouching
    | Choose
    | Answer
    | AskFrame
    | Undo
    | NewMatch
)


def apply_request(
    match: LiveMatch, published: PublishedRulings, request: Request, t_s: float, who: str
) -> None:
    """Journal a request made at `t_s`. Raises UnusableInput where it is not possible now; nothing is
    journalled then.
    """
    referee = match.watch.referee
    if isinstance(request, SetPlayers):
        referee.call(Players(request.names), who)
    elif isinstance(request, SetBestOf):
        match.set_best_of(request.frames)
    elif isinstance(request, Nominate):
        referee.call(_nomination(match, request, t_s), who)
    elif isinstance(request, DeclareFrozen):
        referee.call(_frozen(match, request, t_s), who)
    elif isinstance(request, DeclareTouching):
        referee.call(_touching(match, request, t_s), who)
    elif isinstance(request, Choose):
        referee.call(_choice(referee, request, t_s), who)
    elif isinstance(request, AskFrame):
        referee.call(_frame_call(referee, request, t_s), who)
    elif isinstance(request, Answer):
        _answer(referee, published, request, t_s, who)
    elif isinstance(request, Undo):
        undo(referee, request.entry, who)
    else:
        raise unusable_input("errors.something_that_a_match", kind=type(request).__name__)


def _not_offered(known: Sequence[str], choice: str) -> str:
    if not known:
        return sentence("errors.no_choice_open", choice=repr(choice))
    return sentence("errors.choice_expected_one_of_found", known=choices_said(known), choice=repr(choice))


def _check_takes(game: str, kind: str) -> None:
    """Raises UnusableInput for a call that the game does not take."""
    known = fields_of_calls(game)
    if kind not in known:
        raise unusable_input(
            "errors.call_of_the_game",
            game=game_title(game),
            known=kinds_said(known),
            kind=sentence(f"calls.kind_{kind}"),
        )


def _offered(match: LiveMatch) -> OpenCalls:
    """What may be called now. Raises UnusableInput while the balls move, in a game whose shots are called
    before they are played; what snooker's striker declares counts until the stroke's end.
    """
    position, layout = match.now
    if match.moving:
        if not is_snooker(match.watch.referee.game):
            raise unusable_input("errors.call_between_strokes")
        position = match.watch.referee.standing[0]
    return calls_now(match.watch.referee, position, layout)[0]


def _frozen(match: LiveMatch, asked: DeclareFrozen, t_s: float) -> Frozen:
    """The declaration of a frozen ball, which has to be one that may touch that rail as measured."""
    game = match.watch.referee.game
    _check_takes(game, "frozen")
    said = frozen_ball(t_s, asked.ball, asked.rail, "frozen", game)
    check_open(_offered(match), said)
    return said


def _touching(match: LiveMatch, asked: DeclareTouching, t_s: float) -> Touching:
    """The declaration of a ball that the cue-ball may touch as measured."""
    game = match.watch.referee.game
    _check_takes(game, "touching")
    said = touching_ball(t_s, asked.ball, "touching", game)
    check_open(_offered(match), said)
    return said


def _nomination(match: LiveMatch, asked: Nominate, t_s: float) -> Nomination | ShotCall:
    """The call of a ball, with what else the game lets a player say, where that is open."""
    game = match.watch.referee.game
    kind: CallKind = "push_out" if asked.push_out else "safety" if asked.safety else "nominate"
    _check_takes(game, kind)
    if asked.ball is not None and asked.ball not in PIECES[game].object_balls:
        raise unusable_input("errors.ball_of_the_game", game=game_title(game), ball=ball_said(asked.ball))
    offered = _offered(match)
    by = asked.by or offered.by
    if by is None:
        raise unusable_input("errors.call_open_now", known=kinds_said(()), kind=kinds_said((kind,)))
    said = (
        ShotCall(t_s, by, asked.ball, asked.pocket, asked.safety, asked.push_out)
        if asked.ball is None or not is_snooker(game)
        else Nomination(t_s, by, asked.ball)
    )
    check_open(offered, said)
    if asked.pocket is not None and not offered.pockets:
        raise unusable_input("errors.ball_without_pocket", game=game_title(game), pocket=repr(asked.pocket))
    return said


def _choice(referee: Referee, asked: Choose, t_s: float) -> ChoiceCall:
    position = referee.standing[0]
    if isinstance(position, GamePosition):
        return _choice_of_game(position, asked, t_s)
    if asked.choice not in [c.value for c in Choice]:
        raise UnusableInput(_not_offered([c.value for c in Choice], asked.choice))
    state = position.state
    if state is None or state.over:
        raise unusable_input("errors.choice_frame_under_way", choice=repr(asked.choice))
    conceding = asked.choice in (Choice.ACCEPT_CONCESSION, Choice.REFUSE_CONCESSION)
    side = side_of(state.striker)
    by = asked.by or ({"A": "B", "B": "A"}[side] if conceding else side)
    if state.pending is Pending.AFTER_FOUL and state.offence is not None and asked.by in (None, side):
        options = [o.value for o in state.offence.options]
        if asked.choice not in (*options, Choice.CONCEDE):
            raise UnusableInput(_not_offered(options, asked.choice))
    return ChoiceCall(t_s, by, asked.choice)


def _choice_of_game(position: GamePosition, asked: Choose, t_s: float) -> ChoiceCall:
    offered = game_choice(position)
    chooser, options = offered if offered is not None else (None, ())
    if asked.choice not in options or asked.by not in (None, chooser):
        raise UnusableInput(_not_offered(options, asked.choice))
    return ChoiceCall(t_s, str(chooser), asked.choice)


def _frame_call(referee: Referee, asked: AskFrame, t_s: float) -> FrameCall:
    """The call; where a new triangle has just ended the frame, it counts from the moment before the
    triangle.
    """
    position = referee.standing[0]
    at = _triangle_s(referee, position) if asked.act in ("concede", "abandon", "rerack") else None
    under_way = position.state is not None and not position.state.over
    if at is None and asked.act in ("concede", "abandon", "rerack") and not under_way:
        raise unusable_input("errors.frame_under_way_not_none", act=asked.act)
    if asked.act == "frame" and under_way:
        raise unusable_input("errors.practice_or_the_end_of_a_frame")
    return FrameCall(t_s if at is None else at - _BEFORE_S, asked.act, asked.by)


def _triangle_s(referee: Referee, position: Position) -> float | None:
    """The time of a triangle that ended an unfinished frame, until the new frame's first stroke;
    else None.
    """
    frames = position.frames
    if len(frames) < 2 or frames[-1].first_stroke is not None or frames[-2].ended != "unfinished":
        return None
    return position.since_s


def _answer(referee: Referee, published: PublishedRulings, asked: Answer, t_s: float, who: str) -> None:
    question = published.question(asked.question)
    if question is None:
        raise unusable_input("errors.question_that_is_open", question=repr(asked.question))
    if not 0 <= asked.index < len(question.answers):
        raise unusable_input("errors.one_of_answers", count=len(question.answers), index=repr(asked.index))
    if question.kind == "choice":
        choice = question.answers[asked.index].label.replace(" ", "_")
        referee.call(_choice(referee, Choose(choice), t_s), who)
        return
    stroke = next(
        (o for o in reversed(referee.outputs) if isinstance(o, JudgedStroke) and o.entry == question.entry),
        None,
    )
    if stroke is None or asked.index >= len(stroke.candidates):
        raise unusable_input("errors.stroke_with_that_question", entry=question.entry)
    chosen = stroke.candidates[asked.index]
    first = stroke.seen.first_contact[0].ball if stroke.seen.first_contact else None
    given = [decode(Correction, e.payload) for e in referee.journal.entries("correction")]
    before = in_force(tuple(given), question.entry) or Correction(question.entry)
    labels = {**dict(chosen.also), **dict(chosen.facts)}
    state = state_of_labels(labels, stroke.seen.start_s, question.entry)
    if state is not None:
        referee.call(state, who)
        return
    referee.correct(replace(before, undo=False, **facts_of_labels(labels, first)), who)
