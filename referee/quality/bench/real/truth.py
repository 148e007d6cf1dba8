"""The truth of real clips: `truth.json` beside them, as docs/bench.md describes it.

    {"four_pots.mp4": {"start": "A red 0-0", "score": [11, 0], "table": "3569x1778", "ball_mm": 52.5,
      "strokes": [{"first_contact": "red", "contact_image": 11, "potted": [["red", "TL"]], "points": 1}]},
     "one_stroke.mp4": {"potted": "black", "pocket": "TR"},
     "two_in_centre.mp4": {"game": "wpa_9ball", "potted": "2", "pocket": "CR"}}

Everything but the pots may be left out; a clip is of snooker where no game is named. Other keys are for
people.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.table.games import GAMES
from calibration.texts import unusable_input

FILE = "truth.json"
_EXPECTED = "expected the truth of real clips (docs/bench.md)"


@dataclass(frozen=True, slots=True)
class TrueStroke:
    """What happened in one stroke; None where nobody wrote it down.

    `contact_image`: number of the image of the first contact, from 0. `potted`: (colour, pocket) of the
    object balls.
    """

    potted: tuple[tuple[str, str], ...]
    first_contact: str | None = None
    contact_image: int | None = None
    points: int | None = None


@dataclass(frozen=True, slots=True)
class TrueClip:
    """A clip, what its review is told (`start`, `table`, `ball_mm`, `game`), and its truth. `worse`: the
    number, from 1, of the way in which it is made worse first; 0: as it is.
    """

    video: Path
    strokes: tuple[TrueStroke, ...]
    start: str | None = None
    table: str | None = None
    ball_mm: float | None = None
    score: tuple[int, int] | None = None
    worse: int = 0
    game: str = "snooker"

    @property
    def name(self) -> str:
        """The clip's name, with how it was made worse."""
        return f"{self.video.name}, worse {self.worse}" if self.worse else self.video.name


def read_truth(folder: Path) -> tuple[TrueClip, ...]:
    """The clips of a folder that lie there, by name. Raises UnusableInput for a folder without truth."""
    file = folder / FILE
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
        entries = {name: e for name, e in record.items() if isinstance(e, dict)}
        clips = tuple(_clip(folder / name, entries[name]) for name in sorted(entries))
    except OSError as error:
        raise unusable_input("errors.found_2", file=file, expected=_EXPECTED, reason=error.strerror) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise unusable_input(
            "errors.found_a_bad_or_missing_value_not_bad_or_missing_value",
            file=file,
            expected=_EXPECTED,
            error=error,
        ) from None
    there = tuple(c for c in clips if c.video.is_file())
    if not there:
        raise unusable_input(
            "errors.with_the_clips_beside_it_found", file=file, expected=_EXPECTED, count=len(clips)
        )
    return there


def _clip(video: Path, entry: dict[str, Any]) -> TrueClip:
    one = [{"potted": [] if entry.get("potted") is None else [[entry["potted"], entry["pocket"]]]}]
    score, game = entry.get("score"), entry.get("game", "snooker")
    if game not in GAMES:
        raise ValueError(f"game {game!r}")
    return TrueClip(
        video,
        tuple(_stroke(s) for s in entry.get("strokes", one)),
        entry.get("start"),
        entry.get("table"),
        entry.get("ball_mm"),
        None if score is None else (int(score[0]), int(score[1])),
        game=game,
    )


def _stroke(entry: dict[str, Any]) -> TrueStroke:
    potted = tuple(sorted((str(ball), str(pocket)) for ball, pocket in entry["potted"]))
    return TrueStroke(potted, entry.get("first_contact"), entry.get("contact_image"), entry.get("points"))
