"""A match document for the outputs' tests: one invented, one made at test time from a clip's truth."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tracker.events import TrackRow

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
POCKETS = {
    "bottom-left": "BL",
    "bottom-right": "BR",
    "centre-left": "CL",
    "centre-right": "CR",
    "top-left": "TL",
    "top-right": "TR",
}
SPOTS = {
    "yellow": (292.0, 737.0),
    "green": (-292.0, 737.0),
    "brown": (0.0, 737.0),
    "blue": (0.0, 1784.5),
    "pink": (0.0, 2676.75),
    "black": (0.0, 3245.0),
}


def stroke(n: int, **given: Any) -> dict[str, Any]:
    """A stroke that does nothing, with what is `given` changed."""
    start = 6.0 * n
    base: dict[str, Any] = {
        "n": n,
        "frame": 1,
        "striker": "A",
        "start_s": start,
        "end_s": start + 4.0,
        "ball_on": "red",
        "nominated": None,
        "free_ball": False,
        "before": layout(),
        "after": layout(),
        "first_contact": {"ball": "red_1", "t_s": start + 0.4, "confidence": 0.98},
        "contacts": [{"balls": ["white", "red_1"], "t_s": start + 0.4, "confidence": 0.98}],
        "cushions": [],
        "potted": [],
        "cue_ball": "on_table",
        "cue_ball_pocket": None,
        "off_table": [],
        "touching": [],
        "foul": None,
        "miss": None,
        "points": 0,
        "score": [0, 0],
        "break": 0,
        "options": [],
        "verdict": "certain",
        "question": None,
        "candidates": [],
        "gap_before": False,
    }
    return base | given


def layout(white: tuple[float, float] = (120.0, 600.0), reds: int = 2) -> dict[str, list[list[float]]]:
    """The colours on their spots, `reds` reds in a row below the pink."""
    out = {c: [[x, y, 0.5]] for c, (x, y) in SPOTS.items()}
    out["white"] = [[*white, 0.5]]
    out["red"] = [[200.0 * k - 300.0, 2400.0, 0.5] for k in range(reds)]
    return out


def invented(players: tuple[str, str] = ("Ann", "Bo")) -> dict[str, Any]:
    """Four strokes: a red, a call about pink or black, a foul with a miss, a safety."""
    strokes = [
        stroke(
            1,
            potted=[{"ball": "red_1", "pocket": "TL", "t_s": 7.5, "confidence": 0.99}],
            points=1,
            score=[1, 0],
            **{"break": 1},
            after=layout((300.0, 2000.0), 1),
        ),
        stroke(
            2,
            ball_on="any_colour",
            verdict="call",
            question="Which ball did A nominate?",
            score=[1, 0],
            before=layout((300.0, 2000.0), 1),
            after=layout((10.0, 900.0), 1),
            **{"break": 1},
            first_contact={"ball": "pink", "t_s": 12.5, "confidence": 0.7},
            candidates=[
                {"facts": {"nominated": "pink"}, "weight": 0.7, "means": {"foul": None, "points": 0}},
                {"facts": {"nominated": "black"}, "weight": 0.3, "means": "foul, 7 to B"},
            ],
        ),
        stroke(
            3,
            striker="B",
            first_contact={"ball": "blue", "t_s": 18.7, "confidence": 0.9},
            miss=True,
            foul={"clause": "snooker 3.3(h)", "penalty": 5, "penalty_to": "A"},
            score=[6, 0],
            cue_ball="pocketed",
            cue_ball_pocket="BR",
            options=["play", "ask_offender_to_play_again"],
        ),
        stroke(4, striker="A", first_contact=None, touching=["red_2"], score=[6, 0], gap_before=True),
    ]
    return document(strokes, players, duration_s=40.0)


def document(strokes: list[dict[str, Any]], players: tuple[str, str], duration_s: float) -> dict[str, Any]:
    """The document around the strokes."""
    score = strokes[-1]["score"] if strokes else [0, 0]
    return {
        "schema": 1,
        "game": "snooker",
        "players": list(players),
        "start": {"striker": "A", "ball_on": "red", "score": [0, 0], "assumed": True},
        "video": {
            "file": "clip.mp4",
            "width": 1920,
            "height": 1080,
            "images": int(duration_s * 50),
            "duration_s": duration_s,
        },
        "calibration": {"residual_px": 0.07, "residual_mm": 0.6, "camera": None},
        "frames": [{"n": 1, "first_stroke": 1, "score": score, "winner": None}],
        "strokes": strokes,
        "hands": [],
        "spotting": [
            {
                "ball": "pink",
                "spot": "pink",
                "t_s": 20.0,
                "dx_mm": 3.1,
                "dy_mm": -0.4,
                "offset_mm": 3.13,
                "sigma_mm": 0.4,
                "ok": False,
            }
        ],
        "warnings": [{"type": "images_lost", "t_s": 22.0, "text": "images were lost"}],
        "score": score,
    }


def rows_for(match: dict[str, Any]) -> list[TrackRow]:
    """Track rows for the invented match: the cue-ball runs in an arc, a red to its pocket."""
    rows: list[TrackRow] = []
    for s in match["strokes"]:
        (x0, y0, _), (x1, y1, _) = s["before"]["white"][0], s["after"]["white"][0]
        for k in range(41):
            u = k / 40
            bow = 250.0 * math.sin(math.pi * u)
            t = s["start_s"] + u * (s["end_s"] - s["start_s"])
            rows.append(TrackRow(t, "white", x0 + u * (x1 - x0) + bow, y0 + u * (y1 - y0), 1.0, "moving"))
        for p in s["potted"]:
            for k in range(20):
                t = s["start_s"] + 0.4 + (p["t_s"] - s["start_s"] - 0.4) * k / 19
                rows.append(TrackRow(t, p["ball"], -300 - 589 * k / 19, 2400 + 1169 * k / 19, 1.0, "moving"))
    return rows


def from_truth(name: str = "club_a") -> tuple[dict[str, Any], list[TrackRow]] | None:
    """The document and rows that a perfect review of a shared clip would write; None without the clip."""
    file = SHARED / "footage" / "synthetic" / f"{name}.json"
    if not file.is_file():
        return None
    truth = json.loads(file.read_text())
    strokes = [_stroke(k, e) for k, e in enumerate((e for e in truth["events"] if e["type"] == "stroke"), 1)]
    run, before = 0, None
    for s in strokes:
        run = (run if before == s["striker"] else 0) + (0 if s["foul"] else s["points"])
        s["break"], before = run, s["striker"]
    match = document(strokes, ("Ann", "Bo"), truth["end"])
    return match, _rows(file.with_suffix(".frames.npz"))


def _name(ball: str) -> str:
    return f"red_{int(ball[4:])}" if ball.startswith("red") else ball


def _layout(balls: dict[str, list[float]]) -> dict[str, list[list[float]]]:
    out: dict[str, list[list[float]]] = {}
    for ball, (x, y) in sorted(balls.items()):
        out.setdefault(ball.split("_")[0], []).append([x * 1000, y * 1000, 0.1])
    return out


def _stroke(n: int, e: dict[str, Any]) -> dict[str, Any]:
    side, other = "AB"[e["striker"]], "BA"[e["striker"]]
    in_off = next((p for p in e["pots"] if p[0] == "white"), None)
    first = e["first_contact"]
    return stroke(
        n,
        striker=side,
        start_s=e["t_strike"],
        end_s=e["t_rest"],
        nominated=e["nominated"],
        ball_on="any_colour" if e["on"] == "colour" else e["on"],
        before=_layout(e["start"]),
        after=_layout(e["end"]),
        first_contact=first and {"ball": _name(first[0]), "t_s": first[1], "confidence": 1.0},
        contacts=[
            {"balls": sorted((_name(a), _name(b)), key=lambda x: x != "white"), "t_s": t, "confidence": 1.0}
            for a, b, t in e["contacts"]
        ],
        potted=[
            {"ball": _name(b), "pocket": POCKETS[p], "t_s": t, "confidence": 1.0}
            for b, p, t in e["pots"]
            if b != "white"
        ],
        cue_ball="pocketed" if in_off else "on_table",
        cue_ball_pocket=in_off and POCKETS[in_off[1]],
        foul={"clause": "snooker 3.3(h)", "penalty": e["penalty"], "penalty_to": other}
        if e["foul"]
        else None,
        points=e["points"],
        score=e["score"],
    )


def _rows(file: Path) -> list[TrackRow]:
    import numpy as np

    z = np.load(file)
    out: list[TrackRow] = []
    xy, t = z["xy"].astype(float) * 1000, z["t"]
    for k, name in enumerate(z["names"]):
        step = np.linalg.norm(np.diff(xy[:, k], axis=0, prepend=xy[:1, k]), axis=1)
        for i in np.flatnonzero((step > 0.05) & np.isfinite(xy[:, k, 0])):
            out.append(TrackRow(float(t[i]), _name(str(name)), xy[i, k, 0], xy[i, k, 1], 0.5, "moving"))
    return sorted(out, key=lambda r: r.t_s)
