"""A stroke to look at: where each ball was when, how fast, at which angles, and what spin shows.

Everything is read off the tracks of `tracks.csv`; nothing is simulated. A camera above sees no ball turn:
spin is said only where it bends the cue-ball's way after a contact, and only where the bend is larger than
twice what the tracks leave open. Speeds and directions are straight lines fitted to short pieces of a track,
which end where the ball met something. The speed is that at the event itself: a sliding ball loses a third
of a metre a second in such a piece. A piece that is no straight line says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import colour_of
from referee.outputs.diagram import stroke_paths
from referee.outputs.document import Stroke, cue_ball_of
from referee.outputs.tracks import BallPath, Tracks
from referee.outputs.words import Say

WINDOW_S = 0.08
"""Half of the piece that one speed is fitted to: four images at 25 a second, in which a ball of 5 m/s loses
0.3 m/s by sliding."""
FIRST_S = 0.16
"""The piece after an event that its speed and direction are fitted to."""
LEAST_POINTS = 3
MOST_RESIDUAL_MM = 6.0
"""A piece whose points lie further (rms) off its straight line met something that was not seen; sliding alone
leaves 2 mm over 0.16 s."""
MOST_MOMENTUM_PART = 0.25
"""A cut angle is told where the object ball's speed is the cue-ball's times its cosine, within this part of
it (equal masses; contacts lose some 5 %): else the ball met something else at once."""
LEAST_BEND_DEG = 3.0
"""A smaller bend of the cue-ball's way is not called spin, however sharp the tracks."""
SLOWING_MM_S2, SLOWING_SIGMA_MM_S2 = -600.0, 1200.0
"""What a ball's speed does along its way, before it is looked at: sliding takes 2 m/s a second (coefficient
0.2), rolling 0.1; follow may push it on as draw holds it back. Four images say it better than this does."""
SEEN_MM = 0.3
"""One sigma of a place in a track (`docs/accuracy.md`), where a piece has too few points to tell its own."""
LEAST_SPEED_MM_S = 60.0
"""Slower, a direction over 0.16 s rests on a centimetre."""
STRAIGHT_DEG = 8.0
"""Below this cut the tangent is no help: what shows is whether the cue-ball goes on, stops or comes back."""
STOPPED_PART = 0.12
"""A cue-ball that keeps less of its speed after a straight contact has stopped (stun); a ball loses some 5 %
of its speed in a contact."""

Floats = NDArray[np.float64]
Spin = Literal["follow", "draw", "stun", "none"]


@dataclass(frozen=True, slots=True)
class Motion:
    """A fitted straight piece: velocity in mm/s, and one sigma across its way and of its speed."""

    vx_mm_s: float
    vy_mm_s: float
    sigma_mm_s: float
    speed_sigma_mm_s: float

    @property
    def speed_mm_s(self) -> float:
        return math.hypot(self.vx_mm_s, self.vy_mm_s)

    @property
    def direction_deg(self) -> float:
        """Anticlockwise from x, as atan2."""
        return math.degrees(math.atan2(self.vy_mm_s, self.vx_mm_s))

    @property
    def sigma_deg(self) -> float:
        return math.degrees(self.sigma_mm_s / max(self.speed_mm_s, 1e-9))


@dataclass(frozen=True, slots=True)
class Contact:
    """The first contact: motions before and after. `cut_deg`: between the cue-ball's way and the object
    ball's; `bend_deg`: how far the cue-ball's way bends forward (positive) before it meets the next thing.
    """

    ball: str
    t_s: float
    before: Motion
    cue_after: Motion | None
    ball_after: Motion | None
    cut_deg: float | None
    cut_sigma_deg: float | None
    bend_deg: float | None
    bend_sigma_deg: float | None
    spin: Spin


@dataclass(frozen=True, slots=True)
class Bounce:
    """A cushion: angles from the cushion's normal, in degrees, and speeds."""

    ball: str
    cushion: str
    t_s: float
    before: Motion
    after: Motion
    in_deg: float
    out_deg: float


@dataclass(frozen=True, slots=True)
class Replay:
    """A stroke as it can be shown. `speeds`: of each moving ball, `(t_s, mm_s)`."""

    paths: tuple[BallPath, ...]
    speeds: dict[str, tuple[tuple[float, float], ...]]
    strike: Motion | None
    contact: Contact | None
    bounces: tuple[Bounce, ...]
    run_mm: dict[str, float]


