"""Calls: facts that a camera cannot see, said by a person (`--calls FILE`, JSON lines, and `--start 'A red
0-0'`).

Calls: `{"t_s": 12.4, "type": "nominate", "by": "A", "ball": "pink"}`, `{"t_s", "type": "choice", "by",
"choice"}` with a choice's name as rulings offer it, `{"type": "players", "names": ["A", "B"]}`. In games of
called shots a nomination may name a `pocket`, and there is `{"t_s", "type": "safety", "by"}`; in nine and ten
ball `"push_out"`; in pool and black ball `{"t_s", "type": "frozen", "ball", "rail"}`; in black ball and WEPF
`{"t_s", "type": "touching", "ball"}`; in billiards `{"type": "rules", "agreed": ["baulk_crossing_rule"]}`. A
call that the game does not take is refused.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from calibration import json_text
from calibration.table.games import GAMES, PIECES, is_snooker, rules_of
from calibration.table.specs import CUSHIONS, POCKETS, CushionName
from calibration.texts import Sentence, game_title, recorded, sentence, unusable_input
from referee.rules.registry import GAMES as RULES
from referee.rules.snooker.facts import COLOURS

_MAX_BYTES = 16 * 2**20
_SAID = frozenset({"t_s", "type", "by"})
_OPTIONAL = {"players": {"t_s"}, "rules": {"t_s"}, "nominate": {"pocket"}, "frozen": {"rail"}}
"""Fields of a call that need not be there."""
BALLS_ON = ("red", *COLOURS, "any_colour")


@dataclass(frozen=True, slots=True)
class Nomination:
    """Player `by` (A or B) declared `ball` at `t_s`."""

    t_s: float
    by: str
    ball: str


@dataclass(frozen=True, slots=True)
class ChoiceCall:
    """Player `by` made a choice that a ruling left to him."""

    t_s: float
    by: str
    choice: str


@dataclass(frozen=True, slots=True)
class ShotCall:
    """Player `by` called a shot of pool before he played it: a ball and its pocket, a safety, or a push out
    (WPA 1.6, 2.4). `ball` None: the last two.
    """

    t_s: float
    by: str
    ball: str | None = None
    pocket: str | None = None
    safety: bool = False
    push_out: bool = False


@dataclass(frozen=True, slots=True)
class Frozen:
    """A ball was declared frozen to a rail for the next shot (WPA 8.4), by whom does not matter. `rail` None:
    to the one at which it lies.
    """

    t_s: float
    ball: str
    rail: CushionName | None = None


@dataclass(frozen=True, slots=True)
class Touching:
    """The cue-ball was declared touching a ball before the next shot (WPA 6.7; WEPF Y(6)), by whom does not
    matter.
    """

    t_s: float
    ball: str


@dataclass(frozen=True, slots=True)
class Players:
    """The players' names, A's first."""

    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class AgreedRules:
    """Rules beyond a game's usual ones that hold for the whole match, named as in `AGREEABLE`."""

    agreed: tuple[str, ...]


AGREEABLE = {"english_billiards": ("baulk_crossing_rule",)}
"""Rules that players may agree on, by game: the crossing of the baulk-line at 80 to 99 of each hundred
(billiards, commentary 2.13).
"""
FrameAct = Literal["concede", "abandon", "rerack", "practice", "frame"]


@dataclass(frozen=True, slots=True)
class FrameCall:
    """What befell the frame at `t_s`: `by` concedes it; it is abandoned; it begins anew with the balls set
    again (snooker 3.16); practice from now on; a frame from now on.
    """

    t_s: float
    act: FrameAct
    by: str | None = None


@dataclass(frozen=True, slots=True)
class StateCall:
    """The state of the frame at `t_s` as a person knows it: who is at the table, what is on, the score.

    It takes the place of whatever was judged up to then; a doubt who was at the table is settled by it.
    `entry`: of the stroke whose question it answers, None where nobody was asked.
    """

    t_s: float
    striker: str
    ball_on: str
    score: tuple[int, int]
    entry: int | None = None

    def __post_init__(self) -> None:
        if self.striker not in ("A", "B"):
            raise ValueError(f"state: striker must be A or B, got {self.striker!r}")
        if self.ball_on not in BALLS_ON:
            raise ValueError(f"state: ball_on must be one of {', '.join(BALLS_ON)}, got {self.ball_on!r}")


