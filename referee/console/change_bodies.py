"""The bodies that a browser sends to change a match, validated before anything is changed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from calibration.errors import UnusableInput
from calibration.table.pieces import PieceSet
from calibration.table.specs import CushionName, PocketName
from calibration.texts import sentence, unusable_input
from referee.facts.corrections import OBJECT_BALLS, Correction
from referee.facts.seen import SeenBall, SeenStroke, told_stroke
from referee.match.answers import facts_of_labels
from referee.match.open_calls import CallKind
from referee.outputs.document import CandidateJson
from referee.rules.registry import INFRINGEMENTS


def _object_ball(name: str) -> str:
    if name not in OBJECT_BALLS:
        raise ValueError(sentence("web.expected_ball", known=", ".join(OBJECT_BALLS)))
    return name


ObjectBall = Annotated[str, StringConstraints(max_length=20), AfterValidator(_object_ball)]


def _infringement(word: str) -> str:
    """Whether it is one of the match's own game the referee says."""
    if word not in INFRINGEMENTS:
        raise ValueError(sentence("web.expected_foul", known=", ".join(INFRINGEMENTS)))
    return word


Foul = Annotated[str, StringConstraints(max_length=60), AfterValidator(_infringement)]


def _printable(name: str) -> str:
    """Control and direction characters could falsify how the history reads."""
    if not name.isprintable():
        raise ValueError(sentence("web.expected_name"))
    return name


Who = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80), AfterValidator(_printable)
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FactsBody(_Strict):
    """Corrected facts of a stroke. A key that is left out stays as it is now; null means as seen."""

    drop: bool = False
    striker: Literal["A", "B"] | None = None
    nominated: ObjectBall | None = None
    first_contact: Annotated[list[ObjectBall], Field(max_length=8)] | None = None
    potted: Annotated[list[ObjectBall], Field(max_length=22)] | None = None
    off_table: Annotated[list[ObjectBall], Field(max_length=22)] | None = None
    cue_ball: Literal["on_table", "pocketed", "off_table"] | None = None
    snookered: bool | None = None
    clear_path: bool | None = None
    full_ball: bool | None = None
    good_enough_attempt: bool | None = None
    intentional: bool | None = None
    possible_to_hit: bool | None = None
    called: bool | None = None
    infringements: Annotated[list[Foul], Field(max_length=8)] = []
    in_d: bool | None = None
    touching: bool | None = None
    answers: Annotated[list[tuple[str, str]], Field(max_length=8)] = []


class CorrectionBody(_Strict):
    """One change of one stroke: facts, or the answer to its question, or a choice after it.

    `version`: the match's version that the person looked at; a change made on an older version is refused,
    because the stroke may be another one by now.
    """

    stroke: Annotated[int, Field(ge=1)]
    who: Who
    version: int | None = None
    facts: FactsBody | None = None
    answer: Annotated[int, Field(ge=0, le=1000)] | None = None
    otherwise: Annotated[int, Field(ge=0, le=1000)] | None = None
    choice: Annotated[str, StringConstraints(max_length=80)] | None = None


class HandBody(_Strict):
    """An act of a hand that was seen did not happen (`drop`), or did after all."""

    entry: Annotated[int, Field(ge=1)]
    who: Who
    drop: bool = True


class UndoBody(_Strict):
    """Take back the latest change, or all changes of one stroke."""

    who: Who
    entry: int | None = None


class StateBody(_Strict):
    """The state of the frame as a person knows it: before stroke `stroke`, or from now on (None).

    `frames`: frames that A and B have won by then; None leaves them as they are. `sure`: it counts although
    the balls on the table speak against it; without that such a state is refused with status 409.
    """

    who: Who
    stroke: Annotated[int, Field(ge=1)] | None = None
    striker: Literal["A", "B"]
    ball_on: Literal["red", "yellow", "green", "brown", "blue", "pink", "black", "any_colour"]
    score: tuple[Annotated[int, Field(ge=0, le=999)], Annotated[int, Field(ge=0, le=999)]]
    frames: tuple[Annotated[int, Field(ge=0, le=99)], Annotated[int, Field(ge=0, le=99)]] | None = None
    sure: bool = False


class ImpossibleState(UnusableInput):
    """The balls on the table speak against a state; who is sure of it may send it again and say so."""


