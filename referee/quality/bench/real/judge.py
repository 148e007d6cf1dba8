"""A review of a real clip against its truth: each stroke right, asked about, or certain and wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calibration.table.pieces import colour_of
from referee.quality.bench.real.truth import TrueClip, TrueStroke

_BEFORE_S, _AFTER_S = 0.7, 0.3  # of a stroke as seen in which its true first contact lies
_NOTHING_RULED = "What happened"  # the beginning of a question about the whole stroke


@dataclass(frozen=True, slots=True)
class ClipJudged:
    """What a review said of one clip, in strokes. Each true stroke is counted once.

    `right`: certain and as it was. `asked`: a question, all that is stated beside it right. `wrong`: certain
    and wrong, in the ruling or in what is stated beside a question; certain strokes that never were
    included. `missed`: true strokes that were not seen. `invented`: strokes that never were. `facts_right`
    of `facts`: first contacts, pots and points as stated, asked or not. `score_right`: None where the truth
    has no score. `refused`: why the clip was not reviewed; empty where it was. `worse`: as in `TrueClip`.
    """

    clip: str
    strokes: int
    right: int = 0
    asked: int = 0
    wrong: int = 0
    missed: int = 0
    invented: int = 0
    facts: int = 0
    facts_right: int = 0
    score_right: bool | None = None
    refused: str = ""
    notes: tuple[str, ...] = ()
    worse: int = 0


def refused(clip: TrueClip, why: str) -> ClipJudged:
    """A clip that could not be reviewed: its strokes are missed, nothing is wrong."""
    n = len(clip.strokes)
    return ClipJudged(clip.name, n, missed=n, refused=why, worse=clip.worse)


def judge(clip: TrueClip, match: Mapping[str, Any]) -> ClipJudged:
    """Compare `match.json` with the truth."""
    seen: list[Mapping[str, Any]] = list(match["strokes"])
    duration_s = float(match["video"]["duration_s"])
    fps = match["video"]["images"] / duration_s if duration_s else 30.0
    right = asked = wrong = missed = facts = facts_right = 0
    notes: list[str] = []
    for n, true in enumerate(clip.strokes, 1):
        found = _found(true, seen, fps)
        if found is None:
            missed += 1
            continue
        seen.remove(found)
        facts_wrong = _wrong_facts(true, found)
        facts += len(_stated(true))
        facts_right += len(_stated(true)) - len(facts_wrong)
        said_wrong = _said_as_sure(facts_wrong, found)
        if said_wrong:
            wrong += 1
            notes.append(f"stroke {n}: {', '.join(said_wrong)} stated as sure, and wrong")
        elif found["verdict"] == "certain":
            right += 1
        else:
            asked += 1
    certain = [s for s in seen if s["verdict"] == "certain"]
    notes += [f"a stroke at {s['start_s']:.1f} s never was, and is certain" for s in certain]
    score = None if clip.score is None else list(clip.score) == list(match["score"])
    return ClipJudged(
        clip.name,
        len(clip.strokes),
        right=right,
        asked=asked,
        wrong=wrong + len(certain),
        missed=missed,
        invented=len(seen),
        facts=facts,
        facts_right=facts_right,
        score_right=score,
        notes=tuple(notes),
        worse=clip.worse,
    )


def _found(true: TrueStroke, seen: Sequence[Mapping[str, Any]], fps: float) -> Mapping[str, Any] | None:
    """The stroke as seen about the time of the true one; where no time is known, one with its pots first."""
    if true.contact_image is None:
        return min(seen, key=lambda s: _pots(s) != true.potted, default=None)
    at_s = true.contact_image / fps
    about = [s for s in seen if s["start_s"] - _BEFORE_S <= at_s <= s["end_s"] + _AFTER_S]
    return min(about, key=lambda s: abs(_contact_s(s) - at_s), default=None)


def _contact_s(stroke: Mapping[str, Any]) -> float:
    at = (stroke.get("first_contact") or {}).get("t_s")
    return float(stroke["start_s"] if at is None else at)


def _stated(true: TrueStroke) -> tuple[str, ...]:
    """The facts that the truth has."""
    known = {"first_contact": true.first_contact, "points": true.points}
    return ("potted", *(name for name, value in known.items() if value is not None))


def _wrong_facts(true: TrueStroke, seen: Mapping[str, Any]) -> list[str]:
    first = colour_of((seen.get("first_contact") or {}).get("ball") or "none")
    same = {
        "potted": _pots(seen) == true.potted,
        "first_contact": first == true.first_contact,
        "points": seen.get("points") == true.points,
    }
    return [name for name in _stated(true) if not same[name]]


def _said_as_sure(facts_wrong: list[str], seen: Mapping[str, Any]) -> list[str]:
    """Those of the wrong facts that are stated beside no question about them."""
    if seen["verdict"] == "certain":
        return facts_wrong
    return [] if asks_all(seen) else [f for f in facts_wrong if f not in _in_question(seen)]


def asks_all(seen: Mapping[str, Any]) -> bool:
    """Whether a stroke of `match.json` asks what happened in it: nothing beside it is stated as sure."""
    return str(seen.get("question") or "").startswith(_NOTHING_RULED)


def _in_question(seen: Mapping[str, Any]) -> set[str]:
    """The facts that a question is about; points follow from any of them."""
    facts = {str(name) for c in seen.get("candidates") or () for name in dict(c.get("facts") or {})}
    return {*facts, "points"} if facts else facts


def _pots(stroke: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((colour_of(p["ball"]), str(p["pocket"])) for p in stroke.get("potted") or ()))