def replay_of(stroke: Stroke, tracks: Tracks) -> Replay:
    """Measure a stroke from its tracks."""
    paths = {ball: _seen(path) for ball, path in stroke_paths(stroke, tracks).items()}
    events = {ball: _events_of(stroke, ball) for ball in paths}
    cue = cue_ball_of(stroke)
    strike = _leaving(paths[cue], events[cue], stroke["start_s"]) if cue in paths else None
    bounces = tuple(
        b
        for c in stroke["cushions"]
        if c["t_s"] is not None
        and (b := _bounce(paths, events, c["ball"], c["cushion"], c["t_s"])) is not None
    )
    return Replay(
        tuple(paths.values()),
        {ball: tuple(_speeds(path, events[ball])) for ball, path in paths.items()},
        strike,
        _contact(stroke, paths, events, cue),
        tuple(sorted(bounces, key=lambda b: b.t_s)),
        {ball: _length(path) for ball, path in paths.items()},
    )


def _seen(path: BallPath) -> BallPath:
    """The rows in which the ball was seen, each time once."""
    keep = [
        k
        for k, state in enumerate(path.state)
        if state in ("moving", "rest") and (k == 0 or path.t_s[k] > path.t_s[k - 1])
    ]
    return BallPath(
        path.ball,
        tuple(path.t_s[k] for k in keep),
        tuple(path.xy_mm[k] for k in keep),
        tuple(path.state[k] for k in keep),
    )


def _events_of(stroke: Stroke, ball: str) -> list[float]:
    """When a ball's way changes: the stroke's ends, its contacts, its cushions, in order."""
    times = [stroke["start_s"], stroke["end_s"]]
    times += [c["t_s"] for c in stroke["contacts"] if c["t_s"] is not None and ball in c["balls"]]
    first = stroke["first_contact"]
    if first is not None and first["t_s"] is not None and ball in (first["ball"], cue_ball_of(stroke)):
        times.append(first["t_s"])
    times += [c["t_s"] for c in stroke["cushions"] if c["t_s"] is not None and c["ball"] == ball]
    return sorted(times)


def _after(events: Sequence[float], t_s: float) -> tuple[float, float]:
    """The short span behind an event, up to the next one."""
    later = [e for e in events if e > t_s + 1e-3]
    return t_s, min([t_s + FIRST_S, *later])


def _before(events: Sequence[float], t_s: float) -> tuple[float, float]:
    """The short span before an event, from the one before."""
    earlier = [e for e in events if e < t_s - 1e-3]
    return max([t_s - FIRST_S, *earlier]), t_s


def motion(path: BallPath, start_s: float, end_s: float, at_s: float | None = None) -> Motion | None:
    """The straight line through a span of a path, with the speed at `at_s` (default: its middle); None where
    too little was seen, or hardly any motion.
    """
    part = path.between(start_s, end_s)
    if len(part.t_s) < LEAST_POINTS:
        return None
    t = np.array(part.t_s) - part.t_s[0]
    xy = np.array(part.xy_mm)
    spread = float(((t - t.mean()) ** 2).sum())
    if spread <= 0:
        return None
    slope = ((t - t.mean())[:, None] * (xy - xy.mean(axis=0))).sum(axis=0) / spread
    rest = xy - xy.mean(axis=0) - (t - t.mean())[:, None] * slope
    sigma = math.sqrt(float((rest**2).sum()) / (2 * max(1, len(t) - 2)) / spread)
    way = slope / max(float(np.hypot(*slope)), 1e-9)
    asked = float(t.mean()) if at_s is None else at_s - part.t_s[0]
    speed, speed_sigma = _speed_at(t - asked, (xy - xy.mean(axis=0)) @ way)
    found = Motion(speed * float(way[0]), speed * float(way[1]), sigma, speed_sigma)
    straight = math.sqrt(float((rest**2).sum()) / len(t)) <= MOST_RESIDUAL_MM
    return found if straight and found.speed_mm_s >= LEAST_SPEED_MM_S else None


