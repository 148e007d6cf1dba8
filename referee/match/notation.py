"""A text notation for frames of snooker: write and read, each other's inverse.

One fact a line; `#` begins a comment. The first line is the state at the beginning, with what differs
from a new frame: `frame on=any_colour reds=9 scores=9-0 striker=A hand=no`. Then

    A red +red                      a stroke: first contact, balls potted
    A [pink] red +pink +red         nominated in brackets; A [green] green&red hits both at once
    A - cue=pocketed                hits nothing, in-off; ~pink forced off the table
    A blue !push_stroke(blue)       an infringement, with its balls
    A* touched_ball ball=yellow     an act without a stroke (`*` alone: nobody to blame)
    B? play_self                    a choice
    R! stalemate_declared           the referee; against=A

and what geometry and the referee add: `judge=clear:yes,good:no`, `after=snookered:yes,by:blue/green`,
`respot=black@pink:0.0:2676.75:3.7(d)`, `fell=red:hit`, `excused=yes`, `uncalled`, `jumped=blue`,
`moved=red`, `points=27`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TypeVar

from calibration.errors import UnusableInput
from referee.match.notation_start import read_start, write_start
from referee.rules.snooker import State
from referee.rules.snooker.facts import (
    Act,
    ActFacts,
    After,
    Choice,
    ChoiceFacts,
    CueBall,
    Facts,
    FactsError,
    Fell,
    Infringed,
    Infringement,
    Judgement,
    Placement,
    RefereeAct,
    RefereeFacts,
    StrokeFacts,
)

E = TypeVar("E", bound=StrEnum)
_YES_NO = {True: "yes", False: "no"}
_JUDGE = {
    "clear": "clear_path",
    "full": "full_ball_available",
    "good": "good_enough_attempt",
    "intentional": "intentional",
    "possible": "possible_to_hit",
    "strength": "direction_and_strength_sufficient",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame as recorded: the state at its beginning and its facts in order."""

    start: State
    facts: tuple[Facts, ...]


def write(frame: Frame) -> str:
    """The frame as text, ending with a newline. Raises `FactsError` for a start in the middle of a choice."""
    return "".join(f"{line}\n" for line in (write_start(frame.start), *(write_fact(f) for f in frame.facts)))


def read(text: str, name: str = "notation") -> Frame:
    """The frame of a text. Raises `UnusableInput` naming `name`, the line, what was expected and found."""
    start: State | None = None
    facts: list[Facts] = []
    for number, line in enumerate(text.split("\n"), 1):
        content = line.split("#")[0].strip()
        if not content:
            continue
        try:
            if start is None:
                start = read_start(content)
            else:
                facts.append(read_fact(content))
        except (FactsError, ValueError) as error:
            raise UnusableInput(f"{name} line {number}: {error}") from error
    if start is None:
        raise UnusableInput(f"{name}: expected a line beginning with 'frame', found no line at all")
    return Frame(start, tuple(facts))


def write_fact(fact: Facts) -> str:
    """One fact as a line."""
    if isinstance(fact, StrokeFacts):
        return " ".join([fact.by, *_stroke_words(fact)])
    if isinstance(fact, ActFacts):
        return " ".join([f"{fact.by or ''}*", fact.act.value, *_act_words(fact)])
    if isinstance(fact, ChoiceFacts):
        words = [f"replaced={'/'.join(fact.replaced)}"] if fact.replaced else []
        words += [f"first={fact.first_player}"] if fact.first_player else []
        return " ".join([f"{fact.by}?", fact.choice.value, *words])
    return " ".join(["R!", fact.act.value, *([f"against={fact.against}"] if fact.against else [])])