@dataclass(frozen=True, slots=True)
class FramesBefore:
    """Frames that A and B had won before the record began."""

    won: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A person was asked about the stroke of this journal entry and does not know either."""

    t_s: float
    entry: int


CallBeforeStroke = Nomination | ShotCall | Frozen | Touching
"""What is called for the stroke to come."""
Call = CallBeforeStroke | ChoiceCall | Players | FrameCall | StateCall | FramesBefore | Unknown | AgreedRules
OfWholeMatch = Players | FramesBefore | AgreedRules
"""Calls without a time: they hold from before the beginning."""
CALL_TYPES: dict[str, type[Call]] = {
    "nominate": Nomination,
    "shot_call": ShotCall,
    "frozen": Frozen,
    "touching": Touching,
    "choice": ChoiceCall,
    "players": Players,
    "frame": FrameCall,
    "state": StateCall,
    "frames_before": FramesBefore,
    "rules": AgreedRules,
    "unknown": Unknown,
}
"""By the name that the journal has for them."""
BEFORE_A_STROKE = tuple(name for name, cls in CALL_TYPES.items() if issubclass(cls, CallBeforeStroke))
"""The names of those that are called for the stroke to come."""


@dataclass(frozen=True, slots=True)
class Start:
    """The state in which a recording begins; `ball_on` None: to be read off the first layout.

    `frames`: frames won by A and B before.
    """

    striker: str = "A"
    ball_on: str | None = None
    score: tuple[int, int] = (0, 0)
    assumed: bool = True
    frames: tuple[int, int] = (0, 0)


def fields_of_calls(game: str) -> dict[str, frozenset[str]]:
    """The calls that a game takes, by their type, with the fields of each."""
    spec, taken = GAMES[game], dict[str, frozenset[str]]()
    if spec.nominated or spec.called:
        taken["nominate"] = _SAID | ({"ball", "pocket"} if spec.called else {"ball"})
    if spec.called:
        taken["safety"] = _SAID
    if spec.push_out:
        taken["push_out"] = _SAID
    if spec.frozen:
        taken["frozen"] = frozenset({"t_s", "type", "ball", "rail"})
    if spec.touching:
        taken["touching"] = frozenset({"t_s", "type", "ball"})
    if AGREEABLE.get(rules_of(game)):
        taken["rules"] = frozenset({"t_s", "type", "agreed"})
    return taken | {"choice": _SAID | {"choice"}, "players": frozenset({"t_s", "type", "names"})}


def read_calls(path: Path, game: str = "snooker") -> tuple[Call, ...]:
    """Read a calls file of a game, in order of time. Raises UnusableInput with the line's number."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise unusable_input("errors.calls_file_of_at_most_bytes", path=path, max_bytes=_MAX_BYTES)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        instead = _instead_of_text(error)
        raise unusable_input("errors.calls_file_json_lines_in_utf_8", path=path, found=instead) from None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            found.append(_call(line, sentence("errors.line_of_a_file", path=path, n=number), game))
    if sum(isinstance(c, Players) for c in found) > 1:
        raise unusable_input("errors.players_names_once", path=path)
    return tuple(sorted(found, key=lambda c: -math.inf if isinstance(c, OfWholeMatch) else c.t_s))


def _instead_of_text(error: OSError | UnicodeDecodeError) -> Sentence:
    """What was found where a file of text was expected."""
    if isinstance(error, UnicodeDecodeError):
        return sentence("errors.instead_other_bytes", at=error.start)
    if isinstance(error, FileNotFoundError):
        return sentence("errors.instead_no_file")
    if isinstance(error, IsADirectoryError):
        return sentence("errors.instead_a_folder")
    if isinstance(error, PermissionError):
        return sentence("errors.instead_a_closed_file")
    return recorded(str(error.strerror))