def _speed_at(t_s: Floats, along_mm: Floats) -> tuple[float, float]:
    """Speed at time 0 (mm/s) and one sigma, of places along a way at times from it: place, speed and slowing
    by least squares, the slowing held by what balls on a cloth do.
    """
    columns = np.column_stack((np.ones_like(t_s), t_s, 0.5 * t_s**2))
    straight = columns[:, :2] @ np.linalg.lstsq(columns[:, :2], along_mm, rcond=None)[0]
    left = float(((along_mm - columns @ np.linalg.lstsq(columns, along_mm, rcond=None)[0]) ** 2).sum())
    free = len(t_s) - 3
    seen = (
        max(SEEN_MM, math.sqrt(left / free)) if free > 0 else max(SEEN_MM, float(np.std(along_mm - straight)))
    )
    precision = columns.T @ columns / seen**2
    told = columns.T @ along_mm / seen**2
    precision[2, 2] += SLOWING_SIGMA_MM_S2**-2
    told[2] += SLOWING_MM_S2 * SLOWING_SIGMA_MM_S2**-2
    cov = np.linalg.inv(precision)
    return max(0.0, float((cov @ told)[1])), math.sqrt(float(cov[1, 1]))


def _leaving(path: BallPath, events: Sequence[float], t_s: float) -> Motion | None:
    """The motion just behind an event; over half the piece where the whole is no straight line."""
    start_s, end_s = _after(events, t_s)
    return motion(path, start_s, end_s, t_s) or motion(path, start_s, (start_s + end_s) / 2, t_s)


def _coming(path: BallPath, events: Sequence[float], t_s: float) -> Motion | None:
    """The motion just before an event; over half the piece where the whole is no straight line."""
    start_s, end_s = _before(events, t_s)
    return motion(path, start_s, end_s, t_s) or motion(path, (start_s + end_s) / 2, end_s, t_s)


def _speeds(path: BallPath, events: Sequence[float]) -> list[tuple[float, float]]:
    """The speed at each row of a path, from the rows beside it between the same two events."""
    t, xy = np.array(path.t_s), np.array(path.xy_mm)
    out = []
    for k, now in enumerate(path.t_s):
        low = max([now - WINDOW_S, *(e for e in events if e <= now)])
        high = min([now + WINDOW_S, *(e for e in events if e > now)])
        near = (t >= low - 1e-9) & (t <= high + 1e-9)
        if near.sum() < 2 or path.state[k] != "moving":
            continue
        part = t[near] - t[near].mean()
        spread = float((part**2).sum())
        if spread > 0:
            slope = (part[:, None] * (xy[near] - xy[near].mean(axis=0))).sum(axis=0) / spread
            out.append((now, float(np.hypot(*slope))))
    return out


def _length(path: BallPath) -> float:
    xy = np.array(path.xy_mm)
    return float(np.hypot(*np.diff(xy, axis=0).T).sum()) if len(xy) > 1 else 0.0


def _turn(a_deg: float, b_deg: float) -> float:
    """From one direction to another, -180 to 180."""
    return (b_deg - a_deg + 180.0) % 360.0 - 180.0


def _contact(
    stroke: Stroke,
    paths: dict[str, BallPath],
    events: dict[str, list[float]],
    cue: str,
) -> Contact | None:
    first = stroke["first_contact"]
    if first is None or first["t_s"] is None or cue not in paths:
        return None
    t_s, ball = first["t_s"], first["ball"]
    before = _coming(paths[cue], events[cue], t_s)
    if before is None:
        return None
    cue_after = _leaving(paths[cue], events[cue], t_s)
    ball_after = _leaving(paths[ball], events[ball], t_s) if ball in paths else None
    cut, sigma = (None, None) if ball_after is None else _cut(before, ball_after)
    bend, bend_sigma = _bend(paths[cue], events[cue], t_s, before, cue_after)
    spin = _spin(before, cue_after, cut, bend, bend_sigma)
    return Contact(ball, t_s, before, cue_after, ball_after, cut, sigma, bend, bend_sigma, spin)


def _cut(before: Motion, ball_after: Motion) -> tuple[float | None, float | None]:
    """The cut angle and one sigma; None where the object ball's speed does not go with it."""
    cut = abs(_turn(before.direction_deg, ball_after.direction_deg))
    due = before.speed_mm_s * max(0.0, math.cos(math.radians(cut)))
    if abs(ball_after.speed_mm_s - due) > MOST_MOMENTUM_PART * before.speed_mm_s:
        return None, None
    return cut, math.hypot(before.sigma_deg, ball_after.sigma_deg)


