"""Sentences about a stroke, the same in terminal, report, console and live pages.

A `Say` has the language's texts and the way in which the table lies on the screen; without one the sentences
are English and the corners those of the rule book's plan, baulk at the bottom.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from calibration.table.games import GAMES
from calibration.texts import ENGLISH, Texts, clock, load_texts, phrase
from referee.facts.judged import Asked
from referee.match.hanging import HANGS_ON
from referee.match.questions import question_text, texts_of
from referee.match.weighing import percent
from referee.outputs.document import Match, Stroke, WarningJson, cue_ball_of, name_of
from referee.outputs.games.words import readable
from referee.outputs.view import UPRIGHT, pocket_key, turn_of
from referee.rules.snooker.facts import COLOURS

_POCKET = re.compile("[BCT][LR]")
_INTO = re.compile(r"(?<=pocketed) ([BCT][LR])\b")
_IN = re.compile(r"(?<=\bin )[BCT][LR]\b")
_RED_N = re.compile(r"\bred[_ ]\d+\b(?!\.\d| %)")
_TO_SPOT = re.compile(r"\b(\w+) to (?:the )?(its place|[\w ]+) \(-?\d+\.\d, -?\d+\.\d\) mm")
_THEN = re.compile(r"(?<= – then )(?:([AB]), )?([^:;]+)(?:: \2(?=;|$))?")
"""In a record: a pocket (twice), a red by its number, where a ball is spotted, an act between two strokes
(which may say itself twice)."""


_SIDE_OF_RULING = re.compile(
    r"(?<=\bnext )[AB](?=$|[;,]| to choose)|(?<=\b(?:to|by) )[AB](?=$|[;,])"
    r"|(?<=\brequire )[AB](?= to rebreak)|(?<=\bmake )[AB](?= shoot)|(?<![\w.])[AB](?= (?:is on|breaks)\b)"
)
"""The sides that a ruling's words name; a player may be called `A. Smith`."""
_MARKS = ("\ue000", "\ue001")
"""Characters for private use, of no name and no phrase."""

_SIDE = re.compile(r"\b[AB]\b")
_OF_PLAYERS = ("state_set", "conceded", "call_refused")
"""Kinds of notes that name a side."""


@cache
def english() -> Texts:
    """The texts in English."""
    return load_texts()


@dataclass(frozen=True, slots=True)
class Say:
    """A language and a turn of the table (`referee.outputs.view`)."""

    texts: Texts = field(default_factory=english)
    turn: int = UPRIGHT

    def t(self, key: str, **values: object) -> str:
        """A text filled in."""
        return self.texts.say(key, **values)

    def phrase(self, english: str) -> str:
        """English of the record in this language."""
        return phrase(english, self.texts)

    def said_of(self, match: Match, english: str) -> str:
        """A ruling of the record with the players' names. Sides are marked while the words around them are
        translated, so that no name is taken for a phrase.
        """
        said = self.record(_SIDE_OF_RULING.sub(lambda side: _MARKS["AB".index(side[0])], english))
        for mark, side in zip(_MARKS, "AB", strict=True):
            said = said.replace(mark, name_of(match, side))
        return said

    def record(self, english: str) -> str:
        """Facts or a ruling of the record: pockets as they lie on the screen, spots without millimetres."""
        pieces = _INTO.split(_TO_SPOT.sub(_to_spot, readable(english)))
        return "".join(f" {self.pocket(p)}" if k % 2 else self.phrase(p) for k, p in enumerate(pieces))

    def seen(self, english: str) -> str:
        """An explanation's words: pockets as they lie on the screen, reds without their numbers."""
        english_here = Say(turn=self.turn)
        return self.phrase(_IN.sub(lambda m: english_here.pocket(m[0]), _RED_N.sub("red", english)))

    def ball(self, ball: str) -> str:
        """`red` for red_3: players do not number the reds."""
        return self.texts.ball(ball)

    def spot(self, spot: str) -> str:
        """A spot: of snooker by its colour, of other games by its name; a place of a rack."""
        if any(spot == s.name for g in GAMES.values() for s in g.spotted):
            return self.t(f"spots.named_{spot.lower().replace(' ', '_')}")
        return self.t("spots.own_spot", spot=self.ball(spot)) if spot in COLOURS else self.phrase(spot)

    def balls(self, balls: str) -> str:
        """Balls as labels name them: `red_1, pink` or `pink and black`."""
        parts = re.split(r", | and ", balls)
        return ", ".join(self.ball(b) for b in parts)

    def pocket(self, name: str) -> str:
        """A pocket by where it lies on the screen, and by its name in the records where that says otherwise:
        `top right (BR)`, but `top left` for TL.
        """
        shown = self.corner(name)
        plain = not _POCKET.fullmatch(name) or pocket_key(name, self.turn) == pocket_key(name, UPRIGHT)
        return shown if plain else f"{shown} ({name})"

    def corner(self, name: str) -> str:
        """A pocket by where it lies on the screen alone, for a label beside it."""
        known = _POCKET.fullmatch(name)
        return self.t(f"pockets.{pocket_key(name, self.turn)}") if known else name