def _stroke_words(s: StrokeFacts) -> list[str]:
    words = [f"[{s.nominated}]"] if s.nominated else []
    words.append("&".join(s.first_contact) or "-")
    words += [f"+{b}" for b in s.potted] + [f"~{b}" for b in s.off_table]
    words += [f"cue={s.cue_ball.value}"] if s.cue_ball is not CueBall.ON_TABLE else []
    words += [f"!{i.kind.value}" + (f"({'/'.join(i.balls)})" if i.balls else "") for i in s.infringements]
    words += [f"jumped={'/'.join(s.jumped)}"] if s.jumped else []
    words += [f"moved={'/'.join(s.touching_moved)}"] if s.touching_moved else []
    words += [f"fell={f.ball}:{'hit' if f.would_have_been_hit else 'not'}" for f in s.fell]
    words += [f"excused={_YES_NO[s.excused]}"] if s.excused is not None else []
    words += ["uncalled"] if not s.called else []
    said = [f"{k}:{_YES_NO[v]}" for k, f in _JUDGE.items() if (v := getattr(s.judgement, f)) is not None]
    words += [f"judge={','.join(said)}"] if said else []
    words += [f"points={s.points_available}"] if s.points_available is not None else []
    return words + _after_words(s.after) + _respot_words(s.placements)


def _after_words(after: After) -> list[str]:
    said = [f"snookered:{_YES_NO[after.snookered]}"] if after.snookered is not None else []
    said += [f"by:{'/'.join(after.snookering)}"] if after.snookering is not None else []
    said += [f"touching:{'/'.join(after.touching)}"] if after.touching else []
    return [f"after={','.join(said)}"] if said else []


def _respot_words(placements: Iterable[Placement]) -> list[str]:
    return [
        f"respot={p.ball}@{p.spot or '-'}:{p.xy_mm[0]!r}:{p.xy_mm[1]!r}:{p.clause.replace(' ', '_')}"
        for p in placements
    ]


def _act_words(a: ActFacts) -> list[str]:
    words = [f"ball={a.ball}"] if a.ball else []
    words += [f"nominated={a.nominated}"] if a.nominated else []
    words += [f"cue_lies={_YES_NO[a.cue_ball_on_table]}"] if a.cue_ball_on_table is not None else []
    words += ["out_of_turn"] if a.out_of_turn else []
    words += ["before_stroke"] if not a.after_stroke else []
    words += ["early"] if a.early else []
    words += [f"note={a.note.replace(' ', '_')}"] if a.note else []
    return words + _after_words(a.after) + _respot_words(a.placements)


def read_fact(line: str) -> Facts:
    """One line as a fact. Raises `FactsError` saying what was expected."""
    head, *words = line.split()
    if head == "R!":
        return _read_referee(words)
    if head.endswith("?"):
        return _read_choice(head[:-1], words)
    if head.endswith("*"):
        return _read_act(head[:-1] or None, words)
    return _read_stroke(head, words)


def _member(kind: type[E], value: str, what: str) -> E:
    try:
        return kind(value)
    except ValueError as error:
        raise FactsError(f"expected {what}, found {value!r}") from error


def _first(words: Sequence[str], what: str) -> str:
    if not words:
        raise FactsError(f"expected {what}, found the end of the line")
    return words[0]


def _read_referee(words: Sequence[str]) -> RefereeFacts:
    act = _member(RefereeAct, _first(words, "a referee's act"), "a referee's act")
    options = _options(words[1:], ("against",))
    return RefereeFacts(act, _one(options, "against"))


def _read_choice(by: str, words: Sequence[str]) -> ChoiceFacts:
    choice = _member(Choice, _first(words, "a choice"), "a choice")
    options = _options(words[1:], ("replaced", "first"))
    return ChoiceFacts(by, choice, _balls(_one(options, "replaced")), _one(options, "first"))


def _read_act(by: str | None, words: Sequence[str]) -> ActFacts:
    act = _member(Act, _first(words, "an act"), "an act")
    known = (
        "ball",
        "nominated",
        "cue_lies",
        "out_of_turn",
        "before_stroke",
        "early",
        "note",
        "after",
        "respot",
    )
    o = _options(words[1:], known)
    note = _one(o, "note")
    return ActFacts(
        act,
        by,
        _one(o, "ball"),
        _one(o, "nominated"),
        _yes_no(_one(o, "cue_lies")),
        "out_of_turn" in o,
        "before_stroke" not in o,
        "early" in o,
        note.replace("_", " ") if note else None,
        _read_after(_one(o, "after")),
        tuple(_placement(v) for v in o.get("respot", ())),
    )


