"""A refereed match as values: `open_match` reads a review's folder, `cueref.review` makes one."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cueref.tables import data_frame
from referee.journal import JOURNAL_FILE, fault_in
from referee.outputs import document
from referee.outputs.document import break_of, match_bytes, read_match, with_changed_record
from referee.outputs.open_questions import open_questions, root_of
from referee.outputs.tracks import read_tracks

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Pot:
    """A ball potted: `pocket` and `t_s` (seconds on the video's clock) are None where they were not seen."""

    ball: str
    pocket: str | None
    t_s: float | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Foul:
    """`clause`: the rule that was broken. `penalty`: points that go to `penalty_to` (A or B)."""

    clause: str | None
    penalty: int
    penalty_to: str | None


@dataclass(frozen=True, slots=True)
class Stroke:
    """One stroke as ruled. Times are seconds on the video's clock; of declared facts they may be None.

    `striker`: A or B. `score`: after the stroke, A's first. `break_points`: the striker's break after it.
    `verdict`: "certain", or how it is open; `question`: what a person has to decide, None where nothing.
    `hangs_on`: the stroke on whose question this one's hangs, None where on none.
    """

    n: int
    frame: int
    striker: str | None
    start_s: float | None
    end_s: float | None
    ball_on: str | None
    nominated: str | None
    free_ball: bool
    first_contact: str | None
    potted: tuple[Pot, ...]
    foul: Foul | None
    miss: bool | None
    points: int
    break_points: int
    score: tuple[int, ...]
    verdict: str
    question: str | None
    hangs_on: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame's score, A's first; `winner` A or B, None while it is open; `ended`: how, where it is known."""

    n: int
    score: tuple[int, ...]
    winner: str | None
    ended: str | None


@dataclass(frozen=True, slots=True)
class Match:
    """A refereed match. `folder` holds its files, `json_text` is its match.json, with everything else."""

    folder: Path
    game: str
    players: tuple[str, ...]
    score: tuple[int, ...]
    frames: tuple[Frame, ...]
    strokes: tuple[Stroke, ...]
    warnings: tuple[str, ...]
    json_text: str

    @property
    def questions(self) -> tuple[Stroke, ...]:
        """The strokes that wait for a person's decision and hang on no other's."""
        return tuple(s for s in self.strokes if s.question is not None and s.hangs_on is None)

    def strokes_df(self) -> pd.DataFrame:
        """One row a stroke: its fields, `potted` as names, the foul as `foul_clause` and `penalty`."""
        return data_frame(_STROKE_COLUMNS, (_row(s) for s in self.strokes))

    def tracks_df(self) -> pd.DataFrame:
        """One row a ball and image of `tracks.csv`: t_s, ball, x_mm, y_mm (table frame), state.

        Without rows for a match of declared facts.
        """
        paths = read_tracks(self.folder).values()
        rows = (
            {"t_s": t_s, "ball": p.ball, "x_mm": x_mm, "y_mm": y_mm, "state": state}
            for p in paths
            for t_s, (x_mm, y_mm), state in zip(p.t_s, p.xy_mm, p.state, strict=True)
        )
        return data_frame(("t_s", "ball", "x_mm", "y_mm", "state"), rows)


def open_match(folder: str | Path) -> Match:
    """The match in a review's folder, or of its match.json; the first warning says if its journal was
    changed after it was written. Raises UnusableInput where there is none.
    """
    path = Path(folder)
    folder = path if path.is_dir() else path.parent
    return match_of(folder, with_changed_record(read_match(path), fault_in(folder / JOURNAL_FILE)))


def match_of(folder: Path, found: document.Match) -> Match:
    """The values of a match document that lies in `folder`."""
    roots = root_of(open_questions(found))
    return Match(
        folder=folder,
        game=found["game"],
        players=tuple(found["players"]),
        score=tuple(found["score"]),
        frames=tuple(Frame(f["n"], tuple(f["score"]), f["winner"], f.get("ended")) for f in found["frames"]),
        strokes=tuple(_stroke(s, roots.get(s["n"])) for s in found["strokes"]),
        warnings=tuple(w["text"] for w in found["warnings"]),
        json_text=match_bytes(found).decode(),
    )


_STROKE_COLUMNS = (
    *(f.name for f in fields(Stroke) if f.name not in ("foul", "score")),
    *("foul_clause", "penalty", "penalty_to", "score_a", "score_b"),
)


def _stroke(s: document.Stroke, root: int | None) -> Stroke:
    first, foul = s["first_contact"], s["foul"]
    return Stroke(
        n=s["n"],
        frame=s["frame"],
        striker=s["striker"],
        start_s=s["start_s"],
        end_s=s["end_s"],
        ball_on=s["ball_on"],
        nominated=s["nominated"],
        free_ball=bool(s["free_ball"]),
        first_contact=first["ball"] if first else None,
        potted=tuple(Pot(p["ball"], p["pocket"], p["t_s"], p["confidence"]) for p in s["potted"]),
        foul=Foul(foul["clause"], foul["penalty"], foul["penalty_to"]) if foul else None,
        miss=s["miss"],
        points=s["points"] or 0,
        break_points=break_of(s),
        score=tuple(s["score"]),
        verdict=s["verdict"],
        question=s["question"],
        hangs_on=root,
    )


def _row(s: Stroke) -> dict[str, Any]:
    scores = dict(zip(("score_a", "score_b"), s.score, strict=False))
    foul = asdict(s.foul) if s.foul else {}
    return {
        **{name: getattr(s, name) for name in Stroke.__slots__},
        **scores,
        "potted": " ".join(p.ball for p in s.potted),
        "foul_clause": foul.get("clause"),
        "penalty": foul.get("penalty", 0),
        "penalty_to": foul.get("penalty_to"),
    }