def _bend(
    path: BallPath, events: Sequence[float], t_s: float, before: Motion, after: Motion | None
) -> tuple[float | None, float | None]:
    """How far the cue-ball's way bends behind a contact towards where it came to the contact (positive), from
    just behind it to just before the next event, and one sigma.
    """
    following = [e for e in events if e > t_s + 1e-3]
    if after is None or not following or following[0] < t_s + 2 * FIRST_S:
        return None, None
    moving = [
        t for t, s in zip(path.t_s, path.state, strict=True) if s == "moving" and t_s < t <= following[0]
    ]
    last = None
    end_s = max(moving, default=t_s)
    while last is None and end_s > t_s + 2 * FIRST_S:  # it rolls out slowly: the last piece with a direction
        last = motion(path, end_s - FIRST_S, end_s)
        end_s -= FIRST_S
    if last is None:
        return None, None
    off_before = abs(_turn(before.direction_deg, after.direction_deg))
    off_last = abs(_turn(before.direction_deg, last.direction_deg))
    return off_before - off_last, math.hypot(after.sigma_deg, last.sigma_deg)


def _spin(
    before: Motion, after: Motion | None, cut: float | None, bend: float | None, sigma: float | None
) -> Spin:
    """What the cue-ball's way says of its spin at the contact."""
    if cut is not None and cut < STRAIGHT_DEG:
        if after is None or after.speed_mm_s < STOPPED_PART * before.speed_mm_s:
            return "stun"
        back = abs(_turn(before.direction_deg, after.direction_deg)) > 90.0
        return "draw" if back else "follow"
    if bend is None or sigma is None or abs(bend) < max(LEAST_BEND_DEG, 2 * sigma):
        return "none"
    return "follow" if bend > 0 else "draw"


def _bounce(
    paths: dict[str, BallPath], events: dict[str, list[float]], ball: str, cushion: str, t_s: float
) -> Bounce | None:
    if ball not in paths:
        return None
    before = _coming(paths[ball], events[ball], t_s)
    after = _leaving(paths[ball], events[ball], t_s)
    if before is None or after is None:
        return None
    across = 1 if cushion in ("top", "bottom") else 0
    return Bounce(ball, cushion, t_s, before, after, _off_normal(before, across), _off_normal(after, across))


def _off_normal(m: Motion, across: int) -> float:
    """The angle between a motion and the cushion's normal, which lies along x (0) or y (1)."""
    normal, along = (m.vy_mm_s, m.vx_mm_s) if across else (m.vx_mm_s, m.vy_mm_s)
    return math.degrees(math.atan2(abs(along), abs(normal)))


# -- as a document ------------------------------------------------------------------------------------------


def replay_json(stroke: Stroke, tracks: Tracks, say: Say) -> dict[str, Any]:
    """What the player shows, as JSON values: times from the stroke's beginning in s, places in mm."""
    found, start_s = replay_of(stroke, tracks), stroke["start_s"]
    moved = {p.ball for p in found.paths}
    return {
        "n": stroke["n"],
        "start_s": start_s,
        "end_s": round(stroke["end_s"] - start_s, 3),
        "balls": [
            {
                "ball": p.ball,
                "colour": colour_of(p.ball),
                "name": say.ball(p.ball),
                "points": [
                    [round(t - start_s, 3), round(x, 1), round(y, 1)]
                    for t, (x, y) in zip(p.t_s, p.xy_mm, strict=True)
                ],
                "gone_s": _gone_s(stroke, p.ball, p.t_s, start_s),
                "speeds": [[round(t - start_s, 3), round(v / 1000.0, 3)] for t, v in found.speeds[p.ball]],
            }
            for p in found.paths
            if p.t_s
        ],
        "still": _still(stroke, moved, found),
        "pockets": {name: say.corner(name) for name in ("BL", "BR", "CL", "CR", "TL", "TR")},
        "events": _event_rows(stroke, found, say),
        "figures": _figures(found, say),
    }


def _gone_s(stroke: Stroke, ball: str, times: Sequence[float], start_s: float) -> float | None:
    """When a ball left the table; None for one that stays."""
    pot = next((p for p in stroke["potted"] if p["ball"] == ball), None)
    fell = pot is not None or (ball == cue_ball_of(stroke) and stroke["cue_ball"] != "on_table")
    if not fell and ball not in stroke["off_table"]:
        return None
    known = pot["t_s"] if pot is not None else None
    return round((known if known is not None else times[-1]) - start_s, 3)