def decided_words(stroke: Stroke, say: Say, open_key: str, certain_key: str) -> str:
    """Who decided a stroke: the camera, what followed, a person with the time, or nobody yet."""
    decided = stroke.get("decided")
    if decided is not None:
        key = "console.unknown_by" if decided["unknown"] else "console.decided_by"
        return say.t(key, name=decided["by"], time=f"{decided['at'][:16].replace('T', ' ')} UTC")
    return answered_words(stroke, say) or say.t(open_key if stroke["verdict"] == "call" else certain_key)


def answered_words(stroke: Stroke, say: Say) -> str:
    """That what followed answered the question about a stroke, and how surely; nothing where it did not."""
    answered = stroke.get("answered")
    return "" if answered is None else say.t("console.answered", weight=percent(answered))


def state_hangs_words(stroke: Stroke, say: Say) -> str:
    """That the score and the pieces after a stroke hang on the question about another; nothing where they do
    not.
    """
    on = stroke.get("state_hangs_on")
    return "" if on is None else say.t("console.state_hangs_on", n=on)


def say_of(match: Match, texts: Texts | None = None, turn: int | None = None) -> Say:
    """How to say what happened in a match: corners as its camera sees them, or as they were turned."""
    return Say(texts_of(match["game"], texts), turn_of(match) if turn is None else turn)


PLAIN = Say()


NO_BALL_ON = "–"
"""What is on where that has no name: any ball, or one that the game does not name."""


def ball_on_words(stroke: Stroke, say: Say = PLAIN) -> str:
    """What was on: `red`, `any colour`, `pink (nominated)`, with the free ball said; else `NO_BALL_ON`."""
    if "ruling" in stroke:
        return say.phrase(str(stroke["ruling"]["on"]))
    on = say.ball(stroke["ball_on"]) if stroke["ball_on"] else NO_BALL_ON
    if stroke["nominated"]:
        key = "nominated" if stroke["ball_on"] == "any_colour" else "on_nominated"
        on = say.t(f"stroke.{key}", on=on, ball=say.ball(stroke["nominated"]))
    return say.t("stroke.with_free_ball", on=on) if stroke["free_ball"] else on


def happened(stroke: Stroke, say: Say = PLAIN) -> str:
    """What was seen: first contact, pots with their pocket, in-off, balls off the table, possible balls."""
    if "ruling" in stroke:
        return "; ".join(
            [say.record(str(stroke["ruling"]["seen"])), *_in_doubt(stroke, say), *_possible(stroke, say)]
        )
    first = stroke["first_contact"]
    parts = [say.t("stroke.first", ball=say.ball(first["ball"])) if first else say.t("stroke.none_hit")]
    for p in stroke["potted"]:
        parts.append(_fell(say, "potted", p["pocket"], ball=say.ball(p["ball"])))
    if stroke["cue_ball"] == "pocketed":
        parts.append(_fell(say, "in_off", stroke["cue_ball_pocket"]))
    cue = cue_ball_of(stroke)
    off = [b for b in stroke["off_table"] if b != cue]
    off = [cue, *off] if stroke["cue_ball"] == "off_table" else off
    parts += [say.t("stroke.off_table", ball=say.ball(b)) for b in off]
    return "; ".join([*parts, *_touching(stroke, say), *_in_doubt(stroke, say), *_possible(stroke, say)])