class AddressBody(_Strict):
    """An address to be shown as a QR code."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=500)]


class CallBody(_Strict):
    """What was called before stroke `stroke`: a ball, with its pocket where shots are called; a safety; a
    push out; a ball declared frozen to a rail, or touching the cue-ball. `by` None: whoever was at the table.
    `version`: as for a correction.
    """

    stroke: Annotated[int, Field(ge=1)]
    who: Who
    type: CallKind
    version: int | None = None
    by: Literal["A", "B"] | None = None
    ball: Annotated[str, StringConstraints(max_length=20)] | None = None
    pocket: PocketName | None = None
    rail: CushionName | None = None


class UnknownBody(_Strict):
    """A person was asked about a stroke and does not know what happened either."""

    who: Who
    stroke: Annotated[int, Field(ge=1)]


class MissedBody(_Strict):
    """A stroke that the review missed, with its facts as a person saw them."""

    who: Who
    start_s: Annotated[float, Field(ge=0, le=1e6)]
    end_s: Annotated[float, Field(ge=0, le=1e6)]
    first_contact: ObjectBall | None = None
    potted: Annotated[list[ObjectBall], Field(max_length=22)] = []
    off_table: Annotated[list[ObjectBall], Field(max_length=22)] = []
    cue_ball: Literal["on_table", "pocketed", "off_table"] = "on_table"


def missed_stroke(
    body: MissedBody, before: SeenStroke | None, after: SeenStroke | None, pieces: PieceSet
) -> SeenStroke:
    """The record of a missed stroke. The balls lie as the stroke before left them and as the next finds them.
    Of two cue-balls (billiards) the one that fell is named among the potted ones.

    Raises UnusableInput when it would overlap the strokes around it.
    """
    low, high = before.end_s if before else 0.0, after.start_s if after else math.inf
    if not low <= body.start_s < body.end_s <= high:
        raise unusable_input(
            "errors.span_between_and_s",
            low=f"{low:.2f}",
            high=f"{high:.2f}",
            start_s=f"{body.start_s:.2f}",
            end_s=f"{body.end_s:.2f}",
        )
    layout = before.after if before else after.before if after else ()
    left = list(body.potted)
    rest: list[SeenBall] = []
    for ball in layout:
        if ball.colour in left:
            left.remove(ball.colour)
        elif pieces.also_struck or ball.colour != pieces.cue or body.cue_ball == "on_table":
            rest.append(ball)
    return told_stroke(
        (body.start_s, body.end_s),
        body.first_contact,
        ((c, None) for c in body.potted),
        body.cue_ball,
        body.off_table,
        layout,
        after.before if after else tuple(rest),
        gap_before=True,
    )


def merged(target: int, before: Correction | None, facts: FactsBody) -> Correction:
    """The correction that counts after this one: a later entry takes the place of an earlier one."""
    base = before or Correction(target)
    given: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in facts.model_dump(exclude_unset=True).items()
    }
    if "answers" in given:  # an earlier answer to another question still counts
        given["answers"] = tuple((dict(base.answers) | dict(given["answers"])).items())
    return replace(base, undo=False, **given)


def labels_of_answer(candidates: Sequence[CandidateJson], body: CorrectionBody) -> dict[str, str]:
    """The facts that the chosen answer implies. Raises UnusableInput when there is no such answer."""
    answer, other = body.answer or 0, body.otherwise
    if answer >= len(candidates):
        raise unusable_input("errors.answer_below", stroke=body.stroke, count=len(candidates), answer=answer)
    chosen = candidates[answer]
    labels = dict(chosen["facts"])
    if other is not None:
        others = chosen.get("otherwise", [])
        if other >= len(others):
            raise unusable_input(
                "errors.another_reading_below", stroke=body.stroke, count=len(others), other=other
            )
        labels |= others[other]["facts"]
    return labels


def facts_of_answer(labels: dict[str, str], first: str | None = None) -> FactsBody:
    """The facts that an answer to a referee's call settles; `labels` as candidates carry them.

    `first`: the ball that was seen to be hit first.
    """
    facts = facts_of_labels(labels, first)
    return FactsBody.model_validate({k: list(v) if isinstance(v, tuple) else v for k, v in facts.items()})