def _read_stroke(by: str, words: Sequence[str]) -> StrokeFacts:
    rest = list(words)
    nominated = rest.pop(0)[1:-1] if rest and rest[0].startswith("[") and rest[0].endswith("]") else None
    contact = _first(rest, "the first contact or -")
    plain = [w for w in rest[1:] if w[0] not in "+~!"]
    known = ("cue", "jumped", "moved", "fell", "excused", "uncalled", "judge", "points", "after", "respot")
    o = _options(plain, known)
    cue = _one(o, "cue")
    points = _one(o, "points")
    if points is not None and not points.isdecimal():
        raise FactsError(f"expected points=NUMBER, found points={points!r}")
    return StrokeFacts(
        by,
        () if contact == "-" else tuple(contact.split("&")),
        tuple(w[1:] for w in rest[1:] if w[0] == "+"),
        tuple(w[1:] for w in rest[1:] if w[0] == "~"),
        _member(CueBall, cue, "where the cue-ball is") if cue else CueBall.ON_TABLE,
        nominated,
        tuple(_infringed(w[1:]) for w in rest[1:] if w[0] == "!"),
        _balls(_one(o, "jumped")),
        _balls(_one(o, "moved")),
        tuple(_fell(v) for v in o.get("fell", ())),
        _yes_no(_one(o, "excused")),
        "uncalled" not in o,
        _judgement(_one(o, "judge")),
        _read_after(_one(o, "after")),
        tuple(_placement(v) for v in o.get("respot", ())),
        int(points) if points is not None else None,
    )


def _options(words: Iterable[str], known: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in known:
            raise FactsError(f"expected one of {', '.join(known)}, found {word!r}")
        found.setdefault(name, []).append(value)
    return found


def _one(options: dict[str, list[str]], name: str) -> str | None:
    values = options.get(name)
    if values is not None and len(values) > 1:
        raise FactsError(f"expected {name} once, found it {len(values)} times")
    return values[0] if values else None


def _balls(text: str | None) -> tuple[str, ...]:
    return tuple(text.split("/")) if text else ()


def _yes_no(text: str | None) -> bool | None:
    if text is None:
        return None
    if text not in ("yes", "no"):
        raise FactsError(f"expected yes or no, found {text!r}")
    return text == "yes"


def _infringed(text: str) -> Infringed:
    name, bracket, balls = text.partition("(")
    if bracket and not balls.endswith(")"):
        raise FactsError(f"expected a closing bracket, found {text!r}")
    return Infringed(_member(Infringement, name, "an infringement"), _balls(balls[:-1] if bracket else None))


def _fell(text: str) -> Fell:
    ball, _, hit = text.partition(":")
    if hit not in ("hit", "not"):
        raise FactsError(f"expected fell=BALL:hit or fell=BALL:not, found {text!r}")
    return Fell(ball, hit == "hit")


def _pairs(text: str | None, known: Iterable[str]) -> dict[str, str]:
    found = {}
    for part in text.split(",") if text else ():
        name, _, value = part.partition(":")
        if name not in known:
            raise FactsError(f"expected one of {', '.join(known)}, found {name!r}")
        found[name] = value
    return found


def _judgement(text: str | None) -> Judgement:
    said = _pairs(text, _JUDGE)
    assert {f.name for f in fields(Judgement)} == set(_JUDGE.values())
    return Judgement(**{_JUDGE[name]: _yes_no(value) for name, value in said.items()})


def _read_after(text: str | None) -> After:
    said = _pairs(text, ("snookered", "by", "touching"))
    by = _balls(said["by"]) if "by" in said else None
    return After(_yes_no(said.get("snookered")), by, _balls(said.get("touching")))


def _placement(text: str) -> Placement:
    ball, _, rest = text.partition("@")
    parts = rest.split(":")
    if len(parts) != 4:
        raise FactsError(f"expected respot=BALL@SPOT:X:Y:CLAUSE, found {text!r}")
    number: Callable[[str], float] = float
    spot = None if parts[0] == "-" else parts[0]
    return Placement(ball, spot, (number(parts[1]), number(parts[2])), parts[3].replace("_", " "))
