"""How a tracker's events compare with the truth of a `Truth`: counts and errors, no opinion."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tracker import Tracker
from tracker.events import FirstContact, StrokeRecord, TrackerEvent
from vision.observation import ImageObservations

from .observer import Truth, kind

POCKET = {
    "bottom-left": "BL",
    "bottom-right": "BR",
    "centre-left": "CL",
    "centre-right": "CR",
    "top-left": "TL",
    "top-right": "TR",
}


@dataclass
class Score:
    strokes: int = 0
    seen: int = 0
    matched: int = 0
    first_right: int = 0
    certain_wrong: int = 0
    questions: int = 0
    first_ms: list[float] = field(default_factory=list)
    pots: int = 0
    pots_right: int = 0
    pots_false: int = 0
    pot_ms: list[float] = field(default_factory=list)
    contacts: int = 0
    contacts_found: int = 0
    contacts_false: int = 0
    contact_ms: list[float] = field(default_factory=list)
    cushions: int = 0
    cushions_seen: int = 0
    start_ms: list[float] = field(default_factory=list)
    end_s: list[float] = field(default_factory=list)
    rest_mm: list[float] = field(default_factory=list)
    layouts_right: int = 0
    notes: list[str] = field(default_factory=list)


def run(images: Iterable[ImageObservations], tracker: Tracker) -> list[TrackerEvent]:
    out: list[TrackerEvent] = []
    for image in images:
        out += tracker.feed(image)
    return out + tracker.close()


def nearest(truth: dict[str, tuple[float, float]], seen: Iterable) -> tuple[list[float], int, int]:
    by = defaultdict(list)
    for p in seen:
        by[p.colour].append((p.x_mm, p.y_mm))
    errors, missed = [], 0
    for name, p in truth.items():
        places = by[kind(name)]
        d = min((math.dist(p, q) for q in places), default=1e9)
        if d < 60:
            places.remove(min(places, key=lambda q: math.dist(p, q)))
            errors.append(d)
        else:
            missed += 1
    return errors, missed, sum(len(v) for v in by.values())


def score(truth: Truth, events: list[TrackerEvent], into: Score | None = None) -> Score:
    s = into or Score()
    records = [e for e in events if isinstance(e, StrokeRecord)]
    s.seen += len(records)
    for e in truth.events:
        if e["type"] != "stroke" or e["t_rest"] > truth.t[-1]:
            continue
        s.strokes += 1
        record = min(records, key=lambda r: abs(r.start_s - e["t_strike"]), default=None)
        if record is None or abs(record.start_s - e["t_strike"]) > 0.6:
            s.notes.append(f"no stroke at {e['t_strike']:.2f}")
            s.pots += len(e["pots"])
            continue
        s.matched += 1
        _stroke(s, e, record)
    return s


def _stroke(s: Score, e: dict, r: StrokeRecord) -> None:
    when = f"{e['t_strike']:.2f}"
    s.start_ms.append((r.start_s - e["t_strike"]) * 1000)
    s.end_s.append(r.end_s - e["t_rest"])
    for layout, side in ((e["start"], r.before), (e["end"], r.after)):
        want = {n: (p[0] * 1000, p[1] * 1000) for n, p in layout.items()}
        errors, missed, extra = nearest(want, side)
        s.rest_mm += errors
        right = missed == 0 and extra == 0 and max(errors, default=0) < 10
        s.layouts_right += right
        if not right:
            s.notes.append(
                f"{when} layout {'before' if side is r.before else 'after'}: missed {missed} extra {extra}"
                f" worst {max(errors, default=0):.1f}"
            )
    a = e["first_contact"] and kind(e["first_contact"][0])
    top: FirstContact = r.first_contact[0]
    b = kind(top.ball) if top.ball else None
    s.first_right += a == b
    if top.weight < 0.98:
        s.questions += 1
    elif a != b:
        s.certain_wrong += 1
    if a != b:
        s.notes.append(f"{when} first {e['first_contact']} got {r.first_contact}")
    elif a and top.t_s is not None:
        s.first_ms.append((top.t_s - e["first_contact"][1]) * 1000)
    want_pots = sorted((kind(x), POCKET.get(p, p)) for x, p, _ in e["pots"])
    got = sorted((kind(p.ball), p.pocket) for p in r.pots)
    hit = sum(min(want_pots.count(x), got.count(x)) for x in set(want_pots))
    s.pots += len(want_pots)
    s.pots_right += hit
    s.pots_false += len(got) - hit
    if want_pots != got:
        s.notes.append(f"{when} pots want {want_pots} got {got} vanished {r.vanished} off {r.off_table}")
    elif len(got) == 1:
        s.pot_ms.append((r.pots[0].t_s - e["pots"][0][2]) * 1000)
    _contacts(s, e, r, when)
    s.cushions += len(e["cushions"])
    s.cushions_seen += len(r.cushions)


def _contacts(s: Score, e: dict, r: StrokeRecord, when: str) -> None:
    merged: list[tuple[tuple[str, str], float]] = []
    for a, b, t in e["contacts"]:
        pair = tuple(sorted((kind(a), kind(b))))
        if not any(p == pair and abs(u - t) < 0.03 for p, u in merged):
            merged.append((pair, t))
    got = [
        (tuple(sorted((kind(c.balls[0]), kind(c.balls[1])))), c.t_s) for c in r.contacts if c.confidence > 0.5
    ]
    for pair, t in merged:
        found = [g for g in got if g[0] == pair and abs(g[1] - t) < 0.06]
        s.contacts += 1
        if found:
            g = min(found, key=lambda g: abs(g[1] - t))
            got.remove(g)
            s.contacts_found += 1
            s.contact_ms.append((g[1] - t) * 1000)
        elif not r.gap_before:
            s.notes.append(f"{when} contact missed {pair} {t:.3f}")
    s.contacts_false += len(got)
    s.notes += [f"{when} contact false {g[0]} {g[1]:.3f}" for g in got]


def report(s: Score) -> str:
    def q(v: list[float]) -> str:
        v = sorted(abs(x) for x in v)
        return (
            f"median {v[len(v) // 2]:.2f} p95 {v[int(len(v) * 0.95)]:.2f} max {v[-1]:.2f} n {len(v)}"
            if v
            else "-"
        )

    return "\n".join(
        [
            (
                f"strokes {s.matched}/{s.strokes} seen {s.seen} first {s.first_right} certain-wrong"
                f" {s.certain_wrong} questions {s.questions}"
            ),
            f"pots {s.pots_right}/{s.pots} false {s.pots_false}  layouts {s.layouts_right}/{2 * s.matched}",
            (
                f"contacts {s.contacts_found}/{s.contacts} false {s.contacts_false}  cushions"
                f" {s.cushions_seen}/{s.cushions}"
            ),
            f"first ms {q(s.first_ms)}",
            f"contact ms {q(s.contact_ms)}",
            f"pot ms {q(s.pot_ms)}",
            f"start ms {q(s.start_ms)}",
            f"end s {q(s.end_s)}",
            f"rest mm {q(s.rest_mm)}",
        ]
    )
