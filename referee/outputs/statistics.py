"""Statistics of a match as players expect them, from the strokes and (for missed pots) the paths.

Definitions, since no rule gives any:
- pot attempt: the ball on was potted, or the ball that was hit first ran straight (before any cushion)
  to within `ATTEMPT_MM` of a pocket's centre. Pot success is pots over attempts.
- long pot: an attempt with more than half the table's length between cue-ball and object ball.
- safety: a legal stroke that was no attempt; it succeeds when the opponent's next stroke pots nothing.
- shot time: from the end of the stroke before, in the same frame, to the start of this one.
- table time: shot times plus the strokes' own length, of one player.
Where there are no paths a miss cannot be told from a safety: then those figures are None.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from calibration.table.pieces import colour_of
from calibration.table.specs import TableSpec
from referee.outputs.document import Match, Stroke, break_of, cue_ball_of, table_of
from referee.outputs.tracks import Tracks

ATTEMPT_MM = 160.0
"""About three ball diameters from the pocket's centre: a pot that was missed, not a safety."""


@dataclass(frozen=True, slots=True)
class Break:
    """One visit with points: `side` A or B, the strokes that scored from `first` to `last` by number `n`."""

    side: str
    frame: int
    points: int
    first: int
    last: int
    balls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Share:
    """`made` of `tried`."""

    made: int
    tried: int

    @property
    def percent(self) -> float | None:
        return 100.0 * self.made / self.tried if self.tried else None


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """One side's figures; a Share is None when there are no paths to tell attempts from safeties.
    `points_lost`: by fouls that cost the offender points and give nobody any (14.1).
    """

    side: str
    strokes: int
    points_potted: int
    points_from_fouls: int
    fouls: int
    balls_potted: tuple[tuple[str, int], ...]
    pots: Share | None
    long_pots: Share | None
    safeties: Share | None
    highest_break: int
    fifties: int
    centuries: int
    shot_time_s: float | None
    table_time_s: float
    visits: int
    points_by_ball: tuple[tuple[str, int], ...] = ()
    points_lost: int = 0

    @property
    def average_break(self) -> float | None:
        """Points potted for each visit to the table."""
        return self.points_potted / self.visits if self.visits else None


@dataclass(frozen=True, slots=True)
class MatchStatistics:
    """Both sides and all breaks, the highest first."""

    sides: tuple[PlayerStatistics, PlayerStatistics]
    breaks: tuple[Break, ...]


def breaks_of(strokes: Sequence[Stroke]) -> tuple[Break, ...]:
    """All visits that scored, in order."""
    return tuple(found for run in _runs(strokes) if (found := _break(run)) is not None)


def _runs(strokes: Sequence[Stroke]) -> Iterator[list[Stroke]]:
    """Strokes in a row of one side in one frame; one that scores nothing, or a foul, is its last."""
    run: list[Stroke] = []
    for s in strokes:
        if run and (s["striker"], s["frame"]) != (run[-1]["striker"], run[-1]["frame"]):
            yield run
            run = []
        run.append(s)
        if s["points"] == 0 or s["foul"]:
            yield run
            run = []
    if run:
        yield run


def _break(run: Sequence[Stroke]) -> Break | None:
    """The break of a run of strokes; None where nobody scored, or nobody knows who did."""
    side, points = run[0]["striker"], max(break_of(s) for s in run)
    if not side or not points:
        return None
    fair = [s for s in run if not s["foul"]]
    scored = [s["n"] for s in fair if s["points"]] or [run[-1]["n"]]
    balls = tuple(colour_of(p["ball"]) for s in fair for p in s["potted"])
    return Break(side, run[0]["frame"], points, run[0]["n"], scored[-1], balls)


def statistics_of(match: Match, tracks: Tracks | None = None) -> MatchStatistics:
    """Figures of both sides; attempts and safeties only where `tracks` are given."""
    strokes, table = match["strokes"], table_of(match)
    breaks = breaks_of(strokes)
    attempts = [attempted(s, table, tracks) if tracks else None for s in strokes]
    sides = tuple(_side(x, strokes, attempts, breaks, table) for x in "AB")
    return MatchStatistics((sides[0], sides[1]), tuple(sorted(breaks, key=lambda b: -b.points)))


def attempted(stroke: Stroke, table: TableSpec, tracks: Tracks) -> bool:
    """Whether the stroke was an attempt to pot (see the head of this file)."""
    if stroke["potted"] and not stroke["foul"]:
        return True
    first = stroke["first_contact"]
    if first is None or first["t_s"] is None or first["ball"] not in tracks:
        return False
    ball = first["ball"]
    hits = [c["t_s"] for c in stroke["cushions"] if c["ball"] == ball and c["t_s"] is not None]
    end_s = min(hits, default=stroke["end_s"]) + 0.02
    run = tracks[ball].between(first["t_s"], end_s)
    return any(math.hypot(x - p.x_mm, y - p.y_mm) <= ATTEMPT_MM for x, y in run.xy_mm for p in table.pockets)