def first_contact_sure(stroke: Stroke) -> float:
    """How sure the colour of the ball hit first is: balls of one colour are one to a reader, who reads "first
    red"; 0 where none was hit.
    """
    first = stroke["first_contact"]
    return first.get("colour_confidence", first["confidence"]) if first else 0.0


NAME_DOUBT = 0.99
"""A name that is less probable is said to be in doubt."""


def _in_doubt(stroke: Stroke, say: Say) -> list[str]:
    """Balls that may have another name than they are called by, the most doubtful first."""
    doubts = (
        (ball, names[ball], max((p, other) for other, p in names.items() if other != ball))
        for ball, names in stroke.get("may_be", {}).items()
        if names.get(ball, 0.0) < NAME_DOUBT and len(names) > 1
    )
    return [
        say.t("stroke.name_in_doubt", ball=say.ball(ball), other=say.ball(other), percent=percent(share))
        for ball, _, (share, other) in sorted(doubts, key=lambda d: d[1])
    ]


def _possible(stroke: Stroke, say: Say) -> list[str]:
    """What lies there besides the layout and may be a ball, the likeliest first."""
    found = sorted(stroke.get("possible_balls", []), key=lambda b: -b["probability"])
    return [
        say.t(
            "stroke.possible_ball",
            x=f"{b['x_mm']:.0f}",
            y=f"{b['y_mm']:.0f}",
            percent=percent(b["probability"]),
        )
        for b in found
    ]


def _to_spot(found: re.Match[str]) -> str:
    """`blue to the black spot`, `9 to the foot spot`; the place in mm is for machines."""
    ball, spot = found[1], found[2]
    if spot in ("its place", ball):
        return f"{ball} to its {'spot' if spot == ball else 'place'}"
    return f"{ball} to the {spot}" if spot.lower().endswith("spot") else f"{ball} to the {spot} spot"


def _fell(say: Say, key: str, pocket: str | None, **values: object) -> str:
    if not pocket:
        return say.t(f"stroke.{key}", **values)
    return say.t(f"stroke.{key}_into", pocket=say.pocket(pocket), **values)


def _touching(stroke: Stroke, say: Say) -> list[str]:
    gaps = [g for g in stroke.get("touching_gaps", []) if g["verdict"] != "no"]
    sure = [g["ball"] for g in gaps if g["verdict"] == "yes"]
    parts = []
    if sure or (stroke["touching"] and not gaps):
        balls = ", ".join(say.ball(b) for b in sure or stroke["touching"])
        parts.append(say.t("stroke.touching", balls=balls))
    for g in gaps:
        if g["verdict"] == "unknown":
            gap, sigma = f"{g['gap_mm']:.1f}", f"{2 * g['sigma_mm']:.1f}"
            parts.append(say.t("stroke.touching_unsure", ball=say.ball(g["ball"]), gap=gap, sigma=sigma))
    return parts


def ruling_words(match: Match, stroke: Stroke, say: Say = PLAIN) -> str:
    """The ruling in a referee's words, without the clause."""
    if "ruling" in stroke:
        text = str(stroke["ruling"]["text"])
        named = _THEN.sub(lambda m: f"{name_of(match, m[1])}, {m[2]}" if m[1] else m[2], text)
        return say.said_of(match, named)
    foul = stroke["foul"]
    if stroke["striker"] is None:
        return say.t("ruling.practice")
    if foul is None:
        return points_words(stroke["points"], say)
    words = foul_words(match, foul, say)
    return say.t("ruling.and_a_miss", foul=words) if stroke["miss"] else words


