"""The soak's record against the truth: strokes, scores, times, memory. Reads the raw files, judges nothing
twice.

A stroke is *clear* when no fault hid the camera from shortly before it until it was ruled; all others are
counted apart. Truth comes from the simulation, which scores apart from the referee's rules.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from referee.quality.soak.journal import Ruled, journal_rulings, with_journal
from referee.quality.soak.plan import HIDES, FaultKind, plan
from referee.quality.soak.watchers import GIVEN_UP_S

_NEAR_S = 1.0  # a ruling belongs to the true stroke whose start is nearer than this
_BEFORE_S = 2.0  # a fault that ends less than this before a stroke may hide its layout
_RULED_S = 1.0  # and one that begins less than this after the rest may delay its ruling
_UNRULED_S = 3.0  # strokes that end later than this before the end of the record are not asked for
_SETTLED_S = 600.0  # memory is watched from here on
_PIECES = 10


@dataclass(frozen=True, slots=True)
class TrueStroke:
    """A stroke as it was played; Unix times. `side` 0 is the player who broke this frame."""

    frame: int
    n: int
    start_unix: float
    rest_unix: float
    side: int
    foul: bool
    points: int
    penalty: int
    potted: tuple[str, ...]
    score: tuple[int, int]
    hidden_by: str | None


@dataclass(frozen=True, slots=True)
class Compared:
    """A true stroke beside its ruling. `wrong`: in what a certain ruling differs from the truth."""

    truth: TrueStroke
    ruled: Ruled | None
    wrong: tuple[str, ...]
    score_wrong: bool | None


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON-lines file; a line cut short is passed over."""
    found = []
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found