def is_long(stroke: Stroke, table: TableSpec) -> bool:
    """Whether more than half the table lay between cue-ball and the ball it hit first."""
    cue, first = stroke["before"].get(cue_ball_of(stroke)), stroke["first_contact"]
    if not cue or first is None:
        return False
    places = stroke["before"].get(colour_of(first["ball"]), [])
    if colour_of(first["ball"]) == "red" or not places:
        return _red_distance(stroke, cue[0][0], cue[0][1]) > table.length_mm / 2
    return math.hypot(places[0][0] - cue[0][0], places[0][1] - cue[0][1]) > table.length_mm / 2


def _red_distance(stroke: Stroke, x_mm: float, y_mm: float) -> float:
    """To the red that is gone after the stroke, or moved most; 0 when none did."""
    after = stroke["after"].get("red", [])
    moved = [
        p
        for p in stroke["before"].get("red", [])
        if all(math.hypot(p[0] - q[0], p[1] - q[1]) > 10 for q in after)
    ]
    return max((math.hypot(p[0] - x_mm, p[1] - y_mm) for p in moved), default=0.0)


def _side(
    side: str,
    strokes: Sequence[Stroke],
    attempts: Sequence[bool | None],
    breaks: Sequence[Break],
    table: TableSpec,
) -> PlayerStatistics:
    """The figures of side A or B. `attempts`: of each stroke, None where no paths tell."""
    mine = [(i, s) for i, s in enumerate(strokes) if s["striker"] == side]
    fair = [s for _, s in mine if not s["foul"]]
    fouls = [s["foul"] for _, s in mine if s["foul"]]
    times_s = [t for i, _ in mine if (t := shot_time_s(strokes, i)) is not None]
    own = [b.points for b in breaks if b.side == side]
    return PlayerStatistics(
        side=side,
        strokes=len(mine),
        points_potted=sum(s["points"] for s in fair),
        points_from_fouls=_points_from_fouls(side, strokes),
        fouls=len(fouls),
        balls_potted=_balls_potted(fair),
        pots=_pots(mine, attempts),
        long_pots=_pots([(i, s) for i, s in mine if is_long(s, table)], attempts),
        safeties=_safeties(mine, strokes, attempts),
        highest_break=max(own, default=0),
        fifties=sum(p >= 50 for p in own),
        centuries=sum(p >= 100 for p in own),
        shot_time_s=sum(times_s) / len(times_s) if times_s else None,
        table_time_s=sum(times_s) + sum(s["end_s"] - s["start_s"] for _, s in mine),
        visits=_visits(side, strokes),
        points_by_ball=_points_by_ball(fair),
        points_lost=sum(f["penalty"] or 0 for f in fouls if not f["penalty_to"]),
    )


def _visits(side: str, strokes: Sequence[Stroke]) -> int:
    """How often a side came to the table: a new frame is a new visit."""
    at_table: list[tuple[str | None, int]] = [(None, 0), *((s["striker"], s["frame"]) for s in strokes)]
    return sum(now[0] == side and now != before for before, now in pairwise(at_table))


def _points_from_fouls(side: str, strokes: Sequence[Stroke]) -> int:
    """The penalties that a side was given."""
    return sum(f["penalty"] for s in strokes if (f := s["foul"]) and f["penalty_to"] == side)


def _balls_potted(fair: Sequence[Stroke]) -> tuple[tuple[str, int], ...]:
    """How many balls of each colour fair strokes potted, the most frequent first."""
    return tuple(Counter(colour_of(p["ball"]) for s in fair for p in s["potted"]).most_common())


def _points_by_ball(fair: Sequence[Stroke]) -> tuple[tuple[str, int], ...]:
    """Points of fair strokes by the colour that brought them; one that potted several is its first ball's."""
    found: Counter[str] = Counter()
    for s in fair:
        if s["points"] and s["potted"]:
            found[colour_of(s["potted"][0]["ball"])] += s["points"]
    return tuple(found.most_common())


def shot_time_s(strokes: Sequence[Stroke], i: int) -> float | None:
    """From the end of the stroke before, in the same frame, to the start of stroke `i`."""
    if i == 0 or strokes[i - 1]["frame"] != strokes[i]["frame"]:
        return None
    return max(0.0, strokes[i]["start_s"] - strokes[i - 1]["end_s"])


def _pots(mine: Sequence[tuple[int, Stroke]], attempts: Sequence[bool | None]) -> Share | None:
    if any(attempts[i] is None for i, _ in mine):
        return None
    tried = [s for i, s in mine if attempts[i]]
    return Share(sum(bool(s["potted"]) and not s["foul"] for s in tried), len(tried))


def _safeties(
    mine: Sequence[tuple[int, Stroke]], strokes: Sequence[Stroke], attempts: Sequence[bool | None]
) -> Share | None:
    if any(attempts[i] is None for i, _ in mine):
        return None
    held = [h for i, _ in mine if (h := safety_held(strokes, attempts, i)) is not None]
    return Share(sum(held), len(held))


def safety_held(strokes: Sequence[Stroke], attempts: Sequence[bool | None], i: int) -> bool | None:
    """Whether the answer to a safety potted nothing; None for what was no safety, or had no answer."""
    s = strokes[i]
    answer = strokes[i + 1] if i + 1 < len(strokes) else None
    if attempts[i] is not False or s["foul"] or answer is None or answer["frame"] != s["frame"]:
        return None
    return not (answer["potted"] and not answer["foul"])