_SHOWN = 40
"""So much of a line is shown in a sentence about it."""


def _call(line: str, where: Sentence, game: str) -> Call:
    try:
        given = json_text.loads(line, object_pairs_hook=json_text.once)
    except json.JSONDecodeError as error:
        at = error.pos
        left = line[at : at + _SHOWN].strip()
        found = repr(left) if left else sentence("errors.instead_its_end")
        raise unusable_input("errors.one_json_object_but", where=where, found=found, column=at + 1) from None
    except ValueError as error:
        raise unusable_input("errors.one_json_object_not", where=where, error=recorded(str(error))) from None
    if not isinstance(given, dict):
        raise unusable_input("errors.one_json_object", where=where, kind=repr(line.strip()[:_SHOWN]))
    return call_of(given, where, game)


def call_of(given: Mapping[str, Any], where: str, game: str) -> Call:
    """A call of a game by the fields of a line. Raises UnusableInput, which begins with `where`, for what the
    game does not take.
    """
    kind = given.get("type")
    known = fields_of_calls(game)
    if not isinstance(kind, str) or kind not in known:
        raise unusable_input(
            "errors.type_among",
            where=where,
            known=", ".join(known),
            game=game_title(game),
            kind=repr(kind) if "type" in given else sentence("errors.instead_none"),
        )
    unknown = sorted(set(given) - known[kind])
    missing = sorted(known[kind] - set(given) - _OPTIONAL.get(kind, set()))
    if unknown or missing:
        key, names = ("unknown", unknown) if unknown else ("missing", missing)
        what = sentence(f"errors.fields_{key}", names=", ".join(names))
        raise unusable_input(
            "errors.calls_fields", where=where, kind=kind, known=", ".join(sorted(known[kind])), what=what
        )
    return _checked(kind, given, where, game)


def _checked(kind: str, given: Mapping[str, Any], where: str, game: str) -> Call:
    if kind == "players":
        names = given["names"]
        if not (isinstance(names, list) and len(names) == 2 and all(isinstance(n, str) and n for n in names)):
            raise unusable_input("errors.two_players_names", where=where, names=repr(names))
        return Players((names[0][:200], names[1][:200]))
    if kind == "rules":
        return agreed_rules(given["agreed"], where, game)
    t_s = _seconds(given["t_s"], where)
    if kind == "frozen":
        return frozen_ball(t_s, given["ball"], given.get("rail"), where, game)
    if kind == "touching":
        return touching_ball(t_s, given["ball"], where, game)
    return _by_a_player(kind, t_s, given, where, game)


def _by_a_player(kind: str, t_s: float, given: Mapping[str, Any], where: str, game: str) -> Call:
    """What one of the players says."""
    by = given["by"]
    if by not in ("A", "B"):
        raise unusable_input("errors.call_by_a_or_b", where=where, by=repr(by))
    if kind == "choice":
        known = RULES[game].choices
        if given["choice"] not in known:
            raise unusable_input(
                "errors.choice_among", where=where, known=", ".join(known), choice=repr(given["choice"])
            )
        return ChoiceCall(t_s, by, given["choice"])
    if not is_snooker(game):
        return _game_call(kind, given, where, game)
    if given["ball"] not in ("red", *COLOURS):
        raise unusable_input(
            "errors.ball_among_red", where=where, known=", ".join(COLOURS), ball=repr(given["ball"])
        )
    return Nomination(t_s, by, given["ball"])


def _seconds(t_s: Any, where: str) -> float:
    if isinstance(t_s, bool) or not isinstance(t_s, int | float) or not math.isfinite(t_s) or t_s < 0:
        raise unusable_input("errors.t_s_in_seconds_from_0", where=where, t_s=repr(t_s))
    return float(t_s)


def agreed_rules(names: Any, where: str, game: str) -> AgreedRules:
    """Rules that the players of a game agreed on. Raises UnusableInput for one that it does not have."""
    known = AGREEABLE.get(rules_of(game), ())
    if not isinstance(names, list) or not all(n in known for n in names):
        said = ", ".join(known) or sentence("errors.instead_none")
        raise unusable_input("errors.agreed_rules", where=where, known=said, names=repr(names))
    return AgreedRules(tuple(names))