def choice_words(match: Match, option: str, say: Say = PLAIN) -> str:
    """What a player may choose: snooker's choices as texts, another game's by the words of its record."""
    if option in say.texts.sections["choices"]:
        return say.t(f"choices.{option}")
    words = say.said_of(match, option.replace("_", " "))
    return words[:1].upper() + words[1:]


def points_words(points: int, say: Say = PLAIN) -> str:
    """`7 points`, `1 point`, `no score`."""
    if not points:
        return say.t("ruling.no_score")
    return say.t("ruling.one_point" if points == 1 else "ruling.points", n=points)


def foul_words(match: Match, foul: Mapping[str, Any], say: Say = PLAIN) -> str:
    """`Foul, 4 to Ann`."""
    if not foul.get("penalty_to"):
        return say.t("ruling.foul", n=foul["penalty"])
    return say.t("ruling.foul_to", n=foul["penalty"], name=name_of(match, foul["penalty_to"]))


def question_words(match: Match, stroke: Stroke, say: Say = PLAIN, alone: bool = True) -> str:
    """The question of a referee's call with the players' names in place of A and B.

    `alone`: with the sentence that says on which stroke's question it hangs; not where it stands under that.
    Records of older code have its English only: in another language it is asked anew from what its answers
    are about.
    """
    if stroke.get("asked"):
        said = (a for a in stroke["asked"] if alone or a["text"] != HANGS_ON)
        asked = (Asked(a["text"], tuple(a["values"].items())) for a in said)
        return question_text(asked, say.texts, lambda side: name_of(match, side))
    if say.texts.language != ENGLISH and stroke["candidates"]:
        return say.t(f"questions.{_asked(stroke)}", **_about(match, stroke, say))
    english = stroke["question"] or say.t("questions.what_happened")
    return re.sub(r"\b[AB]\b", lambda side: name_of(match, side[0]), english)


def _asked(stroke: Stroke) -> str:
    """What a question is about, by its first answer's facts."""
    facts = list(stroke["candidates"][0]["facts"])
    if "ball_on" in facts:
        return "state"
    return facts[0] if len(facts) == 1 else "what_happened"


def _about(match: Match, stroke: Stroke, say: Say) -> dict[str, object]:
    means = stroke["candidates"][0].get("means")
    following = means.get("next_striker") if isinstance(means, dict) else None
    on = means.get("next_ball_on") if isinstance(means, dict) else None
    return {
        "name": name_of(match, stroke["striker"]),
        "next": name_of(match, following),
        "next_on": say.ball(on) if on else "–",
        "on": say.ball(stroke["ball_on"]) if stroke["ball_on"] else "–",
    }


def facts_words(match: Match, facts: Mapping[str, Any], say: Say = PLAIN) -> str:
    """The facts of an answer as a person would say them."""
    parts = [_fact_words(match, str(k), v, facts, say) for k, v in facts.items()]
    return "; ".join(p for p in parts if p)


def _fact_words(match: Match, name: str, value: Any, facts: Mapping[str, Any], say: Say) -> str:
    """One of the facts of an answer as a person would say it; "" for one that another says with it."""
    shown = str(value)
    if name == "ball_on" and "striker" in facts:
        return ""  # said with the striker
    if name == "striker":
        on = say.ball(str(facts["ball_on"])) if "ball_on" in facts else ""
        key = "answers.at_table_on" if on else "answers.at_table"
        return say.t(key, name=name_of(match, shown), on=on)
    if name == "score":
        return say.t("answers.score", value=shown)
    if name in ("first_contact", "potted", "nominated"):
        return _balls_words(name, shown, say)
    if name in ("group", "queen") and shown[0] in "AB":
        of, _, balls = shown.partition(" ")
        return say.t(f"answers.{name}", name=name_of(match, of), balls=say.phrase(balls))
    if name == "called" and " to " in shown:
        ball, pocket = shown.split(" to ")
        return say.t("answers.called", ball=say.ball(ball), pocket=say.pocket(pocket))
    return _other_words(name, shown, say)