def _still(stroke: Stroke, moved: set[str], found: Replay) -> list[list[Any]]:
    """Balls that lie still: those of the layout before, but for the place from which each moving one came. A
    fast ball is first seen some way off, so that its place is the nearest of its colour.
    """
    left = {colour: [(p[0], p[1]) for p in places] for colour, places in stroke["before"].items()}
    for path in found.paths:
        places = left.get(colour_of(path.ball), [])
        if path.ball in moved and path.xy_mm and places:
            places.remove(min(places, key=lambda place: math.dist(place, path.xy_mm[0])))
    return [[colour, round(x, 1), round(y, 1)] for colour, places in left.items() for x, y in places]


def _event_rows(stroke: Stroke, found: Replay, say: Say) -> list[dict[str, Any]]:
    """Contacts, cushions and pots in order, each with its moment and a line of words."""
    rows: list[tuple[float, str]] = []
    cue = cue_ball_of(stroke)
    for c in stroke["contacts"]:
        if c["t_s"] is not None:
            a, b = (say.ball(x) for x in sorted(c["balls"], key=lambda x: x != cue))
            rows.append((c["t_s"], say.t("replay.contact", a=a, b=b)))
    for bounce in found.bounces:
        before, after = (f"{m.speed_mm_s / 1000:.2f}" for m in (bounce.before, bounce.after))
        angles = {"in_deg": f"{bounce.in_deg:.0f}", "out_deg": f"{bounce.out_deg:.0f}"}
        words = say.t("replay.cushion", ball=say.ball(bounce.ball), **angles, before=before, after=after)
        rows.append((bounce.t_s, words))
    for p in stroke["potted"]:
        if p["t_s"] is not None:
            where = say.pocket(p["pocket"]) if p["pocket"] else ""
            key = "stroke.potted_into" if where else "stroke.potted"
            rows.append((p["t_s"], say.t(key, ball=say.ball(p["ball"]), pocket=where)))
    return [{"t": round(t - stroke["start_s"], 3), "words": words} for t, words in sorted(rows)]


def _figures(found: Replay, say: Say) -> list[list[str]]:
    """Name and value of each figure that the tracks allow, values with two sigma."""
    out: list[list[str]] = []
    if found.strike is not None:
        out.append([say.t("replay.strike_speed"), _speed(found.strike)])
    if found.contact is not None:
        out += _contact_figures(found.contact, say)
    for ball, run in found.run_mm.items():
        out.append([say.t("replay.run", ball=say.ball(ball)), f"{run / 1000:.2f} m"])
    return out


def _contact_figures(c: Contact, say: Say) -> list[list[str]]:
    ball = say.ball(c.ball)
    out = [[say.t("replay.contact_speed", ball=ball), _speed(c.before)]]
    if c.cut_deg is not None and c.cut_sigma_deg is not None:
        out.append([say.t("replay.cut"), _angle(c.cut_deg, c.cut_sigma_deg)])
        if c.cut_deg < 90:
            part = 1.0 - math.sin(math.radians(c.cut_deg))
            out.append([say.t("replay.thickness"), say.t("replay.part", percent=f"{100 * part:.0f}")])
    if c.ball_after is not None:
        out.append([say.t("replay.ball_speed", ball=ball), _speed(c.ball_after)])
    if c.cue_after is not None:
        out.append([say.t("replay.cue_speed"), _speed(c.cue_after)])
    words = say.t(f"replay.spin_{c.spin}")
    if c.bend_deg is not None and c.bend_sigma_deg is not None and c.spin in ("follow", "draw"):
        words += ", " + say.t("replay.bend", angle=_angle(abs(c.bend_deg), c.bend_sigma_deg))
    return [*out, [say.t("replay.spin"), words]]


def _speed(m: Motion) -> str:
    return f"{m.speed_mm_s / 1000:.2f} ± {max(0.01, 2 * m.speed_sigma_mm_s / 1000):.2f} m/s"


def _angle(deg: float, sigma: float) -> str:
    return f"{deg:.0f}° ± {max(1.0, 2 * sigma):.0f}°"