def unix(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def said_of(event: dict[str, Any]) -> float:
    """When an event was published. Its own time goes by a clock that the soak sets."""
    return float(event.get("said_unix") or unix(event["utc"]))


def true_strokes(raw: Path) -> list[TrueStroke]:
    """Everything that was played whole."""
    faults = [f for f in read_lines(raw / "faults.jsonl") if f["kind"] in HIDES]
    found = []
    for played in read_lines(raw / "played.jsonl"):
        strokes = [s for s in played["strokes"] if s["type"] == "stroke"]
        for k, s in enumerate(strokes):
            start, rest = played["start_unix"] + s["t_strike"], played["start_unix"] + s["t_rest"]
            potted = tuple(sorted(p[0].split("_")[0] for p in s["pots"] if p[0] != "white"))
            found.append(
                TrueStroke(
                    played["n"],
                    k + 1,
                    start,
                    rest,
                    s["striker"],
                    s["foul"],
                    s["points"],
                    s["penalty"],
                    potted,
                    (s["score"][0], s["score"][1]),
                    _hidden(faults, start, rest),
                )
            )
    return found


def _hidden(faults: Iterable[dict[str, Any]], start: float, rest: float) -> str | None:
    # a camera that comes back needs up to five seconds: they are the fault's too
    for fault in faults:
        back = 0.0 if fault["kind"] == "dark" else 5.0
        if fault["start_unix"] < rest + _RULED_S and fault["end_unix"] + back > start - _BEFORE_S:
            return str(fault["kind"])
    return None


def rulings(raw: Path) -> list[Ruled]:
    """The last word on each stroke, in order: as published, and as journalled where nothing could be
    published.
    """
    found: dict[int, Ruled] = {}
    for event in read_lines(raw / "events.jsonl"):
        if event["type"] != "ruling":
            continue
        b = event["body"]
        said = said_of(event)
        start = unix(b["end_utc"]) - (b["end_s"] - b["start_s"])
        key = b["stroke"]
        foul = b["foul"]
        first = found[key].first_unix if key in found else said
        found[key] = Ruled(
            b["stroke"],
            start,
            b["frame"],
            b["striker"] or "",
            foul is not None,
            b["points"],
            foul["penalty"] if foul else 0,
            tuple(sorted(p.split("_")[0] for p in b["potted"])),
            (b["score"][0], b["score"][1]),
            b["verdict"],
            first,
            said,
            b["text"],
        )
    return with_journal(list(found.values()), journal_rulings(raw.parent / "journal"))


def compare(truth: Sequence[TrueStroke], ruled: Sequence[Ruled]) -> tuple[list[Compared], list[Ruled]]:
    """Each true stroke with its ruling, and the rulings that belong to no true stroke."""
    left = list(ruled)
    pairs: list[tuple[TrueStroke, Ruled | None]] = []
    for t in truth:
        near = min(
            (r for r in left if _belongs(r, t)), key=lambda r: abs(r.start_unix - t.start_unix), default=None
        )
        if near is not None:
            left.remove(near)
            pairs.append((t, near))
        else:
            pairs.append((t, None))
    return _judged(pairs, left), left


def _belongs(r: Ruled, t: TrueStroke) -> bool:
    # a stroke whose beginning was seen late begins before the true one has ended
    return abs(r.start_unix - t.start_unix) < _NEAR_S or t.start_unix < r.start_unix < t.rest_unix


def _judged(pairs: Sequence[tuple[TrueStroke, Ruled | None]], extra: Sequence[Ruled]) -> list[Compared]:
    compared = []
    frame, sure, breaker = -1, True, ""
    for t, r in pairs:
        if t.frame != frame:
            frame, sure = t.frame, True
            breaker = r.striker if r is not None else ""
        # an open question stops nothing while its likeliest answer is the truth
        sure = sure and t.hidden_by is None and r is not None and not _differences(t, r) and bool(breaker)
        sure = sure and not any(
            t.start_unix - 60 < e.start_unix < t.start_unix for e in extra if r and e.frame == r.frame
        )
        score_wrong = None
        if sure and r is not None:
            expected = t.score if breaker == "A" else t.score[::-1]
            score_wrong = tuple(r.score) != tuple(expected)
        compared.append(Compared(t, r, _wrong(t, r), score_wrong))
    return compared


def _wrong(t: TrueStroke, r: Ruled | None) -> tuple[str, ...]:
    return () if r is None or r.verdict != "certain" else _differences(t, r)


def _differences(t: TrueStroke, r: Ruled) -> tuple[str, ...]:
    pairs = {
        "foul": (t.foul, r.foul),
        "points": (t.points, r.points),
        "penalty": (t.penalty, r.penalty),
        "potted": (t.potted, r.potted),
    }
    return tuple(f"{name}: {a} played, {b} ruled" for name, (a, b) in pairs.items() if a != b)


def summary(raw: Path) -> dict[str, Any]:
    """All figures of a soak; counts with what they are out of, times in seconds."""
    truth, ruled = true_strokes(raw), rulings(raw)
    until = _until(raw)
    truth = [t for t in truth if t.rest_unix < until - _UNRULED_S]
    compared, extra = compare(truth, ruled)
    clear = [c for c in compared if c.truth.hidden_by is None]
    hidden = [c for c in compared if c.truth.hidden_by is not None]
    about, published = read_lines(raw / "about.jsonl")[0], _published(clear)
    strokes = {
        "about": {k: v for k, v in about.items() if k != "clips"} | {"clips": len(about["clips"])},
        "hours": round((until - about["begun_unix"]) / 3600, 3) if math.isfinite(until) else None,
        "frames": len({t.frame for t in truth}),
        "clear": _counts(clear),
        "hidden": _counts(hidden) | {"by": _by(c.truth.hidden_by for c in hidden)},
        "extra_rulings": [_ruling(e) for e in extra],
        "lost": [asdict(c.truth) for c in clear if c.ruled is None],
        "wrong": _certain_and_wrong(compared),
        "ruled_in_the_journal_alone": len([c for c in compared if c.ruled]) - len(_published(compared)),
        "time_to_rule_s": _spread([r.first_unix - t.rest_unix for t, r in published]),
        "time_to_last_word_s": _spread([r.last_unix - t.rest_unix for t, r in published]),
    }
    return strokes | _machine(raw, about)


def _machine(raw: Path, about: dict[str, Any]) -> dict[str, Any]:
    """Figures of faults, feeds, camera and process."""
    reconnected, faults = reconnects(raw), read_lines(raw / "faults.jsonl")
    leaks = json.loads((raw / "leaks.json").read_text()) if (raw / "leaks.json").exists() else None
    return {
        "reconnect_s": _spread([s for s in reconnected if s < GIVEN_UP_S]),
        "never_reconnected": sum(s >= GIVEN_UP_S for s in reconnected),
        "planned_faults": _by(about.get("planned") or _planned_before(about)),
        "feeds_back_s": {kind: feeds_back(raw, kind) for kind in ("broker", "browser")},
        "match_time_off_s": match_time_off_s(raw),
        "longest_fault_s": max((f["end_unix"] - f["start_unix"] for f in faults), default=0.0),
        "faults": _by(f["kind"] for f in faults),
        "process": process_figures(raw),
        "camera": camera_figures(raw),
        "password_in_files": leaks,
        "trouble": [t["text"] for t in read_lines(raw / "trouble.jsonl")],
    }


def _ruling(r: Ruled) -> dict[str, Any]:
    return {"stroke": r.stroke, "at_unix": r.start_unix, "text": r.text, "verdict": r.verdict}


def _certain_and_wrong(compared: Iterable[Compared]) -> list[dict[str, Any]]:
    """Certain rulings that differ from the truth, with both."""
    return [
        {"truth": asdict(c.truth), "ruled": c.ruled.text if c.ruled else None, "wrong": c.wrong}
        for c in compared
        if c.wrong
    ]


def _planned_before(about: dict[str, Any]) -> list[str]:
    """The plan of a record that does not hold it, which had other kinds."""
    kinds: tuple[FaultKind, ...] = ("drop", "stall", "dark", "size", "disk", "kill")
    return [f.kind for f in plan(about["seconds"], about["every_s"], about["seed"], kinds)]


def feeds_back(raw: Path, kind: str) -> dict[str, Any]:
    """How long after its return a broker or a browser heard of the table; `never`: not within a minute."""
    seconds = [b["seconds"] for b in read_lines(raw / "back.jsonl") if b["kind"] == kind]
    lost = sum(s >= GIVEN_UP_S for s in seconds)
    return {**_spread([s for s in seconds if s < GIVEN_UP_S]), "never": lost}


def _published(compared: Iterable[Compared]) -> list[tuple[TrueStroke, Ruled]]:
    """Strokes whose ruling was published while the table was live, not only written in the journal."""
    return [
        (c.truth, c.ruled) for c in compared if c.ruled is not None and not math.isnan(c.ruled.first_unix)
    ]


def _until(raw: Path) -> float:
    """The moment up to which there is a record: its end, or while it is under way the last sample."""
    ended = [e["ended_unix"] for e in read_lines(raw / "ended.jsonl")]
    return max(ended or (s["unix"] for s in read_lines(raw / "samples.jsonl")), default=math.inf)


def _counts(compared: Sequence[Compared]) -> dict[str, int]:
    scores = [c.score_wrong for c in compared if c.score_wrong is not None]
    return {
        "strokes": len(compared),
        "lost": sum(c.ruled is None for c in compared),
        "certain": sum(c.ruled is not None and c.ruled.verdict == "certain" for c in compared),
        "questions": sum(c.ruled is not None and c.ruled.verdict != "certain" for c in compared),
        "certain_and_wrong": sum(bool(c.wrong) for c in compared),
        "scores_checked": len(scores),
        "scores_wrong": sum(scores),
    }


def reconnects(raw: Path) -> list[float]:
    """For each time the camera came back: from that moment until images were there again."""
    events = [
        e
        for e in read_lines(raw / "events.jsonl")
        if e["type"] == "status" and e["body"]["code"] == "camera_lost"
    ]
    again = [said_of(e) for e in events if not e["body"]["active"]]
    found = []
    for fault in read_lines(raw / "faults.jsonl"):
        if fault["kind"] in ("drop", "size"):
            back = min((t for t in again if t > fault["start_unix"]), default=math.inf)
            if math.isfinite(back) or _until(raw) - fault["end_unix"] > GIVEN_UP_S:
                found.append(max(0.0, back - fault["end_unix"]))
    return found


def match_time_off_s(raw: Path) -> float:
    """The most by which match time ran away from the time that went by, over all matches: what is published
    lies behind by as much as the camera was dark or gone."""
    zeros: dict[str, list[float]] = {}
    for event in read_lines(raw / "events.jsonl"):
        if event["type"] == "state" and event["body"].get("match_id"):
            zeros.setdefault(event["body"]["match_id"], []).append(said_of(event) - event["t_s"])
    return max((max(z) - min(z) for z in zeros.values()), default=0.0)


def process_figures(raw: Path) -> dict[str, Any]:
    """Memory and processor time of the process that lived longest, and how flat its memory was after ten
    minutes.
    """
    samples = read_lines(raw / "samples.jsonl")
    pids = {s["pid"] for s in samples}
    lives = [[s for s in samples if s["pid"] == pid] for pid in pids]
    if not lives:
        return {}
    longest = max(lives, key=lambda life: _grown(life, "unix"))
    alive_s = sum(_grown(life, "unix") for life in lives)
    cores = sum(_grown(life, "cpu_s") for life in lives) / max(1e-9, alive_s)
    return {
        "processes": len(lives),
        "longest_s": round(_grown(longest, "unix")),
        "cores": round(cores, 4),
        "rss_mb_most": max(s["rss_mb"] for s in samples),
        "load_median": _median([s["load"] for s in samples]),
        "flat": _flatness(longest),
    }


def _grown(life: Sequence[dict[str, Any]], key: str) -> float:
    return float(life[-1][key] - life[0][key])


def _flatness(life: Sequence[dict[str, Any]]) -> dict[str, float] | None:
    """How flat a process's memory was once it had settled; None where too little of its life is left."""
    settled = [s["rss_mb"] for s in life if s["unix"] >= life[0]["unix"] + _SETTLED_S]
    if len(settled) < 2 * _PIECES:
        return None
    size = len(settled) // _PIECES
    pieces = [_median(settled[k * size : (k + 1) * size]) for k in range(_PIECES)]
    return {
        "minutes": round((_grown(life, "unix") - _SETTLED_S) / 60, 1),
        "first_mb": pieces[0],
        "last_mb": pieces[-1],
        "change": pieces[-1] / pieces[0] - 1,
        "largest_from_median": max(abs(p / _median(pieces) - 1) for p in pieces),
    }


def camera_figures(raw: Path) -> dict[str, Any]:
    """Delay and skipped images as `cueref live` published them."""
    states = [e["body"]["camera"] for e in read_lines(raw / "events.jsonl") if e["type"] == "state"]
    delays = [s["delay_ms"] for s in states if s["delay_ms"] is not None]
    skipped = total = last_skipped = last_images = 0
    for s in states:
        # a restart counts from nothing again
        skipped += s["skipped"] - (last_skipped if s["skipped"] >= last_skipped else 0)
        total += s["images"] - (last_images if s["images"] >= last_images else 0)
        last_skipped, last_images = s["skipped"], s["images"]
    return {"delay_ms": _spread(delays), "images_judged": total, "images_skipped": skipped}


def _spread(values: Sequence[float]) -> dict[str, Any]:
    ordered = sorted(values)
    if not ordered:
        return {"n": 0}
    return {
        "n": len(ordered),
        "median": _median(ordered),
        "p95": ordered[math.ceil(0.95 * len(ordered)) - 1],
        "most": ordered[-1],
    }


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]


def _by(names: Iterable[str | None]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[str(name)] = found.get(str(name), 0) + 1
    return found