def _balls_words(name: str, shown: str, say: Say) -> str:
    """The balls of a first contact, of pots (`red to TL, pink`) or of a nomination."""
    if shown in ("none", "-"):
        return say.t(f"answers.{name}_none")
    if " to " not in shown:
        return say.t(f"answers.{name}", balls=say.balls(shown))
    fell = [b.partition(" to ") for b in shown.split(", ")]
    return "; ".join(_fell(say, "potted", pocket or None, ball=say.ball(b)) for b, _, pocket in fell)


def _other_words(name: str, shown: str, say: Say) -> str:
    """A fact by the text that it has with its value, else `name: value`."""
    key = f"{name}_{shown.replace(' ', '_')}"
    text = say.t(f"answers.{key}")
    if text != key.replace("_", " "):
        return text
    name, shown = (say.phrase(w.replace("_", " ")) for w in (name, shown))
    return say.t("answers.other", name=name, value=shown)


def means_words(match: Match, means: object, say: Say = PLAIN, practice: bool = False) -> str:
    """What an answer to a question would mean for the ruling and the next stroke; nothing in practice."""
    if practice:
        return ""
    if not isinstance(means, dict):
        return "–" if means is None else str(means)
    foul, points = means.get("foul"), means.get("points") or 0
    if means.get("text"):
        scored = [points_words(points, say)] if points and not foul else []
        return "; ".join([*scored, say.said_of(match, str(means["text"]))])
    parts = _foul_parts(match, means, say) if foul else [points_words(points, say)]
    if means.get("next_striker"):
        name, on = name_of(match, means["next_striker"]), means.get("next_ball_on")
        key = "ruling.next_on" if on else "ruling.next"
        parts.append(say.t(key, name=name, on=say.ball(str(on)) if on else ""))
    return "; ".join(parts)


def _foul_parts(match: Match, means: Mapping[str, Any], say: Say) -> list[str]:
    """The foul that an answer means, with the miss and the free ball that come with it."""
    also = [key for what, key in (("miss", "a_miss"), ("free_ball", "free_ball")) if means.get(what)]
    return [foul_words(match, means["foul"], say), *(say.t(f"ruling.{key}") for key in also)]


def clause_of(stroke: Stroke) -> str:
    """The clause that the ruling names; empty when none is named."""
    if "ruling" in stroke:
        return stroke["ruling"]["clause"] or ""
    foul = stroke["foul"]
    return (foul["clause"] or "") if foul else ""


def warning_words(match: Match, warning: WarningJson, say: Say = PLAIN) -> str:
    """A warning with its time."""
    at = f"{clock(warning['t_s'])} · " if warning["t_s"] is not None else ""
    return at + note_words(match, warning, say)


def note_words(match: Match, warning: WarningJson, say: Say = PLAIN) -> str:
    """A warning's text, which is English data; another language that lacks its words says what kind it is.
    Players are named in what a person said.
    """
    said, key = say.phrase(warning["text"]), f"warnings.{warning['type']}"
    unsaid = say.texts.language != ENGLISH and said == warning["text"]
    known = say.t(key) != warning["type"].replace("_", " ")
    if unsaid and known:
        return say.t(key)
    return _SIDE.sub(lambda side: name_of(match, side[0]), said) if warning["type"] in _OF_PLAYERS else said


def state_words(words: Sequence[Sequence[str]], say: Say = PLAIN) -> list[list[str]]:
    """A game's state as label and words, of the record's English."""
    return [[say.phrase(label), say.phrase(value)] for label, value in words]


def unusable_words(match: Match, say: Say = PLAIN) -> str:
    """How much of the video could not be used: `3 spans, 12.4 s in all`. A jump that no clock shows has no
    length, and nobody knows how much is missing there.
    """
    spans = match.get("unusable", [])
    lengths = [s["end_s"] - s["start_s"] for s in spans]
    known = [s for s in lengths if s > 0.0]
    key = "terminal.span" if len(known) == 1 else "terminal.spans"
    told = [say.t(key, n=len(known), seconds=f"{sum(known):.1f}")] if known or not spans else []
    if unknown := len(lengths) - len(known):
        told.append(say.t("terminal.jump" if unknown == 1 else "terminal.jumps", n=unknown))
    return "; ".join(told)
