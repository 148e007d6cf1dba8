"""`cueref explain`: the explanations of a stroke that were weighed, and what speaks for and against each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from calibration.texts import clock, sentence, spoken, unusable_input
from referee.console.reviews import ReviewSource
from referee.facts.judged import Candidate, JudgedStroke
from referee.facts.seen import SeenExplanation
from referee.match.explained import Explained, Explanation, Ground, said_alike, span_words
from referee.match.games.fold import JudgedGameStroke
from referee.match.questions import question_text
from referee.match.weighing import grouped, percent
from referee.outputs.convert import game_of, json_values
from referee.outputs.document import is_declared, record_fault
from referee.outputs.games.words import outcome_text
from referee.outputs.words import Say, say_of

EXAMPLES = ("cueref explain match.review --stroke 12",)


def explain(
    match: Annotated[Path, typer.Argument(metavar="DIR", help=sentence("help.explain_match"))],
    stroke: Annotated[int, typer.Option(metavar="N", help=sentence("help.stroke"))],
    as_json: Annotated[bool, typer.Option("--json", help=sentence("help.calibrate_json"))] = False,
) -> None:
    """Show why a stroke is ruled as it is: each explanation with its weight, its ruling, and what
    speaks for and against it.
    """
    found, say = _explained(match, stroke)
    if as_json:
        typer.echo(json.dumps(json_values(asdict(found)), indent=1, allow_nan=False))
    else:
        typer.echo("\n".join(_in_language(line, say) for line in _lines(found, say)))


def _in_language(line: str, say: Say) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return indent + say.seen(line.strip())


def _explained(match: Path, n: int) -> tuple[Explained, Say]:
    source = ReviewSource(match)
    try:
        if not source.journalled:
            why = "its facts were declared" if is_declared(source.document()) else "it has no journal"
            raise unusable_input("errors.match_whose_strokes_were_weighed", match=match, why=why)
        fault = record_fault(source.document())
        if fault is not None:
            typer.echo(f"cueref: {fault}", err=True)
        found = source.read(lambda referee: referee.explained(n))
        if found is None:
            strokes = len(source.document()["strokes"])
            raise unusable_input("errors.stroke_one_of_1", n=n, strokes=strokes)
        return found, say_of(source.document(), spoken())
    finally:
        source.close()


def _lines(found: Explained, say: Say) -> Iterable[str]:
    s = found.stroke
    yield from _heading(s, say)
    if found.states:
        said = (f"{who}, {on.replace('_', ' ')} on: {percent(w)}" for who, on, w in found.states)
        yield f"before it, as far as is known: {'; '.join(said)}"
    if not found.explanations:
        yield "nothing was weighed: no frame, or what was seen cannot be true of the balls on the table"
        yield from _spans(found.spans)
        return
    told = grouped(found.explanations, lambda e: _grounds(e, game_of(s)))
    yield f"explanations: {len(told)}; those with the ruling that stands weigh {percent(found.agreeing)}"
    if s.question is not None and all(e.agrees for e in found.explanations):
        yield "they rule alike; the question is about what none of them covers"
    yield from (f"   all: {_ground(g)}" for g in found.common)
    for k, (grounds, alike) in enumerate(told.items(), 1):
        yield from _explanation(k, grounds, sum(e.weight for e in alike))
    yield from _spans(found.spans)


def _heading(s: JudgedStroke, say: Say) -> Iterable[str]:
    """Which stroke it is, whose, and what was ruled or asked."""
    on = ", nothing is on" if s.ball_on is None else f", {s.ball_on.replace('_', ' ')} is on"
    on = "" if isinstance(s, JudgedGameStroke) else on
    yield f"stroke {s.n}, {clock(s.seen.start_s)} to {clock(s.seen.end_s)}, {s.striker or 'practice'}{on}"
    asked = question_text(s.asked, say.texts)
    yield f"verdict: {f'question: {asked}' if asked else s.verdict}"


def _spans(spans: Sequence[SeenExplanation]) -> Iterable[str]:
    """The images of the stroke explained as a whole, those as one that say the same in words, and how each
    part speaks for or against the heaviest of them, in powers of e against the first.
    """
    if not spans:
        return
    left = 1.0 - sum(e.weight for e in spans)
    rest = f"; not looked at, or of less weight: {percent(left)}" if left > 1e-4 else ""
    told = said_alike(spans)
    yield f"the images as a whole: {len(told)} explanation{'s' if len(told) > 1 else ''}{rest}"
    for k, (e, weight) in enumerate(told, 1):
        yield f"{k}. weight {percent(weight)}: {span_words(e)}"
        parts = [f"{name} {value:+.1f}" for name, value in e.nats if abs(value) >= 0.05]
        if parts:
            yield f"   against the first, in powers of e: {', '.join(parts)}"


def _grounds(e: Explanation, game: str) -> tuple[str, ...]:
    """What an explanation says and why: those that are equal in it are shown as one."""
    stands = "" if e.agrees else " (another ruling)"
    return (
        f"{_outcome(e.outcome, game)}{stands}",
        *(f"   for: {_ground(g)}" for g in e.supported),
        *(f"   against: {_ground(g)}" for g in e.opposed),
    )


def _explanation(k: int, said: Sequence[str], weight: float) -> Iterable[str]:
    ruled, *grounds = said
    yield f"{k}. weight {percent(weight)}: {ruled}"
    yield from grounds


def _ground(g: Ground) -> str:
    seen = f" ({g.seen})" if g.seen else ""
    return f"{g.name.replace('_', ' ')} {g.value.replace('_', ' ')}, {percent(g.share)}{seen}"


def _outcome(c: Candidate, game: str) -> str:
    """A ruling in the game's own words where it has them; of snooker with the foul's value and the score."""
    if c.values is not None:
        return outcome_text(game, json.loads(c.values))
    ruled = (
        ("1 point" if c.points == 1 else f"{c.points} points")
        if c.foul is None
        else f"foul {c.foul.penalty} ({c.foul.clause})"
    )
    miss = " and a miss" if c.miss else ""
    free = ", free ball" if c.free_ball else ""
    return f"{ruled}{miss}{free}, {c.score[0]} to {c.score[1]}, next {c.next_striker or 'nobody'}"