def frozen_ball(t_s: float, ball: Any, rail: Any, where: str, game: str) -> Frozen:
    """The declaration of a ball frozen to a rail. Raises UnusableInput for another game's ball, and for what
    is no rail.
    """
    known = PIECES[game].names
    if ball not in known:
        raise unusable_input("errors.ball_among", where=where, known=", ".join(known), ball=repr(ball))
    if rail is not None and rail not in CUSHIONS:
        raise unusable_input("errors.rail_among", where=where, known=", ".join(CUSHIONS), rail=repr(rail))
    return Frozen(t_s, ball, rail)


def touching_ball(t_s: float, ball: Any, where: str, game: str) -> Touching:
    """The declaration of a ball that the cue-ball touches. Raises UnusableInput for another game's ball."""
    known = PIECES[game].object_balls
    if ball not in known:
        raise unusable_input("errors.ball_among", where=where, known=", ".join(known), ball=repr(ball))
    return Touching(t_s, ball)


_START = re.compile(
    r"\s*([ABab])\s+([a-z_]+(?: colour)?)\s+(\d{1,4})\s*-\s*(\d{1,4})"
    r"(?:\s+frames\s+(\d{1,3})\s*-\s*(\d{1,3}))?\s*"
)


def _game_call(kind: str, given: Mapping[str, Any], where: str, game: str) -> Call:
    """A call in a game other than snooker; times and player are checked already."""
    t_s, by = float(given["t_s"]), given["by"]
    if kind != "nominate":
        return ShotCall(t_s, by, safety=kind == "safety", push_out=kind == "push_out")
    balls = PIECES[game].object_balls
    pocket = given.get("pocket")
    if given["ball"] not in balls:
        raise unusable_input(
            "errors.ball_among", where=where, known=", ".join(balls), ball=repr(given["ball"])
        )
    if pocket is not None and pocket not in POCKETS:
        raise unusable_input(
            "errors.pocket_among", where=where, known=", ".join(POCKETS), pocket=repr(pocket)
        )
    return ShotCall(t_s, by, given["ball"], pocket)


_GAME_START = re.compile(r"\s*([ABab])(?:\s+([a-z]+))?(?:\s+(\d{1,4})\s*-\s*(\d{1,4}))?\s*")


def parse_game_start(text: str, game: str) -> Start:
    """Read `--start 'A'`, `'B solids'`, `'A 3-2'` of a game other than snooker: who plays, his group or
    colour where the game has them and it is decided, racks or points of A and B. Raises UnusableInput.
    """
    match, groups = _GAME_START.fullmatch(text), GAMES[game].groups
    if not match or match[2] not in (None, *groups):
        if not groups:
            raise unusable_input("errors.who_plays_and_a_score", game=game_title(game), text=repr(text))
        raise unusable_input(
            "errors.who_plays_a_group_and_a_score",
            game=game_title(game),
            groups=", ".join(groups),
            example=groups[-1],
            text=repr(text),
        )
    return Start(match[1].upper(), match[2], (int(match[3] or 0), int(match[4] or 0)), assumed=False)


def start_of(text: str, game: str) -> Start:
    """Read `--start` of any game. Raises UnusableInput."""
    return parse_start(text) if is_snooker(game) else parse_game_start(text, game)


def parse_start(text: str) -> Start:
    """Read `--start 'A red 0-0'`: striker, ball on, scores of A and B; `frames 2-1` may follow.

    Raises UnusableInput.
    """
    match = _START.fullmatch(text)
    ball = match[2].replace(" ", "_") if match else ""
    if not match or ball not in BALLS_ON:
        raise unusable_input("errors.striker_ball_on_and_scores", text=repr(text))
    won = (int(match[5]), int(match[6])) if match[5] else (0, 0)
    return Start(match[1].upper(), ball, (int(match[3]), int(match[4])), assumed=False, frames=won)
